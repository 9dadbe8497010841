"""In-memory recordings, for tests of recorded events rather than of their storage."""

from dataclasses import dataclass, field
from uuid import UUID

from postern.contracts.access import SessionGrant
from postern.contracts.recording.format import INPUT, OUTPUT, Content
from postern.kernel.clock import monotonic_ms
from postern.proxies.core.sessions.registry import SnapshotSource
from postern.proxies.core.sessions.watching import Picture


@dataclass
class FakeRecorder:
    columns: int
    rows: int
    written: bytearray = field(default_factory=bytearray)
    typed: bytearray = field(default_factory=bytearray)
    events: list[tuple[int, bytes]] = field(default_factory=list)
    sizes: list[tuple[int, int]] = field(default_factory=list)
    ended: str = ""
    failed: bool = False
    break_writes: bool = False
    #: The header's flag for recorded input.
    states_input: bool = False
    started_ms: int = field(default_factory=monotonic_ms)

    def output(self, data: bytes) -> None:
        self._check()
        self.written += data

    def input(self, data: bytes) -> None:
        self._check()
        self.typed += data

    def event(self, kind: int, data: bytes) -> None:
        """Record an event of a program without a terminal. Text of its streams is added to `written` and
        `typed` too.
        """
        self._check()
        self.events.append((kind, data))
        if kind == OUTPUT:
            self.written += data
        elif kind == INPUT:
            self.typed += data

    def of(self, kind: int) -> list[bytes]:
        return [data for event_kind, data in self.events if event_kind == kind]

    def resize(self, columns: int, rows: int) -> None:
        self.sizes.append((columns, rows))

    def end(self, reason: str) -> None:
        self.ended = reason

    def elapsed_ms(self) -> int:
        return monotonic_ms() - self.started_ms

    def _check(self) -> None:
        if self.break_writes:
            raise OSError("no space left on device")


class FakeRecordings(SnapshotSource):
    """Keeps every recorder by session id. `refuse` makes opening a recording fail."""

    def __init__(self) -> None:
        self.recorders: dict[UUID, FakeRecorder] = {}
        self.refuse = False

    def open(self, grant: SessionGrant, columns: int, rows: int, content: Content | None = None, /) -> FakeRecorder:
        if self.refuse:
            raise OSError("no space left on device")
        recorder = self.recorders[grant.session_id] = FakeRecorder(
            columns, rows, states_input=grant.recording.record_input
        )
        return recorder

    async def picture(self, session_id: UUID, at_least_offset: int) -> Picture:
        recorder = self.recorders[session_id]
        return Picture(
            columns=recorder.columns, rows=recorder.rows, offset=len(recorder.written), data=bytes(recorder.written)
        )
