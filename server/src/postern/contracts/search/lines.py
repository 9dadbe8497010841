"""The lines of a sealed recording, each with a moment at which it was on the screen.

A line is taken when it leaves the screen: scrolled off, erased, hidden by another screen, or at the end. Its wrapped rows
are joined. Every two seconds, and in every pause, all lines of the screen are taken as well, except the one with the cursor on a screen that
scrolls, because it is being typed. What a user typed is never read: only what was shown.
"""

import codecs
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from time import process_time
from typing import Final, NamedTuple

from postern.contracts.recording.events import (
    CommandLine,
    ErrorOutput,
    Input,
    Keyframe,
    Output,
    RecordedEvent,
    Resize,
    Unknown,
    decode,
)
from postern.contracts.recording.format import RecordingHeader, RecordingUnreadable
from postern.contracts.recording.reader import Recording
from postern.contracts.recording.rendering import shown
from postern.contracts.recording.streams import Sample, Stream
from postern.contracts.search.folding import LONGEST, SHORTEST
from postern.contracts.vt import Screen, usable_size
from postern.contracts.vt.grid import Row
from postern.kernel.secret_patterns import secret_ranges

#: A longer line is cut. Each part repeats the end of the part before, so that every text is whole in one of them.
MAX_LINE: Final = 4_000
OVERLAP: Final = LONGEST - 1
#: Characters before a part in which the name of a secret is looked for that the part contains.
_CONTEXT: Final = 2 * MAX_LINE
#: A line has waited for more of it when it is cut: a secret may go on in the next part, and be recognized by its end.
_CUT_AT: Final = 2 * MAX_LINE
_SAMPLE_MS: Final = 2_000
#: After a pause the lines are taken as they were during the pause.
_PAUSE_MS: Final = 300
#: A line that appears again after this time is another hit.
_AGAIN_MS: Final = 60_000
_REMEMBERED: Final = 4_096
#: Lines of one recording. What follows is not read.
MOST_LINES: Final = 2_000_000
#: CPU time for one recording. What follows is not read.
MOST_CPU_S: Final = 1_200.0


class LineKind(StrEnum):
    """Where a line was read. The values are part of the API, and their first letters are stored."""

    SCREEN = "screen"
    COMMAND = "command"
    FILE = "file"


#: First and last (exclusive) character of each secret that only a look at other text recognizes.
Hidden = tuple[tuple[int, int], ...]


class Line(NamedTuple):
    """`repeated`: so many characters at the beginning repeat the end of the line before."""

    ms: int
    kind: LineKind
    text: str
    repeated: int = 0
    hidden: Hidden = ()


def cut(ms: int, kind: LineKind, text: str, *, repeated: int = 0, before: str = "") -> list[Line]:
    """A text of any length as lines. Secrets that cross a cut are hidden in both parts.

    `before`: text of the same line before `text`. `repeated`: of the first part.
    """
    step = MAX_LINE - OVERLAP
    starts = range(0, max(1, len(text) - OVERLAP), step)
    ranges = secret_ranges(before + text) if before or len(text) > MAX_LINE else []
    return [
        Line(
            ms,
            kind,
            text[start : start + MAX_LINE],
            OVERLAP if start else repeated,
            _between(ranges, start + len(before), min(start + MAX_LINE, len(text)) + len(before)),
        )
        for start in starts
    ]


def _between(ranges: Sequence[tuple[int, int]], first: int, last: int) -> Hidden:
    return tuple(
        (max(start, first) - first, min(end, last) - first) for start, end in ranges if start < last and end > first
    )


