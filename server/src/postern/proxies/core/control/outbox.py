"""Queue of events for the control plane: written to a file first, sent in order, and sent again until accepted.

Segments are numbered files of framed records (`outbox_file`). A segment is deleted when all its events were accepted. A
cursor file holds the offset up to which the oldest segment was sent. The control plane accepts the same event
repeatedly, so a cursor that is stale after a crash does no harm.
"""

import asyncio
import contextlib
import logging
from collections import Counter, deque
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Final, NoReturn
from uuid import UUID

import msgspec

from postern.contracts.events import EventBatch, SessionEvent, TransferBegun
from postern.proxies.core.control import outbox_file
from postern.proxies.core.control.client import pause
from postern.proxies.core.control.outbox_file import Record
from postern.proxies.core.control.outbox_room import OutboxRoom
from postern.proxies.core.control.plane import ControlPlane, ControlRefused, ControlUnavailable
from postern.proxies.core.limits import Limits
from postern.proxies.core.sessions.event_ledger import NoRoomForEvents

log = logging.getLogger(__name__)

_BATCH: Final = 500
_FIRST_PAUSE_S: Final = 0.5
_LONGEST_PAUSE_S: Final = 10.0
_UNAUTHORIZED: Final = (401, 403)
#: Interval of reserving disk space, retrying unwritten events and syncing.
_TEND_S: Final = 0.5
#: Maximum number of events held in memory while the disk accepts no writes.
_OWED: Final = 20_000
#: Maximum number of sessions named in one heartbeat.
_NAMED: Final = 2000


