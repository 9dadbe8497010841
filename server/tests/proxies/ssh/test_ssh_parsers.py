"""The front's functions over bytes and text: names, commands, SFTP and scp streams, the line editor, admission."""

import tarfile
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postern.contracts.enums import Actions
from postern.proxies.core.limits import Limits
from postern.proxies.core.recording.stream_protocols import PROTOCOLS, ProtocolRecogniser
from postern.proxies.ssh import sftp_packets as sftp
from postern.proxies.ssh.admission import Admission, source_of
from postern.proxies.ssh.classification import ExecKind, classify
from postern.proxies.ssh.line_editor import LineEditor, LineEnd, cells, fit, plain
from postern.proxies.ssh.login_name import LoginName, split_login_name
from postern.proxies.ssh.scp_inspector import ScpInspector
from postern.proxies.ssh.sftp_inspector import SftpInspector
from postern.proxies.ssh.sftp_packets import Packet, PacketCutter
from postern.proxies.ssh.wish import sane_size


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("alice", LoginName(username="alice")),
        ("alice@web1", LoginName(username="alice", asset="web1")),
        ("alice@deploy@web1", LoginName(username="alice", system_user="deploy", asset="web1")),
        ("a@b.c@deploy@web1", LoginName(username="a@b.c", system_user="deploy", asset="web1")),
        ("alice@", LoginName(username="alice@")),
        ("@web1", LoginName(username="@web1")),
        ("", LoginName(username="")),
    ],
)
def test_split_login_name_reads_from_the_right(text: str, expected: LoginName) -> None:
    assert split_login_name(text) == expected


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        (b"ls -la", ExecKind.COMMAND),
        (b"bash", ExecKind.COMMAND),
        (b"/bin/sh -l", ExecKind.COMMAND),
        (b"sudo bash -s arg", ExecKind.COMMAND),
        (b"bash -c 'ls -l'", ExecKind.COMMAND),
        (b"/bin/sh -ec true", ExecKind.COMMAND),
        (b"bash --norc", ExecKind.COMMAND),
        (b"scp -t /tmp", ExecKind.SCP_UPLOAD),
        (b"scp -v -r -d -t -- '/a b'", ExecKind.SCP_UPLOAD),
        (b"/usr/bin/scp -qpf x", ExecKind.SCP_DOWNLOAD),
        (b"exec scp -f x", ExecKind.SCP_DOWNLOAD),
        (b"scp a b", ExecKind.COMMAND),
        (b"/usr/lib/openssh/sftp-server -l INFO", ExecKind.SFTP),
        (b"internal-sftp", ExecKind.SFTP),
        (b"rsync --server -logDtpre.iLsfxC . /dst", ExecKind.RSYNC_UPLOAD),
        (b"rsync --server --sender -l . /src", ExecKind.RSYNC_DOWNLOAD),
        (b"rsync --version", ExecKind.COMMAND),
        (b"unbalanced 'quote", ExecKind.COMMAND),
        (b"", ExecKind.COMMAND),
        (b"\xff\xfe", ExecKind.COMMAND),
    ],
)
def test_classify_names_transfers(command: bytes, kind: ExecKind) -> None:
    assert classify(command).kind is kind


@given(st.binary(max_size=300))
def test_classify_takes_any_bytes(command: bytes) -> None:
    classify(command)


@pytest.mark.parametrize(("given_size", "sane"), [((0, 0), (80, 24)), ((2**32 - 1, 5), (1000, 5)), ((80, 0), (80, 24))])
def test_sane_size(given_size: tuple[int, int], sane: tuple[int, int]) -> None:
    assert sane_size(*given_size) == sane


# SFTP


class Audit:
    """What an inspector needs of a session."""

    language = "en"

    def __init__(self, actions: Actions = Actions.ALL) -> None:
        self.grant = type("Grant", (), {"actions": actions})()
        self.transfers: list[tuple[Any, ...]] = []
        self.refused: list[tuple[str, str]] = []

    def file_transferred(self, direction: Any, operation: str, path: str, **more: Any) -> None:
        self.transfers.append((operation, path, more.get("size", 0), more.get("success", True)))

    def request_refused(self, request: str, detail: str = "") -> None:
        self.refused.append((request, detail))


def packet(kind: int, *parts: int | bytes) -> bytes:
    body = b"".join(
        part.to_bytes(4, "big") if isinstance(part, int) else len(part).to_bytes(4, "big") + part for part in parts
    )
    return (len(body) + 1).to_bytes(4, "big") + bytes([kind]) + body


