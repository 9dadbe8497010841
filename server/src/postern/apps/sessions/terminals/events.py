"""Events of terminals, published after their transaction has committed."""

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from postern.foundation.caller.actor import Actor


@dataclass(frozen=True, slots=True)
class TerminalLost:
    """A proxy sent no heartbeat within its lease."""

    terminal_id: UUID
    name: str


class ProxyAlarmKind(StrEnum):
    """Behaviour that a correctly working proxy never shows."""

    TICKET = "ticket"  # it presented a ticket that it was never given
    CREDENTIALS = "credentials"  # it requested more credentials than the settings allow
    ADDRESS = "address"  # its credential is used from another address than before
    TWICE = "twice"  # its credential is used by two processes at once
    ELSEWHERE = "elsewhere"  # its credential is used from an address where its process is not running
    HASTE = "haste"  # it sends more requests of one kind than any proxy needs
    RENEWAL = "renewal"  # a client other than its process requested its new credential


@dataclass(frozen=True, slots=True)
class ProxyAlarm:
    """A proxy, or a client with its credential, made a request that a proxy must not make.

    `place`: the related address, if any.
    """

    terminal_id: UUID
    name: str
    kind: ProxyAlarmKind
    place: str = ""


@dataclass(frozen=True, slots=True)
class TerminalWaiting:
    """A proxy has registered and has no access until it is accepted."""

    terminal_id: UUID
    name: str
    remote_addr: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class TerminalShutOut:
    """A terminal was `why`: deleted, refused, replaced or revoked.

    The same transaction presumes the end of its sessions.
    """

    terminal_id: UUID
    why: str
    actor: Actor
