"""Opening a session: may they, and where to. The secret and the target's key come afterwards, in `release`.

Every answer, yes or no, leaves an audit row with its reasons. The decision is taken afresh at each step: at the request, when a
token is redeemed, and once more before the credential leaves the vault.
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import translation
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.authn import facade as authn
from postern.apps.perms import facade as perms
from postern.apps.sessions import grants, messages, policy, queries
from postern.apps.sessions.actions import sealing, visitors
from postern.apps.sessions.events import SessionOpened
from postern.apps.sessions.models import ConnectionToken, Session, Terminal, WatchToken
from postern.apps.users import facade as users
from postern.contracts import access
from postern.contracts.enums import DenialCode, LoginFrom, Protocol, SessionState
from postern.foundation import events, outbound
from postern.foundation.actor import Actor
from postern.kernel import clock, ids
from postern.kernel.ids import ROOT_ORG_ID

_TOKEN_DENIALS = {
    policy.TokenFault.UNKNOWN: DenialCode.TOKEN_UNKNOWN,
    policy.TokenFault.USED: DenialCode.TOKEN_USED,
    policy.TokenFault.EXPIRED: DenialCode.TOKEN_EXPIRED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a person wants to open, wherever the request came from."""

    identity: access.UserIdentity
    asset: str
    system_user: str
    protocol: Protocol
    login_from: LoginFrom
    remote_addr: str
    client: str = ""
    login_session: UUID | None = None
    proxy_sign_in: UUID | None = None
    epoch: int | None = None


def authorize(*, terminal: Terminal, request: access.AuthorizeRequest) -> access.AuthorizeAnswer:
    """Decide about a session that the proxy's own front asks for; a permitted one exists from now on.

    For whom is not the proxy's to say: it shows the ticket of somebody who signed in through it.
    """
    visitor = visitors.visitor_of(
        terminal=terminal, ticket=request.ticket, remote_addr=request.remote_addr, wanted="session"
    )
    if isinstance(visitor, access.Denial):
        return access.AuthorizeAnswer(denial=visitor)
    with translation.override(visitor.identity.language):
        return _open(
            terminal,
            Wish(
                identity=visitor.identity,
                asset=request.asset,
                system_user=request.system_user,
                protocol=request.protocol,
                login_from=request.login_from,
                remote_addr=request.remote_addr,
                client=request.client,
                proxy_sign_in=visitor.sign_in_id,
                epoch=visitor.epoch,
            ),
        )


def redeem(*, terminal: Terminal, request: access.RedeemToken) -> access.AuthorizeAnswer:
    """Exchange a connection token for a session, or a watch token for a view of one. Each works once (K18)."""
    identity = users.identity_of(request.user_id)
    if identity is None:
        # Whether there is such a person is told only to who holds a token of theirs.
        is_theirs = queries.token_exists(request.token, user_id=request.user_id, terminal_id=terminal.pk)
        refuse = _refuse_account if is_theirs else _refuse_stranger
        return access.AuthorizeAnswer(denial=refuse(terminal, request))
    with translation.override(identity.language):
        spent = _spend(terminal, identity, request)
        return _open(terminal, spent) if isinstance(spent, Wish) else spent


@transaction.atomic
def _spend(
    terminal: Terminal, identity: access.UserIdentity, request: access.RedeemToken
) -> Wish | access.AuthorizeAnswer:
    """Use the token up. What a connection token opens is opened afterwards: a failure does not revive the token."""
    epoch = users.hold_epoch(identity.id)  # before the token's row: who ends everything locks them in this order
    hashed = ids.token_hash(request.token)
    token = ConnectionToken.objects.select_for_update().filter(token_hash=hashed).first()
    if token is not None:
        return _spend_connection(terminal, token, identity, request, epoch)
    watch = (
        WatchToken.objects.select_for_update(of=("self",)).select_related("session").filter(token_hash=hashed).first()
    )
    if watch is not None:
        return _spend_watch(terminal, watch, identity, request, epoch)
    return _refuse_token(policy.TokenFault.UNKNOWN, terminal, identity, request)


def _spend_connection(
    terminal: Terminal,
    token: ConnectionToken,
    identity: access.UserIdentity,
    request: access.RedeemToken,
    epoch: int | None,
) -> Wish | access.AuthorizeAnswer:
    fault = policy.token_fault(_facts(token), user_id=identity.id, terminal_id=terminal.pk, now=clock.now())
    if fault is not None:
        return _refuse_token(fault, terminal, identity, request)
    token.date_used = clock.now()
    token.save(update_fields=["date_used"])
    if not _maker_holds(token, epoch):
        return _refuse_token(policy.TokenFault.EXPIRED, terminal, identity, request)
    return Wish(
        identity=identity,
        asset=str(token.asset_id),
        system_user=str(token.system_user_id),
        protocol=Protocol(token.protocol),
        login_from=LoginFrom.WEB_TERMINAL,
        remote_addr=request.remote_addr,
        login_session=token.login_session,
        epoch=token.epoch,
    )


