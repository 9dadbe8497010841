"""The text of a recording: every line that was on the screen, in order and once, as in the scroll-back of a terminal.

A line is written when it leaves the screen: scrolled off, erased, hidden by another screen, or at the end. Its wrapped
rows are joined. Of a full-screen program, what scrolled off and its last screen are written. Colours and other controls
have no effect on the text, so that it can be shown by any program.
"""

import codecs
from collections.abc import Iterator
from typing import Final

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
from postern.contracts.recording.streams import Sample
from postern.contracts.vt import Screen, usable_size
from postern.contracts.vt.grid import Row

#: An endless line is written in parts of about this many characters, so that it needs no more memory.
_PART: Final = 8_000
#: More blank lines in a row are counted instead.
_MOST_BLANK: Final = 1_000
#: Characters that change the direction of what follows would show lines in another order than they were.
_DIRECTIONS: Final = dict.fromkeys((0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)), "\ufffd")
_OVERWRITTEN: Final = "What was overwritten or erased within a line is in the recording only."
_DAMAGED: Final = "[A damaged part of the recording is missing here.]"


def iter_text(recording: Recording, *, times: bool = False) -> Iterator[str]:
    """The text in pieces, with a head of comment lines. `times`: each line begins with the time since the beginning.

    Damaged blocks are left out, and a line says so.
    """
    yield _head(recording.header)
    text = _ScreenText(recording.header, times=times)
    is_lost = False
    for number in range(len(recording.blocks)):
        try:
            events = recording.block_events(number)
            for event in events:
                decoded = decode(event.kind, event.data)
                if isinstance(decoded, Keyframe):
                    if is_lost:  # all other keyframes repeat what is known
                        text.restart(decoded, event.ms)
                        is_lost = False
                else:
                    text.take(event.ms, decoded)
        except RecordingUnreadable:
            if not is_lost:
                text.note(_DAMAGED)
            is_lost = True
        yield text.taken()
    text.finish()
    yield text.taken()


def _head(header: RecordingHeader) -> str:
    title = " · ".join(filter(None, (header.user, header.asset, header.system_user)))
    began = header.started_at.strftime("%Y-%m-%dT%H:%M:%SZ")
    lines = (title, began, str(header.session_id), _OVERWRITTEN)
    return "".join(f"# {_visible(line)}\n" for line in lines) + "\n"


def _visible(text: str) -> str:
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)


def _clock(ms: int) -> str:
    seconds = ms // 1_000
    return f"{seconds // 3_600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


