"""Inspects an SFTP session that has a root: no request reaches a path outside it.

Requests that name paths wait until the host has answered where the paths lead (`SftpRoot`). They continue with their
real paths, or are refused. Everything behind them waits too, so the order stays. The answers to the proxy's own requests
are removed from the stream.
"""

from collections import deque
from typing import Final

from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.texts import Text
from postern.proxies.ssh import sftp_packets as sftp
from postern.proxies.ssh.sftp_inspector import MAX_PENDING, SftpInspector, may_answer
from postern.proxies.ssh.sftp_open_files import OpenFile, Pending
from postern.proxies.ssh.sftp_packets import Packet
from postern.proxies.ssh.sftp_paths import PathRequest, paths_of, with_paths
from postern.proxies.ssh.sftp_root import HostAnswers, NoRoot, Outside, Question, SftpRoot, Steps, Use
from postern.proxies.ssh.shown_path import PAIR_CHARS, PATH_CHARS, shown

_LAST_ID: Final = 0xFFFFFFFF


class _Answered(Exception):
    """The request needs nothing any more."""


class RootedSftpInspector(SftpInspector):
    """`relay.Inspector` for one SFTP session below a root."""

    def __init__(self, session: LiveSession, root: SftpRoot) -> None:
        super().__init__(session)
        self._root = root
        #: In a session with a root: requests that wait, as the cutter yields them, and their bytes.
        self._waiting: deque[Packet | bytes] = deque()
        self._waiting_bytes = 0
        #: The request whose paths are being located, and the proxy's own requests for it by id.
        self._steps: Steps[bytes] | None = None
        self._located: tuple[Packet, PathRequest, list[bytes]] | None = None
        #: The permitted request for a file that the proxy tries to make.
        self._judged: Pending | None = None
        self._own: dict[int, Packet | None] = {}
        self._next_own = _LAST_ID
        self._released = bytearray()
        self._has_told_root = False
        #: Requests with paths that the host has not answered: by whether they move names.
        self._in_flight = {False: 0, True: 0}

    def from_person(self, data: bytes) -> bytes:
        for part in self._requests.feed(data):
            self._waiting.append(part)
            self._waiting_bytes += 0 if isinstance(part, Packet) else len(part)
        return self._go_on()

    @property
    def backlog(self) -> int:
        return super().backlog + self._waiting_bytes

    @property
    def holds_back(self) -> bool:
        return bool(self._waiting) or self._steps is not None

    def released(self) -> bytes:
        released = bytes(self._released)
        self._released.clear()
        return released

    def close(self) -> None:
        """Report also the file that the proxy tries to make."""
        if self._judged is not None and self._judged.file is not None:
            self._report_file(self._judged.file)
        super().close()

    # One request at a time is being located, and everything behind it waits.

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
        if self._located is None:
            return b""
        packet, request, resolved = self._located
        self._steps = self._steps_to_next(packet, request, len(resolved))
        if self._steps is not None:
            return self._step(None)
        self._located = None
        if request.link_target is not None:
            try:
                self._root.check_link_target(request.link_target)
            except Outside:
                return self._refuse_outside(packet, request)
        return self._pass_on(packet, request, resolved)

    def _steps_to_next(self, packet: Packet, request: PathRequest, count: int) -> Steps[bytes] | None:
        """Return how to locate the next path after the first `count`, or None if all are located."""
        if request.asks_for_path:
            return None if count else self._root.expanded(Question(sftp.EXTENDED, request.paths))
        if request.only_make and not count:
            return self._make(packet, request)
        if count < len(request.paths):
            return self._root.locate(request.paths[count], request.uses[count])
        return None

    def _pass_on(self, packet: Packet, request: PathRequest, resolved: list[bytes]) -> bytes:
        """Judge the request with its real paths as any other, and return its bytes, or those that replace them."""
        placed, raw = with_paths(packet, request, resolved)
        if self._judged is not None:
            self._pending[packet.request_id], self._judged = self._judged, None
        else:
            replacement = self._judge(placed)
            if replacement is not None:
                return replacement
        self._in_flight[request.moves] += 1
        pending = self._pending[placed.request_id]
        pending.moves = request.moves
        if pending.file is not None and pending.file.is_folder:
            pending.file.place, pending.file.age = resolved[0], self._root.age
        if request.moves:
            self._root.forget()
        return raw

    def _step(self, answers: tuple[Packet, ...] | None) -> bytes:
        """Continue to locate with the host's answers. Returns what to send to the host."""
        if self._steps is None or self._located is None:
            return b""
        packet, request, resolved = self._located
        try:
            questions = self._steps.send(answers)  # type: ignore[arg-type]  # None starts a generator
        except StopIteration as done:
            self._steps = None
            resolved.append(done.value)
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
            self._pending[number] = Pending(question.kind)
            onward += sftp.request(question.kind, number, question.strings, question.tail)
        return bytes(onward)

    def _make(self, packet: Packet, request: PathRequest) -> Steps[bytes]:
        """Locate a file that is to be written, or make it. Raises `_Answered` if the host made it, or it may not be.

        The host makes a file only where nothing is, so it follows no link, and nothing needs to be asked before.
        """
        named = yield from self._root.locate(request.paths[0], Use.NAMED)
        if self._root.is_known(named):
            return (yield from self._root.locate(named, Use.FOLLOWED))
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
        real = yield from self._root.locate(named, Use.FOLLOWED)
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
        if self._next_own < _LAST_ID - MAX_PENDING:
            self._next_own = _LAST_ID
        return number

    def _refuse_outside(self, packet: Packet, request: PathRequest, *, is_missing: bool = False) -> bytes:
        if packet.request_id in self._pending:
            raise sftp.Malformed("a request with the id of another one that has no answer yet")
        limit = PAIR_CHARS if len(request.paths) > 1 or request.link_target is not None else PATH_CHARS // 2
        texts = request.paths if request.link_target is None else (request.link_target, *request.paths)
        root = shown(self._root.shown, PAIR_CHARS)
        text = Text.NO_SFTP_ROOT if is_missing else Text.OUTSIDE_SFTP_ROOT
        message = text.say(self._session.language, root=root)
        self._answers += sftp.status(packet.request_id, sftp.STATUS_PERMISSION_DENIED, message)
        if packet.request_id in self._looks:
            return b""
        if not self._has_told_root:  # many clients show their own words instead of the answer's
            self._has_told_root = True
            self._session.tell_user(message)
        paths = " -> ".join(shown(part, limit) for part in texts)
        self._log_refusal(request.name, f"{paths}: outside the SFTP root {root}")
        return b""

    # Answers

    @property
    def _hides_answers(self) -> bool:
        return bool(self._own)

    def _is_hidden(self, answer: Packet) -> bool:
        return answer.type != sftp.VERSION and answer.request_id in self._own

    def _heard(self, packet: Packet) -> None:
        if self._is_hidden(packet):
            self._heard_own(packet)
            return
        pending = self._pending.get(packet.request_id) if packet.type != sftp.VERSION else None
        if pending is not None and pending.file is not None:
            self._learn(packet, pending.type, pending.file)
        super()._heard(packet)
        if pending is not None and pending.moves is not None:
            self._in_flight[pending.moves] -= 1
            self._released += self._go_on()

    def _heard_own(self, answer: Packet) -> None:
        """Take an answer to the proxy's own request. The last one lets the request continue that waits for it."""
        pending = self._pending.pop(answer.request_id, None)
        if pending is None or not may_answer(pending.type, answer.type):
            raise sftp.Malformed("a wrong answer to the proxy's own request")
        self._own[answer.request_id] = answer
        if all(part is not None for part in self._own.values()):
            answers = tuple(part for part in self._own.values() if part is not None)
            self._own.clear()
            self._released += self._step(answers)
            self._released += self._go_on()

    def _learn(self, packet: Packet, request: int, folder: OpenFile) -> None:
        """Note which entries of a folder are no links, unless names have changed since it was opened."""
        is_list = request == sftp.READDIR and packet.type == sftp.NAME
        if is_list and self._root.age == folder.age:
            self._root.learn(folder.place, packet)
