"""Public interface of sessions: the way to a target, terminals for the operator's command line, and who looked at commands."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from postern.apps.sessions.day_uses.models import UsedKind
from postern.apps.sessions.day_uses.queries import DayFigures, Usage, Use
from postern.apps.sessions.heartbeats.presence import is_web_up
from postern.apps.sessions.recordings.actions.copying import failing_copies
from postern.apps.sessions.retention.queries import Amount as RetentionAmount
from postern.apps.sessions.retention.queries import Forecast, forecast
from postern.apps.sessions.sessions.queries import (
    LiveFigures,
    RiskySession,
    live_figures,
    newest_sessions,
    risky_sessions,
)
from postern.apps.sessions.sessions.ways import Way, checked_route, checked_way
from postern.apps.sessions.terminals import policy, registration
from postern.apps.sessions.terminals.actions import registrations
from postern.apps.sessions.terminals.models import Terminal
from postern.apps.sessions.terminals.policy import Load, LoadKind, TerminalStatus, loads, terminal_status
from postern.apps.sessions.viewings.actions import look_at_commands
from postern.foundation.caller.actor import Actor
from postern.kernel import clock
from postern.kernel.ids import parse_id

__all__ = [
    "DayFigures",
    "Forecast",
    "LiveFigures",
    "Load",
    "LoadKind",
    "RetentionAmount",
    "RiskySession",
    "TerminalBrief",
    "TerminalReading",
    "TerminalStatus",
    "Usage",
    "Use",
    "UsedKind",
    "Way",
    "accept_terminal",
    "checked_route",
    "checked_way",
    "failing_copies",
    "find_terminal",
    "is_web_up",
    "live_figures",
    "loads",
    "look_at_commands",
    "make_registration_secrets",
    "newest_sessions",
    "refuse_terminal",
    "renew_terminal",
    "retention_forecast",
    "revoke_terminal",
    "risky_sessions",
    "silent_terminals",
    "terminal_readings",
    "terminal_status",
    "terminals",
    "waiting_terminals",
]

#: A proxy that is silent for longer counts as removed.
_LONG_AWAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class TerminalBrief:
    """A terminal in short. `state` is running, silent, waiting or revoked."""

    id: UUID
    name: str
    state: str
    remote_addr: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class TerminalReading:
    """What a proxy last reported. `is_local`: it runs on the machine of the control plane."""

    id: UUID
    name: str
    status: TerminalStatus
    loads: tuple[Load, ...]
    is_local: bool


def terminal_readings(now: datetime) -> Iterator[TerminalReading]:
    """The state of each accepted proxy, except those that were shut down in order or have been silent for long."""
    heard_of = Terminal.objects.alive(now - _LONG_AWAY)
    for row in heard_of.order_by("name"):
        alive = policy.is_alive(row.date_last_heartbeat, now)
        if not alive and row.is_draining:
            continue
        yield TerminalReading(
            id=row.pk,
            name=row.name,
            status=terminal_status(
                alive=alive, cpu_load=row.cpu_load, memory_used=row.memory_used, disk_used=row.disk_used
            ),
            loads=loads(row.cpu_load, row.memory_used, row.disk_used),
            is_local=row.is_local,
        )


def silent_terminals(now: datetime) -> int:
    """Number of accepted proxies that were not shut down in order and have stopped reporting, until they are deleted."""
    rows = Terminal.objects.existing().filter(is_accepted=True, is_draining=False).exclude(date_last_heartbeat=None)
    return sum(not policy.is_alive(heard, now) for heard in rows.values_list("date_last_heartbeat", flat=True))


def waiting_terminals() -> int:
    """Number of proxies that wait for a system administrator to accept them."""
    return Terminal.objects.waiting().count()


def retention_forecast() -> list[Forecast]:
    """What retention would delete now in each organization, and what is on hold."""
    return forecast(None)


def make_registration_secrets() -> None:
    """Create the registration secrets of proxies if they are missing.

    An operator copies the bootstrap token to other machines.
    """
    registration.bootstrap_token()
    registration.local_secret()


def terminals() -> tuple[TerminalBrief, ...]:
    """Every terminal that is not deleted, by name."""
    return tuple(_brief(row) for row in Terminal.objects.existing().order_by("name"))


def find_terminal(text: str) -> TerminalBrief | None:
    """The terminal with this name or id, or None."""
    rows, key = Terminal.objects.existing(), parse_id(text)
    row = rows.filter(name=text).first() or (rows.filter(pk=key).first() if key is not None else None)
    return _brief(row) if row is not None else None


def accept_terminal(*, actor: Actor, terminal_id: UUID) -> None:
    """Accept a waiting proxy. Raises CredentialRevoked."""
    registrations.accept(actor=actor, terminal=_get(terminal_id))


def refuse_terminal(*, actor: Actor, terminal_id: UUID) -> None:
    """Refuse a waiting proxy. Raises NotWaiting."""
    registrations.refuse(actor=actor, terminal=_get(terminal_id))


def renew_terminal(*, actor: Actor, terminal_id: UUID) -> None:
    """Make the proxy fetch a new credential. Raises NotWaiting, CredentialRevoked."""
    registrations.order_renewal(actor=actor, terminal=_get(terminal_id))


def revoke_terminal(*, actor: Actor, terminal_id: UUID) -> None:
    """Revoke the proxy's credential."""
    registrations.revoke(actor=actor, terminal=_get(terminal_id))


def _get(terminal_id: UUID) -> Terminal:
    return Terminal.objects.existing().get(pk=terminal_id)


def _brief(row: Terminal) -> TerminalBrief:
    if row.is_revoked:
        state = "revoked"
    elif not row.is_accepted:
        state = "waiting"
    else:
        state = "running" if policy.is_alive(row.date_last_heartbeat, clock.now()) else "silent"
    return TerminalBrief(row.pk, row.name, state, row.remote_addr, row.fingerprint)
