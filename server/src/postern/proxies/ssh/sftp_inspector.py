"""Inspects an SFTP session as it passes: enforces the upload and download actions, and reports each file.

Requests without permission are removed from the stream and answered with "permission denied". These answers are
inserted between two packets of the target. Everything else passes unchanged. Request types, extensions and handles that
no rule names are refused.

The log must say what the target did, so each answer is paired with its request. A duplicate request id, an answer
without a request, or an answer of the wrong type ends the session. Only handles that the target issued are passed on.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from postern.contracts.enums import Actions, TransferDirection
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.ssh import sftp_packets as sftp
from postern.proxies.ssh.sftp_open_files import OpenFile, OwnFile, Pending
from postern.proxies.ssh.sftp_packets import Packet, PacketCutter
from postern.proxies.ssh.shown_path import PAIR_CHARS, shown

_VERSION: Final = 3
MAX_PENDING: Final = 65536
_MAX_OPEN_HANDLES: Final = 4096
#: Maximum refusals in one session that are audited. After that the session ends.
_MAX_REFUSALS: Final = 1000

_BY_PATH: Final = frozenset({sftp.LSTAT, sftp.OPENDIR, sftp.REALPATH, sftp.STAT, sftp.READLINK})
_BY_HANDLE: Final = frozenset({sftp.CLOSE, sftp.FSTAT, sftp.READDIR})
_CARRYING: Final = {sftp.READ: TransferDirection.DOWNLOAD, sftp.WRITE: TransferDirection.UPLOAD}
_CHANGING: Final = {
    sftp.SETSTAT: "setstat",
    sftp.REMOVE: "remove",
    sftp.MKDIR: "mkdir",
    sftp.RMDIR: "rmdir",
    sftp.RENAME: "rename",
    sftp.SYMLINK: "symlink",
}
_TWO_PATHS: Final = frozenset({sftp.RENAME, sftp.SYMLINK})
#: Extensions by their effect: None only reads, otherwise the name of the change for the audit log.
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
_EXTENSIONS_BY_HANDLE: Final = frozenset({b"fsync@openssh.com", b"fstatvfs@openssh.com"})
#: The packet types that may answer a request besides a status.
_ANSWERS: Final = {
    sftp.OPEN: sftp.HANDLE,
    sftp.OPENDIR: sftp.HANDLE,
    sftp.READ: sftp.DATA,
    sftp.READDIR: sftp.NAME,
    sftp.REALPATH: sftp.NAME,
    sftp.READLINK: sftp.NAME,
    sftp.STAT: sftp.ATTRS,
    sftp.LSTAT: sftp.ATTRS,
    sftp.FSTAT: sftp.ATTRS,
}
#: Extensions answer with an extended reply, or like the request that they replace.
_EXTENSION_ANSWERS: Final = frozenset({sftp.EXTENDED_REPLY, sftp.NAME, sftp.ATTRS})


class SftpInspector:
    """`relay.Inspector` for one SFTP session. Raises ValueError if the stream violates the protocol."""

    answers_itself = True

    def __init__(self, session: LiveSession) -> None:
        self._session = session
        self._requests = PacketCutter()
        self._replies = PacketCutter()
        #: Bytes of an incomplete packet of the target that were already forwarded.
        self._passed_of_head = 0
        self._asked_version = False
        self._pending: dict[int, Pending] = {}
        self._handles: dict[bytes, OpenFile] = {}
        self._answers = bytearray()
        self._refusals = 0
        self._dropping = False
        self._own_files: dict[int, OwnFile] = {}
        #: Requests of the proxy's own client that nobody asked for.
        self._looks: set[int] = set()

    def announce(self, request_id: int, file: OwnFile) -> None:
        """Tell, as the proxy's own client, what the file is that the request of this id opens."""
        self._own_files[request_id] = file

    @contextmanager
    def looking(self, request_id: int) -> Iterator[None]:
        """Note, as the proxy's own client, that the request of this id is no attempt of the user: a refusal of it is
        neither logged nor told, and does not count.
        """
        self._looks.add(request_id)
        try:
            yield
        finally:
            self._looks.discard(request_id)

    def complete(self, handle: bytes, sha256: str, detail: str = "", *, failed: bool = False) -> None:
        """Tell, as the proxy's own client, how the transfer of a file went, before its handle is closed."""
        file = self._handles.get(handle)
        if file is not None:
            file.sha256, file.detail = sha256, detail
            file.failed |= failed

    def from_person(self, data: bytes) -> bytes:
        onward = bytearray()
        for part in self._requests.feed(data):
            if isinstance(part, Packet):
                onward += self._settle(part)
            elif not self._dropping:
                onward += part
        return bytes(onward)

    def _settle(self, packet: Packet) -> bytes:
        """Judge a packet, and decide whether its own bytes pass. Returns the bytes that replace them."""
        replacement = self._judge(packet)
        self._dropping = replacement is not None
        return replacement or b""

    @property
    def _hides_answers(self) -> bool:
        """Whether answers of the target may follow that are not for the user."""
        return False

    def _is_hidden(self, answer: Packet) -> bool:
        """Whether an answer of the target is not for the user."""
        del answer
        return False

    def from_target(self, data: bytes) -> bytes:
        """Pass all data on. The inspector's own answers are inserted between two packets."""
        if not self._answers and not self._hides_answers and self._passed_of_head == len(self._replies.head):
            for part in self._replies.feed(data):
                if isinstance(part, Packet):
                    self._heard(part)
            self._passed_of_head = len(self._replies.head)
            return data + self.answers()
        return self._from_target_with_answers(data)

    def _from_target_with_answers(self, data: bytes) -> bytes:
        onward = bytearray(self.answers())
        is_hidden = False
        for part in self._replies.feed(data):
            if isinstance(part, Packet):
                is_hidden = self._is_hidden(part)
                self._heard(part)
            elif not is_hidden:
                passed = min(self._passed_of_head, len(part))
                self._passed_of_head -= passed
                onward += part[passed:]
            if not isinstance(part, Packet):
                onward += self.answers()
        # The beginning of a packet may be that of an answer that is not for the user.
        if not self._answers and not self._hides_answers:
            onward += self._replies.head[self._passed_of_head :]
            self._passed_of_head = len(self._replies.head)
        return bytes(onward)

    @property
    def backlog(self) -> int:
        return len(self._answers)

    @property
    def holds_back(self) -> bool:
        return False

    def released(self) -> bytes:
        return b""

    def answers(self) -> bytes:
        if not self._answers or self._passed_of_head or self._replies.in_body:
            return b""
        answers = bytes(self._answers)
        self._answers.clear()
        return answers

    def close(self) -> None:
        """Report requests without an answer. The target may have executed them nevertheless."""
        open_files = {id(file): file for file in self._handles.values()}
        for pending in self._pending.values():
            if pending.file is not None:
                open_files[id(pending.file)] = pending.file
            if pending.change is not None:
                self._session.log.end_transfer(pending.change, success=False, detail="no answer")
        for file in open_files.values():
            self._report_file(file)
        self._handles.clear()
        self._pending.clear()

    # Requests. Actions are checked for each request, because they may end during a transfer.

    @property
    def _may_upload(self) -> bool:
        return self._session.may(Actions.UPLOAD_FILE)

    @property
    def _may_download(self) -> bool:
        return self._session.may(Actions.DOWNLOAD_FILE)

    def _judge(self, packet: Packet) -> bytes | None:
        """Judge a packet. Returns None if it may pass, otherwise the bytes that replace it."""
        if packet.type == sftp.INIT:
            if self._asked_version:
                raise sftp.Malformed("a second beginning")
            self._asked_version = True
            return None if packet.number(0) <= _VERSION else _init(_VERSION)
        if packet.request_id in self._pending:
            raise sftp.Malformed("a request with the id of another one that has no answer yet")
        if len(self._pending) >= MAX_PENDING:
            raise sftp.Malformed("too many requests without an answer")
        if packet.type in _BY_PATH:
            self._pass_reading(packet)
            return None
        if packet.type == sftp.OPEN:
            return self._judge_open(packet)
        if packet.type in _BY_HANDLE or packet.type in (sftp.READ, sftp.WRITE, sftp.FSETSTAT):
            return self._judge_by_handle(packet)
        if packet.type in _CHANGING:
            return self._judge_change(packet, _CHANGING[packet.type], 4, two_paths=packet.type in _TWO_PATHS)
        if packet.type == sftp.EXTENDED:
            return self._judge_extension(packet)
        return self._refuse(packet, f"request type {packet.type}", "", sftp.STATUS_UNSUPPORTED)

    def _expect(self, packet: Packet, pending: Pending) -> None:
        """Remember what the answer to a passed packet will refer to."""
        if pending.file is not None:
            pending.file.in_flight += 1
        self._pending[packet.request_id] = pending

    def _pass_reading(self, packet: Packet) -> None:
        path = shown(packet.string(4)[0])
        file = OpenFile(path, 0, is_folder=True) if packet.type == sftp.OPENDIR else None
        self._check_room(packet.type)
        self._expect(packet, Pending(packet.type, file=file))

    def _check_room(self, kind: int) -> None:
        if kind in (sftp.OPEN, sftp.OPENDIR) and len(self._handles) >= _MAX_OPEN_HANDLES:
            raise sftp.Malformed("too many open files")

    def _judge_open(self, packet: Packet) -> bytes | None:
        path, end = packet.string(4)
        flags = packet.number(end)
        own = self._own_files.pop(packet.request_id, None)
        name = shown(own.stands_for if own is not None and own.stands_for else path)
        if flags & sftp.FLAGS_CHANGING and not self._may_upload:
            return self._refuse(packet, "upload", name)
        # Without the write flag a file is opened for reading, whatever other flags are set.
        is_read = (flags & sftp.FLAG_READ or not flags & sftp.FLAG_WRITE) and not (own is not None and own.reads_back)
        if is_read and not self._may_download:
            return self._refuse(packet, "download", name)
        self._check_room(packet.type)
        file = OpenFile(name, flags, own=own)
        if not self._begins(file, file.direction):
            return b""
        self._expect(packet, Pending(sftp.OPEN, file=file))
        return None

    def _begins(self, file: OpenFile, direction: TransferDirection) -> bool:
        """Log that bytes of the file pass in this direction. Returns False if that cannot be logged, so nothing may
        pass.
        """
        if file.is_folder or direction in file.begun:
            return True
        if direction is TransferDirection.DOWNLOAD and file.own is not None and file.own.reads_back:
            return True
        begun = self._session.log.begin_transfer(direction, direction.value, file.path)
        if begun is not None:
            file.begun[direction] = begun
        return begun is not None

    def _judge_by_handle(self, packet: Packet) -> bytes | None:
        """Judge a request with a handle. Only open handles that the target issued pass, since a guessed handle would
        leave no trace.
        """
        handle, end = packet.string(4)
        file = self._handles.get(handle)
        reads_back = file is not None and file.own is not None and file.own.reads_back
        if packet.type == sftp.READ and not (reads_back or self._may_download):
            return self._refuse_transfer(packet, "download", file)
        if packet.type in (sftp.WRITE, sftp.FSETSTAT) and not self._may_upload:
            return self._refuse_transfer(packet, "upload", file)
        if file is None:
            return self._refuse(packet, "unknown handle", "", sftp.STATUS_FAILURE)
        pending = Pending(packet.type, file=file)
        if packet.type == sftp.CLOSE:
            del self._handles[handle]
        elif packet.type == sftp.FSETSTAT and file.only_reads:
            pending.change = self._session.log.begin_transfer(TransferDirection.OTHER, "setstat", file.path)
            if pending.change is None:
                return b""
        elif packet.type in _CARRYING and not self._begins(file, _CARRYING[packet.type]):
            return b""
        if packet.type == sftp.WRITE:
            _count_written(packet, file, end)
        self._expect(packet, pending)
        return None

    def _judge_change(self, packet: Packet, operation: str, at: int, *, two_paths: bool) -> bytes | None:
        path, end = packet.string(at)
        text = shown(path)
        if two_paths:
            text = f"{shown(path, PAIR_CHARS)} -> {shown(packet.string(end)[0], PAIR_CHARS)}"
        if not self._may_upload:
            return self._refuse(packet, operation, text)
        change = self._session.log.begin_transfer(TransferDirection.OTHER, operation, text)
        if change is None:
            return b""
        self._expect(packet, Pending(packet.type, change))
        return None

    def _judge_extension(self, packet: Packet) -> bytes | None:
        name, end = packet.string(4)
        if name not in _EXTENSIONS:
            return self._refuse(packet, f"extension {shown(name)[:64]}", "", sftp.STATUS_UNSUPPORTED)
        operation = _EXTENSIONS[name]
        if operation is not None:
            return self._judge_change(packet, operation, end, two_paths=name in _EXTENSIONS_TWO_PATHS)
        file = None
        if name in _EXTENSIONS_BY_HANDLE:
            file = self._handles.get(packet.string(end)[0])
            if file is None:
                return self._refuse(packet, "unknown handle", "", sftp.STATUS_FAILURE)
        self._expect(packet, Pending(sftp.EXTENDED, file=file))
        return None

    def _refuse_transfer(self, packet: Packet, request_name: str, file: OpenFile | None) -> bytes:
        """Refuse a request because the action has ended. Audited once per open file, which then counts as failed."""
        if file is not None and not file.failed:
            file.failed = True
            self._session.log.request_refused(f"sftp {request_name}", file.path)
        return self._refuse(packet, request_name, file.path if file is not None else "")

    def _refuse(self, packet: Packet, request_name: str, path: str, code: int = sftp.STATUS_PERMISSION_DENIED) -> bytes:
        action = Actions.DOWNLOAD_FILE if request_name == "download" else Actions.UPLOAD_FILE
        is_permission = code == sftp.STATUS_PERMISSION_DENIED
        message = self._session.refusal(action) if is_permission else "refused by the proxy"
        self._answers += sftp.status(packet.request_id, code, message)
        if code != sftp.STATUS_PERMISSION_DENIED or packet.type not in (sftp.WRITE, sftp.READ, sftp.FSETSTAT):
            self._log_refusal(request_name, path)
        return b""

    def _log_refusal(self, request_name: str, detail: str) -> None:
        self._refusals += 1
        if self._refusals > _MAX_REFUSALS:
            raise sftp.Malformed("too many refused requests")
        self._session.log.request_refused(f"sftp {request_name}"[:64], detail)

    # Answers

    def _heard(self, packet: Packet) -> None:
        if packet.type == sftp.VERSION:
            if packet.number(0) > _VERSION:
                raise sftp.Malformed("the target insists on another version")
            return
        pending = self._pending.pop(packet.request_id, None)
        if pending is None:
            raise sftp.Malformed("an answer to no request")
        if not may_answer(pending.type, packet.type):
            raise sftp.Malformed(f"an answer of type {packet.type} to a request of type {pending.type}")
        good = packet.type != sftp.STATUS or packet.number(4) in (sftp.STATUS_OK, sftp.STATUS_EOF)
        if pending.change is not None:
            self._session.log.end_transfer(pending.change, success=good)
        if pending.file is not None:
            self._heard_of_file(packet, pending.type, pending.file, good=good)

    def _heard_of_file(self, packet: Packet, request: int, file: OpenFile, *, good: bool) -> None:
        file.in_flight -= 1
        if packet.type == sftp.HANDLE:
            handle = packet.string(4)[0]
            if handle in self._handles:
                raise sftp.Malformed("a handle that is open already")
            self._handles[handle] = file
        elif request in (sftp.OPEN, sftp.OPENDIR):
            file.failed, file.closed = True, False
        elif request == sftp.CLOSE:
            file.closed = good
        elif request == sftp.READ:
            if packet.type == sftp.DATA:
                size = packet.number(4)
                if packet.length < 5 + 8 + size:
                    raise sftp.Malformed("data of another length than it says")
                file.read += size
            file.failed |= not good
        elif request == sftp.WRITE:
            file.failed |= not good
        if file.closed is not None and not file.in_flight:
            self._report_file(file)

    def _report_file(self, file: OpenFile) -> None:
        for direction, begun in file.begun.items():
            self._session.log.end_transfer(
                begun,
                size=file.read if direction is TransferDirection.DOWNLOAD else file.written,
                success=file.closed is True and not file.failed,
                detail="not closed" if file.closed is None and not file.failed else file.detail,
                sha256=file.sha256 if file.closed is True and not file.failed else "",
            )


def _count_written(packet: Packet, file: OpenFile, end_of_handle: int) -> None:
    size = packet.number(end_of_handle + 8)
    if packet.length != 5 + end_of_handle + 12 + size:
        raise sftp.Malformed("a write of another length than it says")
    file.written += size


def may_answer(request: int, answer: int) -> bool:
    if answer == sftp.STATUS or _ANSWERS.get(request) == answer:
        return True
    return request == sftp.EXTENDED and answer in _EXTENSION_ANSWERS


def _init(version: int) -> bytes:
    """Return an INIT packet. Newer clients fall back to the version that is supported here."""
    return (5).to_bytes(4, "big") + bytes([sftp.INIT]) + version.to_bytes(4, "big")
