"""Watches the parts of Postern, and tells administrators when one of them is overloaded or offline, and when that is over.

Read are the proxies, by their heartbeats; the machine of the worker, unless a proxy of the same data folder reports it;
machines with only web processes, by their reports; and whether the web part and the store of secrets answer. Database and Redis are not among them: without them no message
can be sent.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.conf import settings
from django.db import transaction

from postern.apps.notifications import component_standing, web_machines
from postern.apps.notifications.actions import post_notice
from postern.apps.notifications.component_standing import Standing
from postern.apps.notifications.declarations.operations import SERVER_PERFORMANCE, ComponentChange, ComponentKind
from postern.apps.notifications.models import ComponentState
from postern.apps.sessions import facade as sessions
from postern.apps.sessions.facade import TerminalStatus
from postern.foundation.machine import machine_load
from postern.foundation.machine.machine_load import MachineLoad
from postern.foundation.parts import health
from postern.kernel.errors import PosternError

log = logging.getLogger(__name__)

#: Characters of a key in an occasion, which has at most 256. A host name may have 253.
_MOST_OF_KEY: Final = 200


@dataclass(frozen=True, slots=True)
class Reading:
    """The state of a part now. `key` identifies it between readings."""

    key: str
    kind: ComponentKind
    name: str
    level: TerminalStatus
    loads: tuple[sessions.Load, ...] = ()


def watch(now: datetime) -> int:
    """Read all parts, and send the messages that are due; returns how many."""
    readings = list(_readings(now))
    ComponentState.objects.exclude(key__in=[reading.key for reading in readings]).delete()
    return sum(_note(reading, now) for reading in readings)


def _readings(now: datetime) -> Iterator[Reading]:
    is_own_machine_read = False
    for row in sessions.terminal_readings(now):
        is_own_machine_read |= row.is_local and row.status is not TerminalStatus.OFFLINE
        yield Reading(f"terminal:{row.id}", ComponentKind.TERMINAL, row.name, row.status, row.loads)
    own = None if is_own_machine_read else machine_load.measure(settings.POSTERN.home)
    if own is not None:
        yield _of_machine(own, is_up=True)
    for load, is_up in web_machines.loads(now):
        if own is None or load.name != own.name:
            yield _of_machine(load, is_up=is_up)
    yield Reading("web", ComponentKind.WEB, "", _level_of(is_up=sessions.is_web_up(now.timestamp())))
    if health.SECRET_STORE in health.CHECKS.value:
        yield Reading("secret_store", ComponentKind.SECRET_STORE, "", _level_of(is_up=_is_store_up()))


def _of_machine(load: MachineLoad, *, is_up: bool) -> Reading:
    measures = {"cpu_load": load.cpu_load, "memory_used": load.memory_used, "disk_used": load.disk_used}
    level = sessions.terminal_status(alive=is_up, **measures)
    return Reading(f"machine:{load.name}", ComponentKind.MACHINE, load.name, level, sessions.loads(**measures))


def _level_of(*, is_up: bool) -> TerminalStatus:
    return TerminalStatus.NORMAL if is_up else TerminalStatus.OFFLINE


def _is_store_up() -> bool:
    try:
        health.CHECKS.value[health.SECRET_STORE]()
    except PosternError as error:
        log.debug("the store of secrets is not up: %s", error)
        return False
    return True


@transaction.atomic
def _note(reading: Reading, now: datetime) -> bool:
    """Store a reading; whether a message was sent, in the same transaction."""
    row, _created = ComponentState.objects.select_for_update().get_or_create(
        key=reading.key, defaults={"level": reading.level, "since": now, "told": TerminalStatus.NORMAL}
    )
    standing = component_standing.read(_standing_of(row), reading.level, now)
    is_due = component_standing.is_to_tell(standing, reading.level, now)
    row.level, row.since, row.better_since = standing.level, standing.since, standing.better_since
    if is_due:
        row.told, row.told_at = standing.level, now
        change = ComponentChange(reading.kind, reading.name, standing.level, standing.since, reading.loads)
        occasion = f"{reading.key[:_MOST_OF_KEY]}:{now.isoformat()}"
        post_notice(notice=SERVER_PERFORMANCE.about(change), occasion=occasion)
    row.save()
    return is_due


def _standing_of(row: ComponentState) -> Standing:
    return Standing(
        level=TerminalStatus(row.level),
        since=row.since,
        better_since=row.better_since,
        told=TerminalStatus(row.told),
        told_at=row.told_at,
    )
