"""The file log of scp records what the host did, whatever the host's scp and the user's side send (issue 6, 1.2)."""

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postern.proxies.ssh.classification import ExecKind, classify
from postern.proxies.ssh.scp_inspector import ScpInspector
from postern.proxies.ssh.scp_places import ScpPlaces
from proxies.ssh.scp_peers import Carried, Sink, Source, Uploader, pieces
from proxies.ssh.sftp_bytes import Audit

REFUSED = b"\x01scp: no\n"


def inspector_of(audit: Audit, *, upload: bool) -> ScpInspector:
    return ScpInspector(audit, ScpPlaces((), upload=upload), upload=upload)  # type: ignore[arg-type]  # a stand-in for the session


class Transfer:
    """An inspector with both directions driven by hand."""

    def __init__(self, *, upload: bool) -> None:
        self.audit = Audit()
        self.inspector = inspector_of(self.audit, upload=upload)
        self.upload = upload

    def source(self, *sent: bytes) -> None:
        for data in sent:
            read = self.inspector.from_person if self.upload else self.inspector.from_target
            assert read(data) == data

    def sink(self, *sent: bytes) -> None:
        for data in sent:
            read = self.inspector.from_target if self.upload else self.inspector.from_person
            assert read(data) == data

    def file(self, line: bytes, content: bytes) -> None:
        """Transfer a file without any error."""
        self.source(line)
        self.sink(b"\0")
        self.source(content, b"\0")
        self.sink(b"\0")

    def logged(self) -> list[tuple[str, int, bool]]:
        self.inspector.close()
        assert self.audit.held == 0
        return [entry[1:] for entry in self.audit.transfers]


@pytest.fixture(params=[True, False], ids=["upload", "download"])
def transfer(request: pytest.FixtureRequest) -> Transfer:
    transfer = Transfer(upload=request.param)
    transfer.sink(b"\0")
    return transfer


def test_file_after_a_refused_one_is_named(transfer: Transfer) -> None:
    """A client that declines the first file must not hide the second as its content."""
    transfer.source(b"C0644 100000 readme\n")
    transfer.sink(REFUSED)
    transfer.file(b"C0600 12 shadow\n", b"root:secret\n")

    assert transfer.logged() == [("readme", 0, False), ("shadow", 12, True)]


def test_files_after_a_refused_folder_are_not_logged_inside_it(transfer: Transfer) -> None:
    transfer.source(b"D0755 0 refused\n")
    transfer.sink(REFUSED)
    transfer.file(b"C0644 1 a\n", b"a")
    transfer.source(b"D0755 0 taken\n")
    transfer.sink(b"\0")
    transfer.file(b"C0644 1 b\n", b"b")
    transfer.source(b"E\n")
    transfer.sink(b"\0")
    transfer.file(b"C0644 1 c\n", b"c")

    assert transfer.logged() == [("a", 1, True), ("taken/b", 1, True), ("c", 1, True)]


def test_refused_times_skip_the_file(transfer: Transfer) -> None:
    transfer.source(b"T1 0 2 0\n")
    transfer.sink(REFUSED)
    transfer.file(b"C0644 1 a\n", b"a")
    assert transfer.logged() == [("a", 1, True)]


def test_file_that_one_side_could_not_finish_is_logged_as_failed(transfer: Transfer) -> None:
    transfer.source(b"C0644 2 unread\n")
    transfer.sink(b"\0")
    transfer.source(b"\0\0", b"\x01scp: read er", b"ror\n")
    transfer.sink(b"\0")
    transfer.source(b"C0644 2 unwritten\n")
    transfer.sink(b"\0")
    transfer.source(b"ab", b"\0")
    transfer.sink(b"\x01scp: disk", b" full\n")
    transfer.source(b"C0644 2 early\n")
    transfer.sink(b"\0")
    transfer.source(b"ab")
    transfer.sink(b"\x01scp: disk full\n")  # older versions do not wait for the status
    transfer.source(b"\0")
    transfer.file(b"C0644 0 next\n", b"")

    assert transfer.logged() == [("unread", 2, False), ("unwritten", 2, False), ("early", 2, False), ("next", 0, True)]


