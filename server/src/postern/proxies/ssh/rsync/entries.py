"""Entries of a file list: their fields, what they share with the previous entry, and their sort order."""

import re
import stat
from typing import Final, NamedTuple

from postern.proxies.ssh.rsync.command import Command
from postern.proxies.ssh.rsync.contents import LARGEST_FILE
from postern.proxies.ssh.rsync.greeting import Agreed
from postern.proxies.ssh.rsync.tape import NotFollowed, Tape

_MORE_FLAGS: Final = 1 << 2
_SAME_MODE: Final = 1 << 1
_SAME_OWNER: Final = 1 << 3
_SAME_GROUP: Final = 1 << 4
_COMMON_BEGINNING: Final = 1 << 5
_LONG_NAME: Final = 1 << 6
_SAME_TIME: Final = 1 << 7
_SAME_MAJOR: Final = 1 << 8  # for a folder: it is sent without its content
_HARD_LINK: Final = 1 << 9
_OWNER_NAME: Final = 1 << 10
_GROUP_NAME: Final = 1 << 11
_FIRST_LINK: Final = 1 << 12
_ERROR_END: Final = _MORE_FLAGS | 1 << 12
_NANOSECONDS: Final = 1 << 13
_SAME_ACCESS: Final = 1 << 14
_UNKNOWN: Final = ~((1 << 15) - 1)

_MAX_PATH: Final = 4096
_MAX_COMMON: Final = 255
#: Each level costs memory and time wherever names are compared.
_MAX_LEVELS: Final = 128
_ENTRY_WEIGHT: Final = 200
_SECOND_NS: Final = 10**9
_KINDS: Final = frozenset({stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO, stat.S_IFSOCK})  # fmt: skip
#: The last version that also sends a device number for pipes and sockets.
_LAST_WITH_SPECIALS: Final = 30
_DEVICES: Final = frozenset({stat.S_IFCHR, stat.S_IFBLK})
_SPECIALS: Final = frozenset({stat.S_IFIFO, stat.S_IFSOCK})
#: Patterns that rsync never writes into a name.
_UNCLEAN: Final = re.compile(rb"\0|//|/$|(?:^|/)\.\.(?:/|$)|(?:^|/)\./", re.DOTALL)

#: Prefixes of each level in a sort key. They sort files before folders, and a folder before its content. No name
#: contains a zero byte, so one can end a key.
_NO_FOLDER: Final = b"\1"
_FOLDER: Final = b"\2"


class Entry(NamedTuple):
    """An entry of a list. `folder` is empty at the top level. `target` is the target of a symbolic link."""

    folder: bytes
    name: bytes
    mode: int
    size: int
    target: bytes

    @property
    def path(self) -> bytes:
        if not self.folder:
            return self.name
        return self.folder + self.name if self.folder == b"/" else self.folder + b"/" + self.name

    @property
    def is_file(self) -> bool:
        return stat.S_ISREG(self.mode)

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.mode)

    @property
    def weight(self) -> int:
        """Approximate memory use in bytes."""
        return _ENTRY_WEIGHT + len(self.name) + len(self.target)


