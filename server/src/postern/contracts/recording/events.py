"""All events that a recording can contain: a closed union, encoded and decoded in this module only.

Journal and container store an event as one byte for its kind plus data, for every protocol. So one recorder, one
sealer, one uploader and one reader serve terminals, programs, queries and desktops. docs/reference/recording-format.md
describes the bytes.

A new kind needs a class here, a case in `encode`, `decode` and `rendering.shown`, and a higher `EVENTS_VERSION`. Older
readers skip unknown kinds and report that (`Unknown`).
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Any, Final, TypeAlias, TypeVar, assert_never

from postern.contracts.enums import TransferDirection
from postern.contracts.recording.format import (
    END,
    INPUT,
    KEYFRAME,
    KEYFRAME_PREFIX,
    MARK,
    OUTPUT,
    RESIZE,
    SIZE,
    RecordingUnreadable,
    is_size,
    json_bytes,
    parse_object,
)
from postern.contracts.recording.streams import (
    COMMAND,
    ERROR,
    SAMPLE,
    SKIPPED,
    STREAM_END,
    Sample,
    Skipped,
    StreamEnd,
)

#: 1: terminals and programs. 2: also notes, queries with their answers, files, desktop frames.
EVENTS_VERSION: Final = 2

NOTE: Final = ord("n")
QUERY: Final = ord("q")
ANSWER: Final = ord("a")
FILE: Final = ord("t")
DESKTOP_FRAME: Final = ord("d")

#: Maximum size of a piece of a query: an event must fit into one record of the journal.
QUERY_PIECE_BYTES: Final = 48 * 1024
#: Maximum size of a desktop frame, without its prefix.
FRAME_BYTES: Final = 60 * 1024
_MAX_TEXT: Final = 4_096

_QUERY: Final = struct.Struct(">QB")
_FRAME: Final = struct.Struct(">BB")
_IS_LAST: Final = 1
_IS_KEYFRAME: Final = 1


@dataclass(frozen=True, slots=True)
class Keyframe:
    """Bytes that redraw the screen on a reset terminal of this size."""

    columns: int
    rows: int
    is_uncertain: bool
    repaint: bytes


@dataclass(frozen=True, slots=True)
class Output:
    """Bytes from the target: of a terminal, or of a program's standard output."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Input:
    """Bytes that the person sent."""

    data: bytes


@dataclass(frozen=True, slots=True)
class ErrorOutput:
    """Bytes of a program's standard error."""

    data: bytes


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A command line as it was sent, or a piece of a long line."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Resize:
    columns: int
    rows: int


@dataclass(frozen=True, slots=True)
class Mark:
    """A named moment on the timeline."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class End:
    """The last event of a complete recording."""

    reason: str


@dataclass(frozen=True, slots=True)
class Note:
    """A message from the proxy about the session, for viewers of the recording."""

    text: str


@dataclass(frozen=True, slots=True)
class Query:
    """A statement before it is forwarded, or a piece of a long statement. `number` counts the statements of the session."""

    number: int
    text: bytes
    is_last: bool = True

    @classmethod
    def pieces(cls, number: int, text: bytes) -> "list[Query]":
        """A statement of any length as events."""
        starts = range(0, max(1, len(text)), QUERY_PIECE_BYTES)
        return [
            cls(number, text[start : start + QUERY_PIECE_BYTES], start + QUERY_PIECE_BYTES >= len(text))
            for start in starts
        ]


class Outcome(StrEnum):
    """Result of a query. The values are stored in recordings."""

    DONE = "done"
    FAILED = "failed"  # reported by the target
    REFUSED = "refused"  # refused by rule and not forwarded


@dataclass(frozen=True, slots=True)
class Answer:
    """Result of the query with this number. `rows`: affected or returned rows, None when unknown."""

    number: int
    outcome: Outcome
    rows: int | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class File:
    """A file was transferred or changed."""

    direction: TransferDirection
    operation: str
    path: str
    size: int = 0
    is_success: bool = True


class FrameCodec(IntEnum):
    """Encoding of a desktop frame. The values are stored in recordings."""

    RFB = 1  # the server's stream, starting with the first byte after the initialisation


@dataclass(frozen=True, slots=True)
class DesktopFrame:
    """Desktop bytes as sent to the person's client. `is_keyframe`: a player can start here."""

    codec: FrameCodec
    data: bytes
    is_keyframe: bool = False


