"""Parses a legacy scp transfer as it passes and reports each file: name, direction, size and outcome.

The source sends lines: `C` for a file, `D` for a folder, `E` for its end, `T` for times. The sink answers each line,
and once at the beginning. After a `C` line that was answered with 0, the source sends the content and a status, and the
sink answers these as well. A file whose line was answered with an error has no content, and its bytes would be read as
the next line. So both directions are parsed, and each answer is paired with what it answers. An unpaired answer ends
the session.

The scp process on the host determines the truth. In an upload its answers must not be anticipated: if a client sends
data without waiting for an answer, that data is held back until the answer arrives, and is then parsed as the host
parses it. In a download the user's side may answer in advance, and the host reads these answers in order.
"""

import re
from collections import deque
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from postern.contracts.enums import TransferDirection
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.sessions.session_log import Begun
from postern.proxies.ssh.scp_lines import Answer, AnswerReader, LineReader
from postern.proxies.ssh.scp_places import ScpPlaces
from postern.proxies.ssh.shown_path import PATH_CHARS, shown

_MAX_DEPTH: Final = 256
#: Maximum answers in advance. Clients that do not wait send only a few.
_MAX_AHEAD: Final = 4096
#: Mode, size and name. The other side could parse any other format differently.
_NAMING: Final = re.compile(rb"[CD][0-7]{4,7} (0|[1-9][0-9]{0,18}) (.+)", re.DOTALL)
_LARGEST_FILE: Final = 1 << 60
_TIMES: Final = re.compile(rb"T-?[0-9]+ [0-9]+ -?[0-9]+ [0-9]+")


class _Awaited(Enum):
    """What the sink's next answer refers to."""

    BEGINNING = auto()
    TIMES = auto()
    FILE = auto()
    FOLDER = auto()
    FOLDER_END = auto()
    CONTENT = auto()


class _Phase(Enum):
    """What the source sends next."""

    LINE = auto()
    CONTENT = auto()
    STATUS = auto()


@dataclass(slots=True)
class _File:
    """A file that was announced. `left` bytes of its content are still to come."""

    begun: Begun
    size: int
    left: int
    is_open: bool = False  # the sink has accepted it
    source_ok: bool | None = None
    sink_ok: bool | None = None


