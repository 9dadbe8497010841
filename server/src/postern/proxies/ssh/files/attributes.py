"""Attributes and names in SFTP version 3 (draft-ietf-secsh-filexfer-02, sections 5 and 7)."""

import struct
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

import msgspec

from postern.contracts.files import FileKind
from postern.kernel.log import printable
from postern.proxies.core.targets.files import Attributes, RemoteEntry
from postern.proxies.ssh.sftp_packets import Malformed, Packet

_SIZE, _OWNERS, _MODE, _TIMES, _EXTENDED = 0x1, 0x2, 0x4, 0x8, 0x80000000
_KIND_BITS: Final = 0o170000
_KINDS: Final = {0o100000: FileKind.FILE, 0o040000: FileKind.FOLDER, 0o120000: FileKind.LINK}
_LETTERS: Final = {"-": FileKind.FILE, "d": FileKind.FOLDER, "l": FileKind.LINK}
_MAX_EXTENDED: Final = 64
_MAX_TIME: Final = 0xFFFFFFFF
_MAX_OWNER: Final = 64
#: All four fields, which OpenSSH always sends: flags, size, owner, group, mode, last access, last change.
_USUAL: Final = struct.Struct(">IQIIIII")
_USUAL_FLAGS: Final = _SIZE | _OWNERS | _MODE | _TIMES
#: The line of `ls -l` that OpenSSH and most others send with each name begins so: kind and mode, links, owner, group.
_LINE_PARTS: Final = 5
_NO_NAMES: Final = frozenset({b"", b".", b".."})


def read_attributes(packet: Packet, at: int, *, owner: str = "", group: str = "") -> tuple[Attributes, int]:
    """Return the attributes at `at`, and the position of their end. Raises `Malformed`."""
    flags = packet.number(at)
    at += 4
    size = mode = modified = ids = None
    if flags & _SIZE:
        size = packet.number(at) << 32 | packet.number(at + 4)
        at += 8
    if flags & _OWNERS:
        ids = packet.number(at), packet.number(at + 4)
        owner, group = owner or str(ids[0]), group or str(ids[1])
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
    attributes = Attributes(
        kind=kind, size=size, mode=permissions, modified=modified, owner=owner, group=group, ids=ids
    )
    return attributes, at


def read_entries(packet: Packet) -> Iterator[RemoteEntry]:
    """Yield the entries in a NAME answer, without `.` and `..`. Raises `Malformed`."""
    at, body = 8, packet.body
    for _ in range(packet.number(4)):
        name, at = packet.string(at)
        line, at = packet.string(at)
        letter, owner, group = _line(line)
        if len(body) - at >= _USUAL.size and (usual := _USUAL.unpack_from(body, at))[0] == _USUAL_FLAGS:
            _, size, uid, gid, mode, _, modified = usual
            at += _USUAL.size
            attributes = Attributes(
                kind=_KINDS.get(mode & _KIND_BITS, FileKind.OTHER),
                size=size,
                mode=mode & 0o7777,
                modified=modified,
                owner=owner or str(uid),
                group=group or str(gid),
                ids=(uid, gid),
            )
        else:
            attributes, at = read_attributes(packet, at, owner=owner, group=group)
            if attributes.mode is None:
                attributes = msgspec.structs.replace(attributes, kind=_LETTERS.get(letter, FileKind.OTHER))
        if name not in _NO_NAMES and b"/" not in name and b"\0" not in name:
            yield RemoteEntry(name=name, attributes=attributes)


def _line(line: bytes) -> tuple[str, str, str]:
    """Return the letter of the kind, the owner and the group in a line of `ls -l`. Empty if it is no such line."""
    parts = line.split(None, _LINE_PARTS - 1)
    if len(parts) < _LINE_PARTS or len(parts[0]) not in (10, 11):
        return "", "", ""
    return parts[0][:1].decode("ascii", "replace"), _owner(parts[2]), _owner(parts[3])


@lru_cache(maxsize=1024)
def _owner(name: bytes) -> str:
    return printable(name.decode("utf-8", "replace"))[:_MAX_OWNER]


def with_mode(mode: int | None) -> bytes:
    """Encode attributes with permission bits, or without any."""
    return bytes(4) if mode is None else _MODE.to_bytes(4, "big") + (mode & 0o7777).to_bytes(4, "big")


def with_owner(ids: tuple[int, int]) -> bytes:
    """Encode attributes with the numbers of owner and group."""
    return _OWNERS.to_bytes(4, "big") + b"".join(number.to_bytes(4, "big") for number in ids)


def with_modified(modified: int) -> bytes:
    """Encode attributes with a time, in seconds since 1970, for the last access too. It has 32 bits."""
    time = min(max(modified, 0), _MAX_TIME).to_bytes(4, "big")
    return _TIMES.to_bytes(4, "big") + time + time