RecordedEvent: TypeAlias = (
    Keyframe
    | Output
    | Input
    | ErrorOutput
    | CommandLine
    | Resize
    | Mark
    | End
    | Sample
    | Skipped
    | StreamEnd
    | Note
    | Query
    | Answer
    | File
    | DesktopFrame
)
#: Events specific to a protocol, in addition to the bytes of terminals and programs.
ToldEvent: TypeAlias = Note | Query | Answer | File | DesktopFrame


@dataclass(frozen=True, slots=True)
class Unknown:
    """An event of a newer version; readers skip it and report that."""

    kind: int


def encode(event: RecordedEvent) -> tuple[int, bytes]:
    """Kind and data, as stored in journal and container."""
    match event:
        case Output() | Input() | ErrorOutput() | CommandLine():
            return _KINDS_OF_BYTES[type(event)], event.data
        case Sample() | Skipped() | StreamEnd():
            return _KINDS_OF_STREAMS[type(event)], event.encode()
        case Keyframe(columns, rows, is_uncertain, repaint):
            return KEYFRAME, KEYFRAME_PREFIX.pack(columns, rows, is_uncertain) + repaint
        case Resize(columns, rows):
            return RESIZE, SIZE.pack(columns, rows)
        case Mark(name, text):
            return MARK, json_bytes({"name": name, "text": text})
        case End(reason):
            return END, reason.encode("utf-8", "replace")
        case Note() | Query() | Answer() | File() | DesktopFrame():
            return _encode_protocol_event(event)
        case _:
            assert_never(event)


def _encode_protocol_event(event: ToldEvent) -> tuple[int, bytes]:
    match event:
        case Note(text):
            return NOTE, json_bytes({"text": text[:_MAX_TEXT]})
        case Query(number, text_bytes, is_last):
            return QUERY, _QUERY.pack(number, _IS_LAST if is_last else 0) + text_bytes
        case Answer(number, outcome, rows, detail):
            fields = {"number": number, "outcome": outcome.value, "rows": rows, "detail": detail[:_MAX_TEXT]}
            return ANSWER, json_bytes(fields)
        case File(direction, operation, path, size, is_success):
            fields = {
                "direction": direction.value,
                "operation": operation[:_MAX_TEXT],
                "path": path[:_MAX_TEXT],
                "size": size,
                "success": is_success,
            }
            return FILE, json_bytes(fields)
        case DesktopFrame(codec, data, is_keyframe):
            return DESKTOP_FRAME, _FRAME.pack(codec, _IS_KEYFRAME if is_keyframe else 0) + data
        case _:
            assert_never(event)


def decode(kind: int, data: bytes) -> RecordedEvent | Unknown:
    """The decoded event; `Unknown` for a kind or value of a newer version. Raises `RecordingUnreadable`."""
    reader = _READERS.get(kind)
    return Unknown(kind) if reader is None else reader(data)


def is_known(kind: int) -> bool:
    """Whether this version supports the kind of event."""
    return kind in _READERS


def is_sound(kind: int, data: bytes) -> bool:
    """Whether the data of an event of this kind can be decoded."""
    if kind in _RAW:
        return True
    try:
        decode(kind, data)
    except RecordingUnreadable:
        return False
    return True


def _size(data: bytes) -> tuple[int, int]:
    if len(data) < SIZE.size:
        raise RecordingUnreadable("event: no size")
    columns, rows = SIZE.unpack_from(data)
    if not is_size(columns, rows):
        raise RecordingUnreadable("event: impossible size of the terminal")
    return columns, rows


