"""The root of an SFTP session: finds out where a path really leads on the host, and whether that is below the root.

Paths keep their real names. Relative paths start in the root. Nothing here sends anything: `SftpRoot.locate` is a
generator that yields questions to the host and receives its answers, and `SftpInspector` carries them.

A path is accepted only in its real form: below the root, without `..`, and with no symbolic link on the way. The host is
asked with LSTAT about each folder on the way, in one round trip. If a link is on the way, or the path is spelled in
another way, REALPATH gives the real form, which is then examined in the same manner. So a host whose REALPATH does not
resolve links is not trusted with them. The request continues with the real form, which is also what the log shows.

What was examined is valid for a short time, and until the session itself renames or links something.
"""

import re
import time
from collections.abc import Callable, Generator, Iterator
from enum import Enum, auto
from typing import Final, NamedTuple, TypeAlias, TypeVar

from postern.proxies.ssh import sftp_packets as sftp
from postern.proxies.ssh.sftp_packets import Packet

#: For how long an examined path is not examined again. Links may be changed meanwhile by others on the host.
FRESH_S: Final = 2.0
_MAX_KNOWN: Final = 4096
_MAX_PATH: Final = 4096
_MAX_PARTS: Final = 128
#: Hosts with drive letters also accept backslashes between names.
_DRIVE: Final = re.compile(rb"/[A-Za-z]:(?:/|$)")
_LINK: Final = 0o120000
_FILE: Final = 0o100000
_FOLDER: Final = 0o040000
_KIND: Final = 0o170000
_HAS_SIZE, _HAS_OWNERS, _HAS_MODE, _HAS_TIMES, _HAS_MORE = 1, 2, 4, 8, 1 << 31


class Question(NamedTuple):
    """A request of the proxy itself: its type, its strings, and what follows them."""

    kind: int
    strings: tuple[bytes, ...]
    tail: bytes = b""


T = TypeVar("T")
Steps: TypeAlias = Generator[tuple[Question, ...], tuple[Packet, ...], T]


class Use(Enum):
    """What a request does with a path."""

    FOLLOWED = auto()  # it acts on what a link at the end leads to
    NAMED = auto()  # it acts on the link itself
    ENTRY = auto()  # it changes the entry in the folder, so the root itself is no such path
    MADE = auto()  # it makes the entry. The root itself exists already
    MOVED = auto()  # it moves or links the entry. A link that leads outside must stay where it is


def entries_in(answer: Packet) -> Iterator[tuple[bytes, int | None]]:
    """Yield the names and modes in the answer to a request for the entries of a folder."""
    at = 8
    for _ in range(answer.number(4)):
        name, at = answer.string(at)
        _, at = answer.string(at)
        flags = answer.number(at)
        at += 4 + (8 if flags & _HAS_SIZE else 0) + (8 if flags & _HAS_OWNERS else 0)
        mode = answer.number(at) if flags & _HAS_MODE else None
        at += (4 if flags & _HAS_MODE else 0) + (8 if flags & _HAS_TIMES else 0)
        if flags & _HAS_MORE:
            count = answer.number(at)
            at += 4
            for _ in range(2 * min(count, _MAX_KNOWN)):
                _, at = answer.string(at)
        yield name, mode


class Outside(Exception):
    """The path is not below the root, or that cannot be shown."""


class HostAnswers(Exception):
    """The request cannot succeed on the host: the status that the host gave for a folder on the way."""

    def __init__(self, code: int) -> None:
        super().__init__(f"status {code}")
        self.code = code


class NoRoot(Exception):
    """The host has no such folder."""


def is_whole_host(root: str) -> bool:
    """Whether this root confines nothing."""
    return root.startswith("/") and not root.replace(".", "").strip("/") and ".." not in root