class ScreenLines:
    """Emulates a terminal and passes on the lines that it shows."""

    def __init__(self, columns: int, rows: int, take: Callable[[Line], None]) -> None:
        self._screen = Screen(*usable_size(columns, rows))
        self._screen.watch(self._left)
        self._take = take
        self._fed_ms = 0
        self._before_ms = 0
        self._sampled_ms = 0
        #: Rows that were on the screen before the present output.
        self._older = 0
        self._is_sampled = True
        #: The beginning of a line whose other rows are still on the screen.
        self._open = ""
        self._is_open = False
        self._repeated = 0
        #: What was cut off before it, and when it became longer than a line may be.
        self._before = ""
        self._full_ms = 0
        #: Lines of the last sample, and when a line was taken last.
        self._standing: set[int] = set()
        self._taken: dict[int, int] = {}

    @property
    def faults(self) -> int:
        """How often the emulator failed and was reset."""
        return self._screen.faults

    def feed(self, ms: int, data: bytes) -> None:
        """Output at this moment."""
        is_due = ms - self._sampled_ms >= _SAMPLE_MS or ms - self._fed_ms >= _PAUSE_MS
        if is_due and not self._is_sampled:
            self.sample()
            self._sampled_ms = ms
        self._before_ms, self._fed_ms = self._fed_ms, ms
        self._older = self._screen.cursor[1] if not self._screen.alternate else self._screen.rows
        self._screen.feed(data)
        self._is_sampled = False

    def resize(self, columns: int, rows: int) -> None:
        """Another size. The rows are cut, so they are taken before; also the one that is being typed, if it is cut."""
        screen = self._screen
        column, row = screen.cursor
        typed = screen.visible()[row].text(padding="").rstrip()
        is_cut = max(column, len(typed)) > usable_size(columns, rows)[0]
        self.sample(with_cursor=is_cut)
        screen.resize(columns, rows)
        # What is left of the rows is nothing new.
        left = {hash(text) for text, has_cursor in self._texts() if is_cut or not has_cursor}
        self._standing |= left

    def restart(self, keyframe: Keyframe, ms: int) -> None:
        """Continue with another screen, after a part that cannot be read."""
        self.finish()
        self._screen = Screen(*usable_size(keyframe.columns, keyframe.rows))
        self._screen.watch(self._left)
        self._fed_ms = ms
        self._screen.feed(keyframe.repaint)
        self._is_sampled = False

    def finish(self) -> None:
        """Nothing follows."""
        self._older = self._screen.rows
        self._before_ms = self._fed_ms
        self._left(self._screen.visible(), False)
        self._is_sampled = True

    def sample(self, *, with_cursor: bool = False) -> None:
        """Take the lines of the screen as they have been since the last output."""
        standing = set()
        for text, has_cursor in self._texts():
            key = hash(text)
            is_typed = has_cursor and not with_cursor
            if not is_typed:
                self._tell(text, self._fed_ms)
            if not is_typed or key in self._standing:
                standing.add(key)
        self._standing = standing
        self._is_sampled = True

    def _texts(self) -> Iterator[tuple[str, bool]]:
        """The lines of the screen that are whole, and whether each has the cursor of a screen that scrolls."""
        rows = self._screen.visible()
        cursor = -1 if self._screen.alternate else self._screen.cursor[1]
        start = 0
        while start < len(rows):
            end = start + 1
            while end < len(rows) and rows[end].wrapped:
                end += 1
            is_part = start == 0 and rows[0].wrapped and self._is_open
            if not is_part and not (end == start + 1 and rows[start].shared):
                text = "".join(row.text(padding="") for row in rows[start:end]).rstrip()
                if text:
                    yield text, start <= cursor < end
            start = end

    def _left(self, rows: list[Row], continues: bool) -> None:
        for row in rows:
            if not (row.wrapped and self._is_open):
                self._close()
            self._older -= 1
            if not row.shared:
                self._append(row.text(padding=""))
            self._is_open = True
        if not continues:
            self._close()

    def _append(self, text: str) -> None:
        if len(self._open) <= MAX_LINE:
            self._full_ms = self._fed_ms
        self._open += text
        if len(self._open) > _CUT_AT:
            self._cut()

    def _cut(self) -> None:
        """Take the beginning of an endless line, so that it needs no more memory."""
        first, *_ = cut(self._full_ms, LineKind.SCREEN, self._open, repeated=self._repeated, before=self._before)
        self._put(first)
        step = MAX_LINE - OVERLAP
        self._before = (self._before + self._open[:step])[-_CONTEXT:]
        self._open = self._open[step:]
        self._repeated = OVERLAP
        self._full_ms = self._fed_ms

    def _close(self) -> None:
        if not self._is_open:
            return
        text, self._open = self._open.rstrip(), ""
        before, self._before = self._before, ""
        repeated, self._repeated = self._repeated, 0
        self._is_open = False
        if repeated:
            for line in cut(self._fed_ms, LineKind.SCREEN, text, repeated=repeated, before=before):
                self._put(line)
        elif text:
            self._tell(text, self._before_ms if self._older >= 0 else self._fed_ms)

    def _tell(self, text: str, ms: int) -> None:
        key = hash(text)
        if key in self._standing:
            return
        taken_ms = self._taken.get(key)
        if taken_ms is not None and ms - taken_ms < _AGAIN_MS:
            return
        self._taken.pop(key, None)
        self._taken[key] = ms
        if len(self._taken) > _REMEMBERED:
            del self._taken[next(iter(self._taken))]
        for line in cut(ms, LineKind.SCREEN, text):
            self._put(line)

    def _put(self, line: Line) -> None:
        if len(line.text) >= SHORTEST:
            self._take(line)


