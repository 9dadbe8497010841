"""Reads an SFTP session as it passes: enforces the upload and download actions, and reports each file.

Requests that the permission does not hold are taken out of the stream and answered with "permission denied"; their
answers go out between two packets of the target. Everything else passes unchanged. Request types and extensions that
no rule names are refused.
"""

from dataclasses import dataclass
from typing import Final

from postern.contracts.enums import Actions, TransferDirection
from postern.proxies.core.session import LiveSession
from postern.proxies.core.texts import Text
from postern.proxies.ssh import sftp_packets as sftp
from postern.proxies.ssh.sftp_packets import Packet, PacketCutter

_VERSION: Final = 3
_MAX_PENDING: Final = 65536
_MAX_OPEN_FILES: Final = 4096
_MAX_NAME: Final = 4096

_READING: Final = frozenset(
    {sftp.CLOSE, sftp.LSTAT, sftp.FSTAT, sftp.OPENDIR, sftp.READDIR, sftp.REALPATH, sftp.STAT, sftp.READLINK}
)
_CHANGING: Final = {
    sftp.SETSTAT: "setstat",
    sftp.REMOVE: "remove",
    sftp.MKDIR: "mkdir",
    sftp.RMDIR: "rmdir",
    sftp.RENAME: "rename",
    sftp.SYMLINK: "symlink",
}
_TWO_PATHS: Final = frozenset({sftp.RENAME, sftp.SYMLINK})
#: Extensions by what they do: None only reads, otherwise the name of the change for the audit log.
_EXTENSIONS: Final[dict[bytes, str | None]] = {
    b"posix-rename@openssh.com": "rename",
    b"hardlink@openssh.com": "hardlink",
    b"lsetstat@openssh.com": "setstat",
    b"fsync@openssh.com": None,
    b"statvfs@openssh.com": None,
    b"fstatvfs@openssh.com": None,
    b"limits@openssh.com": None,
    b"expand-path@openssh.com": None,
    b"home-directory": None,
    b"users-groups-by-id@openssh.com": None,
}
_EXTENSIONS_TWO_PATHS: Final = frozenset({b"posix-rename@openssh.com", b"hardlink@openssh.com"})


@dataclass(slots=True)
class _OpenFile:
    path: str
    flags: int
    written: int = 0
    read: int = 0
    failed: bool = False


@dataclass(slots=True)
class _Pending:
    """A request on its way: what its answer will mean."""

    type: int
    path: str = ""
    operation: str = ""
    file: _OpenFile | None = None
    handle: bytes = b""


def shown(path: bytes) -> str:
    """A path for the audit log: text, with escapes for bytes that are not UTF-8."""
    return path[:_MAX_NAME].decode("utf-8", "backslashreplace")