class SftpRoot:
    """The root of one session. `wanted` is `home`, `tmp` or an absolute path."""

    def __init__(self, wanted: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._is_home = wanted == "home"
        self._spelled = b"/tmp" if wanted == "tmp" else wanted.encode("utf-8", "surrogateescape")
        self._spelled = _joined(_parts(self._spelled))
        self._clock = clock
        self._real: bytes | None = None
        self._is_missing = False
        #: Paths below the root that are no links, and until when that is assumed.
        self._known: dict[bytes, float] = {}
        #: Increases when names change their meaning.
        self.age = 0

    @property
    def shown(self) -> bytes:
        """The root as it is named to users."""
        return self._real or (b"~" if self._is_home else self._spelled)

    def is_known(self, path: bytes) -> bool:
        """Whether the real path was examined a short time ago, and is no link."""
        return self._known.get(path, 0.0) > self._clock()

    def forget(self) -> None:
        """Drop what is known: names have changed their meaning."""
        self._known.clear()
        self.age += 1

    def learn(self, folder: bytes, answer: Packet) -> None:
        """Note which entries of a folder are no links. `folder` is its real path, located at the present age."""
        base = folder.rstrip(b"/") + b"/"
        for name, mode in entries_in(answer):
            if len(self._known) >= _MAX_KNOWN:
                return
            if mode is not None and mode & _KIND in (_FILE, _FOLDER) and name not in (b".", b"..") and b"/" not in name:
                self._remember(base + name)

    def locate(self, path: bytes, use: Use) -> Steps[bytes]:
        """Return the real form of a path. Raises `Outside`, `HostAnswers`, `NoRoot`."""
        if self._real is None:
            self._real = yield from self._find()
        spelled = self._absolute(path)
        if use is Use.NAMED and path.endswith(b"/"):
            use = Use.FOLLOWED
        real = spelled
        if not self._is_plain(spelled) or not (yield from self._is_without_links(spelled, use)):
            real = yield from self._asked(spelled, use)
        if real == self._real:
            if use is Use.MADE:
                raise HostAnswers(sftp.STATUS_FAILURE)
            if use in (Use.ENTRY, Use.MOVED):
                raise Outside
        if use is Use.MOVED:
            yield from self._check_moved(real)
        return real

    def check_link_target(self, target: bytes) -> None:
        """Raise `Outside` unless a new link with this target stays below the root wherever it is moved to later.

        So the target may not contain `..`. To be called after `locate`.
        """
        if b".." in _parts(target) or b"\0" in target or not target:
            raise Outside
        if target.startswith(b"/") and not self._is_plain(self._absolute(target)):
            raise Outside
        if self._has_backslashes(target):
            raise Outside

    def expanded(self, question: Question) -> Steps[bytes]:
        """Return the real form of the path that the host answers to a question of the user."""
        if self._real is None:
            self._real = yield from self._find()
        (answer,) = yield (question,)
        path = _name_in(answer)
        if path is None:
            raise HostAnswers(answer.number(4) if answer.type == sftp.STATUS else sftp.STATUS_FAILURE)
        return (yield from self.locate(path, Use.FOLLOWED))

    # The root

    def _find(self) -> Steps[bytes]:
        """Ask where the root is. A host without it is asked once."""
        if self._is_missing:
            raise NoRoot
        self._is_missing = True
        (named,) = yield (Question(sftp.REALPATH, (b"." if self._is_home else self._spelled,)),)
        name = _name_in(named)
        if name is None or not name.startswith(b"/") or b"\0" in name or b".." in _parts(name):
            raise NoRoot
        real = _joined(_parts(name))
        (attributes,) = yield (Question(sftp.STAT, (real,)),)
        mode = _mode_in(attributes)
        if attributes.type != sftp.ATTRS or (mode is not None and mode & _KIND != _FOLDER):
            raise NoRoot
        self._is_missing = False
        return real

    # Spelling

    @property
    def _root(self) -> bytes:
        if self._real is None:
            raise NoRoot
        return self._real

    def _absolute(self, path: bytes) -> bytes:
        """Return the path with one slash between names, and with the root's real name for its configured one."""
        if b"\0" in path or len(path) > _MAX_PATH or self._has_backslashes(path):
            raise Outside
        parts = _parts(path)
        if len(parts) > _MAX_PARTS:
            raise Outside
        if not path.startswith(b"/"):
            return _joined([*_parts(self._root), *parts])
        whole = _joined(parts)
        if not self._is_home and not _is_below(whole, self._root) and _is_below(whole, self._spelled):
            whole = _joined([*_parts(self._root), *parts[len(_parts(self._spelled)) :]])
        return whole

    def _has_backslashes(self, path: bytes) -> bool:
        return b"\\" in path and _DRIVE.match(self._root) is not None

    def _is_plain(self, path: bytes) -> bool:
        return _is_below(path, self._root) and b".." not in path.split(b"/")

    # The host's answers

    def _asked(self, spelled: bytes, use: Use) -> Steps[bytes]:
        """Ask for the real form of a path, and examine it."""
        folder, _, name = spelled.rpartition(b"/")
        if use is Use.FOLLOWED or name in (b"", b".."):
            folder, name = spelled, b""
        (answer,) = yield (Question(sftp.REALPATH, (folder or b"/",)),)
        real_folder = _name_in(answer)
        if real_folder is None:
            # The answer does not reveal what exists outside the root.
            if self._is_plain(spelled) and answer.type == sftp.STATUS:
                raise HostAnswers(answer.number(4))
            raise Outside
        if not real_folder.startswith(b"/") or b"\0" in real_folder or self._has_backslashes(real_folder):
            raise Outside
        parts = _parts(real_folder)
        real = _joined([*parts, name] if name else parts)
        if not self._is_plain(real) or len(parts) > _MAX_PARTS:
            raise Outside
        if not (yield from self._is_without_links(real, use)):
            raise Outside
        return real

    def _is_without_links(self, path: bytes, use: Use) -> Steps[bool]:
        """Whether no link is on the way from the root to the end of the path.

        The end itself may be missing, or anything if the request does not follow a link there.
        """
        names = _parts(path)[len(_parts(self._root)) :]
        steps = len(names) if use is Use.FOLLOWED else len(names) - 1
        base = self._root.rstrip(b"/")
        at = self._clock()
        on_the_way = [base + b"/" + b"/".join(names[: step + 1]) for step in range(steps)]
        unknown = [place for place in on_the_way if self._known.get(place, 0.0) <= at]
        if not unknown:
            return True
        answers = yield tuple(Question(sftp.LSTAT, (place,)) for place in unknown)
        for place, answer in zip(unknown, answers, strict=True):
            if answer.type == sftp.STATUS:
                code = answer.number(4)
                if place != path or code != sftp.STATUS_NO_SUCH_FILE:
                    raise HostAnswers(code)
            else:
                mode = _mode_in(answer)
                if mode is None or mode & _KIND == _LINK:
                    return False
            self._remember(place)
        return True

    def _check_moved(self, path: bytes) -> Steps[None]:
        """Raise `Outside` if the path is a link that leads outside."""
        try:
            if not (yield from self._is_without_links(path, Use.FOLLOWED)):
                yield from self._asked(path, Use.FOLLOWED)
        except HostAnswers as answer:
            if answer.code != sftp.STATUS_NO_SUCH_FILE:
                raise
            raise Outside from None  # a link that leads nowhere, so nobody knows where

    def _remember(self, place: bytes) -> None:
        if len(self._known) >= _MAX_KNOWN:
            self._known.clear()
        self._known[place] = self._clock() + FRESH_S


def _parts(path: bytes) -> list[bytes]:
    return [part for part in path.split(b"/") if part not in (b"", b".")]


def _joined(parts: list[bytes]) -> bytes:
    return b"/" + b"/".join(parts)


def _is_below(path: bytes, root: bytes) -> bool:
    return path == root or path.startswith(root.rstrip(b"/") + b"/")


def _name_in(answer: Packet) -> bytes | None:
    """Return the first name of a NAME answer."""
    if answer.type != sftp.NAME or answer.number(4) < 1:
        return None
    return answer.string(8)[0]


def _mode_in(answer: Packet) -> int | None:
    """Return the mode in an ATTRS answer, if it has one."""
    if answer.type != sftp.ATTRS:
        return None
    flags = answer.number(4)
    if not flags & _HAS_MODE:
        return None
    return answer.number(8 + (8 if flags & _HAS_SIZE else 0) + (8 if flags & _HAS_OWNERS else 0))
