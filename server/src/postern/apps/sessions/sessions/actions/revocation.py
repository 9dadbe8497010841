"""Ends the sessions of users who lost access: closed accounts, ended sign-ins and tokens, withdrawn permissions (K40:
what ends, ends everywhere within seconds).

Each ordered end is its own transaction; every function is safe to repeat.
"""

from collections.abc import Collection, Iterable
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from postern.apps.acls import facade as acls
from postern.apps.authn import facade as authn
from postern.apps.perms import facade as perms
from postern.apps.sessions.sessions import command_filters, grants, policy, queries
from postern.apps.sessions.sessions.actions import lifecycle, orders
from postern.apps.sessions.sessions.models import ConnectionToken, Session, WatchToken
from postern.apps.users import facade as users
from postern.contracts.enums import DenialCode, EndReason, Protocol
from postern.foundation.caller.actor import Actor
from postern.kernel import clock


def close_account(*, actor: Actor, user_id: UUID) -> int:
    """End everything that the user of a closed or expired account has open. Returns the number of sessions."""
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
    """End every session of a suspected account, and everything that could open or watch a session. Returns the number
    of sessions.

    Runs inside the transaction of the reset, so that a crash in between leaves nothing open.
    """
    ConnectionToken.objects.filter(user_id=user_id, date_used__isnull=True).delete()
    WatchToken.objects.filter(user_id=user_id, date_used__isnull=True).delete()
    orders.stop_watching(actor=actor, watches=_watching().filter(user_id=user_id))
    sessions = queries.live_sessions().filter(user_id=user_id)
    return len(orders.terminate_sessions(actor=actor, sessions=sessions, reason=EndReason.TERMINATED))


def close_login_session(*, actor: Actor, login_session_id: UUID) -> int:
    """End everything that was opened through a browser sign-in that has ended."""
    orders.stop_watching(actor=actor, watches=_watching().filter(login_session=login_session_id))
    sessions = list(queries.live_sessions().filter(login_session=login_session_id))
    reason = _closing_reason(sessions[0].user_id) if sessions else EndReason.ACCOUNT_CLOSED
    return len(orders.terminate_sessions(actor=actor, sessions=sessions, reason=reason))


def close_credentials(*, actor: Actor, credentials: Collection[str]) -> frozenset[UUID]:
    """End everything that was opened with revoked bearer tokens or access keys, and void their connection and watch
    tokens.

    Returns the ended sessions.
    """
    for kind in (
        ConnectionToken,
        WatchToken,
    ):  # an access key can be switched on again, but tokens created before stay void
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


def close_withdrawn_certificates(*, actor: Actor) -> int:
    """End the sessions of people who came in with a certificate that is revoked, or whose authority is not trusted any
    more. Returns the number of sessions.

    A certificate that has only expired ends none: it lets nobody in any more.
    """
    opened = queries.live_sessions().filter(proxy_sign_in__isnull=False)
    void = authn.with_withdrawn_certificates(set(opened.order_by().values_list("proxy_sign_in", flat=True)))
    if not void:
        return 0
    sessions = queries.live_sessions().filter(proxy_sign_in__in=void)
    return len(orders.terminate_sessions(actor=actor, sessions=sessions, reason=EndReason.ACCOUNT_CLOSED))


def close_former_epochs(*, actor: Actor, user_ids: Collection[UUID]) -> frozenset[UUID]:
    """End what these users opened or watch with a token or an access key from before their password changed.

    Browser sign-ins and proxy tickets are ended separately. Returns the ended sessions.
    """
    present = users.epochs(user_ids)
    watches = _watching().filter(user_id__in=user_ids, login_session__isnull=True)
    orders.stop_watching(actor=actor, watches=[watch for watch in watches if watch.epoch != present.get(watch.user_id)])
    opened = queries.live_sessions().filter(
        user_id__in=user_ids, login_session__isnull=True, proxy_sign_in__isnull=True
    )
    sessions = [session for session in opened if session.epoch != present.get(session.user_id)]
    return frozenset(orders.terminate_sessions(actor=actor, sessions=sessions, reason=EndReason.ACCOUNT_CLOSED))


def _closing_reason(user_id: UUID) -> EndReason:
    """Distinguishes an account that expired from an account that an administrator closed."""
    return EndReason.GRANT_EXPIRED if users.has_expired(user_id) else EndReason.ACCOUNT_CLOSED


