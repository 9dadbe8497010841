"""What a proxy receives about an opening session: the secret, once, and whether the target's host key is the pinned
one.

Both need the session's opening key, which only the grant contains, and are refused when the session is no longer
opening.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext as _

from postern.apps.assets import facade as assets
from postern.apps.audits import facade as audits
from postern.apps.authn import facade as authn
from postern.apps.perms import facade as perms
from postern.apps.sessions import messages
from postern.apps.sessions.sessions import opening_keys, policy
from postern.apps.sessions.sessions.models import Session
from postern.apps.sessions.terminals import queries
from postern.apps.sessions.terminals.events import ProxyAlarm, ProxyAlarmKind
from postern.apps.sessions.terminals.models import Terminal
from postern.apps.users import facade as users
from postern.apps.vault import facade as vault
from postern.contracts import access
from postern.contracts.enums import DenialCode, Protocol, SessionState
from postern.foundation.bus import events
from postern.foundation.requests import attempts
from postern.kernel import clock
from postern.kernel.errors import PosternError
from postern.kernel.ids import ROOT_ORG_ID

_LIMIT_WINDOW = timedelta(minutes=1)


@transaction.atomic
def release_credential(*, terminal: Terminal, request: access.CredentialRequest) -> access.CredentialAnswer:
    """Release the secret of an opening session, once, to the proxy that owns it; the access decision is repeated.

    The attempt that received the secret may repeat the request for some seconds, in case the response was lost; this
    counts and is audited once.
    """
    # Serializes concurrent requests of one proxy. Taken before the session's lock, as heartbeats do.
    Terminal.objects.select_for_update(no_key=True).get(pk=terminal.pk)
    session = Session.objects.select_for_update().filter(pk=request.session_id, terminal=terminal).first()
    if session is None or not opening_keys.fits(session.pk, request.opening_key):
        _record_stranger(terminal, request)
        return _no_credential(DenialCode.SESSION_UNKNOWN, _("This session does not exist."))
    attempt = attempts.name_of(request.attempt, session.pk, request.opening_key)
    is_repeated = attempts.is_repeated(
        attempt, stored=session.release_attempt, first_at=session.date_credential_released
    )
    if not _is_opening(session) or (session.date_credential_released is not None and not is_repeated):
        _refuse(session, {"code": DenialCode.SESSION_UNKNOWN.value, "state": session.state})
        return _no_credential(DenialCode.SESSION_UNKNOWN, _("This session does not accept a credential any more."))
    identity = users.identity_of(session.user_id)
    with translation.override(identity.language if identity else None):
        if identity is None:
            _refuse(session, {"code": DenialCode.USER_INACTIVE.value})
            return _no_credential(DenialCode.USER_INACTIVE, _("Your account is closed."))
        unmet = authn.unmet_condition(session.user_id)
        if unmet is not None:
            _refuse(session, {"code": unmet.code.value})
            return access.CredentialAnswer(denial=unmet)
        if not _sign_in_holds(session):
            _refuse(session, {"code": DenialCode.SIGN_IN_ENDED.value})
            return _no_credential(DenialCode.SIGN_IN_ENDED, _("Your sign-in has ended. Connect again and sign in."))
        decision = perms.decide(
            user_id=session.user_id,
            asset_id=session.asset_id,
            system_user_id=session.system_user_id,
            protocol=Protocol(session.protocol),
        )
        if not decision.allowed:
            code = decision.denial_code or DenialCode.NO_PERMISSION
            _refuse(session, {"code": code.value})
            return _no_credential(code, _("Your permission for this target has ended."))
        if not is_repeated and _asks_too_much(terminal):
            _refuse(session, {"code": DenialCode.PROXY_LIMITED.value, "terminal": terminal.name})
            events.publish(ProxyAlarm(terminal_id=terminal.pk, name=terminal.name, kind=ProxyAlarmKind.CREDENTIALS))
            return _no_credential(
                DenialCode.PROXY_LIMITED,
                _(
                    "This proxy has reached its limit of sessions per minute. Try again in a minute, or tell an "
                    "administrator."
                ),
            )
        try:
            credential = vault.open_credential(system_user_id=session.system_user_id, username=session.username)
        except PosternError as error:
            _refuse(session, {"code": error.code})
            return _no_credential(DenialCode.CREDENTIAL_MISSING, error.message)
    login_name = credential.login_name or session.login_name
    if is_repeated and login_name == session.login_name:
        return access.CredentialAnswer(credential=credential)
    session.date_credential_released = session.date_credential_released or clock.now()
    session.login_name, session.release_attempt = login_name, attempt
    session.save(update_fields=["date_credential_released", "release_attempt", "login_name"])
    _record(
        session,
        audits.Event.CREDENTIAL_RELEASED,
        {"terminal": terminal.name, "login_name": session.login_name, "system_user_id": session.system_user_id},
    )
    return access.CredentialAnswer(credential=credential)


def judge_host_key(*, terminal: Terminal, request: access.HostKeySeen) -> access.HostKeyAnswer | None:
    """Compare the target's host key with the pinned key. None when this terminal has no such opening session."""
    session = Session.objects.filter(pk=request.session_id, terminal=terminal).first()
    if session is None or not opening_keys.fits(session.pk, request.opening_key) or not _is_opening(session):
        return None
    host, _colon, port_text = session.target_address.rpartition(":")
    port = int(port_text)
    if request.via:
        host, port = request.host, request.port
    elif request.port != port:
        return None
    identity = users.identity_of(session.user_id)
    with translation.override(identity.language if identity else None), transaction.atomic():
        answer = assets.check_host_key(
            asset_id=session.asset_id,
            host=host,
            port=port,
            via=request.via,
            public_key=request.public_key,
            actor=messages.owner(session),
        )
        _record(
            session,
            audits.Event.SESSION_HOST_KEY_JUDGED,
            {"verdict": answer.verdict.value, "host": host, "port": port, "via": request.via},
        )
    return answer


