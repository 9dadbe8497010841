"""The SFTP root against a naive model: no stream of requests reaches a path outside it, whatever links there are."""

import posixpath
import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postern.contracts.enums import Actions
from postern.proxies.ssh import sftp_packets as sftp
from postern.proxies.ssh.sftp_packets import Packet, PacketCutter
from postern.proxies.ssh.sftp_root import FRESH_S, SftpRoot, is_whole_host
from postern.proxies.ssh.sftp_rooted_inspector import RootedSftpInspector
from proxies.ssh.linked_files import File, Folder, Host, Link, LinkedServer
from proxies.ssh.sftp_bytes import Audit, packet

ROOT = "/srv/root"
#: Ids of the client are below this, those of the proxy's own requests above.
CLIENT_IDS = 1 << 16


def host() -> Host:
    made = Host(ROOT)
    for path in (f"{ROOT}/a/b/file", f"{ROOT}/file", "/etc/passwd", "/srv/other/file", "/srv/rootless/file"):
        made.add(path, File())
    for path, target in (
        ("a/out", "/etc"), ("a/passwd", "/etc/passwd"), ("up", "../other"), ("a/b/up", "../../../other/file"), ("in", "a/b"),
        ("a/loop", "loop"), ("a/gone", "/etc/nothing"), ("a/far", "/etc/no/thing"), ("far", f"{ROOT}/in/../out"),
    ):  # fmt: skip
        made.add(f"{ROOT}/{path}", Link(target))
    made.add("/alias", Link("srv/root"))
    return made


class Play:
    """A client with its inspector and the model's server. Requests and answers are late, cut and out of order."""

    def __init__(self, seed: int, wanted: str = ROOT, *, resolves: bool = True, actions: Actions = Actions.ALL) -> None:
        self.source = random.Random(seed)
        self.audit = Audit(actions)
        self.time = 100.0
        self.host = host()
        self.before = self._outside()
        self.server = LinkedServer(self.host, resolves=resolves)
        self.inspector = RootedSftpInspector(self.audit, SftpRoot(wanted, lambda: self.time))  # type: ignore[arg-type]  # a stand-in for the session
        self._to_server = PacketCutter()
        self._requests: list[Packet] = []
        self._answers: list[bytes] = []
        self._on_the_way = b""
        self.shown = b""
        self.sent: list[int] = []

    def _outside(self) -> dict[str, tuple[type, int]]:
        return {
            path: (type(node), node.changes if isinstance(node, File) else 0)
            for path, node in self.host.paths().items()
            if not path.startswith(f"{ROOT}/")
        }

    def ask(self, request: bytes) -> None:
        self.sent.append(int.from_bytes(request[5:9], "big"))
        for piece in cut(self.source, request):
            self._arrive(self.inspector.from_person(piece))
            self.shown += self.inspector.answers()

    def _arrive(self, data: bytes) -> None:
        self._requests += [part for part in self._to_server.feed(data) if isinstance(part, Packet)]

    def go_on(self, *, in_order: bool) -> bool:
        """Let the host do one thing. Returns False if there is nothing to do."""
        choices = [kind for kind, some in (("serve", self._requests), ("tell", self._answers)) if some]
        if not choices and not self._on_the_way:
            return False
        if choices and self.source.choice(choices) == "serve":
            at = 0 if in_order else self.source.randrange(len(self._requests))
            self._answers.append(self.server.serve(self._requests.pop(at)))
        elif self._answers:
            at = 0 if in_order else self.source.randrange(len(self._answers))
            self._on_the_way += self._answers.pop(at)
        size = self.source.choice([1, 7, 40, 400])
        piece, self._on_the_way = self._on_the_way[:size], self._on_the_way[size:]
        if piece:
            self.shown += self.inspector.from_target(piece)
            self._arrive(self.inspector.released())
        return True

    def finish(self) -> None:
        while self.go_on(in_order=True):
            pass

    def answers(self) -> dict[int, Packet]:
        cutter = PacketCutter()
        found = [part for part in cutter.feed(self.shown) if isinstance(part, Packet)]
        assert cutter.between_packets
        assert sorted(part.request_id for part in found) == sorted(self.sent)
        return {part.request_id: part for part in found}

    def check(self) -> None:
        for number, path in self.server.reached:
            if number < CLIENT_IDS:
                assert path == ROOT or path.startswith(f"{ROOT}/"), path
        assert self._outside() == self.before
        for path, node in self.host.paths().items():
            if isinstance(node, Link) and node.is_new:
                whole = posixpath.join(posixpath.dirname(path), node.target.replace("/alias", ROOT))
                end = "/" + posixpath.normpath(whole).lstrip("/")
                assert end == ROOT or end.startswith(f"{ROOT}/"), (path, node.target)