def _maker_holds(token: ConnectionToken | WatchToken, epoch: int | None) -> bool:
    """Whether the sign-in, bearer token or access key with which the token was made has not been ended since."""
    if token.epoch is None or token.epoch != epoch:
        return False
    return token.login_session is None or authn.login_session_is_open(token.login_session)


def _spend_watch(
    terminal: Terminal,
    watch: WatchToken,
    identity: access.UserIdentity,
    request: access.RedeemToken,
    epoch: int | None,
) -> access.AuthorizeAnswer:
    fault = policy.token_fault(_facts(watch), user_id=identity.id, terminal_id=terminal.pk, now=clock.now())
    if fault is not None:
        return _refuse_token(fault, terminal, identity, request)
    watch.date_used = clock.now()
    watch.save(update_fields=["date_used"])
    if not _maker_holds(watch, epoch):
        return _refuse_token(policy.TokenFault.EXPIRED, terminal, identity, request)
    session = watch.session
    actor = messages.person(identity, request.remote_addr, watch.login_session)
    unmet = authn.unmet_condition(identity.id)
    if unmet is not None:
        _record(actor, session, audits.Event.SESSION_WATCH_REFUSED, {"code": unmet.code.value})
        return access.AuthorizeAnswer(denial=unmet)
    standing = queries.standing_of(identity.id, session.org_id)
    if standing is None or not policy.may_see(standing):
        return access.AuthorizeAnswer(denial=_deny_watch(actor, session, DenialCode.NO_PERMISSION))
    if session.state != SessionState.ACTIVE.value:
        return access.AuthorizeAnswer(denial=_deny_watch(actor, session, DenialCode.SESSION_UNKNOWN))
    _record(actor, session, audits.Event.SESSION_WATCHED, None)
    return access.AuthorizeAnswer(watch=access.WatchGrant(session_id=session.pk, watcher=identity, watch_id=watch.pk))


def _open(terminal: Terminal, wish: Wish) -> access.AuthorizeAnswer:
    unmet = authn.unmet_condition(wish.identity.id)
    if unmet is not None:
        return access.AuthorizeAnswer(denial=_refuse(terminal, wish, unmet))
    answer = perms.resolve_target(
        user_id=wish.identity.id,
        asset_ref=wish.asset,
        system_user_ref=wish.system_user,
        protocol=wish.protocol,
    )
    if answer.target is None:
        denial = answer.denial or access.Denial(code=DenialCode.NO_PERMISSION, message=_("You may not connect there."))
        return access.AuthorizeAnswer(denial=_refuse(terminal, wish, denial), candidates=answer.candidates)
    try:
        # Before any transaction: a name may take its time to resolve.
        address, port = answer.target.asset.ip, answer.target.port
        host = outbound.check_dial(address, port, *queries.proxy_endpoints()).address
    except outbound.TargetUnknown:
        host = answer.target.asset.ip  # the proxy may stand where the name is known
    except outbound.TargetRefused as error:
        denial = access.Denial(code=DenialCode.NO_PERMISSION, message=error.message)
        return access.AuthorizeAnswer(denial=_refuse(terminal, wish, denial))
    grant = _permit(terminal, wish, answer.target, host)
    if grant is None:
        ended = access.Denial(
            code=DenialCode.SIGN_IN_ENDED, message=_("Your sign-in has ended. Connect again and sign in.")
        )
        return access.AuthorizeAnswer(denial=_refuse(terminal, wish, ended))
    return access.AuthorizeAnswer(grant=grant)


@transaction.atomic
def _refuse(terminal: Terminal, wish: Wish, denial: access.Denial) -> access.Denial:
    audits.record(
        actor=messages.person(wish.identity, wish.remote_addr, wish.login_session),
        org_id=ROOT_ORG_ID,
        event=audits.Event.SESSION_REFUSED,
        object_type="Session",
        object_name=f"{wish.system_user}@{wish.asset}",
        new={
            "code": denial.code.value,
            "message": denial.message,
            "reasons": list(denial.reasons),
            "protocol": wish.protocol.value,
            "login_from": wish.login_from.value,
            "terminal": terminal.name,
        },
    )
    return denial


