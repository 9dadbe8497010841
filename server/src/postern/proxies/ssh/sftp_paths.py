"""The paths in SFTP requests: which requests name paths, what they do with them, and requests with other paths."""

from dataclasses import dataclass
from typing import Final

from postern.proxies.ssh import sftp_packets as sftp
from postern.proxies.ssh.sftp_packets import Packet
from postern.proxies.ssh.sftp_root import Use

_USES: Final[dict[int, tuple[Use, ...]]] = {
    sftp.OPEN: (Use.FOLLOWED,),
    sftp.LSTAT: (Use.NAMED,),
    sftp.SETSTAT: (Use.FOLLOWED,),
    sftp.OPENDIR: (Use.FOLLOWED,),
    sftp.REMOVE: (Use.ENTRY,),
    sftp.MKDIR: (Use.MADE,),
    sftp.RMDIR: (Use.ENTRY,),
    sftp.REALPATH: (Use.FOLLOWED,),
    sftp.STAT: (Use.FOLLOWED,),
    sftp.RENAME: (Use.MOVED, Use.ENTRY),
    sftp.READLINK: (Use.NAMED,),
}
_EXTENSION_USES: Final[dict[bytes, tuple[Use, ...]]] = {
    b"posix-rename@openssh.com": (Use.MOVED, Use.ENTRY),
    b"hardlink@openssh.com": (Use.MOVED, Use.ENTRY),
    b"lsetstat@openssh.com": (Use.NAMED,),
    b"statvfs@openssh.com": (Use.FOLLOWED,),
}
#: Extensions that the host answers with the resolved path.
_ASKING_FOR_PATHS: Final = frozenset({b"expand-path@openssh.com", b"home-directory"})
_RELINKING: Final = frozenset({b"posix-rename@openssh.com", b"hardlink@openssh.com"})
_NAMES: Final = {
    sftp.OPEN: "open",
    sftp.LSTAT: "lstat",
    sftp.SETSTAT: "setstat",
    sftp.OPENDIR: "list",
    sftp.REMOVE: "remove",
    sftp.MKDIR: "mkdir",
    sftp.RMDIR: "rmdir",
    sftp.REALPATH: "realpath",
    sftp.STAT: "stat",
    sftp.RENAME: "rename",
    sftp.READLINK: "readlink",
    sftp.SYMLINK: "symlink",
}
_MAKING: Final = sftp.FLAG_CREATE | sftp.FLAG_WRITE
_EXCLUSIVE: Final = sftp.FLAG_CREATE | sftp.FLAG_EXCLUSIVE


@dataclass(frozen=True, slots=True)
class PathRequest:
    """A request that names paths. `paths` is in the order of the request."""

    name: str  # for the log
    paths: tuple[bytes, ...]
    uses: tuple[Use, ...]
    #: The bytes before and after the paths. The id is not part of them.
    before: bytes = b""
    after: bytes = b""
    #: For a request that makes a file unless there is one: what follows its path if it may only make one.
    only_make: bytes = b""
    #: Whether names may lead elsewhere afterwards.
    moves: bool = False
    #: The target of a new link. It is text and no path of the request.
    link_target: bytes | None = None
    #: Whether the host is asked to resolve a path. `paths` is then the name of the extension, and the text.
    asks_for_path: bool = False


def paths_of(packet: Packet) -> PathRequest | None:
    """Read the paths of a request. Returns None if the request names none."""
    if packet.type == sftp.SYMLINK:
        # OpenSSH and all clients that follow it send the target first, unlike the draft.
        target, end = packet.string(4)
        place, _ = packet.string(end)
        return PathRequest("symlink", (place,), (Use.ENTRY,), before=_string(target), moves=True, link_target=target)
    if packet.type == sftp.EXTENDED:
        return _of_extension(packet)
    uses = _USES.get(packet.type)
    if uses is None:
        return None
    paths, end = _strings(packet, 4, len(uses))
    after = b""
    if packet.type in (sftp.OPEN, sftp.MKDIR, sftp.SETSTAT):
        after = packet.body[end:]
    only_make = b""
    if packet.type == sftp.OPEN:
        flags = packet.number(end)
        if flags & _EXCLUSIVE == _EXCLUSIVE:
            uses = (Use.NAMED,)  # fails on any link
        elif flags & _MAKING == _MAKING:
            only_make = (flags | sftp.FLAG_EXCLUSIVE).to_bytes(4, "big") + after[4:]
    return PathRequest(
        _NAMES[packet.type], paths, uses, after=after, only_make=only_make, moves=packet.type == sftp.RENAME
    )


def _of_extension(packet: Packet) -> PathRequest | None:
    name, end = packet.string(4)
    shown = name.partition(b"@")[0].decode("ascii", "backslashreplace")
    if name in _ASKING_FOR_PATHS:
        text, _ = packet.string(end)
        return PathRequest(shown, (name, text), (), asks_for_path=True)
    uses = _EXTENSION_USES.get(name)
    if uses is None:
        return None
    paths, end = _strings(packet, end, len(uses))
    after = packet.body[end:] if name == b"lsetstat@openssh.com" else b""
    return PathRequest(shown, paths, uses, before=_string(name), after=after, moves=name in _RELINKING)


def with_paths(packet: Packet, request: PathRequest, paths: list[bytes]) -> tuple[Packet, bytes]:
    """Return the request with other paths, and its bytes. Whatever followed the paths without a meaning is left out."""
    kind = sftp.REALPATH if request.asks_for_path else packet.type
    body = packet.body[:4] + request.before + b"".join(map(_string, paths)) + request.after
    raw = (len(body) + 1).to_bytes(4, "big") + bytes([kind]) + body
    return Packet(kind, body, len(raw)), raw


def _strings(packet: Packet, at: int, count: int) -> tuple[tuple[bytes, ...], int]:
    strings = []
    for _ in range(count):
        string, at = packet.string(at)
        strings.append(string)
    return tuple(strings), at


def _string(value: bytes) -> bytes:
    return len(value).to_bytes(4, "big") + value