def test_read_error_of_the_source_needs_no_answer(transfer: Transfer) -> None:
    transfer.source(b"\x01scp: gone: No such file\n")
    transfer.file(b"C0644 1 a\n", b"a")
    assert transfer.logged() == [("a", 1, True)]


def test_data_sent_before_the_hosts_answer_waits_for_it() -> None:
    transfer = Transfer(upload=True)
    assert transfer.inspector.from_person(b"T1 0 1 0\nC0644 6 a\nsecret\0D0755 0 d\nC0644 1 b\nb\0E\n") == b""
    for due in (b"T1 0 1 0\n", b"C0644 6 a\n", b"secret\0", b"D0755 0 d\n", b"C0644 1 b\n", b"b\0", b"E\n", b""):
        assert transfer.inspector.holds_back == bool(due)
        transfer.sink(b"\0")
        assert transfer.inspector.released() == due
    assert transfer.logged() == [("a", 6, True), ("d/b", 1, True)]


@pytest.mark.parametrize(
    ("command", "name", "place"),
    [
        ("scp -t /root/.ssh/authorized_keys", "holiday.jpg", "holiday.jpg -> /root/.ssh/authorized_keys"),
        ("scp -r -t new", "tree/sub/x", "tree/sub/x -> new"),
        ("scp -d -t /srv", "x", "/srv/x"),
        ("scp -rdpt -- '/srv/a b'", "x", "/srv/a b/x"),
        ("scp -t /srv/", "x", "/srv/x"),
        ("scp -t /", "x", "/x"),
        ("scp -t .", "x", "./x"),
        ("scp -t /srv/..", "x", "/srv/../x"),
        ("scp -t ''", "x", "./x"),
        ("scp -t -- -x", "x", "x -> -x"),
        ("scp -d -t /a /b", "x", "x -> /a /b"),
        ("scp -t", "x", "x"),
        ("scp -f /etc/shadow", "shadow", "/etc/shadow"),
        ("scp -r -f /srv/tree/", "tree/sub/x", "/srv/tree/sub/x"),
        ("scp -f /x", "x", "/x"),
        ("scp -f notes", "notes", "notes"),
        ("scp -f /etc/*.conf", "a.conf", "/etc/a.conf"),
        ("scp -f /etc/{a,b}", "b", "/etc/b"),
        ("scp -f /etc/shadow", "readme", "/etc/shadow -> readme"),
        ("scp -f /*/shadow", "shadow", "/*/shadow -> shadow"),
        ("scp -f /etc/$X", "a", "/etc/$X -> a"),
        ("scp -f /a/x /b/y", "y", "/b/y"),
        ("scp -f /a/x /b/x", "x", "/a/x /b/x -> x"),
    ],
)
def test_path_of_the_command_line_is_in_the_log(command: str, name: str, place: str) -> None:
    request = classify(command.encode())
    upload = request.kind is ExecKind.SCP_UPLOAD
    places = ScpPlaces(request.paths, upload=upload, is_into_folder=request.is_into_folder)
    assert places.of(name) == place


def test_long_name_and_long_path_are_both_shown() -> None:
    place = ScpPlaces((b"/p" * 2000 + b"/end",), upload=True).of("n" * 4000)
    assert len(place) < 1000
    assert place.startswith("nnn")
    assert place.endswith("/p/end")