def chunks(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({cut % (len(data) + 1) for cut in cuts})
    return [data[a:b] for a, b in zip([0, *places], [*places, len(data)], strict=True) if data[a:b]]


STREAM = (
    packet(sftp.INIT, 3)
    + packet(sftp.OPEN, 1, b"/up", sftp.FLAG_WRITE | sftp.FLAG_CREATE, 0)
    + packet(sftp.WRITE, 2, b"h", 0, 0, b"x" * 5000)
    + packet(sftp.CLOSE, 3, b"h")
    + packet(sftp.RENAME, 4, b"/up", b"/other")
)
ANSWERS = (
    packet(sftp.VERSION, 3)
    + packet(sftp.HANDLE, 1, b"h")
    + packet(sftp.STATUS, 2, 0, b"", b"")
    + packet(sftp.STATUS, 3, 0, b"", b"")
    + packet(sftp.STATUS, 4, 4, b"failure", b"")
)


@given(st.lists(st.integers(0, 10_000), max_size=12))
def test_cutter_passes_every_byte_whatever_the_cuts(cuts: list[int]) -> None:
    cutter = PacketCutter()
    parts = [part for chunk in chunks(STREAM, cuts) for part in cutter.feed(chunk)]

    assert b"".join(part for part in parts if isinstance(part, bytes)) == STREAM
    assert [part.type for part in parts if isinstance(part, Packet)] == [1, 3, 6, 4, 18]
    assert cutter.between_packets


@given(st.lists(st.integers(0, 10_000), max_size=8), st.lists(st.integers(0, 10_000), max_size=8))
def test_inspector_passes_what_is_permitted_unchanged_and_reports_it(up: list[int], down: list[int]) -> None:
    audit = Audit()
    inspector = SftpInspector(audit)  # type: ignore[arg-type]  # a stand-in for the session
    # The open must be answered before its handle is used, as with a real client.
    first = len(packet(sftp.INIT, 3)) + len(packet(sftp.OPEN, 1, b"/up", 10, 0))
    sent = b"".join(inspector.from_person(chunk) for chunk in chunks(STREAM[:first], up))
    head = len(packet(sftp.VERSION, 3)) + len(packet(sftp.HANDLE, 1, b"h"))
    got = b"".join(inspector.from_target(chunk) for chunk in chunks(ANSWERS[:head], down))
    sent += b"".join(inspector.from_person(chunk) for chunk in chunks(STREAM[first:], up))
    got += b"".join(inspector.from_target(chunk) for chunk in chunks(ANSWERS[head:], down))

    assert (sent, got) == (STREAM, ANSWERS)
    assert audit.transfers == [("upload", "/up", 5000, True), ("rename", "/up -> /other", 0, False)]


@given(st.lists(st.integers(0, 10_000), max_size=12))
def test_inspector_takes_forbidden_requests_out_and_answers_them(cuts: list[int]) -> None:
    audit = Audit(Actions.CONNECT | Actions.DOWNLOAD_FILE)
    inspector = SftpInspector(audit)  # type: ignore[arg-type]  # a stand-in for the session
    sent = answered = b""
    for chunk in chunks(STREAM, cuts):
        sent += inspector.from_person(chunk)
        answered += inspector.answers()

    assert sent == packet(sftp.INIT, 3) + packet(sftp.CLOSE, 3, b"h")
    replies = [part for part in PacketCutter().feed(answered) if isinstance(part, Packet)]
    assert [(reply.type, reply.request_id, reply.number(4)) for reply in replies] == [
        (101, 1, 3),
        (101, 2, 3),
        (101, 4, 3),
    ]
    assert audit.refused == [("sftp upload", "/up"), ("sftp rename", "/up -> /other")]


def test_own_answers_wait_until_the_target_is_between_two_packets() -> None:
    inspector = SftpInspector(Audit(Actions.DOWNLOAD_FILE))  # type: ignore[arg-type]  # a stand-in for the session
    data = packet(sftp.DATA, 9, b"d" * 100)
    got = inspector.from_target(data[:50])
    inspector.from_person(packet(sftp.REMOVE, 5, b"/x"))
    assert inspector.answers() == b""
    got += inspector.from_target(data[50:] + data)

    replies = [part for part in PacketCutter().feed(got) if isinstance(part, Packet)]
    assert [reply.type for reply in replies] == [sftp.DATA, sftp.STATUS, sftp.DATA]


def test_newer_protocol_versions_are_brought_down_to_three() -> None:
    inspector = SftpInspector(Audit())  # type: ignore[arg-type]  # a stand-in for the session
    assert inspector.from_person(packet(sftp.INIT, 6)) == packet(sftp.INIT, 3)


def test_k39_unknown_extensions_and_types_are_refused() -> None:
    audit = Audit()
    inspector = SftpInspector(audit)  # type: ignore[arg-type]  # a stand-in for the session
    assert inspector.from_person(packet(sftp.EXTENDED, 1, b"copy-data", b"x")) == b""
    assert inspector.from_person(packet(22, 2, b"x")) == b""
    replies = [part for part in PacketCutter().feed(inspector.answers()) if isinstance(part, Packet)]
    assert [reply.number(4) for reply in replies] == [8, 8]
    assert [request for request, _ in audit.refused] == ["sftp extension copy-data", "sftp request type 22"]


@settings(max_examples=300)
@given(st.lists(st.binary(max_size=200), max_size=6), st.lists(st.binary(max_size=200), max_size=6))
def test_k43_inspectors_meet_nonsense_with_a_value_error_only(up: list[bytes], down: list[bytes]) -> None:
    inspectors: list[SftpInspector | ScpInspector] = [
        SftpInspector(Audit()),  # type: ignore[arg-type]  # a stand-in for the session
        ScpInspector(Audit(), upload=True),  # type: ignore[arg-type]  # a stand-in for the session
        ScpInspector(Audit(), upload=False),  # type: ignore[arg-type]  # a stand-in for the session
    ]
    for inspector in inspectors:
        try:
            for piece in up:
                inspector.from_person(piece)
            for piece in down:
                inspector.from_target(piece)
        except ValueError:
            continue
        finally:
            inspector.close()


@given(st.lists(st.integers(0, 10_000), max_size=12))
def test_scp_inspector_names_files_whatever_the_cuts(cuts: list[int]) -> None:
    audit = Audit()
    inspector = ScpInspector(audit, upload=True)  # type: ignore[arg-type]  # a stand-in for the session
    stream = b"D0755 0 dir\nT1 0 1 0\nC0644 5 a b\nhello\0E\nC0600 0 empty\n\0C0644 3 cut\nab"
    for chunk in chunks(stream, cuts):
        assert inspector.from_person(chunk) == chunk
    inspector.close()

    assert audit.transfers == [
        ("upload", "dir/a b", 5, True),
        ("upload", "empty", 0, True),
        ("upload", "cut", 2, False),
    ]


# Protocols of commands, by their bytes


def tar_header() -> bytes:
    info = tarfile.TarInfo("name")
    info.size = 3
    return info.tobuf(tarfile.USTAR_FORMAT)


WIRES = {
    "rsync": (b"\x1f\0\0\0", b"\x1f\0\0\0\xff\x81"),
    "scp": (b"C0644 5 name\nhello\0", b"\0\0"),
    "git": (b"", b"00a1" + b"a" * 40 + b" refs/heads/main\0 side-band"),
    "tar": (b"", tar_header()),
    "sftp": (packet(sftp.INIT, 3), packet(sftp.VERSION, 3)),
}


@pytest.mark.parametrize("name", WIRES)
@given(st.lists(st.integers(0, 10_000), max_size=12), st.booleans())
def test_a_protocol_is_recognised_whatever_the_cuts(name: str, cuts: list[int], person_first: bool) -> None:
    person, target = WIRES[name]
    recogniser = ProtocolRecogniser()
    pieces = [(True, piece) for piece in chunks(person, cuts)], [(False, piece) for piece in chunks(target, cuts)]
    for from_person, piece in (*pieces[not person_first], *pieces[person_first]):
        recogniser.take(piece, from_person=from_person)

    assert recogniser.protocol == name
    assert not recogniser.is_looking


@settings(max_examples=1000)
@given(st.lists(st.tuples(st.booleans(), st.binary(max_size=600)), max_size=8))
def test_k43_a_recogniser_takes_any_bytes_and_keeps_few(pieces: list[tuple[bool, bytes]]) -> None:
    recogniser = ProtocolRecogniser()
    for from_person, piece in pieces:
        recogniser.take(piece, from_person=from_person)

    assert recogniser.protocol in {"", *PROTOCOLS}
    assert len(recogniser._person) <= 1024
    assert len(recogniser._target) <= 1024


@pytest.mark.parametrize(
    ("person", "target"),
    [
        (b"ls\n", b"total 0\n"),
        (b"\x1f\x8b\x08\0", b"\x1f\x8b\x08\0"),  # gzip
        (b"", b"1234 lines of a log\n"),
        (b"\0", b"Copying files\n"),
        (b"", b"x" * 257 + b"ustar" + b"x" * 300),
    ],
)
def test_other_bytes_are_no_protocol(person: bytes, target: bytes) -> None:
    recogniser = ProtocolRecogniser()
    recogniser.take(person, from_person=True)
    recogniser.take(target, from_person=False)

    assert recogniser.protocol == ""


# Lines


def typed(keys: str, **options: Any) -> LineEditor:
    editor = LineEditor("> ", **options)
    editor.feed(keys.encode())
    return editor


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ("abc\r", "abc"),
        ("ab\x7fc\n", "ac"),
        ("数据\x7f库\r", "数库"),
        ("abc\x1b[D\x1b[DX\r", "aXbc"),
        ("abc\x01X\x05Y\r", "XabcY"),
        ("abc\x1b[HX\x1b[FY\r", "XabcY"),
        ("abc\x1bOHX\r", "Xabc"),
        ("abc\x01\x1b[3~\r", "bc"),
        ("one two\x17X\r", "one X"),
        ("one two\x15X\r", "X"),
        ("abc\x01\x0bX\r", "X"),
        ("a\x1b[200~b\x1b[201~c\r", "abc"),
        ("a\x00\x07\x1b]b\r", "ab"),
    ],
)
def test_line_editor_edits(keys: str, text: str) -> None:
    editor = typed(keys)
    assert (editor.end, editor.text) == (LineEnd.ENTER, text)


