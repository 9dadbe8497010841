"""Who may not any more, is cut off: sessions of closed accounts and signed-out browsers, of withdrawn permissions (K40).

Each ordered end is a transaction of its own; all of it may be repeated.
"""

from collections.abc import Iterable
from uuid import UUID

from django.db.models import QuerySet

from postern.apps.authn import facade as authn
from postern.apps.perms import facade as perms
from postern.apps.sessions import policy, queries
from postern.apps.sessions.actions import orders
from postern.apps.sessions.models import Session, WatchToken
from postern.apps.users import facade as users
from postern.contracts.enums import EndReason, Protocol
from postern.foundation.actor import Actor


def close_account(*, actor: Actor, user_id: UUID) -> int:
    """The account is closed: end everything that this person has open. Returns the number of sessions."""
    WatchToken.objects.filter(user_id=user_id, date_used__isnull=True).delete()
    orders.stop_watching(actor=actor, watches=_watching().filter(user_id=user_id))
    return len(
        orders.terminate_sessions(
            actor=actor,
            sessions=queries.live_sessions().filter(user_id=user_id),
            reason=EndReason.ACCOUNT_CLOSED,
        )
    )


def close_login_session(*, actor: Actor, login_session_id: UUID) -> int:
    """A browser sign-in is over: end what was opened through it."""
    orders.stop_watching(actor=actor, watches=_watching().filter(login_session=login_session_id))
    return len(
        orders.terminate_sessions(
            actor=actor,
            sessions=queries.live_sessions().filter(login_session=login_session_id),
            reason=EndReason.ACCOUNT_CLOSED,
        )
    )


def recheck(*, actor: Actor, sessions: Iterable[Session]) -> int:
    """Decide again about live sessions; those that are not permitted any more end. Returns how many."""
    unwanted = [
        session
        for session in sessions
        if not perms.decide(
            user_id=session.user_id,
            asset_id=session.asset_id,
            system_user_id=session.system_user_id,
            protocol=Protocol(session.protocol),
        ).allowed
    ]
    if not unwanted:
        return 0
    return len(orders.terminate_sessions(actor=actor, sessions=unwanted, reason=EndReason.GRANT_EXPIRED))


def recheck_organization(*, actor: Actor, org_id: UUID) -> int:
    """Permissions, tree, assets or system users of an organization changed: decide again about its live sessions."""
    return recheck(actor=actor, sessions=queries.live_sessions().filter(org_id=org_id))


def recheck_user(*, actor: Actor, user_id: UUID) -> int:
    """A person's groups or roles changed: decide again about their sessions and what they watch."""
    stop_unpermitted_watchers(actor=actor, watches=_watching().filter(user_id=user_id))
    return recheck(actor=actor, sessions=queries.live_sessions().filter(user_id=user_id))


def stop_unpermitted_watchers(*, actor: Actor, watches: Iterable[WatchToken]) -> int:
    """End the views of people who may not watch (any more)."""
    unwanted: list[WatchToken] = []
    for watch in watches:
        standing = queries.standing_of(watch.user_id, watch.session.org_id)
        if standing is None or not policy.may_see(standing):
            unwanted.append(watch)
    return orders.stop_watching(actor=actor, watches=unwanted) if unwanted else 0


def sweep_accounts(*, actor: Actor) -> int:
    """Go over the people with live sessions: events make revocation quick, this makes it certain. Returns endings."""
    ended = 0
    users_seen = {
        *queries.live_sessions().values_list("user_id", flat=True),
        *_watching().values_list("user_id", flat=True),
    }
    for user_id in users_seen:
        if users.identity_of(user_id) is None:
            ended += close_account(actor=actor, user_id=user_id)
    signed_in = {
        *queries.live_sessions().values_list("login_session", flat=True),
        *_watching().values_list("login_session", flat=True),
    } - {None}
    for login_session_id in signed_in:
        if not authn.login_session_is_open(login_session_id):
            ended += close_login_session(actor=actor, login_session_id=login_session_id)
    return ended


def sweep_permissions(*, actor: Actor) -> int:
    """Decide again about every live session and every watcher. Returns endings."""
    ended = recheck(actor=actor, sessions=queries.live_sessions())
    return ended + stop_unpermitted_watchers(actor=actor, watches=_watching())


def _watching() -> QuerySet[WatchToken]:
    return WatchToken.objects.filter(date_used__isnull=False, date_stopped__isnull=True).select_related("session")
