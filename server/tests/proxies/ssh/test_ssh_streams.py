"""The front's stream parsers: SFTP, scp, and the protocols of commands."""

import tarfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postern.contracts.enums import Actions
from postern.proxies.core.recording.stream_protocols import PROTOCOLS, ProtocolRecogniser
from postern.proxies.ssh import sftp_packets as sftp
from postern.proxies.ssh.scp_inspector import ScpInspector
from postern.proxies.ssh.scp_places import ScpPlaces
from postern.proxies.ssh.sftp_inspector import SftpInspector
from postern.proxies.ssh.sftp_packets import Packet, PacketCutter
from proxies.ssh.sftp_bytes import Audit, packet


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
def test_cutter_passes_every_byte_however_the_stream_is_cut(cuts: list[int]) -> None:
    cutter = PacketCutter()
    parts = [part for chunk in chunks(STREAM, cuts) for part in cutter.feed(chunk)]

    assert b"".join(part for part in parts if isinstance(part, bytes)) == STREAM
    assert [part.type for part in parts if isinstance(part, Packet)] == [1, 3, 6, 4, 18]
    assert cutter.between_packets


@given(st.lists(st.integers(0, 10_000), max_size=8), st.lists(st.integers(0, 10_000), max_size=8))
def test_inspector_passes_permitted_requests_unchanged_and_reports_them(up: list[int], down: list[int]) -> None:
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
def test_inspector_removes_forbidden_requests_and_answers_them(cuts: list[int]) -> None:
    audit = Audit(Actions.CONNECT | Actions.DOWNLOAD_FILE)
    inspector = SftpInspector(audit)  # type: ignore[arg-type]  # a stand-in for the session
    sent = answered = b""
    for chunk in chunks(STREAM, cuts):
        sent += inspector.from_person(chunk)
        answered += inspector.answers()

    assert sent == packet(sftp.INIT, 3)
    replies = [part for part in PacketCutter().feed(answered) if isinstance(part, Packet)]
    assert [(reply.type, reply.request_id, reply.number(4)) for reply in replies] == [
        (101, 1, 3),
        (101, 2, 3),
        (101, 3, 4),
        (101, 4, 3),
    ]
    assert audit.refused == [("sftp upload", "/up"), ("sftp unknown handle", ""), ("sftp rename", "/up -> /other")]


def test_own_answers_wait_until_the_target_is_between_two_packets() -> None:
    inspector = SftpInspector(Audit(Actions.DOWNLOAD_FILE))  # type: ignore[arg-type]  # a stand-in for the session
    for number in (8, 9):
        inspector.from_person(packet(sftp.STAT, number, b"/x"))
    data, again = (packet(sftp.ATTRS, number, b"d" * 100) for number in (8, 9))
    got = inspector.from_target(data[:50])
    inspector.from_person(packet(sftp.REMOVE, 5, b"/x"))
    assert inspector.answers() == b""
    got += inspector.from_target(data[50:] + again)

    replies = [part for part in PacketCutter().feed(got) if isinstance(part, Packet)]
    assert [reply.type for reply in replies] == [sftp.ATTRS, sftp.STATUS, sftp.ATTRS]


def test_newer_protocol_versions_are_lowered_to_three() -> None:
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
@given(
    st.lists(st.binary(max_size=50), max_size=3),
    st.lists(st.binary(max_size=200), max_size=6),
    st.lists(st.binary(max_size=200), max_size=6),
)
def test_k43_inspectors_raise_only_value_errors_on_malformed_data(
    paths: list[bytes], up: list[bytes], down: list[bytes]
) -> None:
    inspectors: list[SftpInspector | ScpInspector] = [
        SftpInspector(Audit()),  # type: ignore[arg-type]  # a stand-in for the session
        ScpInspector(Audit(), ScpPlaces(tuple(paths), upload=True), upload=True),  # type: ignore[arg-type]  # a stand-in for the session
        ScpInspector(Audit(), ScpPlaces(tuple(paths), upload=False), upload=False),  # type: ignore[arg-type]  # a stand-in for the session
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
def test_protocol_is_recognised_however_the_stream_is_cut(name: str, cuts: list[int], person_first: bool) -> None:
    person, target = WIRES[name]
    recogniser = ProtocolRecogniser()
    pieces = [(True, piece) for piece in chunks(person, cuts)], [(False, piece) for piece in chunks(target, cuts)]
    for from_person, piece in (*pieces[not person_first], *pieces[person_first]):
        recogniser.take(piece, from_person=from_person)

    assert recogniser.protocol == name
    assert not recogniser.is_looking


@settings(max_examples=1000)
@given(st.lists(st.tuples(st.booleans(), st.binary(max_size=600)), max_size=8))
def test_k43_recogniser_accepts_any_bytes_and_buffers_few(pieces: list[tuple[bool, bytes]]) -> None:
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
def test_other_bytes_are_recognised_as_no_protocol(person: bytes, target: bytes) -> None:
    recogniser = ProtocolRecogniser()
    recogniser.take(person, from_person=True)
    recogniser.take(target, from_person=False)

    assert recogniser.protocol == ""
