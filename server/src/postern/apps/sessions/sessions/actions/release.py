"""What a proxy receives about an opening session: the secret of the target, once, the secrets of the gateways on the way,
and whether a host key equals the pinned key.

All need the session's opening key, which only the grant contains, and are refused when the session is no longer
opening.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext as _

from postern.apps.assets import facade as assets
from postern.apps.audits import facade as audits
from postern.apps.authn import facade as authn
from postern.apps.perms import facade as perms
from postern.apps.sessions import messages
from postern.apps.sessions.entered_credentials import actions as entered_credentials
from postern.apps.sessions.sessions import opening_keys, policy, ways
from postern.apps.sessions.sessions.models import Session
from postern.apps.sessions.terminals import queries
from postern.apps.sessions.terminals.events import ProxyAlarm, ProxyAlarmKind
from postern.apps.sessions.terminals.models import Terminal
from postern.apps.users import facade as users
from postern.apps.vault import facade as vault
from postern.contracts import access
from postern.contracts.enums import DenialCode, Protocol, SessionState
from postern.contracts.routes import Route
from postern.foundation.bus import events
from postern.foundation.requests import attempts
from postern.kernel import clock
from postern.kernel.errors import PosternError, Unavailable
from postern.kernel.ids import ROOT_ORG_ID

_LIMIT_WINDOW = timedelta(minutes=1)


def release_credential(*, terminal: Terminal, request: access.CredentialRequest) -> access.CredentialAnswer:
    """Release the secret of an opening session, once, to the proxy that owns it; the access decision is repeated.

    The attempt that received the secret may repeat the request for some seconds, in case the response was lost; this
    counts and is audited once. While a store of secrets is asked, no lock is held; what was decided before is decided
    again, together with the release and its record.
    """
    return vault.read_outside(lambda: _release(terminal, request))


@transaction.atomic
def _release(terminal: Terminal, request: access.CredentialRequest) -> access.CredentialAnswer:
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
        denial = _denial(session, identity)
        if denial is not None:
            _refuse(session, {"code": denial.code.value})
            return access.CredentialAnswer(denial=denial)
        if not is_repeated and _asks_too_much(terminal, session):
            return _too_many(terminal, session)
        try:
            credential = _entered(session) or vault.open_credential(
                system_user_id=session.system_user_id, asset_id=session.asset_id, username=session.username
            )
        except PosternError as error:
            _refuse(session, {"code": error.code})
            return _no_credential(_code_of(error), error.message)
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


def _entered(session: Session) -> access.Credential | None:
    """The credential that the user entered beforehand, if the system user still asks for one."""
    brief = vault.system_user_briefs([session.system_user_id]).get(session.system_user_id)
    if brief is None or not brief.manual:
        return None
    return entered_credentials.take(
        session_id=session.pk,
        user_id=session.user_id,
        asset_id=session.asset_id,
        system_user_id=session.system_user_id,
    )


def release_gateway_credential(
    *, terminal: Terminal, request: access.GatewayCredentialRequest
) -> access.CredentialAnswer:
    """Release the secret of a gateway on the route of an opening session; the access decision and the route are
    decided again.

    It may be requested several times. Each release is audited; the session counts once in the limit of the proxy. The
    store of secrets is asked as by `release_credential`.
    """
    return vault.read_outside(lambda: _release_of_gateway(terminal, request))


@transaction.atomic
def _release_of_gateway(terminal: Terminal, request: access.GatewayCredentialRequest) -> access.CredentialAnswer:
    Terminal.objects.select_for_update(no_key=True).get(pk=terminal.pk)
    session = Session.objects.select_for_update().filter(pk=request.session_id, terminal=terminal).first()
    if session is None or not opening_keys.fits(session.pk, request.opening_key):
        _record_stranger(terminal, request)
        return _no_credential(DenialCode.SESSION_UNKNOWN, _("This session does not exist."))
    wanted = {"gateway_id": str(request.gateway_id)}
    if not _is_opening(session):
        _refuse(session, {"code": DenialCode.SESSION_UNKNOWN.value, "state": session.state, **wanted})
        return _no_credential(DenialCode.SESSION_UNKNOWN, _("This session does not accept a credential any more."))
    identity = users.identity_of(session.user_id)
    with translation.override(identity.language if identity else None):
        denial = _denial(session, identity)
        if denial is not None:
            _refuse(session, {"code": denial.code.value, **wanted})
            return access.CredentialAnswer(denial=denial)
        place = ways.place_of(ways.route_now(session.asset_id) or Route(), request.gateway_id)
        if place is None:
            _refuse(session, {"code": DenialCode.NO_PERMISSION.value, **wanted})
            return _no_credential(
                DenialCode.NO_PERMISSION, _("This gateway is not on the way to the target any more. Connect again.")
            )
        if _asks_too_much(terminal, session):
            return _too_many(terminal, session)
        _stage, gateway = place
        try:
            credential = vault.open_gateway_credential(gateway.id)
        except PosternError as error:
            _refuse(session, {"code": error.code, "gateway": gateway.name, **wanted})
            return _no_credential(_code_of(error), error.message)
    if session.date_gateway_released is None:
        session.date_gateway_released = clock.now()
        session.save(update_fields=["date_gateway_released"])
    _record(
        session,
        audits.Event.GATEWAY_CREDENTIAL_RELEASED,
        {"terminal": terminal.name, "gateway": gateway.name, "login_name": gateway.login_name, **wanted},
    )
    return access.CredentialAnswer(credential=credential)


def judge_host_key(*, terminal: Terminal, request: access.HostKeySeen) -> access.HostKeyAnswer | None:
    """Compare the host key of the target, or of a gateway on the way, with the pinned key.

    None when this terminal has no such opening session, or its route has no such place: nothing that is reached in
    another way than the route says is compared or pinned.
    """
    session = Session.objects.filter(pk=request.session_id, terminal=terminal).first()
    if session is None or not opening_keys.fits(session.pk, request.opening_key) or not _is_opening(session):
        return None
    route = ways.route_now(session.asset_id)
    if route is None:
        return None
    identity = users.identity_of(session.user_id)
    with translation.override(identity.language if identity else None):
        if request.gateway_id is not None:
            return _judge_gateway(session, route, request, request.gateway_id)
        return _judge_target(session, route, request)


@transaction.atomic
def _judge_target(session: Session, route: Route, request: access.HostKeySeen) -> access.HostKeyAnswer | None:
    host, _colon, port_text = session.target_address.rpartition(":")
    port = int(port_text)
    if request.port != port or bool(request.via) != bool(route.stages):
        return None
    answer = assets.check_host_key(
        asset_id=session.asset_id,
        host=host,
        port=port,
        via=request.via,
        public_key=request.public_key,
        actor=messages.owner(session),
    )
    _record_judgement(session, answer, {"host": host, "port": port, "via": request.via})
    return answer


def _judge_gateway(
    session: Session, route: Route, request: access.HostKeySeen, gateway_id: UUID
) -> access.HostKeyAnswer | None:
    place = ways.place_of(route, gateway_id)
    if place is None:
        return None
    number, gateway = place
    if request.port != gateway.port or bool(request.via) != bool(number):
        return None
    with transaction.atomic():
        answer = vault.check_gateway_host_key(
            gateway_id=gateway_id, via=request.via, public_key=request.public_key, actor=messages.owner(session)
        )
        shown = {"gateway": gateway.name, "host": gateway.host, "port": gateway.port, "via": request.via}
        _record_judgement(session, answer, shown)
    # Not while the gateway's row is locked: sessions that try the same gateways in another order would wait in a circle.
    vault.note_answer(route.stages[number], gateway_id)
    return answer


def _record_judgement(session: Session, answer: access.HostKeyAnswer, place: Mapping[str, Any]) -> None:
    _record(session, audits.Event.SESSION_HOST_KEY_JUDGED, {"verdict": answer.verdict.value, **place})


def _denial(session: Session, identity: access.UserIdentity | None) -> access.Denial | None:
    """Why the session gets no secret (any more): the access decision is made again."""
    if identity is None:
        return access.Denial(code=DenialCode.USER_INACTIVE, message=_("Your account is closed."))
    unmet = authn.unmet_condition(session.user_id)
    if unmet is not None:
        return unmet
    if not _sign_in_holds(session):
        return access.Denial(
            code=DenialCode.SIGN_IN_ENDED, message=_("Your sign-in has ended. Connect again and sign in.")
        )
    decision = perms.decide(
        user_id=session.user_id,
        asset_id=session.asset_id,
        system_user_id=session.system_user_id,
        protocol=Protocol(session.protocol),
    )
    if decision.allowed:
        return None
    return access.Denial(
        code=decision.denial_code or DenialCode.NO_PERMISSION,
        message=_("Your permission for this target has ended."),
    )


def _is_opening(session: Session) -> bool:
    """Whether the session is still opening, within the time that a proxy may take."""
    return policy.may_be_served(state=SessionState(session.state), date_start=session.date_start, now=clock.now())


def _asks_too_much(terminal: Terminal, session: Session) -> bool:
    """Whether this proxy received secrets for as many sessions within a minute as the settings allow.

    A session counts once, whether it received the secret of its target, of its gateways, or both.
    """
    since = clock.now() - _LIMIT_WINDOW
    others = Session.objects.filter(terminal=terminal).exclude(pk=session.pk)
    released = others.filter(date_credential_released__gt=since).count()
    # Two counts, because each has its index.
    on_the_way = others.filter(date_gateway_released__gt=since).exclude(date_credential_released__gt=since).count()
    return released + on_the_way >= queries.credentials_a_minute()


def _too_many(terminal: Terminal, session: Session) -> access.CredentialAnswer:
    _refuse(session, {"code": DenialCode.PROXY_LIMITED.value, "terminal": terminal.name})
    events.publish(ProxyAlarm(terminal_id=terminal.pk, name=terminal.name, kind=ProxyAlarmKind.CREDENTIALS))
    return _no_credential(
        DenialCode.PROXY_LIMITED,
        _("This proxy has reached its limit of sessions per minute. Try again in a minute, or tell an administrator."),
    )


def _code_of(error: PosternError) -> DenialCode:
    """Whether there is no secret, or the store of secrets cannot be used now: then no other gateway helps."""
    return DenialCode.SECRET_STORE_UNAVAILABLE if isinstance(error, Unavailable) else DenialCode.CREDENTIAL_MISSING


def _no_credential(code: DenialCode, message: str) -> access.CredentialAnswer:
    return access.CredentialAnswer(denial=access.Denial(code=code, message=message))


def _record_stranger(terminal: Terminal, request: access.CredentialRequest | access.GatewayCredentialRequest) -> None:
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
