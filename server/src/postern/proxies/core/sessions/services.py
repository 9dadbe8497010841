"""What a live session needs from its surroundings: a recorder, an event sink and a command detector."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from postern.contracts.access import SessionGrant
from postern.contracts.recording.format import Content
from postern.proxies.core.holding.confirming import Reviewers
from postern.proxies.core.recording.program_recording import MAX_INPUT_BYTES
from postern.proxies.core.sessions.detection import Behind, NewDetector
from postern.proxies.core.sessions.event_ledger import EventSink, HeldByPerson


class Recorder(Protocol):
    """The recording of one session. Every call returns after the data is in the journal, or raises `PosternError` or
    `OSError`.
    """

    def output(self, data: bytes) -> None: ...
    def input(self, data: bytes) -> None: ...
    def resize(self, columns: int, rows: int) -> None: ...
    def event(self, kind: int, data: bytes) -> None: ...
    def end(self, reason: str) -> None: ...

    def elapsed_ms(self) -> int:
        """Time since the start of the recording, to which command entries refer."""

    @property
    def failed(self) -> bool:
        """True once the recording cannot be trusted any more. A failed sync is noticed later than the write."""


class OpenRecorder(Protocol):
    """Starts the recording of a session: of a terminal of this size, or (0) of something else.

    `content` is set for recordings of neither a terminal nor a program. Raises `PosternError` or `OSError`.
    """

    def __call__(self, grant: SessionGrant, columns: int, rows: int, content: Content | None = None, /) -> Recorder: ...


@dataclass(frozen=True, kw_only=True)
class SessionServices:
    """The services that all sessions of a proxy share."""

    events: EventSink
    open_recorder: OpenRecorder
    held_by_person: HeldByPerson = field(default_factory=HeldByPerson)
    new_detector: NewDetector | None = None
    behind: Behind = field(default_factory=Behind)
    #: Who confirms commands. Without it, commands that need a confirmation are refused.
    reviewers: Reviewers | None = None
    #: Maximum input of a program without a terminal, which is recorded completely. With more input the session ends.
    max_input_bytes: int = MAX_INPUT_BYTES
    #: Whether the disk has reached the reserve at which no new sessions are accepted.
    is_disk_full: Callable[[], bool] = lambda: False
