"""Programs that would carry a shell outside the recording: mosh, Eternal Terminal, a second sshd, terminal sharing.

They are started through SSH and then use their own connection to the user, which Postern does not see. A request that
names such a program is refused with the reason. Like all parsing of command lines this is a guard-rail: a user with a
shell can start such a program under another name. The recording then shows it.
"""

import itertools
import re
import shlex
from collections.abc import Iterator
from typing import Final

_CARRIERS: Final = frozenset(
    {
        "mosh-server", "mosh-server-upstart", "mosh", "tmosh", "tmosh-server",
        "et", "etserver", "etterminal", "htm", "htmd",
        "sshd", "dropbear", "telnetd", "in.telnetd", "utelnetd", "rshd", "in.rshd", "rlogind", "in.rlogind",
        "tmate", "upterm", "sshx", "teleconsole",
        "ttyd", "gotty", "wetty", "shellinaboxd", "webssh", "wssh",
    }
)  # fmt: skip
_SHELLS: Final = frozenset(
    {"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "rbash", "busybox"}
)
#: Programs that only start another program, with those of their options that take a value.
_STARTERS: Final[dict[str, frozenset[str]]] = {
    "sudo": frozenset({"-u", "-g", "-h", "-p", "-C", "-r", "-t", "-T", "-U", "-D", "-R", "--user", "--group", "--chdir"}),
    "doas": frozenset({"-u", "-C", "-a"}),
    "env": frozenset({"-u", "-C", "--unset", "--chdir"}),
    "nice": frozenset({"-n", "--adjustment"}),
    "ionice": frozenset({"-c", "-n", "--class", "--classdata"}),
    "timeout": frozenset({"-s", "-k", "--signal", "--kill-after"}),
    "stdbuf": frozenset({"-i", "-o", "-e"}),
    "chrt": frozenset(),
    "exec": frozenset({"-a"}),
    "command": frozenset(),
    "builtin": frozenset(),
    "nohup": frozenset(),
    "setsid": frozenset(),
    "time": frozenset({"-f", "-o"}),
    "then": frozenset(), "else": frozenset(), "do": frozenset(), "if": frozenset(), "while": frozenset(), "!": frozenset(), "{": frozenset(),
}  # fmt: skip
#: With these options sshd only checks its configuration.
_SSHD_CHECKS: Final = frozenset({"-t", "-T", "-G", "-V"})
_SEPARATORS: Final = ";&|()\n"
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*\+?=")
_DURATION: Final = re.compile(r"[\d.]+[smhd]?\Z")
#: Maximum length of a command that is parsed. Parsing runs on the event loop, character by character.
_MAX_CHARS: Final = 8 * 1024
_MAX_SCRIPTS: Final = 32
_MAX_DEPTH: Final = 4
_NAMED: Final = re.compile(rb"\b(" + "|".join(map(re.escape, sorted(_CARRIERS))).encode() + rb")\b")


def carrier_in(command: bytes) -> str:
    """Return the program that would carry a shell outside the recording, or "" if the command starts none."""
    if not _NAMED.search(command):
        return ""
    return next(_carriers(command.decode("utf-8", "backslashreplace")[:_MAX_CHARS], _MAX_DEPTH), "")


def _carriers(text: str, depth: int) -> Iterator[str]:
    if not depth:
        return
    for words in _simple_commands(text):
        rest = _without_starters(words)
        if not rest:
            continue
        program = rest[0].rpartition("/")[2]
        if program in _CARRIERS and not (program == "sshd" and _SSHD_CHECKS & set(rest[1:])):
            yield program
        for script in itertools.islice(filter(str.strip, _scripts(program, rest)), _MAX_SCRIPTS):
            yield from _carriers(script, depth - 1)


def _scripts(program: str, words: list[str]) -> Iterator[str]:
    """Yield further command lines inside a command."""
    if program in _SHELLS:
        for flag, script in itertools.pairwise(words[1:]):
            if flag.startswith("-") and not flag.startswith("--") and "c" in flag:
                yield script
                break
    elif program == "eval":
        yield " ".join(words[1:])
    for word in words:
        yield from word.split("`")[1::2]  # `$(…)` is split by the lexer


def _simple_commands(text: str) -> Iterator[list[str]]:
    """Yield the words of each command between `;`, `&`, `|`, parentheses and line ends."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=_SEPARATORS)
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    words: list[str] = []
    try:
        for word in lexer:
            if word and word[0] in _SEPARATORS:
                yield words
                words = []
            else:
                words.append(word)
        yield words
    except ValueError:  # an open quote: split without regard to quotes
        for line in re.split(f"[{_SEPARATORS}]", text):
            yield [word.strip("'\"") for word in line.split()]


def _without_starters(words: list[str]) -> list[str]:
    rest = list(words)
    while rest:
        name = rest[0].rpartition("/")[2]
        if _ASSIGNMENT.match(rest[0]):
            rest.pop(0)
        elif name in _STARTERS:
            rest.pop(0)
            while rest and (rest[0].startswith("-") or _ASSIGNMENT.match(rest[0]) or _DURATION.match(rest[0])):
                takes_value = rest.pop(0) in _STARTERS[name]
                if takes_value and rest:
                    rest.pop(0)
        else:
            return rest
    return rest
