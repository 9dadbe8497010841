"""Rules of sessions as pure functions: the life of a session, who may end or watch one, what a heartbeat says.

Life of a session: opening → active → ended, opening → ended. One exception to "nothing leads back": `interrupted` is a
presumption of the control plane (the lease of the proxy ran out). When that proxy shows up again with the session still
alive, the presumption was wrong and is withdrawn: the session must be visible and stoppable.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from typing import Protocol as Shape
from uuid import UUID

from postern.contracts.enums import EndReason, LoginFrom, Protocol, SessionState
from postern.contracts.terminals import LEASE_S, StateOfRegistration
from postern.foundation.caller.actor import Actor

#: Life of a connection token or a watch token.
TOKEN_LIFE_S: Final = 300

#: For so long a proxy is told what it takes to open a session; it gives up by itself before (`opening_s` of its limits).
OPENING_LIMIT_S: Final = 180

#: A heartbeat is made before it arrives, and a proxy learns of a session after the row is there: sessions younger than
#: this are not missed in a heartbeat. Twice the time in which the proxy gives an unanswered request up.
HEARTBEAT_BLIND_S: Final = 30

WATCHABLE: Final = frozenset({Protocol.SSH, Protocol.VNC, Protocol.RDP, Protocol.TELNET, Protocol.K8S})

_PRESUMED: Final = frozenset({EndReason.INTERRUPTED})


def may_be_served(*, state: SessionState, date_start: datetime, now: datetime) -> bool:
    """Whether a proxy may still be told what it takes to open the session: its secret, and whose key the target shows."""
    return state is SessionState.OPENING and now - date_start <= timedelta(seconds=OPENING_LIMIT_S)


def may_become_active(state: SessionState) -> bool:
    """Whether "started" changes anything now: a repeat or a late one does not."""
    return state is SessionState.OPENING


def may_end(state: SessionState) -> bool:
    """Whether "ended" changes anything now."""
    return state is not SessionState.ENDED


def may_correct_end(state: SessionState, reason: EndReason | None, *, is_presumed: bool) -> bool:
    """Whether the proxy's own word about the end replaces what the control plane presumed."""
    return state is SessionState.ENDED and (is_presumed or reason in _PRESUMED)


def may_resume(state: SessionState, reason: EndReason | None) -> bool:
    """Whether a session that was presumed dead, and that its proxy now lists as alive, goes on."""
    return state is SessionState.ENDED and reason in _PRESUMED


def is_missed(*, date_start: datetime, now: datetime, is_unreported: bool) -> bool:
    """Whether a live session that a heartbeat does not list is over without a word.

    It must be old enough to have been listed, and no event of it may be on its way that would say how it ended.
    """
    return not is_unreported and now - date_start > timedelta(seconds=HEARTBEAT_BLIND_S)


def can_join(*, state: SessionState, login_from: str, protocol: str) -> bool:
    """Whether a session can be watched live (contract: `can_join`)."""
    return state is SessionState.ACTIVE and login_from != LoginFrom.RDP_TERMINAL and protocol in WATCHABLE


def can_terminate(state: SessionState) -> bool:
    """Contract: `can_terminate`."""
    return state is not SessionState.ENDED


def may_see(actor: Actor) -> bool:
    """Sessions, commands, transfers and recordings are for auditors and administrators of their organization (K4)."""
    return actor.is_valid_user and actor.is_org_auditor


def may_terminate(actor: Actor) -> bool:
    """Ending other people's sessions is a right of its own: administrators, not auditors (K74)."""
    return actor.is_valid_user and actor.is_org_admin


class TokenFault(StrEnum):
    """Why a token is not taken."""

    UNKNOWN = "unknown"
    USED = "used"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenFacts:
    """What decides about a presented token."""

    user_id: UUID
    terminal_id: UUID
    date_expired: datetime
    date_used: datetime | None


def token_fault(facts: TokenFacts, *, user_id: UUID, terminal_id: UUID, now: datetime) -> TokenFault | None:
    """None when the token holds. Somebody else's token, or one of another proxy, is unknown: no hint about it (K63)."""
    if facts.user_id != user_id or facts.terminal_id != terminal_id:
        return TokenFault.UNKNOWN
    if facts.date_used is not None:
        return TokenFault.USED
    if now >= facts.date_expired:
        return TokenFault.EXPIRED
    return None


class Registered(Shape):
    """What decides about a registration: a terminal."""

    is_accepted: bool
    is_deleted: bool


def registration_state(terminal: Registered) -> StateOfRegistration:
    """How it stands with a registration."""
    if terminal.is_deleted:
        return StateOfRegistration.REFUSED
    return StateOfRegistration.ACCEPTED if terminal.is_accepted else StateOfRegistration.WAITING


class TerminalStatus(StrEnum):
    """State of a terminal for people (contract: `status`)."""

    NORMAL = "normal"
    HIGH = "high"
    CRITICAL = "critical"
    OFFLINE = "offline"


#: (high, critical) of each measure.
_CPU_LOAD: Final = (5.0, 20.0)
_MEMORY_PERCENT: Final = (85.0, 95.0)
_DISK_PERCENT: Final = (80.0, 99.0)


def is_alive(date_last_heartbeat: datetime | None, now: datetime) -> bool:
    """Whether the lease still runs."""
    return date_last_heartbeat is not None and now - date_last_heartbeat <= timedelta(seconds=LEASE_S)


def terminal_status(*, alive: bool, cpu_load: float, memory_used: float, disk_used: float) -> TerminalStatus:
    """The worst of the three measures decides."""
    if not alive:
        return TerminalStatus.OFFLINE
    measures = ((cpu_load, _CPU_LOAD), (memory_used, _MEMORY_PERCENT), (disk_used, _DISK_PERCENT))
    if any(value >= critical for value, (_high, critical) in measures):
        return TerminalStatus.CRITICAL
    if any(value >= high for value, (high, _critical) in measures):
        return TerminalStatus.HIGH
    return TerminalStatus.NORMAL


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an upload: bytes `first` to `last` inclusive of `total`."""

    first: int
    last: int
    total: int

    @property
    def size(self) -> int:
        return self.last - self.first + 1


def parse_content_range(text: str, *, max_total: int) -> Part | None:
    """`bytes first-last/total`, or None when it is not that or not possible."""
    unit, _, rest = text.strip().partition(" ")
    span, slash, total_text = rest.partition("/")
    first_text, dash, last_text = span.partition("-")
    texts = (first_text, last_text, total_text)
    if (
        unit != "bytes"
        or not slash
        or not dash
        or not all(one.isascii() and one.isdigit() and len(one) < 16 for one in texts)
    ):
        return None
    first, last, total = (int(one) for one in texts)
    if not first <= last < total <= max_total:
        return None
    return Part(first, last, total)


def parse_byte_range(text: str, size: int) -> tuple[int, int] | None:
    """First and last byte of `Range: bytes=…` on a file of `size` bytes; None when it cannot be satisfied.

    One range only: players ask for one, and many small ones are a way to make a server work.
    """
    unit, equals, span = text.strip().partition("=")
    first_text, dash, last_text = span.strip().partition("-")
    if unit.strip().lower() != "bytes" or not equals or not dash or size <= 0:
        return None
    if not all(
        part == "" or (part.isascii() and part.isdigit() and len(part) < 16) for part in (first_text, last_text)
    ):
        return None
    if first_text == "":
        length = int(last_text) if last_text else 0
        return (max(0, size - length), size - 1) if length else None
    first = int(first_text)
    last = min(int(last_text), size - 1) if last_text else size - 1
    return (first, last) if first <= last else None
