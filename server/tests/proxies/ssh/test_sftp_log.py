"""The file log of SFTP against a simulated server: whatever a client sends, the log records what the server did (issue
6, 1.2).
"""

import random
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postern.contracts.enums import Actions
from postern.proxies.ssh import sftp_packets as sftp
from postern.proxies.ssh.sftp_inspector import SftpInspector
from postern.proxies.ssh.sftp_packets import Malformed, Packet, PacketCutter
from postern.proxies.ssh.shown_path import shown
from proxies.ssh.sftp_bytes import Audit, packet


def inspector_of(audit: Audit) -> SftpInspector:
    return SftpInspector(audit)  # type: ignore[arg-type]  # a stand-in for the session


def opening(number: int, path: bytes, flags: int = sftp.FLAG_READ) -> bytes:
    return packet(sftp.OPEN, number, path, flags, 0)


def test_second_request_with_an_id_in_flight_is_refused() -> None:
    audit = Audit()
    inspector = inspector_of(audit)
    inspector.from_person(opening(1, b"/etc/shadow"))
    with pytest.raises(Malformed, match="no answer yet"):
        inspector.from_person(opening(1, b"/srv/readme"))
    inspector.close()

    assert [path for _, path, *_ in audit.transfers] == ["/etc/shadow"]


@pytest.mark.parametrize("first", [packet(sftp.STAT, 1, b"/x"), packet(sftp.REMOVE, 1, b"/x"), opening(1, b"/x")])
def test_ids_of_all_kinds_of_requests_count(first: bytes) -> None:
    inspector = inspector_of(Audit())
    inspector.from_person(first)
    with pytest.raises(Malformed):
        inspector.from_person(packet(sftp.LSTAT, 1, b"/y"))


def test_file_read_without_the_read_flag_is_logged() -> None:
    """OpenSSH opens a file for reading if no flag is set."""
    audit = Audit()
    inspector = inspector_of(audit)
    inspector.from_person(opening(1, b"/etc/shadow", 0))
    inspector.from_target(packet(sftp.HANDLE, 1, b"h"))
    inspector.from_person(packet(sftp.READ, 2, b"h", 0, 0, 100))
    inspector.from_target(packet(sftp.DATA, 2, b"x" * 100))
    inspector.close()
    assert audit.transfers == [("download", "/etc/shadow", 100, False)]

    audit = Audit(Actions.CONNECT | Actions.UPLOAD_FILE)
    assert inspector_of(audit).from_person(opening(1, b"/etc/shadow", 0)) == b""
    assert audit.refused == [("sftp download", "/etc/shadow")]


def test_guessed_handle_does_not_reach_the_target() -> None:
    """Handles of OpenSSH are small numbers: a client could read before the answer returns the handle."""
    audit = Audit()
    inspector = inspector_of(audit)
    inspector.from_person(opening(1, b"/etc/shadow"))
    assert inspector.from_person(packet(sftp.READ, 2, b"\0\0\0\0", 0, 0, 100)) == b""
    (reply,) = [part for part in PacketCutter().feed(inspector.answers()) if isinstance(part, Packet)]
    assert (reply.type, reply.request_id, reply.number(4)) == (sftp.STATUS, 2, sftp.STATUS_FAILURE)
    assert audit.refused == [("sftp unknown handle", "")]


@pytest.mark.parametrize(
    "answer",
    [
        packet(sftp.STATUS, 9, 0, b"", b""),  # to no request
        packet(sftp.DATA, 1, b"x"),  # of the wrong kind
        packet(sftp.ATTRS, 1, 0),
    ],
)
def test_answers_that_match_no_request_end_the_session(answer: bytes) -> None:
    inspector = inspector_of(Audit())
    inspector.from_person(opening(1, b"/x"))
    with pytest.raises(Malformed):
        inspector.from_target(answer)


