"""Who may not any more, is cut off: sessions of closed accounts, of ended sign-ins and tokens, of withdrawn permissions (K40).

Each ordered end is a transaction of its own; all of it may be repeated.
"""

from collections.abc import Collection, Iterable
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet

from postern.apps.authn import facade as authn
from postern.apps.perms import facade as perms
from postern.apps.sessions.sessions import grants, policy, queries
from postern.apps.sessions.sessions.actions import lifecycle, orders
from postern.apps.sessions.sessions.models import ConnectionToken, Session, WatchToken
from postern.apps.users import facade as users
from postern.contracts.enums import DenialCode, EndReason, Protocol
from postern.foundation.caller.actor import Actor
from postern.kernel import clock


def close_account(*, actor: Actor, user_id: UUID) -> int:
    """The account is closed, or its end date has come: end everything that this person has open. Returns the number of sessions."""
    WatchToken.objects.filter(user_id=user_id, date_used__isnull=True).delete()
    orders.stop_watching(actor=actor, watches=_watching().filter(user_id=user_id))
    return len(
        orders.terminate_sessions(
            actor=actor,
            sessions=queries.live_sessions().filter(user_id=user_id),
            reason=_closing_reason(user_id),
        )
    )


@transaction.atomic
def end_everything(*, actor: Actor, user_id: UUID) -> int:
    """The account is suspected: end every session of the person and what would open or watch one. Returns how many sessions.

    A part of the reset's own transaction, so that nothing goes on when this process ends in between.
    """
    ConnectionToken.objects.filter(user_id=user_id, date_used__isnull=True).delete()
    WatchToken.objects.filter(user_id=user_id, date_used__isnull=True).delete()
    orders.stop_watching(actor=actor, watches=_watching().filter(user_id=user_id))
    sessions = queries.live_sessions().filter(user_id=user_id)
    return len(orders.terminate_sessions(actor=actor, sessions=sessions, reason=EndReason.TERMINATED))


def close_login_session(*, actor: Actor, login_session_id: UUID) -> int:
    """A browser sign-in is over: end what was opened through it."""
    orders.stop_watching(actor=actor, watches=_watching().filter(login_session=login_session_id))
    sessions = list(queries.live_sessions().filter(login_session=login_session_id))
    reason = _closing_reason(sessions[0].user_id) if sessions else EndReason.ACCOUNT_CLOSED
    return len(orders.terminate_sessions(actor=actor, sessions=sessions, reason=reason))


def close_credentials(*, actor: Actor, credentials: Collection[str]) -> frozenset[UUID]:
    """Bearer tokens or access keys hold no more: end what was opened with them, and void what would open something.

    Returns the sessions that are being ended.
    """
    for kind in (
        ConnectionToken,
        WatchToken,
    ):  # an access key can be switched on again: what was made before stays void
        kind.objects.filter(credential__in=credentials, date_used__isnull=True).delete()
    orders.stop_watching(actor=actor, watches=_watching().filter(credential__in=credentials))
    of_person: dict[UUID, list[Session]] = {}
    for session in queries.live_sessions().filter(credential__in=credentials):
        of_person.setdefault(session.user_id, []).append(session)
    return frozenset(
        session_id
        for user_id, sessions in of_person.items()
        for session_id in orders.terminate_sessions(actor=actor, sessions=sessions, reason=_closing_reason(user_id))
    )


def close_former_epochs(*, actor: Actor, user_ids: Collection[UUID]) -> frozenset[UUID]:
    """End what these people opened or watch with a token or an access key of before their password was changed or reset.

    A browser's sign-in and a proxy's ticket have an end of their own. Returns the sessions that are being ended.
    """
    present = users.epochs(user_ids)
    watches = _watching().filter(user_id__in=user_ids, login_session__isnull=True)
    orders.stop_watching(actor=actor, watches=[one for one in watches if one.epoch != present.get(one.user_id)])
    opened = queries.live_sessions().filter(
        user_id__in=user_ids, login_session__isnull=True, proxy_sign_in__isnull=True
    )
    sessions = [session for session in opened if session.epoch != present.get(session.user_id)]
    return frozenset(orders.terminate_sessions(actor=actor, sessions=sessions, reason=EndReason.ACCOUNT_CLOSED))


