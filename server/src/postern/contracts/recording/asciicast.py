"""Export as asciicast, the format of the public `asciinema` player: a stream with one JSON line per event.

Version 2: https://docs.asciinema.org/manual/asciicast/v2/, version 3: https://docs.asciinema.org/manual/asciicast/v3/.
They differ in the header, and in the times of events: since the beginning, or since the event before.
"""

import codecs
import json
from collections.abc import Iterator
from typing import BinaryIO, Final, Literal

from postern.contracts.recording.events import (
    RecordedEvent,
    Unknown,
    decode,
)
from postern.contracts.recording.format import INPUT, MARK
from postern.contracts.recording.reader import ByteSource, Recording
from postern.contracts.recording.rendering import render, shown

Version = Literal[2, 3]

_TERMINAL: Final = "xterm-256color"
_CHARSETS: Final = {"utf-8": "utf-8", "gb18030": "gb18030"}


def iter_asciicast(source: BinaryIO | ByteSource | Recording, version: Version = 2) -> Iterator[bytes]:
    """Lines of asciicast, each with a line feed. Raises `RecordingUnreadable` when it reaches damaged data.

    Characters split between two events are joined; undecodable bytes become U+FFFD. For a recording without a terminal,
    the output is the text from `rendering.render`, and input is also written as "i" events.
    """
    recording = source if isinstance(source, Recording) else Recording.open(source)
    header = recording.header
    yield _line(_header(recording, version))
    at = _since_start if version == 2 else _Intervals()
    charset = _CHARSETS.get(header.charset, "utf-8")
    output = codecs.getincrementaldecoder(charset)("replace")
    typed = codecs.getincrementaldecoder(charset)("replace")
    last_ms = 0
    left_out = 0
    for event in recording.events():
        last_ms = event.ms
        decoded = decode(event.kind, event.data)
        if isinstance(decoded, Unknown):
            left_out += 1
            continue
        if header.streams and event.kind != MARK:
            text = output.decode(render(event.kind, event.data))
            if text:
                yield _line([at(event.ms), "o", text])
            if event.kind != INPUT:
                continue
        line = _shown(decoded, output, typed)
        if line is not None:
            yield _line([at(event.ms), *line])
    rest = output.decode(b"", final=True)
    if rest:
        yield _line([at(last_ms), "o", rest])
    if left_out:
        yield _line([at(last_ms), "m", f"Left out, because they need a newer version: {left_out:,}"])


def _header(recording: Recording, version: Version) -> dict[str, object]:
    header = recording.header
    title = " · ".join(part for part in (header.user, header.asset, header.system_user) if part)
    began = int(header.started_at.timestamp())
    if version == 2:
        return {
            "version": 2,
            "width": header.columns,
            "height": header.rows,
            "timestamp": began,
            "duration": recording.duration_ms / 1000,
            "title": title,
            "env": {"TERM": _TERMINAL},
        }
    term = {"cols": header.columns, "rows": header.rows, "type": _TERMINAL}
    return {"version": 3, "term": term, "timestamp": began, "title": title}


def _since_start(ms: int) -> float:
    return ms / 1000


class _Intervals:
    """The seconds since the event before."""

    def __init__(self) -> None:
        self._before_ms = 0

    def __call__(self, ms: int) -> float:
        before_ms, self._before_ms = self._before_ms, max(ms, self._before_ms)
        return max(ms - before_ms, 0) / 1000


def _shown(
    event: RecordedEvent, output: codecs.IncrementalDecoder, typed: codecs.IncrementalDecoder
) -> tuple[str, str] | None:
    """Code and text of an event; None for one that is not exported."""
    match shown(event).line:
        case ("o", data):
            text = output.decode(data)
            return ("o", text) if text else None
        case ("i", data):
            text = typed.decode(data)
            return ("i", text) if text else None
        case (code, text):
            return (code, text)
        case None:
            return None


def _line(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"