def test_handle_issued_twice_ends_the_session() -> None:
    inspector = inspector_of(Audit())
    inspector.from_person(opening(1, b"/x") + opening(2, b"/y"))
    inspector.from_target(packet(sftp.HANDLE, 1, b"h"))
    with pytest.raises(Malformed):
        inspector.from_target(packet(sftp.HANDLE, 2, b"h"))


def test_unanswered_changes_are_reported() -> None:
    audit = Audit()
    inspector = inspector_of(audit)
    inspector.from_person(packet(sftp.REMOVE, 1, b"/x") + opening(2, b"/y"))
    inspector.close()

    assert audit.transfers == [("remove", "/x", 0, False), ("download", "/y", 0, False)]


def test_unanswered_change_through_a_handle_is_reported_beside_the_file() -> None:
    """The target may have set the mode before the channel was closed."""
    audit = Audit()
    inspector = inspector_of(audit)
    inspector.from_person(opening(1, b"/x"))
    inspector.from_target(packet(sftp.HANDLE, 1, b"h"))
    inspector.from_person(packet(sftp.FSETSTAT, 2, b"h", 0))
    inspector.close()

    assert sorted(transfer[0] for transfer in audit.transfers) == ["download", "setstat"]


@pytest.mark.parametrize("size", [2, -2])
def test_write_with_a_false_length_ends_the_session(size: int) -> None:
    inspector = inspector_of(Audit())
    inspector.from_person(opening(1, b"/x", sftp.FLAG_WRITE))
    inspector.from_target(packet(sftp.HANDLE, 1, b"h"))
    with pytest.raises(Malformed):
        inspector.from_person(packet(sftp.WRITE, 2, b"h", 0, 0, 10 + size)[:-4] + b"\0\0\0\x0a" + b"x" * (10 + size))


def test_long_path_cannot_hide_its_end() -> None:
    path = b"/srv/readme" + b"/." * 3000 + b"/../../etc/shadow"
    audit = Audit()
    inspector = inspector_of(audit)
    inspector.from_person(opening(1, path))
    inspector.close()

    ((_, logged_path, *_),) = audit.transfers
    assert logged_path.startswith("/srv/readme/.")
    assert logged_path.endswith("/../../etc/shadow")
    assert len(logged_path) <= 1000


def test_nul_in_a_path_is_shown() -> None:
    assert shown(b"/srv/readme\0/etc/shadow") == "/srv/readme\\x00/etc/shadow"


def test_refused_requests_are_reported_up_to_a_limit_and_then_end_the_session() -> None:
    audit = Audit(Actions.CONNECT | Actions.DOWNLOAD_FILE)
    inspector = inspector_of(audit)
    for number in range(1000):
        inspector.from_person(packet(sftp.REMOVE, number, b"/x"))
    with pytest.raises(Malformed, match="too many refused"):
        inspector.from_person(packet(sftp.REMOVE, 1000, b"/x"))
    assert len(audit.refused) == 1000


# A simulated server and random clients


@dataclass
class Opened:
    """What really happened with one open file."""

    path: str
    flags: int
    read: int = 0
    written: int = 0
    delivered: int = 0  # bytes read, as far as they reached the client
    is_closed: bool = False


