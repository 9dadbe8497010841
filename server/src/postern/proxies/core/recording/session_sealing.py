"""Sealing of one session: turns its journal records into blocks of its own file.

The screen is emulated alongside, because each block begins with a keyframe of it. The target controls the emulator's
input, so every call of the emulator is wrapped. An exception makes the keyframes uncertain, but never costs a byte of
the recording.
"""

import codecs
import logging
from collections.abc import Callable
from typing import Final, Protocol

from postern.contracts.recording.events import is_known, is_sound
from postern.contracts.recording.format import (
    END,
    FLAG_UNCERTAIN,
    KEYFRAME,
    KEYFRAME_PREFIX,
    OUTPUT,
    RESIZE,
    Event,
    RecordingHeader,
    encode_event,
)
from postern.contracts.recording.rendering import render
from postern.contracts.recording.streams import SKIPPED, Skipped
from postern.contracts.recording.verification import Verdict
from postern.kernel.clock import monotonic_s
from postern.proxies.core.recording.container import SessionFile
from postern.proxies.core.recording.journal_format import Record

log = logging.getLogger(__name__)

#: A block is cut at the first quiet point after this many bytes, or this long after its first event.
BLOCK_BYTES: Final = 256 * 1024
BLOCK_AGE_S: Final = 60.0
#: Without a quiet point (the target never ends an escape sequence) the block is cut here anyway.
HARD_BLOCK_BYTES: Final = 512 * 1024
#: A new block begins soon after a resize, because the player's terminal reflows lines and this emulator does not.
_AFTER_RESIZE_BYTES: Final = 32 * 1024
#: Dragging a window produces dozens of sizes a second. A keyframe for each would only take space.
_KEYFRAME_GAP_MS: Final = 1_000
_MAX_KEYFRAME_BYTES: Final = 2 * 1024 * 1024
#: Skipped parts of a stream are combined, and written at least this often.
_SKIPPED_TOGETHER_MS: Final = 60_000
#: When behind, only this much of the latest output is emulated before a snapshot is taken.
_HURRY_TAIL_BYTES: Final = 64 * 1024


class Screen(Protocol):
    """The used part of the terminal emulator's interface (`postern.contracts.vt`)."""

    def feed(self, data: bytes) -> None: ...
    def resize(self, columns: int, rows: int) -> None: ...
    def snapshot(self) -> bytes: ...
    def pending(self) -> bytes: ...
    @property
    def at_ground(self) -> bool: ...


NewScreen = Callable[[int, int], Screen]


