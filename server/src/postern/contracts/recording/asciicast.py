"""Export as asciicast v2, the format of the public `asciinema` player: a stream with one JSON line per event."""

import codecs
import json
from collections.abc import Iterator
from typing import BinaryIO, Final

from postern.contracts.recording.events import (
    RecordedEvent,
    Unknown,
    decode,
)
from postern.contracts.recording.format import INPUT, MARK
from postern.contracts.recording.reader import ByteSource, Recording
from postern.contracts.recording.rendering import render, shown

_CHARSETS: Final = {"utf-8": "utf-8", "gb18030": "gb18030"}


def iter_asciicast(source: BinaryIO | ByteSource | Recording) -> Iterator[bytes]:
    """Lines of asciicast v2, each with a line feed. Raises `RecordingUnreadable` when it reaches damaged data.

    Characters split between two events are joined; undecodable bytes become U+FFFD. For a recording without a terminal,
    the output is the text from `rendering.render`, and input is also written as "i" events.
    """
    recording = source if isinstance(source, Recording) else Recording.open(source)
    header = recording.header
    title = " · ".join(part for part in (header.user, header.asset, header.system_user) if part)
    yield _line(
        {
            "version": 2,
            "width": header.columns,
            "height": header.rows,
            "timestamp": int(header.started_at.timestamp()),
            "duration": recording.duration_ms / 1000,
            "title": title,
            "env": {"TERM": "xterm-256color"},
        }
    )
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
                yield _line([event.ms / 1000, "o", text])
            if event.kind != INPUT:
                continue
        line = _event_line(event.ms / 1000, decoded, output, typed)
        if line is not None:
            yield line
    rest = output.decode(b"", final=True)
    if rest:
        yield _line([last_ms / 1000, "o", rest])
    if left_out:
        yield _line([last_ms / 1000, "m", f"Left out, because they need a newer version: {left_out:,}"])


def _event_line(
    seconds: float, event: RecordedEvent, output: codecs.IncrementalDecoder, typed: codecs.IncrementalDecoder
) -> bytes | None:
    match shown(event).line:
        case ("o", data):
            text = output.decode(data)
            return _line([seconds, "o", text]) if text else None
        case ("i", data):
            text = typed.decode(data)
            return _line([seconds, "i", text]) if text else None
        case (code, text):
            return _line([seconds, code, text])
        case None:
            return None


def _line(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"