def _keyframe(data: bytes) -> Keyframe:
    if len(data) < KEYFRAME_PREFIX.size:
        raise RecordingUnreadable("event: a keyframe is cut off")
    return Keyframe(*_size(data), bool(data[SIZE.size] & 1), data[KEYFRAME_PREFIX.size :])


def _resize(data: bytes) -> Resize:
    return Resize(*_size(data))


def _mark(data: bytes) -> Mark:
    fields = parse_object(data, "mark")
    return Mark(str(fields.get("name", "")), str(fields.get("text", "")))


def _end(data: bytes) -> End:
    return End(data.decode("utf-8", "replace"))


def _note(data: bytes) -> Note:
    return Note(_field(parse_object(data, "note"), "text", str))


def _query(data: bytes) -> Query:
    if len(data) < _QUERY.size:
        raise RecordingUnreadable("event: a query is cut off")
    number, flags = _QUERY.unpack_from(data)
    return Query(number, data[_QUERY.size :], bool(flags & _IS_LAST))


def _answer(data: bytes) -> Answer | Unknown:
    fields = parse_object(data, "answer")
    rows = None if fields.get("rows") is None else _count(fields, "rows")
    number, outcome, detail = _count(fields, "number"), _field(fields, "outcome", str), _field(fields, "detail", str)
    return Answer(number, Outcome(outcome), rows, detail) if outcome in set(Outcome) else Unknown(ANSWER)


def _file(data: bytes) -> File | Unknown:
    fields = parse_object(data, "file")
    direction = _field(fields, "direction", str)
    operation, path = _field(fields, "operation", str), _field(fields, "path", str)
    size, is_success = _count(fields, "size"), _field(fields, "success", bool)
    if direction not in set(TransferDirection):
        return Unknown(FILE)
    return File(TransferDirection(direction), operation, path, size, is_success)


def _desktop_frame(data: bytes) -> DesktopFrame | Unknown:
    if len(data) < _FRAME.size:
        raise RecordingUnreadable("event: a frame is cut off")
    codec, flags = _FRAME.unpack_from(data)
    if codec not in set(FrameCodec):
        return Unknown(DESKTOP_FRAME)
    return DesktopFrame(FrameCodec(codec), data[_FRAME.size :], bool(flags & _IS_KEYFRAME))


_T = TypeVar("_T")


def _field(fields: dict[str, Any], name: str, kind: type[_T]) -> _T:
    value = fields.get(name)
    if not isinstance(value, kind):
        raise RecordingUnreadable(f"event: {name} is missing")
    return value


def _count(fields: dict[str, Any], name: str) -> int:
    value = fields.get(name)
    if type(value) is not int or value < 0:
        raise RecordingUnreadable(f"event: {name} is no count")
    return value


#: Kinds whose data can be any bytes.
_RAW: Final = frozenset({OUTPUT, INPUT, ERROR, COMMAND})
_KINDS_OF_BYTES: Final[dict[type[RecordedEvent], int]] = {
    Output: OUTPUT,
    Input: INPUT,
    ErrorOutput: ERROR,
    CommandLine: COMMAND,
}
_KINDS_OF_STREAMS: Final[dict[type[RecordedEvent], int]] = {Sample: SAMPLE, Skipped: SKIPPED, StreamEnd: STREAM_END}
_READERS: Final[dict[int, Callable[[bytes], RecordedEvent | Unknown]]] = {
    OUTPUT: Output,
    INPUT: Input,
    ERROR: ErrorOutput,
    COMMAND: CommandLine,
    KEYFRAME: _keyframe,
    RESIZE: _resize,
    MARK: _mark,
    END: _end,
    SAMPLE: Sample.decode,
    SKIPPED: Skipped.decode,
    STREAM_END: StreamEnd.decode,
    NOTE: _note,
    QUERY: _query,
    ANSWER: _answer,
    FILE: _file,
    DESKTOP_FRAME: _desktop_frame,
}
