"""Attributes and names of SFTP hosts: what OpenSSH sends, and what others may send or leave out."""

import pytest

from postern.contracts.files import FileKind
from postern.proxies.ssh import sftp_packets as sftp
from postern.proxies.ssh.files.attributes import read_attributes, read_entries, with_mode, with_modified
from postern.proxies.ssh.sftp_packets import Malformed, Packet

LINE = b"-rw-r--r--    1 deploy   www-data       12 Nov 28 12:00 name"


def number(value: int, size: int = 4) -> bytes:
    return value.to_bytes(size, "big")


def string(value: bytes) -> bytes:
    return number(len(value)) + value


def names(*entries: tuple[bytes, bytes, bytes]) -> Packet:
    body = number(1) + number(len(entries))
    body += b"".join(string(name) + string(line) + attributes for name, line, attributes in entries)
    return Packet(sftp.NAME, body, 5 + len(body))


def test_all_fields() -> None:
    whole = (
        number(0xF) + number(5_000_000_000, 8) + number(1000) + number(33) + number(0o100644) + number(1) + number(2)
    )
    (entry,) = read_entries(names((b"a\xff", LINE, whole)))
    found = entry.attributes
    assert (entry.name, found.kind, found.size, found.mode) == (b"a\xff", FileKind.FILE, 5_000_000_000, 0o644)
    assert (found.modified, found.owner, found.group) == (2, "deploy", "www-data")


def test_owners_by_number_without_a_line() -> None:
    whole = number(0xF) + number(1, 8) + number(1000) + number(33) + number(0o040755) + number(1) + number(2)
    (entry,) = read_entries(names((b"a", b"whatever it says", whole)))
    assert (entry.attributes.kind, entry.attributes.owner, entry.attributes.group) == (FileKind.FOLDER, "1000", "33")


def test_the_line_tells_the_kind_of_a_host_without_modes() -> None:
    lines = (LINE, b"d" + LINE[1:], b"l" + LINE[1:], b"p" + LINE[1:], b"")
    kinds = [e.attributes.kind for e in read_entries(names(*((b"n", line, number(0)) for line in lines)))]
    assert kinds == [FileKind.FILE, FileKind.FOLDER, FileKind.LINK, FileKind.OTHER, FileKind.OTHER]


def test_extended_fields_are_skipped() -> None:
    extended = number(0x80000001) + number(7, 8) + number(2) + b"".join(map(string, (b"a", b"b", b"c@x", b"d" * 300)))
    found = [entry.attributes.size for entry in read_entries(names((b"x", b"", extended), (b"y", LINE, extended)))]
    assert found == [7, 7]


def test_names_that_lead_elsewhere_are_left_out() -> None:
    wrong = (b".", b"..", b"", b"../../etc", b"a/b", b"a\0b", b"/")
    assert [e.name for e in read_entries(names(*((name, LINE, number(0)) for name in (*wrong, b"good"))))] == [b"good"]


def test_an_owner_cannot_forge_a_line() -> None:
    line = "-rw-r--r-- 1 \u202eevil\x1b[2J group 1 Nov 28 12:00 x".encode()
    (entry,) = read_entries(names((b"x", line, number(0))))
    assert entry.attributes.owner.isprintable()
    assert "\u202e" not in entry.attributes.owner


@pytest.mark.parametrize("cut", range(1, 60))
def test_a_cut_answer_is_malformed(cut: int) -> None:
    whole = number(0xF) + number(1, 8) + number(1000) + number(33) + number(0o100644) + number(1) + number(2)
    packet = names((b"name", LINE, whole))
    with pytest.raises(Malformed):
        list(read_entries(Packet(packet.type, packet.body[:-cut], packet.length)))


def test_too_many_extended_fields_are_malformed() -> None:
    body = number(1) + number(0x80000000) + number(1_000_000)
    with pytest.raises(Malformed):
        read_attributes(Packet(sftp.ATTRS, body, len(body)), 4)


def test_times_have_32_bits() -> None:
    assert with_modified(-5) == number(8) + bytes(8)
    assert with_modified(1 << 40) == number(8) + b"\xff" * 8
    assert with_mode(0o107777) == number(4) + number(0o7777)
    assert with_mode(None) == number(0)
