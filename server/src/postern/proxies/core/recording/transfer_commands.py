"""Recognises command lines that can only start a file transfer: the first of two proofs that input is a transfer.

A command line alone proves nothing, because its program may be a shell function of the account. The bytes alone prove
nothing either, because a shell runs the text files inside a well-formed tar stream. So this check is strict, and any
command that is not fully understood is not a transfer.
"""

import re
import shlex
from collections.abc import Callable, Iterator
from typing import Final

_MAX_BYTES: Final = 64 * 1024
#: Anything that could make a shell run a second command, another program, or the same program with other input.
#: Patterns are included, since a file name that matches could become an option.
_SHELL_SYNTAX: Final = re.compile(rb"[;|&<>(){}$`*?\[\r\n\0]")
_PROGRAM: Final = re.compile(r"(?:(?:/usr)?/bin/)?(tar|scp|rsync)")
_SUDO: Final = frozenset({"sudo", "/usr/bin/sudo"})

_SCP_FLAGS: Final = re.compile(r"-[vrpdq]*[tf][vrpdq]*|-[vrpdq]+|--")
_RSYNC_OTHER: Final = ("--daemon", "--config", "--rsh")

_TAR_LETTERS: Final = frozenset("xtvfpmkowCSUBiP")
_TAR_WITH_VALUE: Final = frozenset("fC")
_TAR_LONG: Final = re.compile(
    r"--(?:extract|get|list|verbose|file=-|directory=.*|preserve-permissions|same-permissions|same-owner|no-same-owner"
    r"|no-same-permissions|numeric-owner|strip-components=\d+|overwrite|keep-old-files|keep-newer-files|skip-old-files"
    r"|unlink-first|touch|sparse|xattrs|acls|selinux|exclude=.*)"
)


def transfer_in(command: bytes) -> str:
    """Return `tar`, `scp` or `rsync` if the command line starts only that program, with the transfer as its input.

    Otherwise returns an empty string.
    """
    if len(command) > _MAX_BYTES or _SHELL_SYNTAX.search(command):
        return ""
    try:
        words = shlex.split(command.decode("utf-8", "surrogateescape"))
    except ValueError:
        return ""
    if words[:1] and words[0] in _SUDO:
        words = words[2:] if words[1:2] == ["-n"] else words[1:]
    match = _PROGRAM.fullmatch(words[0]) if words else None
    if match is None:
        return ""
    program = match[1]
    return program if _JUDGES[program](words[1:]) else ""


def _is_scp(words: list[str]) -> bool:
    flags = [word for word in words if word.startswith("-")]
    return all(map(_SCP_FLAGS.fullmatch, flags)) and any({"t", "f"} & set(flag) for flag in flags)


def _is_rsync(words: list[str]) -> bool:
    return words[:1] == ["--server"] and not any(word.startswith(_RSYNC_OTHER) for word in words)


def _is_tar(words: list[str]) -> bool:
    """Whether tar reads the archive from its input. Options that start programs (`--to-command`, `-I` …) are not
    accepted.
    """
    reads_input = False
    rest = iter(words)
    is_first = True
    for word in rest:
        if word.startswith("--"):
            if not _TAR_LONG.fullmatch(word):
                return False
            reads_input |= word == "--file=-"
        elif is_first or word.startswith("-"):
            values = _tar_values(word, rest)
            if values is None:
                return False
            reads_input |= "-" in values
        is_first = False
    return reads_input


def _tar_values(cluster: str, rest: Iterator[str]) -> list[str] | None:
    """Return the values of all `f`s in a cluster of one-letter options. None if the cluster or a value is not
    accepted.
    """
    dashed = cluster.startswith("-")
    letters = cluster.removeprefix("-")
    named = []
    for place, letter in enumerate(letters, 1):
        if letter not in _TAR_LETTERS:
            return None
        if letter in _TAR_WITH_VALUE:
            attached = letters[place:] if dashed else ""
            value = attached or next(rest, "")
            if letter == "f":
                if value != "-":
                    return None
                named.append(value)
            if attached:
                break
    return named


_JUDGES: Final[dict[str, Callable[[list[str]], bool]]] = {"scp": _is_scp, "rsync": _is_rsync, "tar": _is_tar}