def recheck(*, actor: Actor, sessions: Iterable[Session]) -> int:
    """Decide again about live sessions in one batch; returns the number of sessions that end because they are not
    permitted any more.

    A session that continues with other actions, or other end dates of actions, is notified.
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
    """Send a session its grant.

    The decision is repeated under the lock, so that the later of two concurrent changes wins.
    """
    [row] = lifecycle.lock(Session.objects.filter(pk=session.pk))
    at = clock.now()
    decision = perms.decide(
        user_id=row.user_id, asset_id=row.asset_id, system_user_id=row.system_user_id, protocol=Protocol(row.protocol)
    )
    if decision.allowed and not row.is_finished and decision.ends != grants.present(row.action_ends, at):
        orders.change_grant(actor=actor, session=row, ends=decision.ends)


def recheck_command_filters(*, actor: Actor, system_user_ids: Collection[UUID] | None = None) -> int:
    """Send live sessions of these system users (None: of all) the command filters that apply to them now.

    Returns the number of sessions whose filters have changed.
    """
    live = list(queries.live_sessions().order_by().values_list("pk", "system_user_id", "command_digest"))
    concerned = [row for row in live if system_user_ids is None or row[1] in system_user_ids]
    if not concerned:
        return 0
    controls = acls.controls_of({system_user_id for _pk, system_user_id, _digest in concerned})
    digests = {system_user_id: command_filters.digest_of(control) for system_user_id, control in controls.items()}
    stale = [pk for pk, system_user_id, digest in concerned if digest != digests[system_user_id]]
    for pk in stale:
        _change_command_control(actor, pk)
    return len(stale)


@transaction.atomic
def _change_command_control(actor: Actor, session_id: UUID) -> None:
    """The filters are read again under the lock, so that the later of two concurrent changes wins."""
    [row] = lifecycle.lock(Session.objects.filter(pk=session_id))
    control = command_filters.control_of(row)
    if not row.is_finished and command_filters.digest_of(control) != row.command_digest:
        orders.change_command_control(actor=actor, session=row, control=control)


def _request(session: Session) -> perms.Request:
    return perms.Request(
        user_id=session.user_id,
        asset_id=session.asset_id,
        system_user_id=session.system_user_id,
        protocol=Protocol(session.protocol),
    )


_EXPIRED: Final = frozenset({DenialCode.PERMISSION_EXPIRED, DenialCode.USER_EXPIRED})


def _end_reason(decision: perms.Decision) -> EndReason:
    """Distinguishes a permission that expired from a permission that was withdrawn."""
    if decision.denial_code in _EXPIRED:
        return EndReason.GRANT_EXPIRED
    return EndReason.ACCOUNT_CLOSED if decision.denial_code is DenialCode.USER_INACTIVE else EndReason.GRANT_WITHDRAWN


def recheck_changed(*, actor: Actor, org_ids: Collection[UUID], user_ids: Collection[UUID]) -> int:
    """Access changed in these organizations or for these users: decide once again about the affected sessions.

    The causes: permissions, tree, assets or system users of an organization; groups, roles or the end date of a user.
    """
    if user_ids:
        stop_unpermitted_watchers(actor=actor, watches=_watching().filter(user_id__in=user_ids))
    # Not a condition on the organization: SQLite would prefer its index, and read all sessions that ever were.
    live = queries.live_sessions().order_by().values_list("pk", "org_id", "user_id")
    concerned = [pk for pk, org_id, user_id in live if org_id in org_ids or user_id in user_ids]
    return recheck(actor=actor, sessions=queries.live_sessions().filter(pk__in=concerned)) if concerned else 0


def stop_unpermitted_watchers(*, actor: Actor, watches: Iterable[WatchToken]) -> int:
    """End the views of users who may not watch (any more)."""
    unwanted: list[WatchToken] = []
    for watch in watches:
        standing = queries.standing_of(watch.user_id, watch.session.org_id)
        if standing is None or not policy.may_see(standing):
            unwanted.append(watch)
    return orders.stop_watching(actor=actor, watches=unwanted) if unwanted else 0


def sweep_accounts(*, actor: Actor) -> int:
    """Check all users with live sessions, in case an event was lost. Returns the number of ended sessions."""
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
    credentials = {
        *queries.live_sessions().values_list("credential", flat=True),
        *_watching().values_list("credential", flat=True),
    } - {""}
    over = credentials - authn.credentials_holding(credentials) if credentials else frozenset()
    if over:
        of_programs |= close_credentials(actor=actor, credentials=over)
    return ended + len(of_programs) + close_withdrawn_certificates(actor=actor)


def sweep_permissions(*, actor: Actor) -> int:
    """Decide again about every live session and every watcher. Returns the number of ended sessions and views."""
    ended = recheck(actor=actor, sessions=queries.live_sessions())
    recheck_command_filters(actor=actor)
    return ended + stop_unpermitted_watchers(actor=actor, watches=_watching())


def _watching() -> QuerySet[WatchToken]:
    return WatchToken.objects.filter(date_used__isnull=False, date_stopped__isnull=True).select_related("session")