def test_line_editor_keeps_what_was_typed_ahead() -> None:
    assert typed("one\rtwo\r").rest == b"two\r"


def test_line_editor_shows_no_secret() -> None:
    editor = LineEditor("Password: ", echo=False)
    shown = editor.start() + editor.feed(b"geheim\x7f\x15wort\r")
    assert shown == b"Password: \r\n"
    assert editor.text == "wort"


def test_line_editor_recalls_history() -> None:
    history: list[str] = []
    typed("first\r", history=history)
    typed("second\r", history=history)
    assert typed("dra\x1b[A\x1b[A\r", history=history).text == "first"
    assert typed("dra\x1b[A\x1b[Bft\r", history=history).text == "draft"


@given(st.binary(max_size=200), st.integers(2, 120))
def test_line_editor_takes_any_bytes_and_shows_only_harmless_ones(data: bytes, columns: int) -> None:
    editor = LineEditor("> ", columns=columns)
    shown = (editor.start() + editor.feed(data)).decode()
    assert len(editor.text) <= 1024
    assert plain(editor.text) == editor.text
    for sequence in shown.split("\x1b")[1:]:
        assert sequence.startswith(("[K", "[H", "[2J")) or sequence.partition("D")[0][1:].isdigit()


@given(st.text(max_size=50), st.integers(2, 40))
def test_fit_gives_exactly_the_width(text: str, width: int) -> None:
    assert cells(fit(text, width)) == width


