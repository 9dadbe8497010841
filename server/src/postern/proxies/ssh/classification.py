"""Classifies the command line of an exec request: scp, sftp-server, rsync, or another command."""

import shlex
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from postern.contracts.enums import Actions

_MAX_SPLIT_BYTES: Final = 64 * 1024
#: Programs that only start another program, with their options that take the next word as value.
_PREFIXES: Final = {
    "exec": "a",
    "command": "",
    "nice": "n",
    "ionice": "cnp",
    "env": "uCS",
    "sudo": "ugpCrtTDRUh",
    "doas": "uC",
}
#: Options of rsync that remove what was sent. The second is the name in earlier versions.
_REMOVING: Final = ("--remove-source-files", "--remove-sent-files")


class ExecKind(StrEnum):
    COMMAND = "command"
    SCP_UPLOAD = "scp_upload"
    SCP_DOWNLOAD = "scp_download"
    SFTP = "sftp"
    RSYNC_UPLOAD = "rsync_upload"
    RSYNC_DOWNLOAD = "rsync_download"
    #: An scp or rsync server process whose direction is uncertain, by its words or by how the host interprets them.
    UNCLEAR_TRANSFER = "unclear_transfer"


#: The action that a permission must include for each kind. SFTP is judged request by request.
NEEDED: Final = {
    ExecKind.COMMAND: Actions.CONNECT,
    ExecKind.SCP_UPLOAD: Actions.UPLOAD_FILE,
    ExecKind.SCP_DOWNLOAD: Actions.DOWNLOAD_FILE,
    ExecKind.RSYNC_UPLOAD: Actions.UPLOAD_FILE,
    ExecKind.RSYNC_DOWNLOAD: Actions.DOWNLOAD_FILE,
    ExecKind.SFTP: Actions.NONE,
    ExecKind.UNCLEAR_TRANSFER: Actions.NONE,
}


@dataclass(frozen=True)
class ExecRequest:
    kind: ExecKind
    text: str  # for the audit log; bytes that are not UTF-8 are escaped
    #: The words after the options, as bytes.
    paths: tuple[bytes, ...] = ()
    #: Whether `scp -d` was given: the path is a folder.
    is_into_folder: bool = False
    #: Whether a download removes the sent files on the host.
    is_removing: bool = False

    @property
    def needed(self) -> tuple[Actions, ...]:
        """The required actions: of each element any action must be permitted. Removal requires the same right as in
        SFTP.
        """
        return (NEEDED[self.kind], *([Actions.UPLOAD_FILE] if self.is_removing else []))


def classify(command: bytes) -> ExecRequest:
    """Classify a command by its first words.

    This is a guard-rail only: users who may run commands can transfer bytes in other ways.
    """
    text = command.decode("utf-8", "backslashreplace")
    words = _words(command.decode("utf-8", "surrogateescape"))
    program = words[0].rpartition("/")[2] if words else ""
    if program == "scp":
        return _scp(text, words[1:])
    if program == "rsync":
        return _rsync(text, words[1:])
    return ExecRequest(ExecKind.SFTP if program in {"sftp-server", "internal-sftp"} else ExecKind.COMMAND, text)


def _words(text: str) -> list[str]:
    """Return the words of a command line, without programs that only start another program."""
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
    """Return the words from the program on, without the prefix's options, their values and variable assignments."""
    while words and (words[0].startswith("-") or "=" in words[0]):
        takes_next = len(words[0]) == 2 and words[0][1] in with_value
        words = words[2 if takes_next else 1 :]
    return words


def _rsync(text: str, words: list[str]) -> ExecRequest:
    """Classify an rsync command.

    The server process of rsync begins with `--server`, followed by `--sender` if it sends. No client puts these
    elsewhere. In other places their meaning depends on the host's environment, or they are the value of another option.
    """
    if "--server" not in words:
        return ExecRequest(ExecKind.COMMAND, text)
    is_download = words[1:2] == ["--sender"]
    if words[0] != "--server" or {"--server", "--sender"} & set(words[2 if is_download else 1 :]):
        return ExecRequest(ExecKind.UNCLEAR_TRANSFER, text)
    return ExecRequest(
        ExecKind.RSYNC_DOWNLOAD if is_download else ExecKind.RSYNC_UPLOAD,
        text,
        is_removing=is_download and any(word.startswith(_REMOVING) for word in words),
    )


def _scp(text: str, words: list[str]) -> ExecRequest:
    """Classify the server process of a legacy scp transfer: `-t` uploads, `-f` downloads. With both, versions of scp
    differ.
    """
    end = words.index("--") if "--" in words else len(words)
    flags = [word for word in words[:end] if word.startswith("-")]
    letters = set("".join(flag[1:] for flag in flags if not flag.startswith("--")))
    directions = letters & {"t", "f"}
    if not directions:
        return ExecRequest(ExecKind.COMMAND, text)
    paths = [word for word in words[:end] if not word.startswith("-")] + words[end + 1 :]
    kind = ExecKind.SCP_UPLOAD if "t" in directions else ExecKind.SCP_DOWNLOAD
    return ExecRequest(
        ExecKind.UNCLEAR_TRANSFER if len(directions) > 1 else kind,
        text,
        paths=tuple(path.encode("utf-8", "surrogateescape") for path in paths),
        is_into_folder="d" in letters,
    )
