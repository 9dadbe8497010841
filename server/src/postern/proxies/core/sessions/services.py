"""What a live session needs from its surroundings: somewhere to record, somewhere to report, and how commands are found."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from postern.contracts.access import SessionGrant
from postern.contracts.recording.format import Content
from postern.proxies.core.recording.program_recording import MAX_INPUT_BYTES
from postern.proxies.core.sessions.detection import Behind, NewDetector
from postern.proxies.core.sessions.event_ledger import EventSink, HeldByPerson


class Recorder(Protocol):
    """One session's recording. Every call has written to the journal when it returns; raises `PosternError` or `OSError`."""

    def output(self, data: bytes) -> None: ...
    def input(self, data: bytes) -> None: ...
    def resize(self, columns: int, rows: int) -> None: ...
    def event(self, kind: int, data: bytes) -> None: ...
    def end(self, reason: str) -> None: ...

    def elapsed_ms(self) -> int:
        """Time inside the recording now: what a command entry points to."""

    @property
    def failed(self) -> bool:
        """True once the recording can no longer be trusted (a failed sync is noticed later than the write)."""


class OpenRecorder(Protocol):
    """Begins the recording of a session: of a terminal of this size, or (0) of something else.

    `content` is stated for what is neither a terminal nor a program. Raises `PosternError` or `OSError`.
    """

    def __call__(self, grant: SessionGrant, columns: int, rows: int, content: Content | None = None, /) -> Recorder: ...


@dataclass(frozen=True, kw_only=True)
class SessionServices:
    """What sessions need from their surroundings."""

    events: EventSink
    open_recorder: OpenRecorder
    held_by_person: HeldByPerson = field(default_factory=HeldByPerson)
    new_detector: NewDetector | None = None
    behind: Behind = field(default_factory=Behind)
    #: Input of a program without a terminal that is kept whole; with more of it the session ends.
    max_input_bytes: int = MAX_INPUT_BYTES
    #: Whether the disk has reached the reserve that ends the taking of new sessions.
    is_disk_full: Callable[[], bool] = lambda: False
