"""Inspects an SFTP session as it passes: enforces the upload and download actions, and reports each file.

Requests without permission are removed from the stream and answered with "permission denied". These answers are
inserted between two packets of the target. Everything else passes unchanged. Request types, extensions and handles that
no rule names are refused.

In a session with a root (`SftpRoot`), requests that name paths wait until the host has answered where the paths lead.
They continue with their real paths, or are refused. Everything behind them waits too, so the order stays. The answers to
the questions of the proxy are removed from the stream.

The log must say what the target did, so each answer is paired with its request. A duplicate request id, an answer
without a request, or an answer of the wrong type ends the session. Only handles that the target issued are passed on.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from postern.contracts.enums import Actions, TransferDirection
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.sessions.session_log import Begun
from postern.proxies.core.texts import Text
from postern.proxies.ssh import sftp_packets as sftp
from postern.proxies.ssh.sftp_packets import Packet, PacketCutter
from postern.proxies.ssh.sftp_paths import PathRequest, paths_of, with_paths
from postern.proxies.ssh.sftp_root import HostAnswers, NoRoot, Outside, Question, SftpRoot, Steps, Use
from postern.proxies.ssh.shown_path import PAIR_CHARS, PATH_CHARS, shown

_VERSION: Final = 3
_LAST_ID: Final = 0xFFFFFFFF
_MAX_PENDING: Final = 65536
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


@dataclass(slots=True)
class _OpenFile:
    """A handle that the target issued. `in_flight` counts unanswered requests; the report waits for their answers."""

    path: str
    flags: int
    is_folder: bool = False
    written: int = 0
    read: int = 0
    failed: bool = False
    in_flight: int = 0
    begun: dict[TransferDirection, Begun] = field(default_factory=dict)
    closed: bool | None = None  # whether closing succeeded; None until it is answered

    @property
    def only_reads(self) -> bool:
        return not self.flags & sftp.FLAGS_CHANGING

    @property
    def direction(self) -> TransferDirection:
        """The direction it was opened for. A file opened for both may be read as well."""
        return TransferDirection.DOWNLOAD if self.only_reads else TransferDirection.UPLOAD


@dataclass(slots=True)
class _Pending:
    """A request in flight, and what its answer refers to."""

    type: int
    change: Begun | None = None
    file: _OpenFile | None = None
    #: Whether the request is one of the proxy's own.
    is_own: bool = False
    #: For requests with paths, in a session with a root: whether names may lead elsewhere afterwards.
    moves: bool | None = None


class _Answered(Exception):
    """The request needs nothing any more."""


class SftpInspector:
    """`relay.Inspector` for one SFTP session. Raises ValueError if the stream violates the protocol."""

    answers_itself = True

    def __init__(self, session: LiveSession, root: SftpRoot | None = None) -> None:
        """With `root`, no request reaches a path outside it."""
        self._session = session
        self._root = root
        #: In a session with a root: requests that wait, as the cutter yields them, and their bytes.
        self._waiting: deque[Packet | bytes] = deque()
        self._waiting_bytes = 0
        #: The request whose paths are being located, and the proxy's own requests for it by id.
        self._steps: Steps[bytes] | None = None
        self._located: tuple[Packet, PathRequest, list[bytes]] | None = None
        #: The permitted request for a file that the proxy tries to make.
        self._judged: _Pending | None = None
        self._own: dict[int, Packet | None] = {}
        self._next_own = _LAST_ID
        self._released = bytearray()
        self._has_told_root = False
        #: Requests with paths that the host has not answered: by whether they move names.
        self._in_flight = {False: 0, True: 0}
        self._requests = PacketCutter()
        self._replies = PacketCutter()
        #: Bytes of an incomplete packet of the target that were already forwarded.
        self._passed_of_head = 0
        self._asked_version = False
        self._pending: dict[int, _Pending] = {}
        self._handles: dict[bytes, _OpenFile] = {}
        self._answers = bytearray()
        self._refusals = 0
        self._dropping = False

    def from_person(self, data: bytes) -> bytes:
        onward = bytearray()
        for part in self._requests.feed(data):
            if self._root is not None:
                self._waiting.append(part)
                self._waiting_bytes += 0 if isinstance(part, Packet) else len(part)
            elif isinstance(part, Packet):
                onward += self._settle(part)
            elif not self._dropping:
                onward += part
        return bytes(onward + self._go_on())

    def _settle(self, packet: Packet) -> bytes:
        """Judge a packet, and decide whether its own bytes pass. Returns the bytes that replace them."""
        replacement = self._judge(packet)
        self._dropping = replacement is not None
        return replacement or b""

    def from_target(self, data: bytes) -> bytes:
        """Pass all data on, except for the answers to the proxy's own requests. The inspector's own answers are inserted
        between two packets.
        """
        if not self._answers and not self._own and self._passed_of_head == len(self._replies.head):
            for part in self._replies.feed(data):
                if isinstance(part, Packet):
                    self._heard(part)
            self._passed_of_head = len(self._replies.head)
            return data + self.answers()
        return self._from_target_with_answers(data)

    def _from_target_with_answers(self, data: bytes) -> bytes:
        onward = bytearray(self.answers())
        is_own = False
        for part in self._replies.feed(data):
            if isinstance(part, Packet):
                is_own = self._is_own(part)
                self._heard(part)
            elif not is_own:
                passed = min(self._passed_of_head, len(part))
                self._passed_of_head -= passed
                onward += part[passed:]
            if not isinstance(part, Packet):
                onward += self.answers()
        # The beginning of a packet may be that of an answer to the proxy itself.
        if not self._answers and not self._own:
            onward += self._replies.head[self._passed_of_head :]
            self._passed_of_head = len(self._replies.head)
        return bytes(onward)

    @property
    def backlog(self) -> int:
        return len(self._answers) + self._waiting_bytes

    @property
    def holds_back(self) -> bool:
        return bool(self._waiting) or self._steps is not None

    def released(self) -> bytes:
        released = bytes(self._released)
        self._released.clear()
        return released

    def answers(self) -> bytes:
        if not self._answers or self._passed_of_head or self._replies.in_body:
            return b""
        answers = bytes(self._answers)
        self._answers.clear()
        return answers

    def close(self) -> None:
        """Report requests without an answer. The target may have executed them nevertheless."""
        if self._judged is not None and self._judged.file is not None:
            self._report_file(self._judged.file)
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

    # The root. One request at a time is being located, and everything behind it waits.

    def _go_on(self) -> bytes:
        """Return what may be sent to the host of the requests that wait."""
        onward = bytearray()
        while self._waiting and self._steps is None:
            part = self._waiting[0]
            if isinstance(part, Packet):
                request = paths_of(part)
                if request is not None and not self._is_at_rest(request):
                    break
                self._waiting.popleft()
                if request is None:
                    onward += self._settle(part)
                else:
                    self._dropping = True  # another packet takes its place
                    self._located = (part, request, [])
                    onward += self._locate_next()
            else:
                self._waiting.popleft()
                self._waiting_bytes -= len(part)
                if not self._dropping:
                    onward += part
        return bytes(onward)

    def _is_at_rest(self, request: PathRequest) -> bool:
        """Whether no request is in flight that could change where the paths lead, or whose paths this one changes."""
        return not self._in_flight[True] and not (request.moves and self._in_flight[False])

    def _locate_next(self) -> bytes:
        """Locate the next path of the request, or pass the request on after its last one."""
        if self._root is None or self._located is None:
            return b""
        packet, request, found = self._located
        if request.asks_for_path and not found:
            self._steps = self._root.expanded(Question(sftp.EXTENDED, request.paths))
            return self._step(None)
        if request.only_make and not found:
            self._steps = self._make(self._root, packet, request)
            return self._step(None)
        if not request.asks_for_path and len(found) < len(request.paths):
            self._steps = self._root.locate(request.paths[len(found)], request.uses[len(found)])
            return self._step(None)
        self._located = None
        if request.link_target is not None:
            try:
                self._root.check_link_target(request.link_target)
            except Outside:
                return self._refuse_outside(packet, request)
        placed, raw = with_paths(packet, request, found)
        if self._judged is not None:
            self._pending[packet.request_id], self._judged = self._judged, None
        else:
            replacement = self._judge(placed)
            if replacement is not None:
                return replacement
        self._in_flight[request.moves] += 1
        self._pending[placed.request_id].moves = request.moves
        if request.moves:
            self._root.forget()
        return raw

    def _step(self, answers: tuple[Packet, ...] | None) -> bytes:
        """Continue to locate with the host's answers. Returns what to send to the host."""
        if self._steps is None or self._located is None:
            return b""
        packet, request, found = self._located
        try:
            questions = self._steps.send(answers)  # type: ignore[arg-type]  # None starts a generator
        except StopIteration as done:
            self._steps = None
            found.append(done.value)
            return self._locate_next()
        except _Answered:
            self._steps = self._located = None
            return b""
        except (Outside, NoRoot) as reason:
            self._steps = self._located = None
            self._give_up()
            return self._refuse_outside(packet, request, is_missing=isinstance(reason, NoRoot))
        except HostAnswers as answer:
            self._steps = self._located = None
            self._give_up()
            self._answers += sftp.status(packet.request_id, answer.code, "refused by the host")
            return b""
        onward = bytearray()
        for question in questions:
            number = self._own_id()
            self._own[number] = None
            self._pending[number] = _Pending(question.kind, is_own=True)
            onward += sftp.request(question.kind, number, question.strings, question.tail)
        return bytes(onward)

    def _make(self, root: SftpRoot, packet: Packet, request: PathRequest) -> Steps[bytes]:
        """Locate a file that is to be written, or make it. Raises `_Answered` if the host made it, or it may not be.

        The host makes a file only where nothing is, so it follows no link, and nothing needs to be asked before.
        """
        named = yield from root.locate(request.paths[0], Use.NAMED)
        if root.is_known(named):
            return (yield from root.locate(named, Use.FOLLOWED))
        placed, _ = with_paths(packet, request, [named])
        if self._judge(placed) is not None:
            raise _Answered
        self._judged = self._pending.pop(packet.request_id)
        (answer,) = yield (Question(sftp.OPEN, (named,), request.only_make),)
        if answer.type == sftp.HANDLE:
            file, self._judged = self._judged.file, None
            if file is not None:
                self._heard_of_file(answer, sftp.OPEN, file, good=True)
            self._answers += sftp.request(sftp.HANDLE, packet.request_id, (answer.string(4)[0],))
            raise _Answered
        real = yield from root.locate(named, Use.FOLLOWED)
        if real != named:
            self._give_up()  # it is a link: the log has to name the file
        return real

    def _give_up(self) -> None:
        """Report the file as failed that was about to be made."""
        pending, self._judged = self._judged, None
        if pending is not None and pending.file is not None:
            pending.file.failed, pending.file.closed = True, False
            self._report_file(pending.file)

    def _own_id(self) -> int:
        """Return an id that no request in flight has."""
        while self._next_own in self._pending:
            self._next_own -= 1
        number, self._next_own = self._next_own, self._next_own - 1
        if self._next_own < _LAST_ID - _MAX_PENDING:
            self._next_own = _LAST_ID
        return number

    def _is_own(self, answer: Packet) -> bool:
        return answer.type != sftp.VERSION and answer.request_id in self._own

    def _heard_own(self, answer: Packet) -> None:
        """Take an answer to the proxy's own request. The last one lets the request continue that waits for it."""
        self._own[answer.request_id] = answer
        if all(part is not None for part in self._own.values()):
            answers = tuple(part for part in self._own.values() if part is not None)
            self._own.clear()
            self._released += self._step(answers)
            self._released += self._go_on()

    def _refuse_outside(self, packet: Packet, request: PathRequest, *, is_missing: bool = False) -> bytes:
        if self._root is None:
            return b""
        if packet.request_id in self._pending:
            raise sftp.Malformed("a request with the id of another one that has no answer yet")
        limit = PAIR_CHARS if len(request.paths) > 1 or request.link_target is not None else PATH_CHARS // 2
        texts = request.paths if request.link_target is None else (request.link_target, *request.paths)
        root = shown(self._root.shown, PAIR_CHARS)
        text = Text.NO_SFTP_ROOT if is_missing else Text.OUTSIDE_SFTP_ROOT
        message = text.say(self._session.language, root=root)
        self._answers += sftp.status(packet.request_id, sftp.STATUS_PERMISSION_DENIED, message)
        if not self._has_told_root:  # many clients show their own words instead of the answer's
            self._has_told_root = True
            self._session.tell_user(message)
        paths = " -> ".join(shown(part, limit) for part in texts)
        self._log_refusal(request.name, f"{paths}: outside the SFTP root {root}")
        return b""

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
        if len(self._pending) >= _MAX_PENDING:
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

    def _expect(self, packet: Packet, pending: _Pending) -> None:
        """Remember what the answer to a passed packet will refer to."""
        if pending.file is not None:
            pending.file.in_flight += 1
        self._pending[packet.request_id] = pending

    def _pass_reading(self, packet: Packet) -> None:
        path = shown(packet.string(4)[0])
        file = _OpenFile(path, 0, is_folder=True) if packet.type == sftp.OPENDIR else None
        self._check_room(packet.type)
        self._expect(packet, _Pending(packet.type, file=file))

    def _check_room(self, kind: int) -> None:
        if kind in (sftp.OPEN, sftp.OPENDIR) and len(self._handles) >= _MAX_OPEN_HANDLES:
            raise sftp.Malformed("too many open files")

    def _judge_open(self, packet: Packet) -> bytes | None:
        path, end = packet.string(4)
        flags = packet.number(end)
        if flags & sftp.FLAGS_CHANGING and not self._may_upload:
            return self._refuse(packet, "upload", shown(path))
        # Without the write flag a file is opened for reading, whatever other flags are set.
        if (flags & sftp.FLAG_READ or not flags & sftp.FLAG_WRITE) and not self._may_download:
            return self._refuse(packet, "download", shown(path))
        self._check_room(packet.type)
        file = _OpenFile(shown(path), flags)
        if not self._begins(file, file.direction):
            return b""
        self._expect(packet, _Pending(sftp.OPEN, file=file))
        return None

    def _begins(self, file: _OpenFile, direction: TransferDirection) -> bool:
        """Log that bytes of the file pass in this direction. Returns False if that cannot be logged, so nothing may
        pass.
        """
        if file.is_folder or direction in file.begun:
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
        if packet.type == sftp.READ and not self._may_download:
            return self._refuse_transfer(packet, "download", file)
        if packet.type in (sftp.WRITE, sftp.FSETSTAT) and not self._may_upload:
            return self._refuse_transfer(packet, "upload", file)
        if file is None:
            return self._refuse(packet, "unknown handle", "", sftp.STATUS_FAILURE)
        pending = _Pending(packet.type, file=file)
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
        self._expect(packet, _Pending(packet.type, change))
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
        self._expect(packet, _Pending(sftp.EXTENDED, file=file))
        return None

    def _refuse_transfer(self, packet: Packet, request_name: str, file: _OpenFile | None) -> bytes:
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
        if not _may_answer(pending.type, packet.type):
            raise sftp.Malformed(f"an answer of type {packet.type} to a request of type {pending.type}")
        if pending.is_own:
            self._heard_own(packet)
            return
        good = packet.type != sftp.STATUS or packet.number(4) in (sftp.STATUS_OK, sftp.STATUS_EOF)
        if pending.change is not None:
            self._session.log.end_transfer(pending.change, success=good)
        if pending.file is not None:
            self._heard_of_file(packet, pending.type, pending.file, good=good)
        if pending.moves is not None:
            self._in_flight[pending.moves] -= 1
            self._released += self._go_on()

    def _heard_of_file(self, packet: Packet, request: int, file: _OpenFile, *, good: bool) -> None:
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

    def _report_file(self, file: _OpenFile) -> None:
        for direction, begun in file.begun.items():
            self._session.log.end_transfer(
                begun,
                size=file.read if direction is TransferDirection.DOWNLOAD else file.written,
                success=file.closed is True and not file.failed,
                detail="not closed" if file.closed is None and not file.failed else "",
            )


def _count_written(packet: Packet, file: _OpenFile, end_of_handle: int) -> None:
    size = packet.number(end_of_handle + 8)
    if packet.length != 5 + end_of_handle + 12 + size:
        raise sftp.Malformed("a write of another length than it says")
    file.written += size


def _may_answer(request: int, answer: int) -> bool:
    if answer == sftp.STATUS or _ANSWERS.get(request) == answer:
        return True
    return request == sftp.EXTENDED and answer in _EXTENSION_ANSWERS


def _init(version: int) -> bytes:
    """Return an INIT packet. Newer clients fall back to the version that is supported here."""
    return (5).to_bytes(4, "big") + bytes([sftp.INIT]) + version.to_bytes(4, "big")
