"""Periodic tasks for heartbeats: the leases of proxies."""

import time
from datetime import timedelta
from typing import Final

from celery import shared_task

from postern.apps.sessions.heartbeats import actions, presence
from postern.apps.sessions.terminals.actions import sightings
from postern.contracts.terminals import LEASE_S
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.parts.schedule import every
from postern.kernel import clock

_LEASES_S: Final = 5.0


@shared_task(name="postern.apps.sessions.tasks.check_leases")  # type: ignore[untyped-decorator]  # celery has no types
def check_leases() -> int:
    """Presume dead the sessions of proxies that sent nothing for a whole lease, while heartbeats could be received."""
    if presence.observed_for_s(time.time()) < LEASE_S:
        return 0
    now, lease = clock.now(), timedelta(seconds=LEASE_S)
    sightings.judge_overdue(now=now, wait=lease)
    return len(actions.expire_leases(actor=SYSTEM, now=now, lease=lease))


BEAT: Final = {
    "sessions: leases": every(check_leases, _LEASES_S),
}
