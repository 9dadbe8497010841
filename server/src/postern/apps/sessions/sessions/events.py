"""What happened to sessions and proxies; published after the transaction has committed."""

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID


@dataclass(frozen=True, slots=True)
class SessionOpened:
    """A session was permitted and is being opened."""

    session_id: UUID
    org_id: UUID
    user_id: UUID


@dataclass(frozen=True, slots=True)
class SessionFinished:
    """A session is over. `reason` is an `EndReason` value."""

    session_id: UUID
    org_id: UUID
    user_id: UUID
    reason: str


@dataclass(frozen=True, slots=True)
class RecordingFailed:
    """A session ended because it could not be recorded, or (`is_lost`) its recording could not be recovered.

    `session` is `system user@asset`, `user` is `Name(username)`.
    """

    session_id: UUID
    org_id: UUID
    session: str
    user: str
    is_lost: bool


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
