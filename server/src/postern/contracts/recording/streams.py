"""Events of sessions without a terminal: command line, standard input, output and error, and stretches left out.

docs/reference/recording-format.md describes the format. A header with `streams` = 1 says that a recording may contain
these events; readers that only support terminals skip them. `events` has all kinds of events, `rendering` their
display.
"""

import struct
from enum import IntEnum
from typing import Any, Final, NamedTuple, Self

from postern.contracts.recording.format import INPUT, OUTPUT, RecordingUnreadable, json_bytes, parse_object

#: The only version of these events so far.
STREAMS_VERSION: Final = 1

ERROR: Final = ord("x")
COMMAND: Final = ord("c")
SAMPLE: Final = ord("s")
SKIPPED: Final = ord("g")
STREAM_END: Final = ord("f")

_FLAG_TEXT: Final = 1
_SAMPLE: Final = struct.Struct(">BBQ")
_SKIPPED: Final = struct.Struct(">BQQ32s")
#: Size that a sample adds to its data.
SAMPLE_PREFIX_BYTES: Final = _SAMPLE.size


class Stream(IntEnum):
    """The streams of a program without a terminal. The values are stored in recordings."""

    INPUT = 0
    OUTPUT = 1
    ERROR = 2

    @property
    def label(self) -> str:
        return ("stdin", "stdout", "stderr")[self]

    @property
    def kind(self) -> int:
        """The kind of event that contains text of this stream."""
        return (INPUT, OUTPUT, ERROR)[self]

    @classmethod
    def of(cls, value: int) -> Self:
        """Raises `RecordingUnreadable`."""
        try:
            return cls(value)
        except ValueError as error:
            raise RecordingUnreadable("event: unknown stream") from error


class Sample(NamedTuple):
    """Recorded binary bytes of a stream, or the last bytes of a stretch that was left out."""

    stream: Stream
    is_text: bool
    offset: int
    data: bytes

    def encode(self) -> bytes:
        return _SAMPLE.pack(self.stream, _FLAG_TEXT if self.is_text else 0, self.offset) + self.data

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """Raises `RecordingUnreadable`."""
        if len(data) < _SAMPLE.size:
            raise RecordingUnreadable("event: a sample is cut off")
        stream, flags, offset = _SAMPLE.unpack_from(data)
        return cls(Stream.of(stream), bool(flags & _FLAG_TEXT), offset, data[_SAMPLE.size :])


class Skipped(NamedTuple):
    """`length` bytes from `offset` that were forwarded but not recorded.

    `sha256` covers the stream from its first byte to the end of this stretch.
    """

    stream: Stream
    offset: int
    length: int
    sha256: bytes

    def encode(self) -> bytes:
        return _SKIPPED.pack(self.stream, self.offset, self.length, self.sha256)

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """Raises `RecordingUnreadable`."""
        if len(data) != _SKIPPED.size:
            raise RecordingUnreadable("event: a skipped stretch is malformed")
        stream, offset, length, digest = _SKIPPED.unpack(data)
        return cls(Stream.of(stream), offset, length, digest)

    def followed_by(self, other: "Skipped") -> "Skipped | None":
        """Both stretches combined; None when `other` does not follow directly."""
        if other.stream is not self.stream or other.offset != self.offset + self.length:
            return None
        return Skipped(self.stream, self.offset, self.length + other.length, other.sha256)


class StreamEnd(NamedTuple):
    """Summary of a stream: total size and SHA-256, and how many bytes the recording does not contain.

    `protocol` is the detected protocol (rsync, scp, git, tar, sftp), or empty.
    """

    stream: Stream
    size: int
    not_kept: int
    is_binary: bool
    sha256: str
    protocol: str

    def encode(self) -> bytes:
        return json_bytes(
            {
                "stream": self.stream.label,
                "bytes": self.size,
                "not_kept": self.not_kept,
                "binary": self.is_binary,
                "sha256": self.sha256,
                "protocol": self.protocol,
            }
        )

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """Raises `RecordingUnreadable`."""
        fields = parse_object(data, "stream end")
        labels = {stream.label: stream for stream in Stream}
        stream = labels.get(str(fields.get("stream")))
        size, not_kept, sha256 = fields.get("bytes"), fields.get("not_kept"), fields.get("sha256")
        if stream is None or not _is_count(size) or not _is_count(not_kept) or not _is_digest(sha256):
            raise RecordingUnreadable("event: the end of a stream is malformed")
        is_binary, protocol = fields.get("binary") is True, str(fields.get("protocol", ""))[:16]
        return cls(stream, int(str(size)), int(str(not_kept)), is_binary, str(sha256), protocol)

    @property
    def is_whole_text(self) -> bool:
        """Whether the stream is text and completely recorded, so that it needs no summary."""
        return not self.not_kept and not self.is_binary

    def summary(self) -> str:
        """One line for readers of a recording or its export."""
        parts = [f"{self.stream.label}: {self.size:,} bytes"]
        if self.protocol:
            parts.append(self.protocol)
        parts.append(f"{self.not_kept:,} not kept" if self.not_kept else "binary, all kept")
        return f"... {', '.join(parts)}, SHA-256 {self.sha256} ..."


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_digest(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 64 and all(digit in "0123456789abcdef" for digit in value)