class Entries:
    """Reads the entries of all lists. Names and modes are shared from list to list."""

    def __init__(self, command: Command, agreed: Agreed) -> None:
        self._command = command
        self._agreed = agreed
        self._path = b""
        self._folder = b""
        self._mode = 0

    def read(self, tape: Tape, first_number: int, before: list[Entry]) -> Entry | None:
        """Read the next entry of a list, or None at its end. `before` holds the list's earlier entries. Reads one
        unit.
        """
        flags = self._read_flags(tape)
        if flags is None:
            return None
        path = self._read_path(tape, flags)
        entry = self._linked(tape, flags, path, first_number, before) or self._read_fields(tape, flags, path)
        self._check(entry, path)
        self._path, self._folder, self._mode = path, entry.folder, entry.mode
        return entry

    def _read_flags(self, tape: Tape) -> int | None:
        if self._agreed.long_flags:
            flags = tape.varint()
            if not flags:
                tape.varint()
                return None
        else:
            flags = tape.byte()
            if not flags:
                return None
            if flags & _MORE_FLAGS:
                flags |= tape.byte() << 8
            if flags == _ERROR_END:
                if not self._agreed.safe_list:
                    raise NotFollowed("a list ends in an unknown way")
                tape.varint()
                return None
        if flags & _UNKNOWN:
            raise NotFollowed("an entry has an unknown field")
        return flags

    def _read_path(self, tape: Tape, flags: int) -> bytes:
        common = tape.byte() if flags & _COMMON_BEGINNING else 0
        length = tape.varint() if flags & _LONG_NAME else tape.byte()
        if common > len(self._path) or not 0 < common + length < _MAX_PATH:
            raise NotFollowed("a name has no possible length")
        if bool(flags & _LONG_NAME) is not (length > _MAX_COMMON):
            raise NotFollowed("a name has no possible length")
        rest = tape.take(length)
        if common < min(len(self._path), _MAX_COMMON) and rest[:1] == self._path[common : common + 1]:
            raise NotFollowed("a name shares less than it could with the one before")
        return self._path[:common] + rest

    def _linked(self, tape: Tape, flags: int, path: bytes, first_number: int, before: list[Entry]) -> Entry | None:
        """Return the entry of a further hard link to a file whose first name is in the same list. It has no other
        fields.
        """
        if not flags & _HARD_LINK:
            if flags & _FIRST_LINK:
                raise NotFollowed("an entry has a field that the options exclude")
            return None
        if not self._command.hard_links:
            raise NotFollowed("an entry has a field that the options exclude")
        if flags & _FIRST_LINK:
            return None
        number = tape.varint()
        if not number < first_number + len(before):
            raise NotFollowed("a hard link leads to no entry")
        if number < first_number:
            return None
        first = before[number - first_number]
        return Entry(*self._split(path), first.mode, first.size, first.target)

    def _read_fields(self, tape: Tape, flags: int, path: bytes) -> Entry:
        command = self._command
        size = tape.varlong(3)
        if not flags & _SAME_TIME:
            tape.varlong(4)
        if flags & _NANOSECONDS and not 0 < tape.varint() < _SECOND_NS:
            raise NotFollowed("a time is impossible")
        mode = self._mode if flags & _SAME_MODE else tape.number()
        kind = mode & ~0o7777
        if not 0 <= size <= LARGEST_FILE or kind not in _KINDS:
            raise NotFollowed("an entry is of no known kind")
        if command.access_times and kind != stat.S_IFDIR and not flags & _SAME_ACCESS:
            tape.varlong(4)
        self._read_account(tape, flags, _SAME_OWNER, _OWNER_NAME, has_field=command.owners)
        self._read_account(tape, flags, _SAME_GROUP, _GROUP_NAME, has_field=command.groups)
        if self._has_device(kind):
            if not flags & _SAME_MAJOR:
                tape.varint()
            tape.varint()
        target = b""
        if command.links and kind == stat.S_IFLNK:
            length = tape.varint()
            if not 0 < length < _MAX_PATH:
                raise NotFollowed("a link has no possible length")
            target = tape.take(length)
        if command.checksums and kind == stat.S_IFREG:
            tape.take(self._agreed.list_sum_bytes)
        return Entry(*self._split(path), mode, size, target)

    def _has_device(self, kind: int) -> bool:
        if kind in _DEVICES:
            return self._command.devices
        return self._command.specials and kind in _SPECIALS and self._agreed.version == _LAST_WITH_SPECIALS

    def _read_account(self, tape: Tape, flags: int, same: int, named: int, *, has_field: bool) -> None:
        if flags & same:
            if flags & named:
                raise NotFollowed("an entry has a field that the options exclude")
            return
        if not has_field:
            raise NotFollowed("an entry has a field that the options exclude")
        tape.varint()
        if flags & named:
            if self._command.numeric_ids or not self._agreed.incremental:
                raise NotFollowed("an entry has a field that the options exclude")
            tape.take(tape.byte())

    def _split(self, path: bytes) -> tuple[bytes, bytes]:
        folder, slash, name = path.rpartition(b"/")
        folder = folder or slash  # an absolute path
        # Share one object among all entries of a folder.
        return (self._folder if folder == self._folder else folder), name

    def _check(self, entry: Entry, path: bytes) -> None:
        if _UNCLEAN.search(path) or (path.startswith(b"/") and not self._command.relative):
            raise NotFollowed("a name is none that rsync would send")
        if path.count(b"/") > _MAX_LEVELS:
            raise NotFollowed("a name has too many levels")
        if entry.name == b"." and not entry.is_folder:
            raise NotFollowed("a name is none that rsync would send")
        if b"\0" in entry.target:
            raise NotFollowed("a link leads to no possible place")


def key_of_folder(folder: bytes) -> bytes:
    """Return the common key prefix of everything in a folder. It contains each level with its slash, as rsync compares
    them.
    """
    return _FOLDER + folder.removesuffix(b"/").replace(b"/", b"/" + _FOLDER) + b"/" if folder else b""


def key_in_folder(entry: Entry) -> bytes:
    if not entry.is_folder:
        return _NO_FOLDER + entry.name
    return _NO_FOLDER if entry.name == b"." else _FOLDER + entry.name + b"/"