@dataclass
class NaiveServer:
    """Executes requests one by one as OpenSSH would: lowest free handle, flags as they come."""

    files: dict[bytes, Opened | None] = field(default_factory=dict)
    folders: dict[bytes, str] = field(default_factory=dict)
    history: list[Opened] = field(default_factory=list)
    changes: Counter[tuple[str, str]] = field(default_factory=Counter)
    #: What the last answer carries.
    given: tuple[Opened, int] | None = None

    def new_handle(self, file: Opened | None) -> bytes:
        handle = next(bytes([n]) for n in range(256) if bytes([n]) not in self.files)
        self.files[handle] = file
        return handle

    def serve(self, request: Packet, whole: bytes) -> bytes:
        number, kind = request.request_id, request.type
        self.given = None
        body = whole[5:]
        first = body[8 : 8 + int.from_bytes(body[4:8], "big")]
        more = body[8 + len(first) :]
        if kind == sftp.OPEN:
            return self.open(number, first.decode(), int.from_bytes(more[:4], "big"))
        if kind == sftp.OPENDIR:
            handle = self.new_handle(None)
            self.folders[handle] = first.decode()
            return packet(sftp.HANDLE, number, handle)
        if kind == sftp.READ:
            return self.read(number, self.files.get(first), int.from_bytes(more[8:12], "big"))
        if kind == sftp.STAT:
            return packet(sftp.ATTRS, number, 0)
        if kind == sftp.FSTAT:
            return packet(sftp.ATTRS, number, 0) if first in self.files else failed(number)
        if kind == sftp.CLOSE:
            done = first in self.files
            file = self.files.pop(first, None)
            if file is not None:
                file.is_closed = True
        elif kind == sftp.FSETSTAT:
            done = self.set_mode(first)
        elif kind == sftp.WRITE:
            done = self.write(self.files.get(first), int.from_bytes(more[8:12], "big"))
        else:
            self.changes["remove" if kind == sftp.REMOVE else "mkdir", first.decode()] += 1
            done = True
        return packet(sftp.STATUS, number, 0, b"", b"") if done else failed(number)

    def open(self, number: int, path: str, flags: int) -> bytes:
        if path == "/missing":
            return failed(number)
        file = Opened(path, flags)
        self.history.append(file)
        return packet(sftp.HANDLE, number, self.new_handle(file))

    def read(self, number: int, file: Opened | None, size: int) -> bytes:
        if file is None or (file.flags & sftp.FLAG_WRITE and not file.flags & sftp.FLAG_READ):
            return failed(number)
        if not size % 50:
            return packet(sftp.STATUS, number, sftp.STATUS_EOF, b"", b"")
        file.read += size % 50
        self.given = file, size % 50
        return packet(sftp.DATA, number, b"d" * (size % 50))

    def write(self, file: Opened | None, size: int) -> bool:
        if file is None or not file.flags & sftp.FLAG_WRITE:
            return False
        file.written += size
        return True

    def set_mode(self, handle: bytes) -> bool:
        """Reported as a separate change if the log does not name a change of the file otherwise."""
        if handle not in self.files:
            return False
        file = self.files[handle]
        if file is None or not file.flags & sftp.FLAGS_CHANGING:
            self.changes["setstat", self.folders[handle] if file is None else file.path] += 1
        return True


def failed(number: int) -> bytes:
    return packet(sftp.STATUS, number, sftp.STATUS_FAILURE, b"", b"")


PATHS = [b"/etc/shadow", b"/srv/readme", b"/missing", b"/a"]


def random_request(source: random.Random, number: int) -> bytes:
    path = source.choice(PATHS)
    handle = bytes([source.randrange(3)])
    kind = source.choice(
        [sftp.OPEN] * 4 + [sftp.READ] * 5 + [sftp.WRITE] * 5 + [sftp.CLOSE] * 4
        + [sftp.STAT, sftp.OPENDIR, sftp.REMOVE, sftp.MKDIR, sftp.FSTAT, sftp.FSETSTAT, sftp.FSETSTAT, 99]
    )  # fmt: skip
    if kind == sftp.OPEN:
        return opening(number, path, source.choice([0, 1, 2, 3, 10, 26, 4, 8]))
    if kind == sftp.READ:
        return packet(kind, number, handle, 0, 0, source.randrange(200))
    if kind == sftp.WRITE:
        return packet(kind, number, handle, 0, 0, b"w" * source.randrange(400))
    if kind == sftp.FSETSTAT:
        return packet(kind, number, handle, 0)
    if kind in (sftp.CLOSE, sftp.FSTAT):
        return packet(kind, number, handle)
    return packet(kind, number, path)


