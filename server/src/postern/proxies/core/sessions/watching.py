"""Watching a live session: a bounded queue that starts with a snapshot of the screen and continues without a gap.

Output is counted in bytes from the start of the session. A watcher first subscribes and then asks for a snapshot that
contains at least all output so far. Queued output that the snapshot already contains is dropped. A watcher that falls
behind loses its queue and gets a new snapshot. So it can neither slow the session down nor grow without limit.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Self
from uuid import UUID

from postern.contracts.enums import EndReason


@dataclass(frozen=True, kw_only=True)
class Picture:
    """The whole screen at one moment. `data` redraws it on an empty terminal of this size, after `offset` bytes of
    output.
    """

    columns: int
    rows: int
    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Output:
    """A chunk of output. `offset` counts the bytes before it."""

    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Resized:
    columns: int
    rows: int


@dataclass(frozen=True, slots=True)
class WatchEnded:
    """The last event. `reason` is None if only the watching ended."""

    reason: EndReason | None
    message: str


#: Cost of an event in the queue besides its data, so that the number of empty events is bounded too.
_EVENT_BYTES: Final = 64

WatchEvent = Picture | Output | Resized | WatchEnded

#: Takes a snapshot that contains at least the given number of output bytes. Raises TimeoutError or OSError.
TakePicture = Callable[[int], Awaitable[Picture]]


def _weight(event: Output | Resized) -> int:
    return len(event.data) + _EVENT_BYTES if isinstance(event, Output) else _EVENT_BYTES


class Watcher:
    """One view of a session, to be iterated over. Created by `SessionRegistry.watch`."""

    def __init__(
        self,
        watch_id: UUID,
        *,
        queue_bytes: int,
        take_picture: TakePicture,
        size_and_offset: Callable[[], tuple[int, int, int]],
        on_close: Callable[["Watcher"], None],
    ) -> None:
        self.watch_id = watch_id
        self._queue: deque[Output | Resized] = deque()
        self._queued_bytes = 0
        self._limit_bytes = queue_bytes
        self._take_picture = take_picture
        self._size_and_offset = size_and_offset
        self._on_close = on_close
        self._wake = asyncio.Event()
        self._picture_due = True
        self._end: WatchEnded | None = None
        self._finished = False

    def put_output(self, offset: int, data: bytes) -> None:
        """Queue new output. Called by the session."""
        self._put(Output(offset, data))

    def put_size(self, columns: int, rows: int) -> None:
        """Queue a new terminal size. Called by the session."""
        self._put(Resized(columns, rows))

    def _put(self, event: Output | Resized) -> None:
        if self._end is not None:
            return
        self._queued_bytes += _weight(event)
        if self._queued_bytes > self._limit_bytes:
            self._queue.clear()
            self._queued_bytes = 0
            self._picture_due = True
        else:
            self._queue.append(event)
        self._wake.set()

    def end(self, reason: EndReason | None, message: str) -> None:
        """End the view after its queued events. Idempotent."""
        if self._end is None:
            self._end = WatchEnded(reason, message)
            self._wake.set()
            self._on_close(self)

    def close(self) -> None:
        """End the view because the watcher left."""
        self.end(None, "")
        self._finished = True

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> WatchEvent:
        while True:
            if self._finished:
                raise StopAsyncIteration
            if self._picture_due and self._end is None:
                self._picture_due = False
                picture = await self._picture()
                self._drop_until(picture.offset)
                return picture
            if self._queue:
                event = self._queue.popleft()
                self._queued_bytes -= _weight(event)
                return event
            if self._end is not None:
                self._finished = True
                return self._end
            self._wake.clear()
            await self._wake.wait()

    async def _picture(self) -> Picture:
        columns, rows, offset = self._size_and_offset()
        try:
            return await self._take_picture(offset)
        except (TimeoutError, OSError):
            # Without a snapshot the view starts with an empty screen and shows the output from here on.
            return Picture(columns=columns, rows=rows, offset=offset, data=b"")

    def _drop_until(self, offset: int) -> None:
        """Drop queued output that the snapshot already contains. Sizes stay, since repeating one is harmless."""
        remaining: deque[Output | Resized] = deque()
        for event in self._queue:
            if isinstance(event, Resized) or event.offset >= offset:
                remaining.append(event)
            elif event.offset + len(event.data) > offset:
                remaining.append(Output(offset, event.data[offset - event.offset :]))
        self._queue = remaining
        self._queued_bytes = sum(_weight(event) for event in remaining)