def _is_opening(session: Session) -> bool:
    """Whether the session is still opening, within the time that a proxy may take."""
    return policy.may_be_served(state=SessionState(session.state), date_start=session.date_start, now=clock.now())


def _asks_too_much(terminal: Terminal) -> bool:
    """Whether this proxy received as many credentials within a minute as the settings allow."""
    since = clock.now() - _LIMIT_WINDOW
    released = Session.objects.filter(terminal=terminal, date_credential_released__gt=since).count()
    return released >= queries.credentials_a_minute()


def _no_credential(code: DenialCode, message: str) -> access.CredentialAnswer:
    return access.CredentialAnswer(denial=access.Denial(code=code, message=message))


def _record_stranger(terminal: Terminal, request: access.CredentialRequest) -> None:
    """Audit a request for a session that was not given to the proxy."""
    audits.record(
        actor=messages.component(terminal.name, terminal.remote_addr or None),
        org_id=ROOT_ORG_ID,
        event=audits.Event.CREDENTIAL_REFUSED,
        object_type="Session",
        object_id=str(request.session_id),
        new={"code": DenialCode.SESSION_UNKNOWN.value},
    )
    events.publish(ProxyAlarm(terminal_id=terminal.pk, name=terminal.name, kind=ProxyAlarmKind.TICKET))


def _refuse(session: Session, new: Mapping[str, Any]) -> None:
    _record(session, audits.Event.CREDENTIAL_REFUSED, new)


def _record(session: Session, event: audits.Event, new: Mapping[str, Any]) -> None:
    audits.record(
        actor=messages.owner(session),
        org_id=session.org_id,
        event=event,
        object_type="Session",
        object_id=str(session.pk),
        object_name=messages.title(session),
        new=new,
    )


def _sign_in_holds(session: Session) -> bool:
    """Whether the credential that opened the session is still valid: ticket, browser sign-in, bearer token or access
    key.
    """
    if session.proxy_sign_in is not None:
        return authn.ticket_holder_of(session.proxy_sign_in).fault is None
    if session.login_session is not None:
        return authn.login_session_is_open(session.login_session)
    if session.credential and not authn.credentials_holding([session.credential]):
        return False
    return session.epoch is not None and users.epochs([session.user_id]).get(session.user_id) == session.epoch