def test_late_error_of_a_folder_does_not_end_an_honest_transfer() -> None:
    """dropbear and older versions answer the end of a folder, and then report that they could not set its times."""
    transfer = Transfer(upload=True)
    transfer.sink(b"\0")
    transfer.source(b"T1 0 1 0\n")
    transfer.sink(b"\0")
    transfer.source(b"D0755 0 shared\n")
    transfer.sink(b"\0")
    transfer.file(b"C0644 1 a\n", b"x")
    transfer.source(b"E\n")
    transfer.sink(b"\0", b"\x01scp: shared: set times: no\n")
    with pytest.raises(ValueError, match="an answer to nothing"):
        transfer.sink(b"\x01scp: again\n")
    transfer.file(b"C0644 1 b\n", b"y")
    assert transfer.logged() == [("shared/a", 1, True), ("b", 1, True)]


def test_late_success_of_a_folder_is_not_accepted() -> None:
    transfer = Transfer(upload=True)
    transfer.sink(b"\0")
    transfer.source(b"D0755 0 shared\n")
    transfer.sink(b"\0")
    transfer.source(b"E\n")
    transfer.sink(b"\0")
    with pytest.raises(ValueError, match="an answer to nothing"):
        transfer.sink(b"\0")


@pytest.mark.parametrize("early", [b"secret", b"C0644 1 b\n", b"\x01oops\n", b"\0"])
@pytest.mark.parametrize("asked", [b"C0644 6 a\n", b"D0755 0 d\n"])
def test_content_of_something_refused_never_reaches_the_host(asked: bytes, early: bytes) -> None:
    transfer = Transfer(upload=True)
    transfer.sink(b"\0")
    assert transfer.inspector.from_person(asked + early) == asked
    transfer.sink(REFUSED)
    assert transfer.inspector.released() == b""
    assert not transfer.inspector.holds_back
    assert transfer.inspector.from_person(b"C0644 1 c\n") == b""
    assert transfer.logged() == ([("a", 0, False)] if asked.startswith(b"C") else [])


def test_answers_of_a_user_in_advance_of_a_download_are_accepted() -> None:
    transfer = Transfer(upload=False)
    transfer.sink(b"\0" + REFUSED + b"\0\0")
    transfer.source(b"C0644 9 readme\nC0644 6 shadow\nsecret\0")
    assert transfer.logged() == [("readme", 0, False), ("shadow", 6, True)]


def test_answers_in_advance_are_bounded() -> None:
    transfer = Transfer(upload=False)
    with pytest.raises(ValueError, match="in advance"):
        transfer.sink(b"\0" * 10_000)


def test_host_that_does_not_wait_for_the_user_ends_the_session() -> None:
    transfer = Transfer(upload=False)
    transfer.sink(b"\0")
    with pytest.raises(ValueError, match="before the answer"):
        transfer.source(b"C0644 1 a\na\0")


def test_unpaired_answer_ends_an_upload() -> None:
    transfer = Transfer(upload=True)
    transfer.sink(b"\0")
    with pytest.raises(ValueError, match="to nothing"):
        transfer.sink(b"\0")


@pytest.mark.parametrize("last", [b"\x02I give up\n", b"\x01not a folder\n"])
def test_nothing_is_sent_to_a_host_that_has_given_up(last: bytes) -> None:
    transfer = Transfer(upload=True)
    transfer.sink(last)
    assert transfer.inspector.from_person(b"C0644 1 a\n") == b""
    assert not transfer.inspector.holds_back


@pytest.mark.parametrize(
    "line",
    [
        b"C0644 05 a\n",
        b"C0644 -5 a\n",
        b"C0644  5 a\n",
        b"C06 44 5 a\n",
        b"C0644 9223372036854775808 a\n",
        b"C0644 5 \n",
        b"C0644 5 readme\0\n",
        b"C0644 5 " + b"a" * 2040 + b"\n",
        b"T" + b"0" * 2040 + b" 0 1 0C0644 0 hidden\n",
        b"\x01" + b"x" * 2040 + b"C0644 0 hidden\n",
        b"E\n",
        b"\0",
        b"\n",
        b"hello\n",
    ],
)
def test_lines_that_the_other_side_could_parse_differently_end_the_session(transfer: Transfer, line: bytes) -> None:
    with pytest.raises(ValueError, match=r"line|NUL"):
        transfer.source(line)


