"""What happened to terminals; published after the transaction has committed."""

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from postern.foundation.caller.actor import Actor


@dataclass(frozen=True, slots=True)
class TerminalLost:
    """A proxy did not show itself within its lease."""

    terminal_id: UUID
    name: str


class ProxyAlarmKind(StrEnum):
    """What a proxy did that no proxy does which works as it should."""

    TICKET = "ticket"  # it showed a ticket that it was never given
    CREDENTIALS = "credentials"  # it asked for more credentials than the settings allow
    ADDRESS = "address"  # its credential is used from another address than before
    TWICE = "twice"  # its credential is used by two processes at once
    ELSEWHERE = "elsewhere"  # its credential is used from an address where its process is not
    HASTE = "haste"  # it asks something more often than any proxy has to
    RENEWAL = "renewal"  # somebody other than its process asked for its new credential


@dataclass(frozen=True, slots=True)
class ProxyAlarm:
    """A proxy, or somebody with its credential, asks for what it should not. `place`: the address that it is about, if any."""

    terminal_id: UUID
    name: str
    kind: ProxyAlarmKind
    place: str = ""


@dataclass(frozen=True, slots=True)
class TerminalWaiting:
    """A proxy has registered and does nothing until it is accepted."""

    terminal_id: UUID
    name: str
    remote_addr: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class TerminalShutOut:
    """A terminal was `why`: deleted, refused, replaced or revoked. Its sessions are presumed over in the same transaction."""

    terminal_id: UUID
    why: str
    actor: Actor
