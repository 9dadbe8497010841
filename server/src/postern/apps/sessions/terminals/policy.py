"""Rules for terminals: the state of a registration, and the status from a heartbeat. Pure functions."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from typing import Protocol as Shape

from postern.contracts.terminals import LEASE_S, StateOfRegistration


class Registered(Shape):
    """The fields of a terminal that decide about its registration."""

    is_accepted: bool
    is_deleted: bool


def registration_state(terminal: Registered) -> StateOfRegistration:
    """The state of a registration."""
    if terminal.is_deleted:
        return StateOfRegistration.REFUSED
    return StateOfRegistration.ACCEPTED if terminal.is_accepted else StateOfRegistration.WAITING


class TerminalStatus(StrEnum):
    """Status of a terminal as shown to users (contract: `status`)."""

    NORMAL = "normal"
    HIGH = "high"
    CRITICAL = "critical"
    OFFLINE = "offline"


#: Thresholds (high, critical) of each measure.
_CPU_LOAD: Final = (5.0, 20.0)


_MEMORY_PERCENT: Final = (85.0, 95.0)


_DISK_PERCENT: Final = (80.0, 99.0)


def is_alive(date_last_heartbeat: datetime | None, now: datetime) -> bool:
    """Whether the lease has not expired."""
    return date_last_heartbeat is not None and now - date_last_heartbeat <= timedelta(seconds=LEASE_S)


def terminal_status(*, alive: bool, cpu_load: float, memory_used: float, disk_used: float) -> TerminalStatus:
    """The status of the worst of the three measures."""
    if not alive:
        return TerminalStatus.OFFLINE
    measures = ((cpu_load, _CPU_LOAD), (memory_used, _MEMORY_PERCENT), (disk_used, _DISK_PERCENT))
    if any(value >= critical for value, (_high, critical) in measures):
        return TerminalStatus.CRITICAL
    if any(value >= high for value, (high, _critical) in measures):
        return TerminalStatus.HIGH
    return TerminalStatus.NORMAL
