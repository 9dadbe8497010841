"""Opens sessions: decides whether the user may, and where to connect.

`redeeming` redeems tokens; `release` hands out the secret and checks the target's key. Every decision, allow or deny,
is audited with its reasons. It is made anew at each step: at the request, when a token is redeemed, and before the
credential leaves the vault.
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

import msgspec
from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext as _

from postern.apps.acls import facade as acls
from postern.apps.audits import facade as audits
from postern.apps.authn import facade as authn
from postern.apps.perms import facade as perms
from postern.apps.sessions import messages
from postern.apps.sessions.sessions import command_filters, grants, policy, queries, ways
from postern.apps.sessions.sessions.actions import sealing
from postern.apps.sessions.sessions.events import SessionOpened
from postern.apps.sessions.sessions.models import ConnectionToken, Session
from postern.apps.sessions.terminals.models import Terminal
from postern.apps.sessions.visitors import actions as visitors
from postern.apps.users import facade as users
from postern.contracts import access
from postern.contracts.enums import DenialCode, LoginFrom, Protocol, SessionState
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.foundation.network.outbound import TargetRefused
from postern.kernel import clock
from postern.kernel.ids import ROOT_ORG_ID


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a user wants to open, from any source. `token_id`: the connection token that was used."""

    identity: access.UserIdentity
    asset: str
    system_user: str
    protocol: Protocol
    login_from: LoginFrom
    remote_addr: str
    client: str = ""
    login_session: UUID | None = None
    proxy_sign_in: UUID | None = None
    credential: str = ""
    epoch: int | None = None
    token_id: UUID | None = None


def authorize(*, terminal: Terminal, request: access.AuthorizeRequest) -> access.AuthorizeAnswer:
    """Decide about a session that the proxy itself requests; an allowed session is created.

    The proxy cannot choose the user: it must present the ticket of a user who signed in through it.
    """
    visitor = visitors.visitor_of(
        terminal=terminal, ticket=request.ticket, remote_addr=request.remote_addr, wanted="session"
    )
    if isinstance(visitor, access.Denial):
        return access.AuthorizeAnswer(denial=visitor)
    with translation.override(visitor.identity.language):
        return open_session(
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


def open_session(terminal: Terminal, wish: Wish) -> access.AuthorizeAnswer:
    """Decide about a request; an allowed session is created.

    A token opens one session, even when the request is repeated.
    """
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
        denial = answer.denial or access.Denial(
            code=DenialCode.NO_PERMISSION,
            message=_("You are not allowed to connect to this target. Ask an administrator for access."),
        )
        return access.AuthorizeAnswer(denial=_refuse(terminal, wish, denial), candidates=answer.candidates)
    try:
        # Before any transaction, because resolving a name may take long.
        asset = answer.target.asset
        way = ways.checked_way(address=asset.ip, port=answer.target.port, domain_id=asset.domain_id)
    except TargetRefused as error:
        denial = access.Denial(code=DenialCode.NO_PERMISSION, message=error.message)
        return access.AuthorizeAnswer(denial=_refuse(terminal, wish, denial))
    grant = _permit(terminal, wish, answer.target, way)
    if grant is None:
        ended = access.Denial(
            code=DenialCode.SIGN_IN_ENDED, message=_("Your sign-in has ended. Connect again and sign in.")
        )
        return access.AuthorizeAnswer(denial=_refuse(terminal, wish, ended))
    return access.AuthorizeAnswer(grant=grant)


@transaction.atomic
def _refuse(terminal: Terminal, wish: Wish, denial: access.Denial) -> access.Denial:
    """Record a refusal and return it. A refused token stays refused and is audited once."""
    if wish.token_id is not None:
        token = ConnectionToken.objects.select_for_update().filter(pk=wish.token_id).first()
        if token is not None and token.denial is not None:
            return msgspec.convert(token.denial, access.Denial)
        if token is not None and token.opened is None:
            token.denial = msgspec.to_builtins(denial)
            token.save(update_fields=["denial"])
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
def _permit(terminal: Terminal, wish: Wish, target: perms.ResolvedTarget, way: ways.Way) -> access.SessionGrant | None:
    """Create the session. `way` has the checked addresses that the proxy connects to.

    None when the basis of the request has ended since it was checked: all access of the user, their browser sign-in,
    the bearer token or access key. A concurrent revocation either sees the new session or commits first.
    """
    if wish.epoch is None or users.hold_epoch(wish.identity.id) != wish.epoch:
        return None
    token = None
    if wish.token_id is not None:
        token = ConnectionToken.objects.select_for_update().filter(pk=wish.token_id, denial__isnull=True).first()
        if token is None:
            return None
    if not authn.hold_maker(login_session=wish.login_session, credential=wish.credential):
        return None
    if token is not None and token.opened is not None:
        return _same_grant(terminal, token.opened, wish, target, way)
    control = acls.controls_of([target.system_user.id])[target.system_user.id]
    session = Session.objects.create(
        org_id=target.asset.org_id,
        user_id=wish.identity.id,
        user=messages.label(wish.identity),
        username=wish.identity.username,
        actor_kind=messages.kind_of(wish.identity).value,
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
        credential=wish.credential,
        epoch=wish.epoch,
        terminal=terminal,
        actions=int(target.decision.actions),
        date_expired=target.decision.expires_at,
        action_ends=grants.stored(target.decision.ends),
        command_digest=command_filters.digest_of(control),
    )
    reasons = target.decision.reasons
    perms.note_use(
        permission_ids={reason.permission.id for reason in reasons if reason.permission is not None},
        user_id=session.user_id,
        at=session.date_start,
    )
    if token is not None:
        token.opened = session.pk
        token.save(update_fields=["opened"])
    record(
        messages.owner(session),
        session,
        audits.Event.SESSION_PERMITTED,
        {
            "reasons": [
                {"code": str(reason.code), "permission": reason.permission.name if reason.permission else None}
                for reason in reasons
            ],
            "protocol": wish.protocol.value,
            "login_from": wish.login_from.value,
            "target": session.target_address,
            "dialled": way.host,
            **({"through": way.shown} if way.route.stages else {}),
            "terminal": terminal.name,
            "command_filters": command_filters.shown(control) if control.rules else None,
            "fixed": sealing.fixed_proof(session),
        },
    )
    events.publish(SessionOpened(session_id=session.pk, org_id=session.org_id, user_id=session.user_id))
    return queries.grant_of(session, target, wish.identity, way)


def _same_grant(
    terminal: Terminal, session_id: UUID, wish: Wish, target: perms.ResolvedTarget, way: ways.Way
) -> access.SessionGrant | None:
    """The grant of a session whose proxy did not receive it; None once the session is no longer opening."""
    session = Session.objects.filter(pk=session_id, terminal=terminal, date_credential_released__isnull=True).first()
    if session is None or not policy.may_be_served(
        state=SessionState(session.state), date_start=session.date_start, now=clock.now()
    ):
        return None
    return queries.grant_of(session, target, wish.identity, way)


def _clip(text: str, limit: int) -> str:
    return text.replace("\x00", "")[:limit]


def record(actor: Actor, session: Session, event: audits.Event, new: dict[str, Any] | None) -> None:
    """Audit an event of a session that was being requested."""
    audits.record(
        actor=actor,
        org_id=session.org_id,
        event=event,
        object_type="Session",
        object_id=str(session.pk),
        object_name=messages.title(session),
        new=new,
    )