class _ScreenText:
    """Emulates the terminal of a recording and gathers the lines that leave its screen."""

    def __init__(self, header: RecordingHeader, *, times: bool) -> None:
        self._has_streams = bool(header.streams)
        self._is_utf8 = header.charset.lower() in {"utf-8", "utf8"}
        self._lines = _Lines(times=times)
        self._ms = 0
        self._begin(*usable_size(header.columns, header.rows))

    def _begin(self, columns: int, rows: int) -> None:
        self._screen = Screen(columns, rows)
        self._screen.watch(self._scrolled, erasing=self._erased, hiding=self._hidden)
        #: The cells of the rows of the screen, and when text first stood in them. A row that scrolls keeps its cells, one
        #: that is erased gets others.
        self._written: dict[int, tuple[list[str], int]] = {}
        #: Rows with their text, which was taken while they stay where they are.
        self._known: dict[int, tuple[Row, str]] = {}
        self._decoder = None if self._is_utf8 else codecs.getincrementaldecoder("gb18030")("replace")

    def restart(self, keyframe: Keyframe, ms: int) -> None:
        """Continue with another screen, after a part that cannot be read."""
        self._begin(*usable_size(keyframe.columns, keyframe.rows))
        self._feed(ms, keyframe.repaint)

    def take(self, ms: int, event: RecordedEvent | Unknown) -> None:
        """The next event."""
        if isinstance(event, Resize):
            if not self._has_streams:  # programs without a terminal have no size
                self._resize(event)
        elif data := self._data(event):
            self._feed(ms, data)

    def note(self, text: str) -> None:
        """A line of our own after what stands on the screen."""
        self.finish()
        self._lines.add(text, self._ms)
        self._lines.close()

    def finish(self) -> None:
        """Nothing follows on this screen."""
        self._erased(self._screen.visible(), False)

    def taken(self) -> str:
        """The text since the last call."""
        return self._lines.taken()

    def _data(self, event: RecordedEvent | Unknown) -> bytes:
        """What a player shows of an event, as UTF-8."""
        if self._has_streams:
            data = shown(event).text
        elif isinstance(event, Output):
            data = event.data
        else:
            return b""
        is_in_charset = isinstance(event, Output | ErrorOutput | CommandLine | Sample | Input)
        return data if self._decoder is None or not is_in_charset else self._decoder.decode(data).encode("utf-8")

    def _feed(self, ms: int, data: bytes) -> None:
        self._ms = ms
        self._screen.feed(data)
        before, self._written = self._written, {}
        for row in self._screen.visible():
            key = id(row.cells)
            if key in before:
                self._written[key] = before[key]
            elif _text(row):
                self._written[key] = (row.cells, ms)

    def _resize(self, size: Resize) -> None:
        """Lines are cut at another size, so those above the cursor are taken before."""
        rows = self._screen.visible()
        end = min(self._screen.cursor[1], len(rows) - 1)
        while end > 0 and rows[end].wrapped:
            end -= 1
        self._hidden(rows[:end], False)
        surplus = len(rows) - usable_size(size.columns, size.rows)[1]
        below = min(surplus, len(rows) - 1 - self._screen.cursor[1])
        if below > 0:  # the rows below the cursor are the first that go
            self._erased(rows[-below:], False)
        self._screen.resize(size.columns, size.rows)
        self._known = {key: (row, _text(row)) for key, (row, _) in self._known.items()}

    def _scrolled(self, rows: list[Row], continues: bool) -> None:
        for row in rows:
            if not row.wrapped:
                self._lines.close()
            text, (_, ms) = _text(row), self._written.pop(id(row.cells), (row.cells, self._ms))
            known = self._known.pop(id(row), None)
            if known is None or known[1] != text:
                self._lines.add(row.text(padding="").translate(_DIRECTIONS), ms)
        if not continues:
            self._lines.close()

    def _erased(self, rows: list[Row], continues: bool) -> None:
        """Blank rows below the text of a screen were no lines, nor those around the text of a full-screen program."""
        used = [place for place, row in enumerate(rows) if _text(row)]
        if used:
            first = used[0] if self._screen.alternate else 0
            self._scrolled(rows[first : used[-1] + 1], continues)

    def _hidden(self, rows: list[Row], continues: bool) -> None:
        """These rows come back, and are not taken again then unless they have changed."""
        known = [(row, _text(row)) for row in rows]
        self._erased(rows, continues)
        below = self._known if self._screen.alternate else {}
        self._known = below | {id(row): (row, text) for row, text in known}


def _text(row: Row) -> str:
    return "" if row.shared else row.text(padding="").rstrip()


class _Lines:
    """Joins the rows of lines and gathers them as text."""

    def __init__(self, *, times: bool) -> None:
        self._times = times
        self._gathered: list[str] = []
        #: Characters of the line that is not complete yet; None between lines.
        self._length: int | None = None
        #: Blank lines that are written only if text follows.
        self._blank = 0

    def add(self, text: str, ms: int) -> None:
        """A row of a line, which was written at this moment."""
        if (self._length or 0) >= _PART:  # the end of this line may never come
            self.close()
        if not self._length and text.strip():
            if self._blank > _MOST_BLANK:
                self._gathered.append(f"[{self._blank:,} blank lines]\n")
            else:
                self._gathered.append("\n" * self._blank)
            self._blank = 0
            if self._times:
                self._gathered.append(f"[{_clock(ms)}] ")
        if self._length or text.strip():
            self._gathered.append(text)
            self._length = (self._length or 0) + len(text)
        else:
            self._length = 0

    def close(self) -> None:
        """The line is complete."""
        if self._length:
            self._gathered[-1] = self._gathered[-1].rstrip() + "\n"
        elif self._length == 0:
            self._blank += 1
        self._length = None

    def taken(self) -> str:
        """The text since the last call. The last row stays until it is known whether its line goes on."""
        rest = [self._gathered.pop()] if self._length else []
        text = "".join(self._gathered)
        self._gathered = rest
        return text
