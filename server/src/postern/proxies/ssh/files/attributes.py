"""Attributes and names in SFTP version 3 (draft-ietf-secsh-filexfer-02, sections 5 and 7)."""

import re
from collections.abc import Iterator
from typing import Final

from postern.contracts.files import FileKind
from postern.proxies.core.targets.files import Attributes, RemoteEntry
from postern.proxies.ssh.sftp_packets import Malformed, Packet

_SIZE, _OWNERS, _MODE, _TIMES, _EXTENDED = 0x1, 0x2, 0x4, 0x8, 0x80000000
_KIND_BITS: Final = 0o170000
_KINDS: Final = {0o100000: FileKind.FILE, 0o040000: FileKind.FOLDER, 0o120000: FileKind.LINK}
_LETTERS: Final = {"-": FileKind.FILE, "d": FileKind.FOLDER, "l": FileKind.LINK}
_MAX_EXTENDED: Final = 64
#: The line of `ls -l` that OpenSSH and most others send with each name: kind, links, owner, group.
_LONG_NAME: Final = re.compile(r"([-dlbcps])[-rwxsStT@+.]{9,11} +\S+ +(\S+) +(\S+) ")
_MAX_TIME: Final = 0xFFFFFFFF


def read_attributes(packet: Packet, at: int, *, owner: str = "", group: str = "") -> tuple[Attributes, int]:
    """Return the attributes at `at`, and the position of their end. Raises `Malformed`."""
    flags = packet.number(at)
    at += 4
    size = mode = modified = None
    if flags & _SIZE:
        size = packet.number(at) << 32 | packet.number(at + 4)
        at += 8
    if flags & _OWNERS:
        owner, group = owner or str(packet.number(at)), group or str(packet.number(at + 4))
        at += 8
    if flags & _MODE:
        mode = packet.number(at)
        at += 4
    if flags & _TIMES:
        modified = packet.number(at + 4)
        at += 8
    if flags & _EXTENDED:
        count = packet.number(at)
        at += 4
        if count > _MAX_EXTENDED:
            raise Malformed("too many extended attributes")
        for _ in range(2 * count):
            _, at = packet.string(at)
    kind = FileKind.OTHER if mode is None else _KINDS.get(mode & _KIND_BITS, FileKind.OTHER)
    permissions = None if mode is None else mode & 0o7777
    return Attributes(kind=kind, size=size, mode=permissions, modified=modified, owner=owner, group=group), at


def read_entries(packet: Packet) -> Iterator[RemoteEntry]:
    """Yield the entries in a NAME answer, without `.` and `..`. Raises `Malformed`."""
    at = 8
    for _ in range(packet.number(4)):
        name, at = packet.string(at)
        long_name, at = packet.string(at)
        line = _LONG_NAME.match(long_name[:300].decode("utf-8", "replace"))
        owner, group = (line[2][:64], line[3][:64]) if line is not None else ("", "")
        attributes, at = read_attributes(packet, at, owner=owner, group=group)
        if attributes.mode is None and line is not None:
            kind = _LETTERS.get(line[1], FileKind.OTHER)
            attributes = Attributes(
                kind=kind, size=attributes.size, modified=attributes.modified, owner=owner, group=group
            )
        if name not in (b".", b"..", b"") and b"/" not in name and b"\0" not in name:
            yield RemoteEntry(name=name, attributes=attributes)


def with_mode(mode: int | None) -> bytes:
    """Encode attributes with permission bits, or without any."""
    return bytes(4) if mode is None else _MODE.to_bytes(4, "big") + (mode & 0o7777).to_bytes(4, "big")


def with_modified(modified: int) -> bytes:
    """Encode attributes with a time, in seconds since 1970, for the last access too. It has 32 bits."""
    time = min(max(modified, 0), _MAX_TIME).to_bytes(4, "big")
    return _TIMES.to_bytes(4, "big") + time + time