def _closing_reason(user_id: UUID) -> EndReason:
    """An account whose end date has come is told from one that somebody closed."""
    return EndReason.GRANT_EXPIRED if users.has_expired(user_id) else EndReason.ACCOUNT_CLOSED


def recheck(*, actor: Actor, sessions: Iterable[Session]) -> int:
    """Decide again about live sessions, all in one set; returns how many end because they are not permitted any more.

    A session that goes on with other actions, or with other ends of them, is told so: withdrawn, given and prolonged.
    """
    live = {session.pk: session for session in sessions}
    at = clock.now()
    decisions = perms.decide_many({pk: _request(session) for pk, session in live.items()}, at=at)
    unwanted: dict[EndReason, list[Session]] = {}
    for pk, decision in decisions.items():
        session = live[pk]
        if not decision.allowed:
            unwanted.setdefault(_end_reason(decision), []).append(session)
        elif decision.ends != grants.present(session.action_ends, at):
            _change_grant(actor, session)
    return sum(
        len(orders.terminate_sessions(actor=actor, sessions=some, reason=reason)) for reason, some in unwanted.items()
    )


@transaction.atomic
def _change_grant(actor: Actor, session: Session) -> None:
    """Tell a session its grant. Decided once more under the lock: of two changes at once the later one stays."""
    [row] = lifecycle.lock(Session.objects.filter(pk=session.pk))
    at = clock.now()
    decision = perms.decide(
        user_id=row.user_id, asset_id=row.asset_id, system_user_id=row.system_user_id, protocol=Protocol(row.protocol)
    )
    if decision.allowed and not row.is_finished and decision.ends != grants.present(row.action_ends, at):
        orders.change_grant(actor=actor, session=row, ends=decision.ends)


def _request(session: Session) -> perms.Request:
    return perms.Request(
        user_id=session.user_id,
        asset_id=session.asset_id,
        system_user_id=session.system_user_id,
        protocol=Protocol(session.protocol),
    )


_EXPIRED: Final = frozenset({DenialCode.PERMISSION_EXPIRED, DenialCode.USER_EXPIRED})


def _end_reason(decision: perms.Decision) -> EndReason:
    """An end date that came is told from a right that somebody took away."""
    if decision.denial_code in _EXPIRED:
        return EndReason.GRANT_EXPIRED
    return EndReason.ACCOUNT_CLOSED if decision.denial_code is DenialCode.USER_INACTIVE else EndReason.GRANT_WITHDRAWN


def recheck_changed(*, actor: Actor, org_ids: Collection[UUID], user_ids: Collection[UUID]) -> int:
    """Access changed in these organizations, or for these people: decide again about the sessions concerned, once.

    Permissions, tree, assets or system users of an organization; groups, roles or the end date of a person.
    """
    if user_ids:
        stop_unpermitted_watchers(actor=actor, watches=_watching().filter(user_id__in=user_ids))
    concerned = Q(org_id__in=org_ids) | Q(user_id__in=user_ids)
    return recheck(actor=actor, sessions=queries.live_sessions().filter(concerned))


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
    valid = {user_id for user_id, person in users.brief(users_seen).items() if person.is_valid}
    for user_id in users_seen - valid:
        ended += close_account(actor=actor, user_id=user_id)
    of_programs = close_former_epochs(actor=actor, user_ids=users_seen & valid)
    signed_in = {
        *queries.live_sessions().values_list("login_session", flat=True),
        *_watching().values_list("login_session", flat=True),
    } - {None}
    for login_session_id in signed_in:
        if not authn.login_session_is_open(login_session_id):
            ended += close_login_session(actor=actor, login_session_id=login_session_id)
    shown = {
        *queries.live_sessions().values_list("credential", flat=True),
        *_watching().values_list("credential", flat=True),
    } - {""}
    over = shown - authn.credentials_holding(shown) if shown else frozenset()
    if over:
        of_programs |= close_credentials(actor=actor, credentials=over)
    return ended + len(of_programs)


def sweep_permissions(*, actor: Actor) -> int:
    """Decide again about every live session and every watcher. Returns endings."""
    ended = recheck(actor=actor, sessions=queries.live_sessions())
    return ended + stop_unpermitted_watchers(actor=actor, watches=_watching())


def _watching() -> QuerySet[WatchToken]:
    return WatchToken.objects.filter(date_used__isnull=False, date_stopped__isnull=True).select_related("session")