def cut(source: random.Random, data: bytes) -> Iterator[bytes]:
    while data:
        size = source.choice([1, 9, 200, 1000])
        yield data[:size]
        data = data[size:]


PARTS = [
    "a",
    "b",
    "file",
    "out",
    "up",
    "in",
    "far",
    "gone",
    "loop",
    "passwd",
    "new",
    "..",
    "..",
    ".",
    "",
    "etc",
    "other",
]
TOPS = [
    "",
    "",
    "",
    f"{ROOT}/",
    f"{ROOT}/",
    f"{ROOT}/a/",
    "/",
    "/etc/",
    "/alias/",
    "/srv/rootless/",
    f"{ROOT}/../",
    "//srv//root//",
]


def random_path(source: random.Random) -> bytes:
    return (source.choice(TOPS) + "/".join(source.choices(PARTS, k=source.randrange(4)))).encode()


def random_request(source: random.Random, number: int) -> bytes:
    path, other = random_path(source), random_path(source)
    kind = source.choice(
        [sftp.OPEN, sftp.OPEN, sftp.STAT, sftp.LSTAT, sftp.OPENDIR, sftp.READLINK, sftp.REALPATH, sftp.SETSTAT, sftp.REMOVE,
         sftp.MKDIR, sftp.RMDIR, sftp.RENAME, sftp.RENAME, sftp.SYMLINK, sftp.SYMLINK, b"posix-rename@openssh.com",
         b"posix-rename@openssh.com", b"hardlink@openssh.com", b"lsetstat@openssh.com", b"statvfs@openssh.com",
         b"expand-path@openssh.com", b"copy-data", b"copy-file", 99, sftp.READDIR, sftp.READDIR, sftp.READDIR]
    )  # fmt: skip
    if kind == sftp.READDIR:
        return packet(kind, number, source.randrange(1, 6).to_bytes(4, "big"))
    if isinstance(kind, bytes):
        path = b"~/" + path if kind.startswith(b"expand") else path
        return packet(
            sftp.EXTENDED, number, kind, path, *([other] if kind.startswith((b"posix", b"hard", b"copy")) else [0])
        )
    if kind == sftp.OPEN:
        return packet(kind, number, path, source.choice([1, 2, 10, 26, 42, 58]), 0)
    if kind == sftp.SYMLINK:
        return packet(kind, number, other, path)
    if kind == sftp.RENAME:
        return packet(kind, number, path, other)
    return packet(kind, number, path, *([0] if kind in (sftp.SETSTAT, sftp.MKDIR) else []))


@settings(max_examples=1500)
@given(
    seed=st.integers(0, 2**32),
    wanted=st.sampled_from([ROOT, "/alias", "home", "/srv/../srv/root/"]),
    in_order=st.booleans(),
    resolves=st.booleans(),
    actions=st.sampled_from([Actions.ALL, Actions.ALL, Actions.DOWNLOAD_FILE]),
)
def test_no_stream_of_requests_reaches_a_path_outside(
    seed: int, wanted: str, in_order: bool, resolves: bool, actions: Actions
) -> None:
    """Also if the host executes requests at the same time, in any order, and if its REALPATH resolves no links."""
    wanted = ROOT if not resolves else wanted
    play = Play(seed, wanted, resolves=resolves, actions=actions)
    names = set(play.host.paths())
    for number in range(play.source.randrange(2, 40)):
        play.ask(random_request(play.source, number))
        for _ in range(play.source.choice([0, 1, 3, 20])):
            play.go_on(in_order=in_order)
        play.time += play.source.choice([0, 0, FRESH_S / 2, FRESH_S * 2])
    play.finish()
    play.answers()
    play.check()
    play.inspector.close()
    assert not play.audit.open
    if actions is Actions.DOWNLOAD_FILE:
        assert set(play.host.paths()) == names
        assert not play.audit.transfers or {operation for operation, *_ in play.audit.transfers} == {"download"}


