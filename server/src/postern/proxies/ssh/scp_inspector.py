"""Reads a legacy scp transfer as it passes and reports each file: name, direction, size."""

from typing import Final

from postern.contracts.enums import TransferDirection
from postern.proxies.core.session import LiveSession
from postern.proxies.ssh.shown_path import shortened, shown

_MAX_LINE: Final = 8192
_MAX_DEPTH: Final = 256


class ScpInspector:
    """`relay.Inspector` for one `scp -t` (upload) or `scp -f` (download). Raises ValueError on anything else."""

    answers_itself = False
    backlog = 0

    def __init__(self, session: LiveSession, *, upload: bool) -> None:
        self._session = session
        self._upload = upload
        self._line = bytearray()
        self._folders: list[str] = []
        self._file = ""
        self._size = 0
        self._left = 0
        self._in_file = False
        self._held = 0

    def from_person(self, data: bytes) -> bytes:
        return self._read(data) if self._upload else data

    def from_target(self, data: bytes) -> bytes:
        return data if self._upload else self._read(data)

    def answers(self) -> bytes:
        return b""

    def close(self) -> None:
        if self._in_file:
            self._report(success=False, carried=self._size - self._left)

    def _read(self, data: bytes) -> bytes:
        """The sender's side: lines, and after a C line its content and one status byte. Returns what may pass."""
        position = 0
        while position < len(data):
            if self._in_file:
                take = min(self._left, len(data) - position)
                self._left -= take
                position += take
                if not self._left and position < len(data):
                    self._report(success=data[position] == 0, carried=self._size)
                    position += 1
                continue
            if not self._line and data[position] == 0:
                position += 1  # an acknowledgement
                continue
            end = data.find(b"\n", position)
            if end < 0:
                self._line += data[position:]
                if len(self._line) > _MAX_LINE:
                    raise ValueError("a line is too long")
                return data
            self._line += data[position:end]
            position = end + 1
            line, self._line = bytes(self._line), bytearray()
            if not self._take_line(line):
                return b""
        return data

    def _take_line(self, line: bytes) -> bool:
        """False: the file that the line names cannot be logged, so nothing of it may pass."""
        kind = line[:1]
        if kind in (b"C", b"D"):
            _, size, name = self._fields(line)
            if kind == b"D":
                if len(self._folders) >= _MAX_DEPTH:
                    raise ValueError("folders are too deep")
                self._folders.append(name)
                return True
            self._file, self._size, self._left = name, size, size
            self._held = self._session.hold(self._path)
            self._in_file = self._held > 0
            return self._in_file
        if kind == b"E":
            if self._folders:
                self._folders.pop()
        elif kind not in (b"T", b"\x01", b"\x02"):
            raise ValueError("not an scp line")
        return True

    @staticmethod
    def _fields(line: bytes) -> tuple[str, int, str]:
        parts = line[1:].split(b" ", 2)
        if len(parts) != 3 or not parts[1].isdigit():
            raise ValueError("a malformed scp line")
        return parts[0].decode("ascii", "replace"), int(parts[1]), shown(parts[2], _MAX_LINE)

    @property
    def _path(self) -> str:
        return shortened("/".join((*self._folders, self._file)))

    def _report(self, *, success: bool, carried: int) -> None:
        self._in_file = False
        self._session.file_transferred(
            TransferDirection.UPLOAD if self._upload else TransferDirection.DOWNLOAD,
            "upload" if self._upload else "download",
            self._path,
            size=carried,
            success=success,
            held=self._held,
        )