class SessionSealing:
    """The sealing state of one session.

    `number` is its number in the journal. `needed_from` is the first journal position that the session's file lacks, or
    None if the file is complete.
    """

    def __init__(self, number: int, file: SessionFile, new_screen: NewScreen, begin_ms: int) -> None:
        self.number = number
        self.file = file
        self.begin_ms = begin_ms
        self.columns = file.header.columns
        self.rows = file.header.rows
        self.uncertain = False
        self.ended: str | None = None
        self.needed_from: int | None = None
        self.output_bytes = file.totals.output_bytes
        #: Number of text bytes sent to live views: the output of a terminal, or streams rendered by `render`.
        self.shown_bytes = file.totals.shown_bytes
        self._streams = bool(file.header.streams)
        self._skipped: dict[int, tuple[int, Skipped]] = {}
        self.incomplete = False
        self.verdict: Verdict | None = None
        self.hurry = False
        self._unfed = bytearray()
        self.synced = False
        self.checkpointed = 0
        self._new_screen = new_screen
        self._screen = new_screen(self.columns, self.rows)
        charset = file.header.charset.lower()
        self._decoder = None if charset in {"utf-8", "utf8"} else codecs.getincrementaldecoder("gb18030")("replace")
        self._raw = bytearray()
        self._events: list[Event] = []
        self._first_ms = 0
        self._block_flags = 0
        self._last_ms = file.totals.last_ms
        self._output_offset = self.output_bytes
        self._next_position = 0
        self._since_s = 0.0
        self._keyframe_ms = 0
        self._resized_at = -1
        if file.last_block:
            self._rebuild(file.last_block)

    @property
    def header(self) -> RecordingHeader:
        return self.file.header

    @property
    def buffered_bytes(self) -> int:
        return len(self._raw)

    def take(self, record: Record) -> None:
        """Process the next record of this session. Writes nothing; `due` tells when to call `cut`."""
        ms = max(self._last_ms, record.ms - self.begin_ms)
        if record.kind == KEYFRAME or not is_known(record.kind):
            return
        event = Event(ms, record.kind, record.data)
        if not is_sound(record.kind, record.data):
            log.error("session %s: skipped an unreadable record", self.header.session_id)
            self.incomplete = True
            return
        if not self._raw:
            self._begin_block(ms, record.position)
        elif record.kind == RESIZE and ms - self._keyframe_ms >= _KEYFRAME_GAP_MS:
            self._add_keyframe(ms)
        self._next_position = record.next_position
        if event.kind == SKIPPED:
            self._gather_skipped(event)
            return
        self._tell_skipped()
        self._add(event)
        if event.kind == OUTPUT:
            self.output_bytes += len(event.data)
        text = self._text_of(event)
        self.shown_bytes += len(text)
        self._feed(text)
        if event.kind == RESIZE:
            self.columns, self.rows = event.size
            self._resize()
            self._resized_at = len(self._raw)
        elif event.kind == END:
            self.ended = event.data.decode("utf-8", "replace")

    def due(self, now_s: float, *, shorter: bool = False) -> bool:
        """Whether the block should be cut now. With `shorter` memory is scarce, so small blocks are cut too."""
        size = len(self._raw)
        if size == 0:
            return False
        if self.ended is not None or size >= HARD_BLOCK_BYTES:
            return True
        wanted = (
            size >= BLOCK_BYTES
            or now_s - self._since_s >= BLOCK_AGE_S
            or (self._resized_at >= 0 and size - self._resized_at >= _AFTER_RESIZE_BYTES)
            or (shorter and size >= BLOCK_BYTES // 8)
        )
        return wanted and (self.at_ground or now_s - self._since_s >= 2 * BLOCK_AGE_S)

    def cut(self, level: int) -> None:
        """Write the buffer as one block. Raises OSError; nothing is lost then, so call again."""
        if not self._raw:
            return
        self._tell_skipped()
        self.file.append_block(
            flags=self._block_flags,
            first_ms=self._first_ms,
            output_offset=self._output_offset,
            bookkeeping=self._next_position,
            raw=bytes(self._raw),
            level=level,
        )
        self.file.count(self._events)
        self._raw.clear()
        self._events.clear()
        self._output_offset = self.output_bytes
        self._resized_at = -1
        self.needed_from = None
        self.synced = False

    def picture(self) -> bytes:
        """Return output that redraws the present screen, including an incomplete sequence at the end."""
        self._catch_up()
        try:
            repaint = self._screen.snapshot() + self._screen.pending()
        except Exception as error:  # noqa: BLE001 - hostile bytes made the emulator fail; recording must go on
            self._stumbled(error)
            return b""
        if self._decoder is not None:
            # A snapshot cannot contain half a character of another charset. The player drops it.
            return repaint[:_MAX_KEYFRAME_BYTES]
        if len(repaint) > _MAX_KEYFRAME_BYTES:
            self.uncertain = True
            return b""
        return repaint

    @property
    def at_ground(self) -> bool:
        """Whether the output is between two sequences and two characters."""
        self._catch_up()
        if self._decoder is not None and self._decoder.getstate()[0]:
            return False
        try:
            return self._screen.at_ground
        except Exception as error:  # noqa: BLE001 - as in `picture`
            self._stumbled(error)
            return True

    def _text_of(self, event: Event) -> bytes:
        """Return the text that the event shows on a terminal."""
        if self._streams:
            return render(event.kind, event.data)
        return event.data if event.kind == OUTPUT else b""

    def _add(self, event: Event) -> None:
        event = event._replace(ms=max(event.ms, self._last_ms))
        self._append(event)
        self._events.append(event)

    def _gather_skipped(self, event: Event) -> None:
        """Combine consecutive skipped parts into one event, so that a transfer of days does not fill the file."""
        stretch = Skipped.decode(event.data)
        since_ms, before = self._skipped.get(stretch.stream, (event.ms, None))
        together = stretch if before is None else before.followed_by(stretch)
        if together is None or event.ms - since_ms > _SKIPPED_TOGETHER_MS:
            self._tell_skipped()
            since_ms, together = event.ms, stretch
        self._skipped[stretch.stream] = since_ms, together

    def _tell_skipped(self) -> None:
        waiting, self._skipped = self._skipped, {}
        for ms, stretch in waiting.values():
            event = Event(ms, SKIPPED, stretch.encode())
            self._add(event)
            self._feed(render(event.kind, event.data))

    def _begin_block(self, ms: int, position: int) -> None:
        self._first_ms = self._last_ms = ms
        self._since_s = monotonic_s()
        self.needed_from = position
        self._add_keyframe(ms)
        self._block_flags = FLAG_UNCERTAIN if self.uncertain else 0

    def _add_keyframe(self, ms: int) -> None:
        repaint = self.picture()
        prefix = KEYFRAME_PREFIX.pack(self.columns, self.rows, FLAG_UNCERTAIN if self.uncertain else 0)
        self._append(Event(ms, KEYFRAME, prefix + repaint))
        self._keyframe_ms = ms

    def _append(self, event: Event) -> None:
        self._raw += encode_event(event.kind, event.ms - self._last_ms, event.data)
        self._last_ms = event.ms

    def _feed(self, data: bytes) -> None:
        if not data:
            return
        if self.hurry:
            self._unfed += data
            return
        self._catch_up()
        self._emulate(data)

    def _catch_up(self) -> None:
        """Emulate postponed output. If there is too much, a part is left out and keyframes become uncertain."""
        if not self._unfed:
            return
        data = bytes(self._unfed)
        self._unfed.clear()
        if len(data) > _HURRY_TAIL_BYTES:
            self.uncertain = True
            data = data[data.find(b"\n", len(data) - _HURRY_TAIL_BYTES) + 1 or -_HURRY_TAIL_BYTES :]
            if self._decoder is not None:
                self._decoder.reset()
        self._emulate(data)

    def _emulate(self, data: bytes) -> None:
        try:
            if self._decoder is not None:
                data = self._decoder.decode(data).encode("utf-8", "replace")
            self._screen.feed(data)
        except Exception as error:  # noqa: BLE001 - as in `picture`
            self._stumbled(error)

    def _resize(self) -> None:
        self._catch_up()
        try:
            self._screen.resize(self.columns, self.rows)
        except Exception as error:  # noqa: BLE001 - as in `picture`
            self._stumbled(error)

    def _stumbled(self, error: Exception) -> None:
        """Continue with an empty screen. From here on snapshots may be wrong and are marked as uncertain."""
        log.warning("session %s: the emulator failed (%s)", self.header.session_id, type(error).__name__)
        self.uncertain = True
        self._screen = self._new_screen(self.columns, self.rows)

    def _rebuild(self, events: list[Event]) -> None:
        """Rebuild the screen after a block that a former sealer wrote."""
        for event in events:
            if event.kind == KEYFRAME and event is events[0]:
                self.columns, self.rows = event.size
                self.uncertain = bool(event.data[4] & FLAG_UNCERTAIN)
                self._screen = self._new_screen(self.columns, self.rows)
                # Snapshots are UTF-8, whatever the charset of the output.
                self._feed_picture(event.repaint)
            elif event.kind != KEYFRAME:
                self._feed(self._text_of(event))
            if event.kind == RESIZE:
                self.columns, self.rows = event.size
                self._resize()
            elif event.kind == END:
                self.ended = event.data.decode("utf-8", "replace")

    def _feed_picture(self, repaint: bytes) -> None:
        try:
            self._screen.feed(repaint)
        except Exception as error:  # noqa: BLE001 - as in `picture`
            self._stumbled(error)