def answer_to(request: bytes, *more: bytes, wanted: str = ROOT) -> tuple[Packet, Play]:
    play = Play(1, wanted)
    for one in (request, *more):
        play.ask(one)
        play.finish()
    play.check()
    return play.answers()[play.sent[-1]], play


@pytest.mark.parametrize(
    ("path", "real"),
    [
        (b".", ROOT), (b"", ROOT), (ROOT.encode(), ROOT), (b"a/../file", f"{ROOT}/file"), (b"in/file", f"{ROOT}/a/b/file"),
        (b"new", f"{ROOT}/new"), (b"/srv//root/./a/", f"{ROOT}/a"), (b"/alias/a", f"{ROOT}/a"),
        (b"/srv/other/../root/a", f"{ROOT}/a"),
    ],
)  # fmt: skip
def test_paths_below_the_root_keep_their_real_names(path: bytes, real: str) -> None:
    answer, play = answer_to(packet(sftp.REALPATH, 7, path))
    assert answer.type == sftp.NAME
    assert answer.string(8)[0].decode() == real
    assert not play.audit.refused


@pytest.mark.parametrize(
    "path",
    [b"..", b"/", b"/etc", b"/srv/rootless", b"a/out", b"a/passwd", b"up/file", b"a/b/up", b"a/../..", b"a/gone", b"file\0x",
     b"x/" * 200, b"x" * 5000],
)  # fmt: skip
def test_refusal_names_the_root_and_is_logged_and_told_once(path: bytes) -> None:
    answer, play = answer_to(packet(sftp.STAT, 7, path), packet(sftp.STAT, 8, path))
    assert (answer.type, answer.number(4)) == (sftp.STATUS, sftp.STATUS_PERMISSION_DENIED)
    assert f"limited to {ROOT}, the SFTP root" in answer.string(8)[0].decode()
    assert [request for request, _ in play.audit.refused] == ["sftp stat", "sftp stat"]
    assert all(detail.endswith(f": outside the SFTP root {ROOT}") for _, detail in play.audit.refused)
    assert len(play.audit.told) == 1


def test_existence_outside_is_not_told() -> None:
    there, _ = answer_to(packet(sftp.STAT, 7, b"/etc/passwd"))
    missing, _ = answer_to(packet(sftp.STAT, 7, b"/etc/nothing/at/all"))
    assert there.body == missing.body


def test_root_that_is_missing_refuses_everything() -> None:
    answer, play = answer_to(packet(sftp.REALPATH, 7, b"."), packet(sftp.STAT, 8, b"x"), wanted="/srv/nowhere")
    assert answer.number(4) == sftp.STATUS_PERMISSION_DENIED
    assert "has no folder /srv/nowhere" in answer.string(8)[0].decode()
    assert len([number for number, _ in play.server.reached if number >= CLIENT_IDS]) <= 2


