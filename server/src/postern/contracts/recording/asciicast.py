"""Export as asciicast v2, the format of the public `asciinema` player: one JSON line for each event, streamed."""

import codecs
import json
from collections.abc import Iterator
from typing import BinaryIO, Final

from postern.contracts.recording.format import END, INPUT, MARK, OUTPUT, RESIZE, Event, RecordingUnreadable
from postern.contracts.recording.reader import ByteSource, Recording
from postern.contracts.recording.streams import render

_CHARSETS: Final = {"utf-8": "utf-8", "gb18030": "gb18030"}


def iter_asciicast(source: BinaryIO | ByteSource | Recording) -> Iterator[bytes]:
    """Lines of asciicast v2, each ending in a line feed. Raises `RecordingUnreadable` as soon as it comes to damage.

    Characters that are cut by the border between two events are put together; bytes that are no text become U+FFFD.
    A recording without a terminal shows what `streams.render` makes of it; its input stands beside as "i" events too.
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
    for event in recording.events():
        last_ms = event.ms
        if header.streams and event.kind != MARK:
            text = output.decode(render(event.kind, event.data))
            if text:
                yield _line([event.ms / 1000, "o", text])
            if event.kind != INPUT:
                continue
        line = _event_line(event, output, typed)
        if line is not None:
            yield line
    rest = output.decode(b"", final=True)
    if rest:
        yield _line([last_ms / 1000, "o", rest])


def _event_line(event: Event, output: codecs.IncrementalDecoder, typed: codecs.IncrementalDecoder) -> bytes | None:
    seconds = event.ms / 1000
    if event.kind == OUTPUT:
        text = output.decode(event.data)
        return _line([seconds, "o", text]) if text else None
    if event.kind == INPUT:
        text = typed.decode(event.data)
        return _line([seconds, "i", text]) if text else None
    if event.kind == RESIZE:
        columns, rows = event.size
        return _line([seconds, "r", f"{columns}x{rows}"])
    if event.kind == MARK:
        return _line([seconds, "m", _mark_text(event.data)])
    if event.kind == END:
        return None
    return None


def _mark_text(data: bytes) -> str:
    try:
        found = json.loads(data)
    except ValueError as error:
        raise RecordingUnreadable("mark: not JSON") from error
    if not isinstance(found, dict):
        raise RecordingUnreadable("mark: not an object")
    return " ".join(str(found[name]) for name in ("name", "text") if found.get(name))


def _line(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"