@pytest.mark.parametrize("answer", [b"\x03no\n", b"hello\n", b"\x01" + b"x" * 2046 + b"\0\n"])
def test_answers_that_the_other_side_could_parse_differently_end_the_session(answer: bytes) -> None:
    for upload in (True, False):
        with pytest.raises(ValueError, match=r"answer|line"):
            Transfer(upload=upload).sink(answer)


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        ([b"C0644 3 a\n"], ("a", 0, False)),
        ([b"C0644 3 a\n", b"\0", b"ab"], ("a", 2, False)),
        ([b"C0644 3 a\n", b"\0", b"abc"], ("a", 3, False)),
        ([b"C0644 3 a\n", b"\0", b"abc\0"], ("a", 3, False)),
    ],
)
def test_transfer_with_pending_answers_is_reported_as_failed(
    transfer: Transfer, steps: list[bytes], told: tuple[str, int, bool]
) -> None:
    for step in steps:
        (transfer.sink if step == b"\0" else transfer.source)(step)
    assert transfer.logged() == [told]


def test_file_without_log_space_is_not_transferred(transfer: Transfer) -> None:
    transfer.file(b"C0644 2 a\n", b"xx")
    transfer.audit.room = 0
    read = transfer.inspector.from_person if transfer.upload else transfer.inspector.from_target
    assert read(b"C0644 2 b\n") == b""
    assert transfer.logged() == [("a", 2, True)]


# A simulated host and random users

LINES = [
    b"C0644 5 a\n", b"C0600 40 b\n", b"C0644 0 c\n", b"D0755 0 d\n", b"E\n", b"T1 0 2 0\n", b"\x01oops\n", b"\x02bad\n",
    b"C0644 05 z\n", b"C06 44 5 q\n", b"C0644 5 n\0\n", b"C0644 1 " + b"l" * 2050 + b"\n", b"junk\n", b"\n",
]  # fmt: skip
CONTENT = [b"hello", b"x" * 40, b"\0", b"C0644 9 lie\n", b"\x01\n"]
ANSWERS = [
    b"\0",
    b"\0",
    b"\0",
    b"\0",
    b"\0\0",
    REFUSED,
    REFUSED,
    b"\x02over\n",
    b"\x03\n",
    b"\x01" + b"y" * 2050 + b"\n",
]


class Play:
    """A transfer through the inspector. It may stop anywhere, with bytes in flight. `ended`: by the inspector."""

    def __init__(self, seed: int, *, upload: bool, honest: bool) -> None:
        self.random = random.Random(seed)
        self.audit = Audit()
        self.inspector = inspector_of(self.audit, upload=upload)
        self.upload, self.honest = upload, honest
        trouble = self.random.choice([0.0, 0.1, 0.4])
        self.host: Sink | Source = Sink(self.random, trouble) if upload else Source(self.random, trouble)
        self.person: Sink | Source | None = None
        if honest:
            self.person = Uploader(self.random, trouble) if upload else Sink(self.random, trouble)
        self.turns = self.random.choice([5, 40, 1000]) if honest else self.random.randrange(2, 60)
        self.drained = self.ended = False
        self.delivered = 0  # bytes of the host that reached the user
        self.said, self.passed = b"", b""

    def run(self) -> None:
        try:
            for _ in range(self.turns):
                if self.honest and not self.host.out and (self.person is None or not self.person.out):
                    self.drained = True
                    break
                self._from_person() if self.random.random() < 0.5 else self._from_host()
            else:
                self.drained = not self.honest and self.random.random() < 0.5
                while self.drained and not self.honest and self.host.out:
                    self._from_host()
        except ValueError:
            self.ended = True
        self.inspector.close()

    def _from_person(self) -> None:
        for piece in pieces(self.random, self._said()):
            self.said += piece
            self._pass_on(self.inspector.from_person(piece))

    def _pass_on(self, passed: bytes) -> None:
        """The host receives exactly the bytes that were sent, in order."""
        self.passed += passed
        assert self.said.startswith(self.passed)
        self.host.feed(passed)

    def _said(self) -> bytes:
        if self.person is None:
            return self.random.choice(self._vocabulary())
        return taken(self.person.out, self.random)

    def _vocabulary(self) -> list[bytes]:
        """Mostly valid input, so that the simulation progresses."""
        if isinstance(self.host, Source):
            return ANSWERS if self.random.random() < 0.3 else [b"\0"]
        if self.random.random() < 0.1:
            return LINES + CONTENT
        if self.host.out and self.random.random() < 0.9:
            return [b""]
        return {"line": LINES[:7], "content": CONTENT, "status": [b"\0", b"\0", b"\x01oops\n"]}[self.host.expects]

    def _from_host(self) -> None:
        for piece in pieces(self.random, taken(self.host.out, self.random)):
            passed = self.inspector.from_target(piece)
            assert passed == piece
            self._pass_on(self.inspector.released())
            self.delivered += len(passed)
            if self.person is not None:
                self.person.feed(passed)

    @property
    def logged(self) -> list[tuple[str, int, bool]]:
        return [entry[1:] for entry in self.audit.transfers]