def cut(source: random.Random, data: bytes) -> list[bytes]:
    places = sorted(source.randrange(len(data) + 1) for _ in range(source.randrange(4)))
    return [piece for a, b in zip([0, *places], [*places, len(data)], strict=True) if (piece := data[a:b])]


class Play:
    """One random client, the inspector and the simulated server. Answers come late, out of order, or never."""

    def __init__(self, seed: int, actions: Actions, *, fresh_ids: bool, cut_share: float = 0.0) -> None:
        self.source = random.Random(seed)
        self.audit = Audit(actions)
        self.inspector = inspector_of(self.audit)
        self.server = NaiveServer()
        self.fresh_ids = fresh_ids
        self.sent: list[int] = []
        self.shown = b""
        self._cutter = PacketCutter()
        self._whole = b""
        self._answers: list[tuple[bytes, tuple[Opened, int] | None]] = []
        self._on_the_way = b""
        #: Content of data in flight: the bytes left after its last byte, and the content.
        self._carried: deque[tuple[int, Opened, int]] = deque()
        self._delivered = 0
        #: The connection is cut with answers outstanding.
        self.is_cut = self.source.random() < cut_share
        self.ended = False

    def run(self) -> None:
        try:
            for turn in range(self.source.randrange(5, 60)):
                number = turn if self.fresh_ids else self.source.randrange(12)
                request = random_request(self.source, number)
                self.sent.append(number)
                for piece in cut(self.source, request):
                    self._to_server(self.inspector.from_person(piece))
                    self.shown += self.inspector.answers()
                self._answer_some(self.source.choice([0, 5, 30, 200]))
            while (self._answers or self._on_the_way) and not self.is_cut:
                self._answer_some(100)
        except ValueError:
            self.ended = True
        self.inspector.close()

    def _to_server(self, data: bytes) -> None:
        for part in self._cutter.feed(data):
            if isinstance(part, Packet):
                self._head, self._whole = part, b""
            else:
                self._whole += part
                if len(self._whole) == self._head.length:
                    answer = self.server.serve(self._head, self._whole)
                    self._answers.append((answer, self.server.given))

    def _answer_some(self, size: int) -> None:
        """Deliver the next bytes from the target: late answers, sometimes out of order, cut anywhere."""
        while self._answers and len(self._on_the_way) < size:
            answer, given_out = self._answers.pop(0 if self.source.random() < 0.8 else -1)
            self._on_the_way += answer
            if given_out is not None:
                self._carried.append((self._delivered + len(self._on_the_way), *given_out))
        piece, self._on_the_way = self._on_the_way[:size], self._on_the_way[size:]
        if not piece:
            return
        self.shown += self.inspector.from_target(piece)
        self._delivered += len(piece)
        while self._carried and self._carried[0][0] <= self._delivered:
            _, file, length = self._carried.popleft()
            file.delivered += length


RIGHTS = st.sampled_from([Actions.ALL, Actions.CONNECT | Actions.DOWNLOAD_FILE, Actions.CONNECT | Actions.UPLOAD_FILE])


@settings(max_examples=3000)
@given(seed=st.integers(0, 2**32), actions=RIGHTS, fresh_ids=st.booleans())
def test_log_records_what_the_server_did(seed: int, actions: Actions, fresh_ids: bool) -> None:
    """Also if the connection is cut, or the session ended, with answers outstanding."""
    play = Play(seed, actions, fresh_ids=fresh_ids, cut_share=0.5)
    play.run()
    logged: Counter[tuple[str, str]] = Counter()
    sizes: Counter[tuple[str, str]] = Counter()
    successes: Counter[tuple[str, str]] = Counter()
    for operation, path, size, success in play.audit.transfers:
        logged[operation, path] += 1
        sizes[operation, path] += size
        successes[operation, path] += success
    truth: Counter[tuple[str, str]] = Counter(play.server.changes)
    possible = Counter(truth)
    moved: Counter[tuple[str, str]] = Counter()
    for file in play.server.history:
        if not file.flags & sftp.FLAGS_CHANGING or file.delivered:
            truth["download", file.path] += 1
            moved["download", file.path] += file.delivered
        if file.flags & sftp.FLAGS_CHANGING:
            truth["upload", file.path] += 1
            moved["upload", file.path] += file.written
        if file.is_closed:
            possible.update({("download", file.path): 1, ("upload", file.path): 1})
    assert not truth - logged
    assert not successes - possible
    assert play.audit.held == 0
    assert all(sizes[key] >= size for key, size in moved.items())
    if not play.ended:
        # Writes that the server refused count as written. Data read is exact except for the last packet.
        rest = 49 if play.is_cut else 0
        assert all(sizes[key] <= size + rest for key, size in moved.items() if key[0] == "download")
    if not actions & Actions.UPLOAD_FILE:
        assert not any(file.written or file.flags & sftp.FLAGS_CHANGING for file in play.server.history)
        assert not play.server.changes
    if not actions & Actions.DOWNLOAD_FILE:
        assert not any(file.read for file in play.server.history)