# Admission


def test_admission_counts_connections_total_and_for_each_source() -> None:
    admission = Admission(Limits(connections_per_source=2, new_connections_per_source_per_s=100))
    assert [admission.enter("192.0.2.1") for _ in range(3)] == [True, True, False]
    assert admission.enter("192.0.2.2")
    admission.leave("192.0.2.1", was_known=False)
    assert admission.enter("192.0.2.1")
    assert (admission.connections, admission.unauthenticated) == (3, 3)


def test_admission_limits_the_rate_of_a_source() -> None:
    admission = Admission(Limits(new_connections_per_source_per_s=5))
    taken = []
    for _ in range(8):
        taken.append(admission.enter("192.0.2.1"))
        if taken[-1]:
            admission.leave("192.0.2.1", was_known=False)
    assert taken == [True] * 5 + [False] * 3


def test_admission_counts_strangers_until_they_are_known() -> None:
    admission = Admission(Limits(unauthenticated_per_source=1, new_connections_per_source_per_s=100))
    assert admission.enter("192.0.2.1")
    assert not admission.enter("192.0.2.1")
    admission.known("192.0.2.1")
    assert admission.enter("192.0.2.1")
    admission.leave("192.0.2.1", was_known=True)
    admission.leave("192.0.2.1", was_known=False)
    assert (admission.connections, admission.unauthenticated) == (0, 0)


def test_admission_forgets_sources_that_are_gone() -> None:
    admission = Admission(Limits(connections_total=10**6, connections_unauthenticated=10**6))
    for number in range(20_000):
        address = f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"
        assert admission.enter(address)
        admission.leave(address, was_known=False)
    assert len(admission._sources) < 10_000


@pytest.mark.parametrize(
    ("address", "source"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3::9", "2001:0db8:0001:0002"),
        ("fe80::1%eth0", "fe80:0000:0000:0000"),
        ("strange", "strange"),
    ],
)
def test_source_of_takes_ipv6_networks_as_one(address: str, source: str) -> None:
    assert source_of(address) == source
