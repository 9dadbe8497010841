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
#: rsync's options that remove what was sent; the second is the name of earlier versions.
_REMOVING: Final = ("--remove-source-files", "--remove-sent-files")


class ExecKind(StrEnum):
    COMMAND = "command"
    SCP_UPLOAD = "scp_upload"
    SCP_DOWNLOAD = "scp_download"
    SFTP = "sftp"
    RSYNC_UPLOAD = "rsync_upload"
    RSYNC_DOWNLOAD = "rsync_download"
    #: An scp or rsync at the host's end whose direction is not certain: by its words, or by how its host reads them.
    UNCLEAR_TRANSFER = "unclear_transfer"


#: The action that a permission must hold for each kind; SFTP is judged request by request.
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
    text: str  # for the audit log; bytes that are not UTF-8 stand as escapes
    #: The words behind the options, as bytes.
    paths: tuple[bytes, ...] = ()
    #: `scp -d`: its path is a folder.
    is_into_folder: bool = False
    #: A download that removes on the host what it has sent.
    is_removing: bool = False

    @property
    def needed(self) -> tuple[Actions, ...]:
        """What must be permitted: of each element any action. Removing needs the right that SFTP asks for a removal."""
        return (NEEDED[self.kind], *([Actions.UPLOAD_FILE] if self.is_removing else []))


def classify(command: bytes) -> ExecRequest:
    """Judge a command by its first words. A guard-rail: whoever may run commands can move bytes in other ways."""
    text = command.decode("utf-8", "backslashreplace")
    words = _words(command.decode("utf-8", "surrogateescape"))
    program = words[0].rpartition("/")[2] if words else ""
    if program == "scp":
        return _scp(text, words[1:])
    if program == "rsync":
        return _rsync(text, words[1:])
    return ExecRequest(ExecKind.SFTP if program in {"sftp-server", "internal-sftp"} else ExecKind.COMMAND, text)


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


def _rsync(text: str, words: list[str]) -> ExecRequest:
    """The host's end of an rsync begins with `--server`, and with `--sender` at once if it sends: no client puts them
    anywhere else. There rsync reads them by the host's environment, or as the value of another option.
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
    """The host's end of a legacy transfer: `-t` to here, `-f` from here. With both, versions decide differently."""
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
