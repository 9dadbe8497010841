"""Periodic work: leases of proxies, closed accounts, withdrawn permissions, old tokens."""

import time
from datetime import timedelta
from typing import Any, Final

from celery import shared_task

from postern.apps.sessions.heartbeats import presence
from postern.apps.sessions.recordings.actions import retention
from postern.apps.sessions.recordings.storage import replay_storage
from postern.apps.sessions.sessions.actions import revocation, sealing, tokens
from postern.apps.sessions.terminals.actions import sightings, terminals
from postern.apps.sessions.viewings import actions as viewing
from postern.contracts.terminals import LEASE_S
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock

_LEASES_S: Final = 5.0
_ACCOUNTS_S: Final = 4.0
_PERMISSIONS_S: Final = 5.0
_PURGE_S: Final = 3600.0
_FORGET_S: Final = 600.0
_VIEWINGS_S: Final = 60.0
_ANCHORS_S: Final = 60.0


@shared_task  # type: ignore[untyped-decorator]  # celery has no types
def check_leases() -> int:
    """Presume dead the sessions of proxies that were silent for a whole lease in which they could have been heard."""
    if presence.observed_for_s(time.time()) < LEASE_S:
        return 0
    now, lease = clock.now(), timedelta(seconds=LEASE_S)
    sightings.judge_overdue(now=now, wait=lease)
    return len(terminals.expire_leases(actor=SYSTEM, now=now, lease=lease))


@shared_task  # type: ignore[untyped-decorator]  # celery has no types
def sweep_accounts() -> int:
    """End sessions of accounts and sign-ins that are closed, should the event have been lost (K40)."""
    return revocation.sweep_accounts(actor=SYSTEM)


@shared_task  # type: ignore[untyped-decorator]  # celery has no types
def sweep_permissions() -> int:
    """Decide again about every live session: what the events make quick, and what begins by its date alone."""
    return revocation.sweep_permissions(actor=SYSTEM)


@shared_task  # type: ignore[untyped-decorator]  # celery has no types
def purge_tokens() -> int:
    """Forget old tokens."""
    return tokens.purge_tokens()


@shared_task  # type: ignore[untyped-decorator]  # celery has no types
def forget_old_sessions() -> int:
    """Delete sessions that are older than the settings keep them."""
    return retention.forget_old_sessions(actor=SYSTEM, storage=replay_storage())


@shared_task  # type: ignore[untyped-decorator]  # celery has no types
def anchor_running_sessions() -> int:
    """State in the audit log how far the chains of running sessions have come."""
    return sealing.anchor_running()


@shared_task  # type: ignore[untyped-decorator]  # celery has no types
def close_idle_viewings() -> int:
    """Record what was fetched in viewings that are over."""
    return viewing.close_idle_viewings()


def _every(task: Any, seconds: float) -> dict[str, Any]:
    # A round that waited longer than its interval is worth nothing: the next one is there.
    return {"task": task.name, "schedule": seconds, "options": {"expires": seconds}}


BEAT: Final = {
    "sessions: leases": _every(check_leases, _LEASES_S),
    "sessions: closed accounts": _every(sweep_accounts, _ACCOUNTS_S),
    "sessions: withdrawn permissions": _every(sweep_permissions, _PERMISSIONS_S),
    "sessions: old sessions": _every(forget_old_sessions, _FORGET_S),
    "sessions: anchors": _every(anchor_running_sessions, _ANCHORS_S),
    "sessions: viewings": _every(close_idle_viewings, _VIEWINGS_S),
    "sessions: old tokens": _every(purge_tokens, _PURGE_S),
}
