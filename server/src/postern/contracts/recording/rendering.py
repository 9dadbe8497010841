"""What events of a session without a terminal look like on one: players, exports, live views and pictures show the same.

The console's player does it in `console/src/islands/replay/streams.ts`.
"""

from typing import Final, assert_never

from postern.contracts.recording.events import (
    Answer,
    CommandLine,
    DesktopFrame,
    End,
    ErrorOutput,
    File,
    Input,
    Keyframe,
    Mark,
    Note,
    Output,
    Query,
    RecordedEvent,
    Resize,
    ToldEvent,
    Unknown,
    decode,
    encode,
)
from postern.contracts.recording.format import INPUT, OUTPUT
from postern.contracts.recording.streams import ERROR, Sample, Skipped, StreamEnd

_COMMAND_STYLE: Final = b"\x1b[1m%s\x1b[22m\r\n"
_NOTE_STYLE: Final = b"\x1b[2m%s\x1b[22m\r\n"
_INPUT_STYLE: Final = b"\x1b[36m%s\x1b[39m"
_ERROR_STYLE: Final = b"\x1b[31m%s\x1b[39m"
#: A command line is shown as one line: its control characters become blanks.
_COMMAND_TABLE: Final = bytes.maketrans(bytes((*range(0x20), 0x7F)), b" " * 0x21)
#: Control characters of a text that a peer chose, but for line feeds: it must not drive the terminal of a reader.
_TEXT_TABLE: Final = bytes.maketrans(bytes((*range(0x0A), *range(0x0B, 0x20), 0x7F)), b" " * 0x20)


def render(kind: int, data: bytes) -> bytes:
    """What an event of a session without a terminal looks like on one, in the charset of the recording.

    Raises `RecordingUnreadable`.
    """
    if kind == OUTPUT:
        return _lines(data)
    if kind == INPUT:
        return _INPUT_STYLE % _lines(data.replace(b"\0", b""))  # a shell skips them as well
    if kind == ERROR:
        return _ERROR_STYLE % _lines(data)
    return _render(decode(kind, data))


def _render(event: RecordedEvent | Unknown) -> bytes:
    match event:
        case Output() | Input() | ErrorOutput():
            return render(*encode(event))
        case CommandLine(data):
            return _COMMAND_STYLE % data.translate(_COMMAND_TABLE)
        case Sample(stream, is_text, _, data):
            return render(stream.kind, data) if is_text else b""
        case Skipped(stream, _, length, _):
            return _note(f"... {stream.label}: {length:,} bytes not kept ...")
        case StreamEnd():
            return b"" if event.is_whole_text else _note(event.summary())
        case Note() | Query() | Answer() | File() | DesktopFrame():
            return _render_told(event)
        case Keyframe() | Resize() | Mark() | End() | Unknown():
            return b""
        case _:
            assert_never(event)


def _render_told(event: ToldEvent) -> bytes:
    match event:
        case Query(_, text, is_last):
            return _INPUT_STYLE % _lines(text.translate(_TEXT_TABLE)) + (b"\r\n" if is_last else b"")
        case Answer(_, outcome, rows, detail):
            told = (outcome.value, "" if rows is None else f"{rows:,} rows", detail)
            return _note(": ".join(filter(None, told)))
        case Note(text):
            return _note(text)
        case File(_, operation, path, size, is_success):
            return _note(f"{operation} {path}: " + (f"{size:,} bytes" if is_success else "failed"))
        case DesktopFrame():
            return b""
        case _:
            assert_never(event)


def _lines(data: bytes) -> bytes:
    """There was no terminal to begin each line at its left edge."""
    return data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def _note(text: str) -> bytes:
    return _NOTE_STYLE % text.encode("utf-8", "replace").translate(_COMMAND_TABLE)
