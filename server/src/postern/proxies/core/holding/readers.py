"""The program that reads the next line, and the shell line that means the same to the judge.

A database client, the prompt of a language, an editor or `cat` reads lines that are not shell code. Which program reads
is decided by the last line that was *allowed to start one*. Its prompt on the screen can only confirm that, so that output
of the target never switches judging off. In doubt the line is judged as shell code.
"""

import re
import shlex
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from postern.kernel.command_control.verdict import Command
from postern.proxies.core.commands.standing import StandingLine

_SQL_MORE: Final = r"\s*(?:->|'>|\">|`>|/\*>)\s*"
_PYTHON: Final = r"(?:>>>|\.\.\.|In \[\d+\]:|\s*\.\.\.:)\s*"


class _Kind(Enum):
    CLIENT = auto()  # has a prompt of its own and reads one statement after the other
    EDITOR = auto()  # full-screen: editors, pagers, monitors
    DATA = auto()  # copies its input: `cat > file`


@dataclass(frozen=True, slots=True)
class _Program:
    kind: _Kind
    #: The option that would take a line of this program on a command line.
    flag: str = ""
    #: The prompts of the program.
    prompt: str = ""
    #: Options after which it does not read the terminal.
    not_with: tuple[str, ...] = ()
    #: Whether an operand is a script or statement, which is read instead of the terminal.
    operand_is_code: bool = False


_PYTHONS: Final = _Program(_Kind.CLIENT, "-c", _PYTHON, ("-c", "-m"), operand_is_code=True)
_MYSQL: Final = _Program(_Kind.CLIENT, "-e", rf"(?:mysql|MariaDB \[[^\]]*\])>\s*|{_SQL_MORE}", ("-e", "--execute"))
_CLIENTS: Final = {
    "python": _PYTHONS, "python2": _PYTHONS, "python3": _PYTHONS, "ipython": _PYTHONS, "ipython3": _PYTHONS,
    "node": _Program(_Kind.CLIENT, "-e", r"(?:>|\.\.\.|\|)\s*", ("-e", "-p"), operand_is_code=True),
    "irb": _Program(_Kind.CLIENT, "-e", r"irb\(.*[>*\"'/]\s*", operand_is_code=True),
    "php": _Program(_Kind.CLIENT, "-r", r"php\s?[>{('\"]\s*", ("-r", "-f"), operand_is_code=True),
    "lua": _Program(_Kind.CLIENT, "-e", r">{1,2}\s*", ("-e",), operand_is_code=True),
    "mysql": _MYSQL, "mariadb": _MYSQL,
    "psql": _Program(_Kind.CLIENT, "-c", r"[\w.@:/-]*[=\-('\"$^!*][>#]\s*", ("-c", "-f", "--command", "--file", "-l")),
    "sqlite3": _Program(_Kind.CLIENT, "-cmd", r"(?:sqlite|\s*\.\.\.)>\s*", ("-batch",)),
    "redis-cli": _Program(_Kind.CLIENT, "", r"\S+(?:\[\d+\])?>\s*", operand_is_code=True),
    "gdb": _Program(_Kind.CLIENT, "-ex", r"\(gdb\)\s*|\s*>\s*", ("-batch",)),
}  # fmt: skip
_EDITOR: Final = _Program(_Kind.EDITOR)
_EDITORS: Final = frozenset(
    [
        "vi",
        "vim",
        "nvim",
        "view",
        "vimdiff",
        "rvim",
        "rview",
        "nano",
        "pico",
        "emacs",
        "micro",
        "ne",
        "mcedit",
        "joe",
        "less",
        "more",
        "most",
        "man",
        "top",
        "htop",
        "atop",
        "btop",
        "iotop",
        "crontab",
        "visudo",
        "vipw",
        "vigr",
        "sudoedit",
        "journalctl",
        "systemctl",
        "git",
        "w3m",
        "lynx",
    ]
)
_DATA: Final = _Program(_Kind.DATA)
_DATA_PROGRAMS: Final = frozenset({"cat", "tee"})
_VERSIONED: Final = re.compile(r"((?:i?python|php|lua)\d?)[\d.]*\Z")
#: A line with one of these may go on after the program has ended.
_MORE_FOLLOWS: Final = re.compile(r"[;&\n`]|\$\(|<\(")
_EX_LINE: Final = re.compile(r"[:!]|.*\bM-[x!|]|.*(?:Command to execute|Shell command).*:")
_EX_RUNS: Final = re.compile(r"(?:.*?(?:Command to execute|Shell command)[^:]*:|.*?M-[!|]|[^!]*!+)\s*(.*)", re.DOTALL)
_STARTS_SHELL: Final = re.compile(r":?\W*\w*\s*\b(?:sh(?:ell)?|te(?:r(?:m(?:inal)?)?)?|eshell|ansi-term)\b")
_LEAVES: Final = re.compile(r"\s*(?:exit|quit|\\q|\.exit|\.quit|q)\b")