def test_second_request_in_a_folder_asks_nothing_until_the_names_change() -> None:
    play = Play(1)

    def own_requests(request: bytes) -> int:
        before = len(play.server.reached)
        play.ask(request)
        play.finish()
        return sum(number >= CLIENT_IDS for number, _ in play.server.reached[before:])

    own_requests(packet(sftp.LSTAT, 1, b"a/b/file"))
    assert own_requests(packet(sftp.LSTAT, 2, b"a/b/other")) == 0
    assert own_requests(packet(sftp.REMOVE, 3, b"a/b/other")) == 0
    assert own_requests(packet(sftp.STAT, 4, b"a/b/file")) == 1  # whether it is a link itself
    assert own_requests(packet(sftp.OPEN, 5, b"a/b/file", 1, 0)) == 0
    own_requests(packet(sftp.RENAME, 6, b"file", b"file2"))
    assert own_requests(packet(sftp.LSTAT, 7, b"a/b/file")) > 0
    play.time += FRESH_S
    assert own_requests(packet(sftp.LSTAT, 8, b"a/b/file")) > 0


def test_request_behind_a_rename_waits_for_its_answer_and_a_rename_for_all_before() -> None:
    audit = Audit()
    inspector = RootedSftpInspector(audit, SftpRoot(ROOT))  # type: ignore[arg-type]  # a stand-in for the session
    server = LinkedServer(host())

    def carry(data: bytes) -> list[bytes]:
        """Answer the proxy's own requests; return the answers to the client's, which are still on the way."""
        late, waiting = [], data
        while waiting:
            requests = [part for part in PacketCutter().feed(waiting) if isinstance(part, Packet)]
            waiting = b""
            for request in requests:
                answer = server.serve(request)
                if request.request_id < CLIENT_IDS:
                    late.append(answer)
                else:
                    inspector.from_target(answer)
                    waiting += inspector.released()
        return late

    (first,) = carry(inspector.from_person(packet(sftp.STAT, 1, b"file")))
    assert carry(inspector.from_person(packet(sftp.RENAME, 2, b"file", b"new"))) == []
    inspector.from_target(first)
    (second,) = carry(inspector.released())
    assert carry(inspector.from_person(packet(sftp.STAT, 3, b"new"))) == []
    assert inspector.holds_back
    assert inspector.backlog == len(packet(sftp.STAT, 3, b"new"))
    inspector.from_target(second)
    assert len(carry(inspector.released())) == 1
    assert not inspector.holds_back


@pytest.mark.parametrize("kind", [b"", b"posix-rename@openssh.com", b"hardlink@openssh.com"])
@pytest.mark.parametrize("link", [b"up", b"a/passwd", b"a/gone", b"a/far", b"far"])
def test_link_that_leads_outside_stays_where_it_is(kind: bytes, link: bytes) -> None:
    request = packet(sftp.EXTENDED, 7, kind, link, b"moved") if kind else packet(sftp.RENAME, 7, link, b"moved")
    answer, _ = answer_to(request)
    assert answer.number(4) == sftp.STATUS_PERMISSION_DENIED


def test_listed_files_are_opened_without_a_question_until_names_change() -> None:
    play = Play(1)

    def own_requests(request: bytes) -> int:
        before = len(play.server.reached)
        play.ask(request)
        play.finish()
        return sum(number >= CLIENT_IDS for number, _ in play.server.reached[before:])

    own_requests(packet(sftp.OPENDIR, 1, b"a/b"))
    handle = play.answers()[1].string(4)[0]
    own_requests(packet(sftp.READDIR, 2, handle))
    assert own_requests(packet(sftp.OPEN, 3, b"a/b/file", 1, 0)) == 0
    assert own_requests(packet(sftp.STAT, 4, b"a/b/up")) > 0  # a link
    own_requests(packet(sftp.OPENDIR, 5, b"a/b"))
    late = play.answers()[5].string(4)[0]
    own_requests(packet(sftp.RENAME, 6, b"file", b"a/file"))
    own_requests(packet(sftp.READDIR, 7, late))  # the folder may have another name now
    own_requests(packet(sftp.LSTAT, 8, b"a/b/x"))
    assert own_requests(packet(sftp.OPEN, 9, b"a/b/file", 1, 0)) == 1
    play.check()


