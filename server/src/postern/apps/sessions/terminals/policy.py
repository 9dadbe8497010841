"""Rules for terminals: the state of a registration, and the status from a heartbeat. Pure functions."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
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


class LoadKind(StrEnum):
    """The measures of a machine."""

    CPU = "cpu"  # the load average of one minute
    MEMORY = "memory"  # percent
    DISK = "disk"  # percent


@dataclass(frozen=True, slots=True)
class Load:
    """A measure with the values from which it is high and critical."""

    kind: LoadKind
    value: float
    high: float
    critical: float


def loads(cpu_load: float, memory_used: float, disk_used: float) -> tuple[Load, ...]:
    """The three measures with their thresholds (contract: `status`)."""
    return (
        Load(LoadKind.CPU, cpu_load, 5.0, 20.0),
        Load(LoadKind.MEMORY, memory_used, 85.0, 95.0),
        Load(LoadKind.DISK, disk_used, 80.0, 99.0),
    )


def is_alive(date_last_heartbeat: datetime | None, now: datetime) -> bool:
    """Whether the lease has not expired."""
    return date_last_heartbeat is not None and now - date_last_heartbeat <= timedelta(seconds=LEASE_S)


def terminal_status(*, alive: bool, cpu_load: float, memory_used: float, disk_used: float) -> TerminalStatus:
    """The status of the worst of the three measures."""
    if not alive:
        return TerminalStatus.OFFLINE
    measures = loads(cpu_load, memory_used, disk_used)
    if any(load.value >= load.critical for load in measures):
        return TerminalStatus.CRITICAL
    if any(load.value >= load.high for load in measures):
        return TerminalStatus.HIGH
    return TerminalStatus.NORMAL