@settings(max_examples=1000)
@given(seed=st.integers(0, 2**32), actions=RIGHTS)
def test_client_gets_exactly_one_answer_to_each_request_in_whole_packets(seed: int, actions: Actions) -> None:
    play = Play(seed, actions, fresh_ids=True)
    play.run()
    if play.ended:
        return
    cutter = PacketCutter()
    replies = [part.request_id for part in cutter.feed(play.shown) if isinstance(part, Packet)]
    assert cutter.between_packets
    assert sorted(replies) == sorted(play.sent)


@settings(max_examples=500)
@given(st.lists(st.tuples(st.booleans(), st.binary(max_size=300)), max_size=10))
def test_k43_malformed_data_raises_only_value_errors(pieces: list[tuple[bool, Any]]) -> None:
    inspector = inspector_of(Audit())
    try:
        for from_person, piece in pieces:
            (inspector.from_person if from_person else inspector.from_target)(piece)
    except ValueError:
        pass
    inspector.close()


@pytest.mark.parametrize(
    "request_",
    [
        opening(1, b"/etc/shadow"),
        opening(1, b"/etc/shadow", sftp.FLAG_WRITE),
        packet(sftp.REMOVE, 1, b"/x"),
        packet(sftp.RENAME, 1, b"/x", b"/y"),
        packet(sftp.MKDIR, 1, b"/x", 0),
        packet(sftp.SETSTAT, 1, b"/x", 0),
        packet(sftp.EXTENDED, 1, b"posix-rename@openssh.com", b"/x", b"/y"),
    ],
)
def test_nothing_that_must_be_logged_passes_without_log_space(request_: bytes) -> None:
    audit = Audit()
    audit.room = 0
    assert inspector_of(audit).from_person(request_) == b""
    assert audit.holds
    assert not audit.transfers


def test_change_through_a_handle_does_not_pass_without_log_space() -> None:
    audit = Audit()
    inspector = inspector_of(audit)
    inspector.from_person(opening(1, b"/x"))
    inspector.from_target(packet(sftp.HANDLE, 1, b"h"))
    audit.room = 0
    assert inspector.from_person(packet(sftp.FSETSTAT, 2, b"h", 0)) == b""


def test_log_space_of_a_file_is_released_with_its_report() -> None:
    audit = Audit()
    inspector = inspector_of(audit)
    inspector.from_person(opening(1, b"/x") + opening(2, b"/gone") + packet(sftp.REMOVE, 3, b"/y"))
    assert audit.held == 300
    inspector.from_target(packet(sftp.HANDLE, 1, b"h"))
    inspector.from_target(packet(sftp.STATUS, 2, 2, b"", b"") + packet(sftp.STATUS, 3, 0, b"", b""))
    inspector.from_person(packet(sftp.CLOSE, 4, b"h"))
    inspector.from_target(packet(sftp.STATUS, 4, 0, b"", b""))
    assert len(audit.transfers) == 3
    assert audit.held == 0