def test_rights_are_judged_as_without_a_root() -> None:
    play = Play(1, actions=Actions.DOWNLOAD_FILE)
    play.ask(packet(sftp.OPEN, 1, b"new", 26, 0))
    play.ask(packet(sftp.REMOVE, 2, b"file"))
    play.finish()
    assert {answer.number(4) for answer in play.answers().values()} == {sftp.STATUS_PERMISSION_DENIED}
    assert play.audit.refused == [("sftp upload", f"{ROOT}/new"), ("sftp remove", f"{ROOT}/file")]


@pytest.mark.parametrize("root", ["/", "//", "/."])
def test_slash_is_no_root(root: str) -> None:
    assert is_whole_host(root)


@pytest.mark.parametrize("root", ["home", "tmp", "/srv", "/..", "/srv/..", "."])
def test_everything_else_is_one(root: str) -> None:
    assert not is_whole_host(root)


def test_folders_of_the_model() -> None:
    """The model itself: a link is followed on the way, and at the end if asked."""
    assert host().walk(f"{ROOT}/a/out/passwd", follow=False)[0] == "/etc/passwd"
    assert host().walk(f"{ROOT}/a/b/up", follow=True)[0] == "/srv/other/file"
    assert isinstance(host().walk(f"{ROOT}/up", follow=True)[1], Folder)


def test_new_file_is_made_without_a_question_and_an_existing_one_is_written() -> None:
    play = Play(1)

    def kinds_of_own(request: bytes) -> list[int]:
        seen: list[int] = []
        serve, play.server.serve = play.server.serve, lambda part: (seen.append(part.type), serve(part))[1]  # type: ignore[method-assign]
        play.ask(request)
        play.finish()
        play.server.serve = serve  # type: ignore[method-assign]
        return seen

    kinds_of_own(packet(sftp.LSTAT, 1, b"a/x"))
    making = sftp.FLAG_WRITE | sftp.FLAG_CREATE | sftp.FLAG_TRUNCATE
    assert kinds_of_own(packet(sftp.OPEN, 2, b"a/new", making, 0)) == [sftp.OPEN]
    assert kinds_of_own(packet(sftp.OPEN, 3, b"a/new", making, 0)) == [sftp.OPEN, sftp.LSTAT, sftp.OPEN]
    assert sftp.LSTAT in kinds_of_own(packet(sftp.OPEN, 4, b"a/passwd", making, 0))
    answers = play.answers()
    assert [answers[number].type for number in (2, 3)] == [sftp.HANDLE, sftp.HANDLE]
    assert answers[4].number(4) == sftp.STATUS_PERMISSION_DENIED
    for number in (2, 3):
        play.ask(packet(sftp.WRITE, number + 10, answers[number].string(4)[0], 0, 0, b"12345"))
        play.ask(packet(sftp.CLOSE, number + 20, answers[number].string(4)[0]))
    play.finish()
    play.check()
    assert play.audit.transfers == [
        ("upload", f"{ROOT}/a/passwd", 0, False),
        ("upload", f"{ROOT}/a/new", 5, True),
        ("upload", f"{ROOT}/a/new", 5, True),
    ]


def test_file_that_is_being_made_is_reported_when_the_connection_is_cut() -> None:
    play = Play(1)
    play.ask(packet(sftp.OPEN, 1, b"new", sftp.FLAG_WRITE | sftp.FLAG_CREATE, 0))
    while not play.audit.open:
        play.go_on(in_order=True)
    play.inspector.close()
    assert play.audit.transfers == [("upload", f"{ROOT}/new", 0, False)]
    assert not play.audit.open


def test_id_in_use_does_not_pass_unjudged() -> None:
    play = Play(1, actions=Actions.DOWNLOAD_FILE)
    play.ask(packet(sftp.STAT, 1, b"file"))
    while not any(request.request_id == 1 for request in play._requests):
        play.go_on(in_order=True)
    play.ask(packet(sftp.OPEN, 1, b"other", sftp.FLAG_WRITE | sftp.FLAG_CREATE, 0)[:8])
    with pytest.raises(ValueError, match="the id of another one"):
        play.inspector.from_person(packet(sftp.OPEN, 1, b"other", sftp.FLAG_WRITE | sftp.FLAG_CREATE, 0)[8:])