class ScpInspector:
    """`relay.Inspector` for one `scp -t` (upload) or `scp -f` (download). Raises ValueError if the data violates the
    protocol.
    """

    answers_itself = False

    def __init__(self, session: LiveSession, places: ScpPlaces, *, upload: bool) -> None:
        self._session = session
        self._places = places
        self._upload = upload
        self._lines = LineReader()
        self._statuses = AnswerReader()
        self._answers = AnswerReader()
        #: Bytes that the user sent before the host answered, and the part of them that may now be forwarded.
        self._held = b""
        self._released = b""
        #: Answers that arrived before their request.
        self._ahead: deque[Answer] = deque()
        self._awaited: _Awaited | None = _Awaited.BEGINNING
        self._phase = _Phase.LINE
        self._folders: list[str] = []
        self._folder = ""
        self._file: _File | None = None
        self._can_log = True
        #: Whether the last answer was to the end of a folder.
        self._may_complain = False
        #: Whether one side has given up: nothing more may come from the source.
        self._is_over = False

    def from_person(self, data: bytes) -> bytes:
        if not self._upload:
            return self._from_sink(data)
        self._held += data
        return self._release()

    def from_target(self, data: bytes) -> bytes:
        if not self._upload:
            if self._from_source(data) < len(data):
                raise ValueError("bytes before the answer to the last bytes")
            return data if self._can_log else b""
        self._from_sink(data)
        self._released += self._release()
        return data

    def released(self) -> bytes:
        released, self._released = self._released, b""
        return released

    @property
    def backlog(self) -> int:
        return len(self._held)

    @property
    def holds_back(self) -> bool:
        return bool(self._held)

    def answers(self) -> bytes:
        return b""

    def close(self) -> None:
        """Report an unfinished file. The sink may have part of it, or all."""
        if self._file is not None:
            whole = self._phase is not _Phase.CONTENT and self._awaited is not None
            self._report(self._file, success=False, detail="no answer" if whole else "cut off")

    # The source

    def _release(self) -> bytes:
        """Return the bytes of the user that may be forwarded to the host. None if a file cannot be logged."""
        taken = self._from_source(self._held)
        # After one side has given up, the host should not read the rest.
        released, self._held = self._held[:taken], b"" if self._is_over else self._held[taken:]
        return released if self._can_log else b""

    def _from_source(self, data: bytes) -> int:
        """Parse up to the position where the source must wait for an answer, and return that position."""
        position = 0
        while position < len(data):
            if self._is_over:
                if self._upload:
                    break
                raise ValueError("bytes after a fatal error")
            if self._phase is _Phase.CONTENT:
                position = self._take_content(data, position)
            elif self._phase is _Phase.STATUS:
                position = self._take_status(data, position)
            elif self._awaited is not None:
                break
            else:
                line, position = self._lines.read(data, position)
                if line is not None and not self._take_line(line):
                    self._can_log = False
                    return len(data)
            self._settle()
        return position

    def _take_content(self, data: bytes, position: int) -> int:
        file = self._current_file
        taken = min(file.left, len(data) - position)
        file.left -= taken
        if not file.left:
            self._content_is_whole()
        return position + taken

    def _content_is_whole(self) -> None:
        """Expect the status next. A sink that failed may answer before it."""
        self._phase, self._awaited = _Phase.STATUS, _Awaited.CONTENT

    def _take_status(self, data: bytes, position: int) -> int:
        file = self._current_file
        status, position = self._statuses.read(data, position)
        if status is not None:
            file.source_ok = status is Answer.OK
            self._is_over |= status is Answer.FATAL
            self._phase = _Phase.LINE
            self._finish(file)
        return position

    def _take_line(self, line: bytes) -> bool:
        """Process a line. Returns False if the file that it announces cannot be logged."""
        kind = line[:1]
        if kind == b"C":
            return self._take_file(line)
        if kind == b"D":
            if len(self._folders) >= _MAX_DEPTH:
                raise ValueError("folders are too deep")
            _size, self._folder = _naming(line)
            self._awaited = _Awaited.FOLDER
        elif line == b"E" and self._folders:
            self._awaited = _Awaited.FOLDER_END
        elif _TIMES.fullmatch(line):
            self._awaited = _Awaited.TIMES
        elif kind == b"\x02":
            self._is_over = True
        elif kind != b"\x01":  # a read error of the source, which needs no answer
            raise ValueError("not an scp line")
        return True

    def _take_file(self, line: bytes) -> bool:
        size, name = _naming(line)
        path = self._places.of("/".join((*self._folders, name)))
        direction = TransferDirection.UPLOAD if self._upload else TransferDirection.DOWNLOAD
        begun = self._session.log.begin_transfer(direction, direction.value, path)
        if begun is None:
            return False
        self._file = _File(begun, size, size)
        self._awaited = _Awaited.FILE
        return True

    # The sink

    def _from_sink(self, data: bytes) -> bytes:
        position = 0
        while position < len(data):
            answer, position = self._answers.read(data, position)
            if answer is None:
                continue
            if self._upload and self._awaited is None:
                self._take_unasked(answer)
                continue
            if len(self._ahead) >= _MAX_AHEAD:
                raise ValueError("too many answers in advance")
            self._ahead.append(answer)
            self._settle()
        return data

    def _take_unasked(self, answer: Answer) -> None:
        """Accept an error after the answer to a folder's end: older scp versions report there that its times could not
        be set.
        """
        if answer is not Answer.ERROR or not self._may_complain:
            raise ValueError("an answer to nothing")
        self._may_complain = False

    def _settle(self) -> None:
        """Pass the source's awaited answer on, if it has arrived."""
        if self._awaited is None or not self._ahead:
            return
        awaited, self._awaited = self._awaited, None
        answer = self._ahead.popleft()
        self._may_complain = awaited is _Awaited.FOLDER_END
        is_good = answer is Answer.OK
        # A host's scp that cannot even start gives up without a fatal error.
        gives_up = awaited is _Awaited.BEGINNING and self._upload and not is_good
        # Data that a client sent for a refused file or folder is not what the host reads next.
        is_lost = bool(self._held) and not is_good and awaited in {_Awaited.FILE, _Awaited.FOLDER}
        self._is_over |= answer is Answer.FATAL or gives_up or is_lost
        match awaited:
            case _Awaited.FILE:
                self._heard_of_file(self._current_file, is_good=is_good)
            case _Awaited.CONTENT:
                self._current_file.sink_ok = is_good
                self._finish(self._current_file)
            case _Awaited.FOLDER if is_good:
                self._folders.append(self._folder)
            case _Awaited.FOLDER_END:
                self._folders.pop()

    def _heard_of_file(self, file: _File, *, is_good: bool) -> None:
        if not is_good:
            self._report(file, success=False, detail=f"refused by the {'target' if self._upload else 'client'}")
            return
        file.is_open = True
        self._phase = _Phase.CONTENT
        if not file.size:
            self._content_is_whole()
            self._settle()

    # The report

    @property
    def _current_file(self) -> _File:
        if self._file is None:
            raise ValueError("content of no file")
        return self._file

    def _finish(self, file: _File) -> None:
        """Report the file once both sides have reported its outcome."""
        if file.source_ok is not None and file.sink_ok is not None:
            success = file.source_ok and file.sink_ok
            source, sink = ("client", "target") if self._upload else ("target", "client")
            self._report(
                file, success=success, detail="" if success else f"error at the {sink if file.source_ok else source}"
            )

    def _report(self, file: _File, *, success: bool, detail: str) -> None:
        self._file = None
        carried = file.size - file.left if file.is_open else 0
        self._session.log.end_transfer(file.begun, size=carried, success=success, detail=detail)


def _naming(line: bytes) -> tuple[int, str]:
    """Return the size and name in a `C` or `D` line."""
    match = _NAMING.fullmatch(line)
    if match is None:
        raise ValueError("a malformed scp line")
    size = int(match[1])
    # beyond the range of signed numbers, some versions read a negative size and send no content
    if size > _LARGEST_FILE:
        raise ValueError("a malformed scp line: no file has that size")
    return size, shown(match[2], PATH_CHARS)