class SftpInspector:
    """`relay.Inspector` for one SFTP session. Raises ValueError when the stream is not SFTP."""

    def __init__(self, session: LiveSession) -> None:
        self._session = session
        actions = session.grant.actions
        self._may_upload = bool(actions & Actions.UPLOAD_FILE)
        self._may_download = bool(actions & Actions.DOWNLOAD_FILE)
        self._requests = PacketCutter()
        self._replies = PacketCutter()
        self._pending: dict[int, _Pending] = {}
        self._files: dict[bytes, _OpenFile] = {}
        self._answers = bytearray()
        self._dropping = False

    def from_person(self, data: bytes) -> bytes:
        onward = bytearray()
        for part in self._requests.feed(data):
            if isinstance(part, Packet):
                replacement = self._judge(part)
                self._dropping = replacement is not None
                if replacement:
                    onward += replacement
            elif not self._dropping:
                onward += part
        return bytes(onward)

    def from_target(self, data: bytes) -> bytes:
        """Passes everything; our own answers go in between two packets."""
        if self._answers:
            return self._from_target_with_answers(data)
        for part in self._replies.feed(data):
            if isinstance(part, Packet):
                self._heard(part)
        return data

    def _from_target_with_answers(self, data: bytes) -> bytes:
        onward = bytearray(self.answers())
        for part in self._replies.feed(data):
            if isinstance(part, Packet):
                self._heard(part)
            else:
                onward += part
                onward += self.answers()
        return bytes(onward)

    def answers(self) -> bytes:
        if not self._answers or not self._replies.between_packets:
            return b""
        answers = bytes(self._answers)
        self._answers.clear()
        return answers

    def close(self) -> None:
        for file in self._files.values():
            self._report_file(file, complete=False)
        self._files.clear()
        self._pending.clear()

    # Requests

    def _judge(self, packet: Packet) -> bytes | None:
        """None: the packet may pass. Otherwise it is left out, and these bytes go in its place."""
        if packet.type == sftp.INIT:
            return None if packet.number(0) <= _VERSION else _init(_VERSION)
        if len(self._pending) >= _MAX_PENDING:
            raise sftp.Malformed("too many requests without an answer")
        if packet.type in _READING:
            self._note_reading(packet)
            return None
        if packet.type == sftp.OPEN:
            return self._judge_open(packet)
        if packet.type == sftp.READ:
            return self._judge_read(packet)
        if packet.type in (sftp.WRITE, sftp.FSETSTAT):
            return self._judge_write(packet)
        if packet.type in _CHANGING:
            return self._judge_change(packet, _CHANGING[packet.type], 4, two_paths=packet.type in _TWO_PATHS)
        if packet.type == sftp.EXTENDED:
            return self._judge_extension(packet)
        return self._refuse(packet, f"request type {packet.type}", "", sftp.STATUS_UNSUPPORTED)

    def _note_reading(self, packet: Packet) -> None:
        if packet.type == sftp.CLOSE:
            handle, _ = packet.string(4)
            file = self._files.pop(handle, None)
            if file is not None:
                self._pending[packet.request_id] = _Pending(sftp.CLOSE, file=file)

    def _judge_open(self, packet: Packet) -> bytes | None:
        path, end = packet.string(4)
        flags = packet.number(end)
        if flags & sftp.FLAGS_CHANGING and not self._may_upload:
            return self._refuse(packet, "upload", shown(path))
        if flags & sftp.FLAG_READ and not self._may_download:
            return self._refuse(packet, "download", shown(path))
        if len(self._files) >= _MAX_OPEN_FILES:
            raise sftp.Malformed("too many open files")
        self._pending[packet.request_id] = _Pending(sftp.OPEN, path=shown(path), file=_OpenFile(shown(path), flags))
        return None

    def _judge_read(self, packet: Packet) -> bytes | None:
        handle, _ = packet.string(4)
        file = self._files.get(handle)
        if not self._may_download:
            return self._refuse(packet, "download", file.path if file is not None else "")
        if file is not None:
            self._pending[packet.request_id] = _Pending(sftp.READ, file=file)
        return None

    def _judge_write(self, packet: Packet) -> bytes | None:
        handle, end = packet.string(4)
        file = self._files.get(handle)
        if not self._may_upload:
            return self._refuse(packet, "upload", file.path if file is not None else "")
        if packet.type == sftp.WRITE and file is not None:
            file.written += packet.number(end + 8)
            self._pending[packet.request_id] = _Pending(sftp.WRITE, file=file)
        return None

    def _judge_change(self, packet: Packet, operation: str, at: int, *, two_paths: bool) -> bytes | None:
        path, end = packet.string(at)
        text = shown(path)
        if two_paths:
            text = f"{text} -> {shown(packet.string(end)[0])}"
        if not self._may_upload:
            return self._refuse(packet, operation, text)
        self._pending[packet.request_id] = _Pending(packet.type, path=text, operation=operation)
        return None

    def _judge_extension(self, packet: Packet) -> bytes | None:
        name, end = packet.string(4)
        if name not in _EXTENSIONS:
            return self._refuse(packet, f"extension {shown(name)[:64]}", "", sftp.STATUS_UNSUPPORTED)
        operation = _EXTENSIONS[name]
        if operation is None:
            return None
        return self._judge_change(packet, operation, end, two_paths=name in _EXTENSIONS_TWO_PATHS)

    def _refuse(self, packet: Packet, what: str, path: str, code: int = sftp.STATUS_PERMISSION_DENIED) -> bytes:
        text = Text.DOWNLOAD_REFUSED if what == "download" else Text.UPLOAD_REFUSED
        message = text.say(self._session.language) if code == sftp.STATUS_PERMISSION_DENIED else "unsupported"
        self._answers += sftp.status(packet.request_id, code, message)
        if packet.type not in (sftp.WRITE, sftp.READ, sftp.FSETSTAT):
            self._session.request_refused(f"sftp {what}"[:64], path)
        return b""

    # Answers

    def _heard(self, packet: Packet) -> None:
        if packet.type == sftp.VERSION:
            return
        pending = self._pending.pop(packet.request_id, None)
        if pending is None:
            return
        good = packet.type != sftp.STATUS or packet.number(4) in (sftp.STATUS_OK, sftp.STATUS_EOF)
        if pending.type == sftp.OPEN and pending.file is not None:
            if packet.type == sftp.HANDLE:
                self._files[packet.string(4)[0]] = pending.file
            else:
                pending.file.failed = True
                self._report_file(pending.file, complete=False)
        elif pending.type == sftp.READ and pending.file is not None:
            if packet.type == sftp.DATA:
                pending.file.read += packet.number(4)
            pending.file.failed |= not good
        elif pending.type == sftp.WRITE and pending.file is not None:
            pending.file.failed |= not good
        elif pending.type == sftp.CLOSE and pending.file is not None:
            self._report_file(pending.file, complete=good)
        elif pending.operation:
            self._session.file_transferred(TransferDirection.OTHER, pending.operation, pending.path, success=good)

    def _report_file(self, file: _OpenFile, *, complete: bool) -> None:
        success = complete and not file.failed
        detail = "" if complete or file.failed else "not closed"
        if file.flags & sftp.FLAGS_CHANGING:
            self._session.file_transferred(
                TransferDirection.UPLOAD, "upload", file.path, size=file.written, success=success, detail=detail
            )
        if file.flags & sftp.FLAG_READ and (file.read or not file.flags & sftp.FLAGS_CHANGING):
            self._session.file_transferred(
                TransferDirection.DOWNLOAD, "download", file.path, size=file.read, success=success, detail=detail
            )


def _init(version: int) -> bytes:
    """An INIT packet; newer clients fall back to the version that is understood here."""
    return (5).to_bytes(4, "big") + bytes([sftp.INIT]) + version.to_bytes(4, "big")