def runs_more(line: str) -> bool:
    """Whether the shell may go on with something else after the first program of a line has ended."""
    return bool(_MORE_FOLLOWS.search(line.strip()))


@dataclass(frozen=True, slots=True)
class Reading:
    """How a line is judged: as shell code, as another program's code, or not at all. `lines` are shell lines."""

    lines: tuple[str, ...]
    #: Whether the session's own shell reads the line, so that it learns from it.
    is_shell: bool = True
    #: Whether the line starts a shell inside the program.
    starts_shell: bool = False


class Reader:
    """Follows which program reads the lines of one terminal."""

    def __init__(self) -> None:
        self._program: _Program | None = None
        self._name = ""
        self._started_at = ""

    @property
    def is_editor(self) -> bool:
        """Whether a full-screen program was started that reads no shell code."""
        return self._program is _EDITOR

    def ran(self, line: str, commands: tuple[Command, ...], prompt: str) -> None:
        """Note a shell line that was released at `prompt`."""
        self._program = None
        if not commands or not prompt.strip() or runs_more(line):
            return
        name, words = commands[-1].names[0], commands[-1].words[1:]
        program = self._started(name, words, "|" in line, commands)
        if program is not None and not (program.prompt and re.fullmatch(program.prompt, prompt.strip() + " ")):
            self._program, self._name, self._started_at = program, name, prompt.strip()

    @staticmethod
    def _started(name: str, words: tuple[str, ...], is_piped: bool, commands: tuple[Command, ...]) -> _Program | None:
        if any(command.names[0] in _EDITORS for command in commands):
            return _EDITOR
        if is_piped:
            return None
        operands = [word for word in words if not word.startswith("-")]
        if name in _DATA_PROGRAMS:
            return _DATA if name == "tee" or not operands else None
        versioned = _VERSIONED.match(name)
        client = _CLIENTS.get(versioned[1] if versioned else name)
        if client is None or any(word.startswith(client.not_with) for word in words if client.not_with):
            return None
        return None if operands and client.operand_is_code else client

    def ended(self) -> None:
        """Note that the program may have ended: Ctrl-C, Ctrl-D, Ctrl-Z, a refusal."""
        if self._program is None or self._program.kind is not _Kind.EDITOR:
            self._program = None

    def read(self, text: str, line: StandingLine | None) -> Reading:
        """Return how to judge `text`, which is at the cursor of `line`."""
        program = self._program
        if program is None:
            return Reading((text,))
        prompt = line.prompt.strip() if line is not None and line.has_prompt else ""
        if prompt and prompt == self._started_at and not (line and line.is_alternate):
            self._program = None
            return Reading((text,))
        if program.kind is _Kind.EDITOR:
            return self._read_in_editor(text, line)
        if program.kind is _Kind.DATA:
            return Reading((text,)) if prompt or line is None or line.is_alternate else Reading((), is_shell=False)
        if not prompt or not re.fullmatch(program.prompt, prompt + " "):
            return Reading((text,))
        if _LEAVES.match(text):
            self._program = None
        flag = [program.flag] if program.flag else []
        return Reading((shlex.join([self._name, *flag, text]),), is_shell=False)

    def _read_in_editor(self, text: str, line: StandingLine | None) -> Reading:
        """A full-screen program runs commands from its command line only, which is the last row."""
        if line is None:
            return Reading((text,))
        row = line.row if line.is_alternate else text
        is_command_line = (line.is_last_row or not line.is_alternate) and _EX_LINE.match(row)
        if not is_command_line:
            return Reading((), is_shell=False) if line.is_alternate else Reading((text,))
        runs = _EX_RUNS.match(row)
        lines = [runs[1]] if runs and runs[1] else []
        if "(" in row:  # calls such as `system("…")`
            lines.append(shlex.join(["vim", "-c", row.lstrip(":")]))
        return Reading(tuple(lines), is_shell=False, starts_shell=bool(_STARTS_SHELL.match(row)) or row.strip() == "!")

    def shell_inside(self) -> None:
        """Note that a shell was started inside the program: its lines are shell code."""
        self._program = None
