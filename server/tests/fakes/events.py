"""An in-memory event sink, for tests of the events of a session."""

from typing import Any

from postern.proxies.core.sessions.event_ledger import NoRoomForEvents


class Events(list[Any]):
    """An event sink whose capacity a test can limit."""

    def __init__(self) -> None:
        super().__init__()
        self.held = 0
        self.room = 1 << 30

    def append(self, event: Any, *, held: int = 0) -> None:
        super().append(event)
        self.held -= held
        if not held and not self.room:
            raise NoRoomForEvents("the disk is full")

    def hold(self, size: int) -> None:
        if size > self.room:
            raise NoRoomForEvents("the disk is full")
        self.room -= size
        self.held += size

    def release(self, size: int) -> None:
        self.held -= size

    def of(self, kind: type) -> list[Any]:
        return [event for event in self if isinstance(event, kind)]
