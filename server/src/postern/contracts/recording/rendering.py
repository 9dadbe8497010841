"""Terminal rendering of events from sessions without a terminal, for players, exports, live views and previews.

The console's player has its own implementation in `console/src/islands/replay/streams.ts`.
"""

from dataclasses import dataclass
from typing import Final, Literal, assert_never

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
    Unknown,
    decode,
)
from postern.contracts.recording.streams import Sample, Skipped, StreamEnd

_COMMAND_STYLE: Final = b"\x1b[1m%s\x1b[22m\r\n"
_NOTE_STYLE: Final = b"\x1b[2m%s\x1b[22m\r\n"
_INPUT_STYLE: Final = b"\x1b[36m%s\x1b[39m"
_ERROR_STYLE: Final = b"\x1b[31m%s\x1b[39m"
#: A command line is shown on one line: its control characters become blanks.
_COMMAND_TABLE: Final = bytes.maketrans(bytes((*range(0x20), 0x7F)), b" " * 0x21)
#: Replaces control characters except line feeds in text from a peer, which must not control the viewer's terminal.
_TEXT_TABLE: Final = bytes.maketrans(bytes((*range(0x0A), *range(0x0B, 0x20), 0x7F)), b" " * 0x20)


@dataclass(frozen=True, slots=True)
class Shown:
    """Display of an event: `text` for the terminal of a recording of streams, `line` for an asciicast of a terminal.

    `line` is the asciicast v2 code (output, input, resize, marker) with its data. Bytes are in the charset of the
    recording.
    """

    text: bytes = b""
    line: tuple[Literal["o", "i"], bytes] | tuple[Literal["r", "m"], str] | None = None


def render(kind: int, data: bytes) -> bytes:
    """The terminal rendering of an event from a session without a terminal, in the charset of the recording.

    Raises `RecordingUnreadable`.
    """
    return shown(decode(kind, data)).text


def shown(event: RecordedEvent | Unknown) -> Shown:
    """Display of an event. For a new kind of event, texts, exports and live views need only a case here."""
    match event:
        case Output(data):
            return Shown(_lines(data), ("o", data))
        case Input(data):
            return Shown(_INPUT_STYLE % _lines(data.replace(b"\0", b"")), ("i", data))  # shells ignore NUL bytes, too
        case ErrorOutput() | CommandLine() | Sample() | Skipped() | StreamEnd():
            return Shown(_render_stream(event))
        case Resize(columns, rows):
            return Shown(line=("r", f"{columns}x{rows}"))
        case Mark(name, text):
            return Shown(line=("m", " ".join(filter(None, (name, text)))))
        case Note(text):
            return Shown(_note(text), ("m", text))
        case Query() | Answer() | File():
            return Shown(_render_protocol_event(event))
        case Keyframe() | DesktopFrame() | End() | Unknown():
            return Shown()
        case _:
            assert_never(event)


def _render_stream(event: ErrorOutput | CommandLine | Sample | Skipped | StreamEnd) -> bytes:
    match event:
        case ErrorOutput(data):
            return _ERROR_STYLE % _lines(data)
        case CommandLine(data):
            return _COMMAND_STYLE % data.translate(_COMMAND_TABLE)
        case Sample(stream, is_text, _, data):
            return render(stream.kind, data) if is_text else b""
        case Skipped(stream, _, length, _):
            return _note(f"... {stream.label}: {length:,} bytes not kept ...")
        case StreamEnd():
            return b"" if event.is_whole_text else _note(event.summary())
        case _:
            assert_never(event)


def _render_protocol_event(event: Query | Answer | File) -> bytes:
    match event:
        case Query(_, text, is_last):
            return _INPUT_STYLE % _lines(text.translate(_TEXT_TABLE)) + (b"\r\n" if is_last else b"")
        case Answer(_, outcome, rows, detail):
            parts = (outcome.value, "" if rows is None else f"{rows:,} rows", detail)
            return _note(": ".join(filter(None, parts)))
        case File(_, operation, path, size, is_success):
            return _note(f"{operation} {path}: " + (f"{size:,} bytes" if is_success else "failed"))
        case _:
            assert_never(event)


def _lines(data: bytes) -> bytes:
    """Add carriage returns, which a terminal would have added to start each line at the left edge."""
    return data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def _note(text: str) -> bytes:
    return _NOTE_STYLE % text.encode("utf-8", "replace").translate(_COMMAND_TABLE)
