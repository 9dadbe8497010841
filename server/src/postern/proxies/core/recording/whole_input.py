"""Records a program's input completely, because a program may run it.

A budget would be a hiding place: flood it, then send the commands. So every byte of input is recorded, text or not, up
to the session's limit. Then the session ends, so nothing passes unrecorded. Only a file transfer is exempt, and only
bytes that two proofs cover. First, the command line can start nothing but that program (`transfer_commands`). Second,
both sides have used its protocol, and the input has matched it from the first byte on (`transfer_framing`). Such bytes
are recorded within a budget, like output. When the protocol ends, everything is recorded again.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import ClassVar, Final, Protocol

from postern.contracts.recording.streams import SAMPLE_PREFIX_BYTES, Stream
from postern.kernel.errors import PosternError
from postern.proxies.core.recording.journal_format import MAX_DATA_BYTES, RECORD_HEADER
from postern.proxies.core.recording.streams import CONTROLS, EventWriter, OnEvent, StreamKeeper, is_binary
from postern.proxies.core.recording.transfer_framing import FRAMINGS

#: Minimum length of a line that starts text between binary bytes. Shorter lines are mostly chance.
_MIN_LINE_BYTES: Final = 4
#: Maximum number of events per piece, plus one for each `_BYTES_PER_PART`. Tar streams of small texts need no more.
_MAX_PARTS: Final = 16
_BYTES_PER_PART: Final = 512
#: Size of an event in the journal besides its bytes. The limit applies to written bytes, not to sent bytes.
_EVENT_BYTES: Final = RECORD_HEADER.size + SAMPLE_PREFIX_BYTES
_CONTROL: Final = re.compile(b"[" + re.escape(CONTROLS) + b"]")


class InputWriter(Protocol):
    """The part of a recorder's interface that terminals use here. Raises what the recorder raises."""

    def input(self, data: bytes) -> None:
        """Write input. Returns when the bytes are in the journal."""


class InputTooLong(PosternError):
    """A program got more input than its recording may hold."""

    code: ClassVar[str] = "input_too_long"
    status: ClassVar[int] = 413

    def __init__(self, max_bytes: int) -> None:
        super().__init__(f"more than {max_bytes} bytes of input that had to be recorded")
        self.max_bytes = max_bytes


class TerminalInput:
    """A user's input to a terminal, recorded completely and unchanged, within the same limit.

    Transfers are not exempt: a terminal changes their bytes, so nothing can be proven about them.
    """

    def __init__(self, recorder: InputWriter, max_bytes: int) -> None:
        self._recorder = recorder
        self._max_bytes = max_bytes
        self._kept_bytes = 0

    def take(self, data: bytes) -> None:
        """Record `data` before it is forwarded. Raises `InputTooLong` and what the recorder raises."""
        self._kept_bytes += len(data) + (1 + len(data) // MAX_DATA_BYTES) * _EVENT_BYTES
        if self._kept_bytes > self._max_bytes:
            raise InputTooLong(self._max_bytes)
        self._recorder.input(data)


class InputKeeper(StreamKeeper):
    """Standard input. `transfer` is the protocol that the command line starts, or empty."""

    def __init__(self, recorder: EventWriter, on_event: OnEvent, transfer: str, max_bytes: int) -> None:
        super().__init__(Stream.INPUT, recorder, on_event)
        #: The protocol recognised by the bytes of both sides so far.
        self.protocol = ""
        self._transfer = transfer
        self._framing = FRAMINGS[transfer]() if transfer else None
        self._max_bytes = max_bytes
        self._kept_bytes = 0

    def take_piece(self, piece: bytes, now_s: float) -> None:
        framed = self._framing.take(piece) if self._framing is not None else 0
        if framed and self.protocol == self._transfer:
            self.keep_within_budget(piece[:framed], now_s)
            piece = piece[framed:]
        if piece:
            self._keep_whole(piece)

    def _keep_whole(self, piece: bytes) -> None:
        parts = _parts(piece)
        self._kept_bytes += len(piece) + len(parts) * _EVENT_BYTES
        if self._kept_bytes > self._max_bytes:
            raise InputTooLong(self._max_bytes)
        for is_text, part in parts:
            self.saw_binary |= not is_text
            self.keep(part, binary=not is_text)


def _parts(piece: bytes) -> list[tuple[bool, bytes]]:
    """Split the piece into text, which players show, and other bytes.

    Shells skip NUL bytes, so those do not make it binary. Between other bytes, whole lines are text. If text and binary
    alternate too often for an event each, the whole piece counts as binary.
    """
    if not is_binary(piece.replace(b"\0", b"") if 0 in piece else piece):
        return [(True, piece)]
    most = _MAX_PARTS + len(piece) // _BYTES_PER_PART
    parts = list(islice(_stretches(piece), most + 1))
    return parts if len(parts) <= most else [(False, piece)]


def _stretches(piece: bytes) -> Iterator[tuple[bool, bytes]]:
    start = at = 0
    in_text = False
    for line in piece.split(b"\n"):
        end = min(at + len(line) + 1, len(piece))
        is_text = (in_text or len(line) >= _MIN_LINE_BYTES) and _is_text_line(line)
        if is_text is not in_text:
            if at > start:
                yield in_text, piece[start:at]
            start, in_text = at, is_text
        at = end
    if at > start:
        yield in_text, piece[start:at]


def _is_text_line(line: bytes) -> bool:
    if _CONTROL.search(line):
        return False
    if line.isascii():
        return not line or any(line)
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
