"""The root of file transfers that are commands: legacy scp and rsync name their paths on the command line.

The host's links are not looked at, because the program on the host would follow others later. A person who may run
commands is not confined by this. It keeps a transfer where the system user's transfers belong.
"""

import re
import shlex
from typing import Final

from postern.proxies.core.recording.transfer_commands import transfer_in
from postern.proxies.ssh.classification import ExecKind, ExecRequest
from postern.proxies.ssh.rsync.command import read_command
from postern.proxies.ssh.rsync.tape import NotFollowed
from postern.proxies.ssh.sftp_root import Outside

_SFTP_SERVER: Final = re.compile(rb"(?:/[A-Za-z0-9_./-]+/)?(?:sftp-server|internal-sftp)")
#: The shell replaces these at the beginning of a word.
_REPLACED: Final = ("~", "#")


class Unclear(Exception):
    """The paths of the command line are not certain."""


def rooted(command: bytes, request: ExecRequest, root: str) -> bytes:
    """Return the command with its relative paths below the root. Raises `Outside`, `Unclear`.

    Commands that are no file transfer are returned as they are.
    """
    if request.kind is ExecKind.SFTP:
        # An option could start it elsewhere, and the home directory is where it starts.
        if not _SFTP_SERVER.fullmatch(command):
            raise Unclear
        return command
    if request.kind in {ExecKind.SCP_UPLOAD, ExecKind.SCP_DOWNLOAD}:
        return _scp(command, request, root)
    if request.kind in {ExecKind.RSYNC_UPLOAD, ExecKind.RSYNC_DOWNLOAD}:
        return _rsync(command, root)
    return command


def _scp(command: bytes, request: ExecRequest, root: str) -> bytes:
    words = _words(command)
    paths = [path.decode("utf-8", "surrogateescape") for path in request.paths]
    if transfer_in(command) != "scp" or not paths or words[-len(paths) :] != paths:
        raise Unclear
    return _with_paths(command, words, paths, root)


def _rsync(command: bytes, root: str) -> bytes:
    try:
        parsed = read_command(command)
    except NotFollowed:
        raise Unclear from None
    words = _words(command)
    for path in parsed.other_paths:
        # Relative paths are below the destination.
        if ".." in path.split("/") or (path.startswith("/") and not _is_below(path, root)):
            raise Outside
    return _with_paths(command, words, parsed.paths, root)


def _words(command: bytes) -> list[str]:
    words = shlex.split(command.decode("utf-8", "surrogateescape"))
    if words[0] in ("sudo", "/usr/bin/sudo") or any(word.startswith(_REPLACED) for word in words):
        raise Unclear
    return words


def _with_paths(command: bytes, words: list[str], paths: list[str], root: str) -> bytes:
    placed = [_placed(path, root) for path in paths]
    if placed == paths:
        return command
    return shlex.join([*words[: -len(paths)], *placed]).encode("utf-8", "surrogateescape")


def _placed(path: str, root: str) -> str:
    """Return the path as the host must get it. It starts programs in the home directory."""
    if ".." in path.split("/"):
        raise Outside
    if path.startswith("/"):
        if not _is_below(path, root):
            raise Outside
        return path
    if root == "home":
        return path
    folder = "/tmp" if root == "tmp" else root.rstrip("/")  # noqa: S108 - the host's
    return f"{folder}/{path}" if path not in ("", ".") else f"{folder}/"


def _is_below(path: str, root: str) -> bool:
    """Whether an absolute path is below the root. Where the home directory is, only the host knows."""
    if root == "home":
        return False
    folder = _names("/tmp" if root == "tmp" else root)  # noqa: S108 - the host's
    return _names(path)[: len(folder)] == folder


def _names(path: str) -> list[str]:
    return [name for name in path.split("/") if name not in ("", ".")]