@transaction.atomic
def _permit(terminal: Terminal, wish: Wish, target: perms.ResolvedTarget, host: str) -> access.SessionGrant | None:
    """The session exists from now on. `host` is the checked address that the proxy dials.

    None when everything of the person was ended since the wish was looked at.
    """
    if wish.epoch is None or users.hold_epoch(wish.identity.id) != wish.epoch:
        return None
    session = Session.objects.create(
        org_id=target.asset.org_id,
        user_id=wish.identity.id,
        user=messages.label(wish.identity),
        username=wish.identity.username,
        asset_id=target.asset.id,
        asset=target.asset.hostname,
        system_user_id=target.system_user.id,
        system_user=target.system_user.name,
        login_name=queries.login_name_of(target, wish.identity.username),
        target_address=f"{target.asset.ip}:{target.port}",
        protocol=wish.protocol.value,
        login_from=wish.login_from.value,
        remote_addr=_clip(wish.remote_addr, 128),
        client=_clip(wish.client, 255),
        login_session=wish.login_session,
        proxy_sign_in=wish.proxy_sign_in,
        epoch=wish.epoch,
        terminal=terminal,
        actions=int(target.decision.actions),
        date_expired=target.decision.expires_at,
        action_ends=grants.stored(target.decision.ends),
    )
    _record(
        messages.owner(session),
        session,
        audits.Event.SESSION_PERMITTED,
        {
            "reasons": [
                {"code": str(reason.code), "permission": reason.permission.name if reason.permission else None}
                for reason in target.decision.reasons
            ],
            "protocol": wish.protocol.value,
            "login_from": wish.login_from.value,
            "target": session.target_address,
            "dialled": host,
            "terminal": terminal.name,
            "fixed": sealing.fixed_proof(session),
        },
    )
    events.publish(SessionOpened(session_id=session.pk, org_id=session.org_id, user_id=session.user_id))
    return queries.grant_of(session, target, wish.identity, host)


def _facts(token: ConnectionToken | WatchToken) -> policy.TokenFacts:
    return policy.TokenFacts(
        user_id=token.user_id,
        terminal_id=token.terminal_id,
        date_expired=token.date_expired,
        date_used=token.date_used,
    )


def _refuse_token(
    fault: policy.TokenFault, terminal: Terminal, identity: access.UserIdentity, request: access.RedeemToken
) -> access.AuthorizeAnswer:
    if fault is policy.TokenFault.UNKNOWN:
        return access.AuthorizeAnswer(denial=_refuse_stranger(terminal, request))
    audits.record(
        actor=messages.person(identity, request.remote_addr),
        org_id=ROOT_ORG_ID,
        event=audits.Event.TOKEN_REFUSED,
        object_type="ConnectionToken",
        object_name=ids.token_hash(request.token)[:8],
        new={"fault": fault.value},
    )
    texts = {
        policy.TokenFault.USED: _("This link to the session was used already. Open the session again."),
        policy.TokenFault.EXPIRED: _("This link to the session has expired. Open the session again."),
    }
    return access.AuthorizeAnswer(denial=access.Denial(code=_TOKEN_DENIALS[fault], message=texts[fault]))


@transaction.atomic
def _refuse_account(terminal: Terminal, request: access.RedeemToken) -> access.Denial:
    del terminal
    known = users.brief([request.user_id]).get(request.user_id)
    who = access.UserIdentity(
        id=request.user_id,
        username=known.username if known else "",
        name=known.name if known else "",
        language=(known.language if known else "") or get_language() or settings.LANGUAGE_CODE,
    )
    audits.record(
        actor=messages.person(who, request.remote_addr),
        org_id=ROOT_ORG_ID,
        event=audits.Event.SESSION_REFUSED,
        object_type="User",
        object_id=str(request.user_id),
        object_name=who.username,
        new={"code": DenialCode.USER_INACTIVE.value},
    )
    with translation.override(who.language):
        return access.Denial(code=DenialCode.USER_INACTIVE, message=_("Your account is closed. Ask an administrator."))


@transaction.atomic
def _refuse_stranger(terminal: Terminal, request: access.RedeemToken) -> access.Denial:
    """Nothing but the proxy's word says who is on the line: it answers for that, and learns nothing about the person."""
    audits.record(
        actor=messages.component(terminal.name, terminal.remote_addr or None),
        org_id=ROOT_ORG_ID,
        event=audits.Event.TOKEN_REFUSED,
        object_type="ConnectionToken",
        object_name=ids.token_hash(request.token)[:8],
        new={"fault": policy.TokenFault.UNKNOWN.value, "claimed_user_id": request.user_id},
    )
    # In the installation's language, whoever is meant: a person's own would tell that there is such a person.
    with translation.override(settings.LANGUAGE_CODE):
        message = _("This link to the session is not valid. Open the session again.")
    return access.Denial(code=DenialCode.TOKEN_UNKNOWN, message=message)


def _deny_watch(actor: Actor, session: Session, code: DenialCode) -> access.Denial:
    _record(actor, session, audits.Event.SESSION_WATCH_REFUSED, {"code": code.value})
    if code is DenialCode.SESSION_UNKNOWN:
        return access.Denial(code=code, message=_("This session is over."))
    return access.Denial(code=code, message=_("You may not watch this session."))


def _clip(text: str, limit: int) -> str:
    return text.replace("\x00", "")[:limit]


def _record(actor: Actor, session: Session, event: audits.Event, new: dict[str, Any] | None) -> None:
    audits.record(
        actor=actor,
        org_id=session.org_id,
        event=event,
        object_type="Session",
        object_id=str(session.pk),
        object_name=messages.title(session),
        new=new,
    )
