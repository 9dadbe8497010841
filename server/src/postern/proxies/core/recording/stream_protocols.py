"""Recognises the protocol of a program without a terminal by its first bytes in both directions. Does no I/O.

The result classifies the session for reviewers. It never decides whether or what is recorded.
"""

import re
from collections.abc import Callable
from typing import Final

#: A tar header has its magic at 257 and its checksum at 148. No other test needs more bytes.
_TAR_BLOCK: Final = 512
_MAX_HEAD: Final = 1024
_TAR_MAGIC_AT: Final = 257
_TAR_CHECKSUM: Final = slice(148, 156)

_SCP_LINE: Final = re.compile(rb"(?:T\d{1,19} \d{1,9} \d{1,19} \d{1,9}|[CD][0-7]{4,5} \d{1,19} [^\n/]+)\n")
_GIT_VERSION: Final = re.compile(rb"[0-9a-f]{4}version [12]\n?")
_GIT_REF: Final = re.compile(rb"[0-9a-f]{4}(?:[0-9a-f]{40}|[0-9a-f]{64}) [^\0\n]{1,512}[\0\n]")
_RSYNC_VERSIONS: Final = range(20, 41)
_RSYNC_DAEMON: Final = re.compile(rb"@RSYNCD: \d{1,3}\.\d{1,3}[ \n]")
_SFTP_FIRST_BYTES: Final = 9
_SFTP_INIT: Final = 1
_SFTP_VERSION: Final = 2

#: Tests the first bytes of the user's side and of the target's side.
Test = Callable[[bytes, bytes], bool]


def _is_rsync(person: bytes, target: bytes) -> bool:
    """Each side begins with its protocol version, 32 bits little-endian. A daemon greets with a line."""
    if _RSYNC_DAEMON.match(person) and _RSYNC_DAEMON.match(target):
        return True
    return _is_rsync_version(person) and _is_rsync_version(target)


def _is_rsync_version(head: bytes) -> bool:
    return len(head) >= 4 and int.from_bytes(head[:4], "little") in _RSYNC_VERSIONS


def _is_scp(person: bytes, target: bytes) -> bool:
    """The sink starts with a zero byte, and the source answers with a C, D or T line."""
    return any(
        sink[:1] == b"\0" and _SCP_LINE.match(source) is not None
        for sink, source in ((person, target), (target, person))
    )


def _is_git(person: bytes, target: bytes) -> bool:  # noqa: ARG001 - every test has the same shape
    """The server speaks first: a pkt-line with the protocol's version or the first reference."""
    head = target.removeprefix(b"0000")
    match = _GIT_VERSION.match(head) or _GIT_REF.match(head)
    return match is not None and int(head[:4], 16) >= len("0000") + 1


def _is_tar(person: bytes, target: bytes) -> bool:
    return _is_tar_header(person) or _is_tar_header(target)


def _is_tar_header(head: bytes) -> bool:
    if len(head) < _TAR_BLOCK or head[_TAR_MAGIC_AT : _TAR_MAGIC_AT + 5] != b"ustar":
        return False
    try:
        wanted = int(head[_TAR_CHECKSUM].strip(b" \0"), 8)
    except ValueError:
        return False
    block = head[:_TAR_BLOCK]
    return sum(block) - sum(block[_TAR_CHECKSUM]) + 8 * 0x20 == wanted


def _is_sftp(person: bytes, target: bytes) -> bool:
    """INIT from the user's side, VERSION from the target."""
    return (
        len(person) >= _SFTP_FIRST_BYTES
        and len(target) >= _SFTP_FIRST_BYTES
        and person[:5] == b"\0\0\0\x05" + bytes((_SFTP_INIT,))
        and target[:2] == b"\0\0"
        and target[4] == _SFTP_VERSION
    )


_TESTS: Final[dict[str, Test]] = {
    "sftp": _is_sftp,
    "rsync": _is_rsync,
    "scp": _is_scp,
    "git": _is_git,
    "tar": _is_tar,
}
PROTOCOLS: Final = frozenset(_TESTS)


class ProtocolRecogniser:
    """Reads both directions until the protocol is recognised, or enough bytes were seen to give up."""

    def __init__(self) -> None:
        self.protocol = ""
        self._person = b""
        self._target = b""

    @property
    def is_looking(self) -> bool:
        return not self.protocol and (len(self._person) < _MAX_HEAD or len(self._target) < _MAX_HEAD)

    def take(self, data: bytes, *, from_person: bool) -> None:
        """Process the next bytes of one direction. Never raises."""
        head = self._person if from_person else self._target
        more = data[: _MAX_HEAD - len(head)]
        if not more:
            return
        if from_person:
            self._person += more
        else:
            self._target += more
        self.protocol = next((name for name, test in _TESTS.items() if test(self._person, self._target)), "")