class EventOutbox:
    """An ordered queue of events that survives the end of the process."""

    def __init__(self, directory: Path, limits: Limits) -> None:
        self._directory = directory
        self._encoder = msgspec.json.Encoder()
        self._decoder: msgspec.json.Decoder[SessionEvent] = msgspec.json.Decoder(SessionEvent)
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        segments = self._segments()
        self._done_bytes = self._read_cursor(segments)
        self._unsent = sum(
            outbox_file.count(path, 0 if number else self._done_bytes) for number, path in enumerate(segments)
        )
        self._waiting = self._sessions_in(segments)
        self._room = OutboxRoom(directory, limits, int(segments[-1].stem) + 1 if segments else 1)
        #: Records that the disk does not accept at present, in order.
        self._owed: deque[bytes] = deque()
        if self._unsent:
            self._wake.set()
        else:
            self._idle.set()

    @property
    def unsent(self) -> int:
        """Number of events that wait to be sent."""
        return self._unsent

    def unreported(self) -> tuple[UUID, ...] | None:
        """Sessions with events that wait to be sent; None if they are too many to list."""
        return tuple(self._waiting) if len(self._waiting) <= _NAMED else None

    # Writing

    def hold(self, size: int) -> None:
        """Reserve `size` bytes for a later event. Raises `NoRoomForEvents`."""
        if self._owed and not self._settle():
            raise NoRoomForEvents("events wait for room on the disk")
        self._room.hold(size)

    def release(self, size: int) -> None:
        """Release reserved space."""
        self._room.release(size)

    def append(self, event: SessionEvent, *, held: int = 0) -> None:
        """Queue an event. When this returns, the operating system has it in the file.

        Raises `NoRoomForEvents` when the event used the emergency reserve, or waits in memory for disk space. The event
        will still be sent, but the caller must not let anything happen that needs a further event.
        """
        try:
            record = outbox_file.framed(self._encoder.encode(event))
        except BaseException:
            self._room.release(held)
            raise
        self._unsent += 1
        self._waiting[event.session_id] += 1
        self._idle.clear()
        # The beginning of a transfer is sent with the next event or the next turn of `_tend`. Most transfers end by
        # then.
        if not isinstance(event, TransferBegun):
            self._wake.set()
        if self._owed and not self._settle():
            self._room.release(held)
            self._owe(record, event, NoRoomForEvents("events wait for room on the disk"))
        try:
            is_ordinary = self._room.write(record, held=held)
        except (OSError, NoRoomForEvents) as error:
            self._owe(record, event, error)
        if not is_ordinary:
            raise NoRoomForEvents("the disk is full: an event took room of the emergency")

    def tell(self, event: SessionEvent) -> None:
        """Queue an event about something that has already happened, so running out of space cannot prevent it."""
        with contextlib.suppress(NoRoomForEvents):
            self.append(event)

    def offer(self, event: SessionEvent, size: int) -> None:
        """Queue an event of at most `size` bytes that a later event will replace. Without ordinary space it is
        dropped.
        """
        with contextlib.suppress(NoRoomForEvents):
            self.hold(size)
            self.append(event, held=size)

    def _owe(self, record: bytes, event: SessionEvent, error: Exception) -> NoReturn:
        if len(self._owed) < _OWED:
            self._owed.append(record)
        else:
            self._unsent -= 1
            self._waiting -= Counter((event.session_id,))
            log.error("an event is lost, %d others wait for disk space: %r", len(self._owed), event)
        raise NoRoomForEvents(f"an event could not be written: {error}") from error

    def _settle(self) -> bool:
        """Write the events held in memory, as far as there is space. Returns False if some still wait."""
        try:
            while self._owed:
                self._room.write(self._owed[0])
                self._owed.popleft()
        except (OSError, NoRoomForEvents):
            return False
        self._room.tend()
        return True

    # Sending

    async def run(self, plane: ControlPlane, on_contact: Callable[[], None] = lambda: None) -> None:
        """Send events until cancelled. `on_contact` is called after each answer."""
        tending = asyncio.create_task(self._tend(), name="room of the outbox")
        try:
            await self._send(plane, on_contact)
        finally:
            tending.cancel()
            await asyncio.gather(tending, return_exceptions=True)

    async def _tend(self) -> None:
        while True:
            await asyncio.sleep(_TEND_S)
            try:
                self._settle()
                if self._unsent > 0:
                    self._wake.set()
                # One sync covers all events of half a second. A killed proxy loses none; a power cut loses at most
                # those.
                if written := self._room.unsynced():
                    await asyncio.to_thread(self._room.sync, written)
            except OSError as error:  # for example no free file descriptor; the next turn retries
                log.warning("outbox maintenance failed, will retry: %s", error)

    async def _send(self, plane: ControlPlane, on_contact: Callable[[], None]) -> None:
        pause_s = _FIRST_PAUSE_S
        while True:
            await self._wake.wait()
            self._wake.clear()
            try:
                while await self._send_next(plane):
                    on_contact()
                pause_s = _FIRST_PAUSE_S
                if self._unsent <= 0:
                    self._idle.set()
            except (ControlUnavailable, ControlRefused, OSError) as error:  # no answer, or unreadable from the disk
                log.warning("cannot send %d events, will retry: %s", self._unsent, error)
                await pause(pause_s, asyncio.Event())
                pause_s = min(_LONGEST_PAUSE_S, pause_s * 2)
                self._wake.set()

    async def flushed(self, limit_s: float) -> bool:
        """Wait up to `limit_s` seconds until all events are sent. Returns whether they are."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                await self._idle.wait()
        return self._unsent <= 0

    def close(self) -> None:
        self._settle()
        if self._owed:
            log.error(
                "%d events are lost: they cannot be written to disk, and the control plane is away", len(self._owed)
            )
        self._room.close()

    async def _send_next(self, plane: ControlPlane) -> bool:
        """Send one batch. Returns False if nothing is left."""
        segments = self._segments()
        if not segments:
            return await self._send_owed(plane)
        path = segments[0]
        waiting = self._next_batch(path)
        if not waiting:
            if self._is_current(path):
                return await self._send_owed(plane)
            self._drop(path)
            return True
        events = [event for record in waiting if (event := self._decode(record.text)) is not None]
        if events:
            await self._deliver(plane, events)
        self._done_bytes = waiting[-1].end
        self._unsent -= len(waiting)
        self._waiting -= Counter(event.session_id for event in events)
        if not self._is_current(path) and not self._next_batch(path):
            self._drop(path)
        else:
            self._write_cursor(path)
        return True

    async def _send_owed(self, plane: ControlPlane) -> bool:
        """Send events from memory that the disk does not accept. Returns False if nothing is left."""
        owed = list(islice(self._owed, _BATCH))
        if not owed:
            return False
        # Remove them while they are sent. Otherwise `_settle` could write them to the file, and they would be sent
        # twice.
        for _record in owed:
            self._owed.popleft()
        events = [event for record in owed if (event := self._decode(outbox_file.unframed(record))) is not None]
        try:
            await self._deliver(plane, events)
        except BaseException:
            self._owed.extendleft(reversed(owed))
            raise
        self._unsent -= len(owed)
        self._waiting -= Counter(event.session_id for event in events)
        return True

    def _next_batch(self, path: Path) -> list[Record]:
        return list(islice(outbox_file.records(path.read_bytes(), self._done_bytes), _BATCH))

    async def _deliver(self, plane: ControlPlane, events: list[SessionEvent]) -> None:
        """Send a batch. If the control plane rejects it as malformed, split it until the malformed event is alone, and
        drop that.
        """
        try:
            answer = await plane.send_events(EventBatch(events=tuple(events)))
        except ControlRefused as error:
            if error.http_status in _UNAUTHORIZED:
                raise
            if len(events) == 1:
                log.error("the control plane rejected an event permanently: %r: %s", events[0], error.message)  # noqa: TRY400 - no trace wanted
                return
            middle = len(events) // 2
            await self._deliver(plane, events[:middle])
            await self._deliver(plane, events[middle:])
            return
        for index in answer.rejected:
            if 0 <= index < len(events):
                log.warning("the control plane does not know the session of %r", events[index])

    def _decode(self, text: bytes) -> SessionEvent | None:
        try:
            return self._decoder.decode(text)
        except msgspec.MsgspecError as error:
            log.warning("skipped a damaged record of the outbox: %s", error)
            return None

    def _sessions_in(self, segments: list[Path]) -> Counter[UUID]:
        """Count the events by session that an earlier process left behind."""
        counts: Counter[UUID] = Counter()
        for number, path in enumerate(segments):
            for record in outbox_file.records(path.read_bytes(), 0 if number else self._done_bytes):
                if (event := self._decode(record.text)) is not None:
                    counts[event.session_id] += 1
        return counts

    def _is_current(self, path: Path) -> bool:
        return self._room.current == path

    def _drop(self, path: Path) -> None:
        # Delete the cursor first. A leftover cursor would be applied to a later segment with the same number.
        self._cursor_file.unlink(missing_ok=True)
        self._done_bytes = 0
        self._room.drop(path)
        self._settle()

    def _segments(self) -> list[Path]:
        return sorted(self._directory.glob("*.jsonl"))

    @property
    def _cursor_file(self) -> Path:
        return self._directory / "done"

    def _write_cursor(self, path: Path) -> None:
        fresh = self._cursor_file.with_suffix(".new")
        try:
            fresh.write_text(f"{path.stem} {self._done_bytes}")
            fresh.replace(self._cursor_file)
        except OSError as error:  # disk full: these events are sent again after a restart
            log.warning("cannot write the outbox cursor: %s", error)

    def _read_cursor(self, segments: list[Path]) -> int:
        try:
            stem, _, offset = self._cursor_file.read_text().partition(" ")
            return int(offset) if segments and segments[0].stem == stem else 0
        except (OSError, ValueError):
            return 0
