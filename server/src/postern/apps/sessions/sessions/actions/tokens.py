"""Connection tokens and watch tokens: created for an authorized user, stored as a hash, used once."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.authn import facade as authn
from postern.apps.perms import facade as perms
from postern.apps.sessions import messages
from postern.apps.sessions.sessions import policy
from postern.apps.sessions.sessions.errors import NoFiles, NoTerminal, SessionOver
from postern.apps.sessions.sessions.models import ConnectionToken, Session, WatchToken
from postern.apps.sessions.terminals import queries
from postern.contracts.access import Denial
from postern.contracts.enums import DenialCode, LoginFrom, Protocol, SessionState
from postern.foundation.caller.actor import Actor
from postern.foundation.database.batches import delete_in_batches
from postern.kernel import clock, ids
from postern.kernel.errors import NotAllowed
from postern.kernel.ids import ROOT_ORG_ID
from postern.kernel.secret import Secret


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A token, shown once, and the proxy where it is valid."""

    token: Secret
    terminal_id: UUID


@transaction.atomic
def issue_connection_token(
    *, actor: Actor, asset: str, system_user: str, protocol: Protocol, login_session: UUID | None, files: bool = False
) -> IssuedToken | Denial:
    """Create a token with which the actor opens one session from the browser, or return the reasons for a refusal.
    `files`: the session is one of the file manager, so its proxy must have an endpoint for it. Raises NoTerminal, NoFiles.

    K1 (a connection token needs a signed-in user with a permission): requires an authenticated user and a current grant
    for exactly this asset, system user and protocol.
    """
    if actor.user_id is None or not actor.is_valid_user:
        raise NotAllowed(_("Only users can open sessions."))
    denial = authn.unmet_condition(actor.user_id)
    target = None
    if denial is None:
        answer = perms.resolve_target(
            user_id=actor.user_id, asset_ref=asset, system_user_ref=system_user, protocol=protocol
        )
        target, denial = answer.target, answer.denial
    if target is None:
        denial = denial or Denial(
            code=DenialCode.NO_PERMISSION,
            message=_("You are not allowed to connect to this target. Ask an administrator for access."),
        )
        audits.record(
            actor=actor,
            org_id=ROOT_ORG_ID,
            event=audits.Event.CONNECTION_TOKEN_REFUSED,
            object_type="ConnectionToken",
            object_name=f"{system_user}@{asset}",
            new={"code": denial.code.value, "reasons": list(denial.reasons), "protocol": protocol.value},
        )
        return denial
    terminal = queries.terminal_for_browser(with_files=files)
    if terminal is None and files and queries.terminal_for_browser() is not None:
        raise NoFiles(_("No running proxy can show files. Tell an administrator: the proxies need POSTERN_FILES."))
    if terminal is None:
        raise NoTerminal(_("No proxy is running at the moment. Try again later, or tell an administrator."))
    token = ids.new_token()
    now = clock.now()
    row = ConnectionToken.objects.create(
        token_hash=ids.token_hash(token),
        org_id=target.asset.org_id,
        user_id=actor.user_id,
        asset_id=target.asset.id,
        system_user_id=target.system_user.id,
        protocol=protocol.value,
        terminal=terminal,
        login_session=login_session,
        credential=actor.credential or "",
        epoch=actor.epoch,
        remote_addr=actor.remote_addr or "",
        date_created=now,
        date_expired=now + timedelta(seconds=policy.TOKEN_LIFE_S),
    )
    audits.record(
        actor=actor,
        org_id=row.org_id,
        event=audits.Event.CONNECTION_TOKEN_CREATED,
        object_type="ConnectionToken",
        object_id=str(row.pk),
        object_name=f"{target.system_user.name}@{target.asset.hostname}",
        new={"asset_id": row.asset_id, "system_user_id": row.system_user_id, "protocol": protocol.value},
    )
    return IssuedToken(Secret(token), terminal.pk)


@transaction.atomic
def issue_watch_token(*, actor: Actor, session: Session, login_session: UUID | None) -> IssuedToken:
    """Create a token with which the actor watches one live session. The caller has checked that the actor may see
    `session`.

    Raises NotAllowed, SessionOver.
    """
    if actor.user_id is None or not policy.may_see(actor):
        raise NotAllowed(_("You do not have permission to watch sessions."))
    state = SessionState(session.state)
    if session.login_from == LoginFrom.RDP_TERMINAL:
        raise SessionOver(_("Sessions of an RDP client cannot be monitored."))
    if session.terminal is None or not policy.can_join(
        state=state, login_from=session.login_from, protocol=session.protocol
    ):
        raise SessionOver(
            _("This session cannot be watched: it has ended, is not open yet, or is of a type that cannot be watched.")
        )
    token = ids.new_token()
    now = clock.now()
    WatchToken.objects.create(
        token_hash=ids.token_hash(token),
        session=session,
        user_id=actor.user_id,
        user=actor.label[:258],
        terminal=session.terminal,
        login_session=login_session,
        credential=actor.credential or "",
        epoch=actor.epoch,
        date_created=now,
        date_expired=now + timedelta(seconds=policy.TOKEN_LIFE_S),
    )
    audits.record(
        actor=actor,
        org_id=session.org_id,
        event=audits.Event.SESSION_WATCH_PERMITTED,
        object_type="Session",
        object_id=str(session.pk),
        object_name=messages.title(session),
    )
    return IssuedToken(Secret(token), session.terminal.pk)


@transaction.atomic
def purge_tokens() -> int:
    """Delete tokens that expired more than a day ago; returns their number."""
    border = clock.now() - timedelta(days=1)
    gone = delete_in_batches(ConnectionToken.objects.filter(date_expired__lt=border))
    return gone + delete_in_batches(WatchToken.objects.filter(date_expired__lt=border, date_used__isnull=True))
