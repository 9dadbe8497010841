"""What a command line of an exec request is, as far as rules care: scp, sftp-server, rsync, or just a command."""

import shlex
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from postern.contracts.enums import Actions

_MAX_SPLIT_BYTES: Final = 64 * 1024
#: Programs that only start another one, and their options that take the next word.
_PREFIXES: Final = {
    "exec": "a",
    "command": "",
    "nice": "n",
    "ionice": "cnp",
    "env": "uCS",
    "sudo": "ugpCrtTDRUh",
    "doas": "uC",
}


class ExecKind(StrEnum):
    COMMAND = "command"
    SCP_UPLOAD = "scp_upload"
    SCP_DOWNLOAD = "scp_download"
    SFTP = "sftp"
    RSYNC_UPLOAD = "rsync_upload"
    RSYNC_DOWNLOAD = "rsync_download"


#: The action that a permission must hold for each kind; SFTP is judged request by request.
NEEDED: Final = {
    ExecKind.COMMAND: Actions.CONNECT,
    ExecKind.SCP_UPLOAD: Actions.UPLOAD_FILE,
    ExecKind.SCP_DOWNLOAD: Actions.DOWNLOAD_FILE,
    ExecKind.RSYNC_UPLOAD: Actions.UPLOAD_FILE,
    ExecKind.RSYNC_DOWNLOAD: Actions.DOWNLOAD_FILE,
    ExecKind.SFTP: Actions.NONE,
}


@dataclass(frozen=True)
class ExecRequest:
    kind: ExecKind
    text: str  # for the audit log; bytes that are not UTF-8 stand as escapes


def classify(command: bytes) -> ExecRequest:
    """Judge a command by its first words. A guard-rail: whoever may run commands can move bytes in other ways."""
    text = command.decode("utf-8", "backslashreplace")
    return ExecRequest(_kind(text), text)


def _words(text: str) -> list[str]:
    """The words of a command line, without the harmless programs that only start another one."""
    if len(text) > _MAX_SPLIT_BYTES:
        return []
    try:
        words = shlex.split(text)
    except ValueError:
        words = text.split()
    while words and (prefix := words[0].rpartition("/")[2]) in _PREFIXES:
        words = _without_options(words[1:], _PREFIXES[prefix])
    return words


def _without_options(words: list[str], with_value: str) -> list[str]:
    """The words after a prefix from the program on: options, their values and variables are left out."""
    while words and (words[0].startswith("-") or "=" in words[0]):
        takes_next = len(words[0]) == 2 and words[0][1] in with_value
        words = words[2 if takes_next else 1 :]
    return words


def _kind(text: str) -> ExecKind:
    words = _words(text)
    program = words[0].rpartition("/")[2] if words else ""
    flags = [word for word in words[1:] if word.startswith("-")]
    kind = ExecKind.COMMAND
    if program == "scp":
        kind = _scp_kind("".join(flag[1:] for flag in flags if not flag.startswith("--")))
    elif program in {"sftp-server", "internal-sftp"}:
        kind = ExecKind.SFTP
    elif program == "rsync" and "--server" in flags:
        kind = ExecKind.RSYNC_DOWNLOAD if "--sender" in flags else ExecKind.RSYNC_UPLOAD
    return kind


def _scp_kind(letters: str) -> ExecKind:
    """The remote end of a legacy transfer: `-t` to here, `-f` from here."""
    if "t" in letters:
        return ExecKind.SCP_UPLOAD
    return ExecKind.SCP_DOWNLOAD if "f" in letters else ExecKind.COMMAND