def taken(out: bytearray, source: random.Random) -> bytes:
    size = source.choice([1, 30, 5000])
    data = bytes(out[:size])
    del out[:size]
    return data


@settings(max_examples=3000)
@given(seed=st.integers(0, 2**32), upload=st.booleans())
def test_honest_transfers_pass_and_the_log_is_exact(seed: int, upload: bool) -> None:
    play = Play(seed, upload=upload, honest=True)
    play.run()

    assert not play.ended
    assert play.audit.held == 0
    assert play.passed == play.said
    if play.drained:
        assert play.logged == [file.entry for file in play.host.files]
    check_nothing_is_hidden(play)


@settings(max_examples=6000)
@given(seed=st.integers(0, 2**32), upload=st.booleans())
def test_no_input_of_a_user_hides_a_file(seed: int, upload: bool) -> None:
    play = Play(seed, upload=upload, honest=False)
    play.run()

    assert play.audit.held == 0
    check_nothing_is_hidden(play)
    if play.drained and not play.ended and upload:
        assert real(play.logged) == real([file.entry for file in play.host.files])


def real(files: list[tuple[str, int, bool]]) -> list[tuple[str, int, bool]]:
    """Leave out files of which nothing was carried, as after a line that the host does not understand."""
    return [file for file in files if file[1] or file[2]]


def check_nothing_is_hidden(play: Play) -> None:
    """Check that the log contains every file that the host received or sent: under its name, with no fewer bytes, and
    never as a false success.
    """
    if play.upload:
        carried = [(file.path, file.size) for file in play.host.files]
    else:
        carried = [
            (file.path, delivered_of(file, play.delivered))
            for file in play.host.files
            if file.named_at <= play.delivered
        ]
    told = [(path, size) for path, size, _ in play.logged]
    assert [path for path, _ in told][: len(carried)] == [path for path, _ in carried]
    assert all(size >= true for (_, size), (_, true) in zip(told, carried, strict=False))
    if not play.ended:
        assert told[: len(carried)] == carried
    successes = [(file.path, file.size) for file in play.host.files if file.success or not play.upload]
    assert not Counter((path, size) for path, size, good in play.logged if good) - Counter(successes)


def delivered_of(file: Carried, delivered: int) -> int:
    """Return how many bytes of a file are among the first bytes of a source."""
    return max(0, min(file.size, delivered - file.content_at)) if file.is_open else 0


def test_random_users_hide_nothing_and_transfer_files() -> None:
    """Checks that the random streams above are meaningful: many of them carry files."""
    plays = [Play(seed, upload=True, honest=False) for seed in range(400)]
    for play in plays:
        play.run()
    assert sum(any(file.size for file in play.host.files) for play in plays) > 40
    assert sum(play.ended for play in plays) > 40