class _Limits:
    """Passes lines on until there are too many, or until reading took too long."""

    def __init__(self, take: Callable[[Line], None]) -> None:
        self._take = take
        self._left = MOST_LINES
        self._until_s = process_time() + MOST_CPU_S

    def take(self, line: Line) -> None:
        # Raises nothing: it is called by the emulator, which takes every exception for its own failure.
        self._left -= 1
        if self._left >= 0:
            self._take(line)

    @property
    def are_reached(self) -> bool:
        return self._left <= 0 or process_time() > self._until_s


def read_lines(recording: Recording, take: Callable[[Line], None]) -> bool:
    """Pass on the lines of a recording; returns whether everything in it could be read."""
    header, limits = recording.header, _Limits(take)
    lines = ScreenLines(header.columns, header.rows, limits.take)
    is_whole = _read_blocks(recording, lines, _Texts(header), limits)
    lines.finish()
    return is_whole and not lines.faults


def _read_blocks(recording: Recording, lines: ScreenLines, texts: "_Texts", limits: _Limits) -> bool:
    is_whole, is_lost = True, False
    for number in range(len(recording.blocks)):
        if limits.are_reached:
            break
        try:
            events = recording.block_events(number)
        except RecordingUnreadable:
            is_whole, is_lost = False, True
            continue
        for event in events:
            try:
                decoded = decode(event.kind, event.data)
            except RecordingUnreadable:
                is_whole = False
                continue
            if isinstance(decoded, Keyframe):
                if is_lost:  # all other keyframes repeat what is known
                    lines.restart(decoded, event.ms)
                    texts.restart()
                    is_lost = False
            elif isinstance(decoded, Resize):
                texts.resize(lines, decoded)
            elif data := texts.of(decoded):
                lines.feed(event.ms, data)
    return is_whole and not limits.are_reached


class _Texts:
    """What a player shows of an event, as UTF-8."""

    def __init__(self, header: RecordingHeader) -> None:
        self._has_streams = bool(header.streams)
        self._is_utf8 = header.charset.lower() in {"utf-8", "utf8"}
        self.restart()

    def restart(self) -> None:
        self._decoder = None if self._is_utf8 else codecs.getincrementaldecoder("gb18030")("replace")

    def resize(self, lines: ScreenLines, size: Resize) -> None:
        """Another size of the terminal. Programs without a terminal have none."""
        if not self._has_streams:
            lines.resize(size.columns, size.rows)

    def of(self, event: RecordedEvent | Unknown) -> bytes:
        """Nothing of what a user typed or sent: a password may be in it."""
        if not self._has_streams:
            data = event.data if isinstance(event, Output) else b""
        elif isinstance(event, Input) or (isinstance(event, Sample) and event.stream is Stream.INPUT):
            data = b""
        else:
            data = shown(event).text
        is_in_charset = isinstance(event, Output | ErrorOutput | CommandLine | Sample)
        return data if self._decoder is None or not is_in_charset else self._decoder.decode(data).encode("utf-8")
