"""Options and operands of a command in one form, so that `-rf`, `-f -r` and `--recursive --force` are the same."""

import posixpath
import re
from dataclasses import dataclass
from typing import Final

from postern.kernel.command_control.marks import is_literal

#: Programs whose options have one dash and several letters, which are not clusters.
_LONG_WITH_ONE_DASH: Final = frozenset(
    {"find", "java", "javac", "ffmpeg", "convert", "openssl", "xterm", "gcc", "clang", "ld", "go", "terraform", "qemu-system-x86_64", "Xorg", "mplayer", "dd", "ifconfig", "tclsh", "erl", "unsquashfs", "mksquashfs"}
)  # fmt: skip
_EVERYWHERE: Final = {
    "--recursive": "-r",
    "--force": "-f",
    "--all": "-a",
    "--yes": "-y",
    "--assume-yes": "-y",
    "--help": "--help",
}
_SYNONYMS: Final[dict[str, dict[str, str]]] = {
    "rm": {"-R": "-r", "--dir": "-d", "--interactive": "-i"},
    "cp": {"-R": "-r", "--archive": "-a"},
    "chmod": {"-R": "-R", "--recursive": "-R"},
    "chown": {"-R": "-R", "--recursive": "-R"},
    "chgrp": {"-R": "-R", "--recursive": "-R"},
    "ls": {"--recursive": "-R"},
    "iptables": {
        "--flush": "-F",
        "--delete-chain": "-X",
        "--policy": "-P",
        "--append": "-A",
        "--delete": "-D",
        "--zero": "-Z",
        "--table": "-t",
    },
    "userdel": {"--remove": "-r"},
    "usermod": {"--append": "-a", "--groups": "-G", "--lock": "-L"},
    "shutdown": {"--poweroff": "-P", "--reboot": "-r", "--halt": "-H", "--cancel": "-c"},
    "halt": {"--poweroff": "-p"},
    "reboot": {"--poweroff": "-p"},
    "git": {"--delete": "-d"},
    "crontab": {},
    "systemctl": {"--force": "-f"},
    "tar": {"--extract": "-x", "--create": "-c", "--file": "-f", "--gzip": "-z", "--list": "-t"},
    "curl": {
        "--upload-file": "-T",
        "--output": "-o",
        "--data": "-d",
        "--request": "-X",
        "--form": "-F",
        "--insecure": "-k",
    },
    "nc": {"--exec": "-e", "--listen": "-l"},
    "ncat": {"--exec": "-e", "--listen": "-l", "--sh-exec": "-c"},
    "sed": {"--in-place": "-i", "--quiet": "-n"},
    "passwd": {"--delete": "-d", "--lock": "-l", "--unlock": "-u"},
    "mount": {"--options": "-o", "--types": "-t"},
    "umount": {"--lazy": "-l"},
    "swapoff": {},
    "shred": {"--remove": "-u", "--zero": "-z"},
    "truncate": {"--size": "-s"},
    "kubectl": {"--namespace": "-n", "--all-namespaces": "-A", "--filename": "-f"},
}
_SYNONYMS["ip6tables"] = _SYNONYMS["iptables"]
_SIGNALS: Final = dict(
    zip(("HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM"), map(str, range(1, 16)), strict=True)
) | {"CONT": "18", "STOP": "19", "TSTP": "20"}  # fmt: skip
_SENDS_SIGNALS: Final = frozenset({"kill", "pkill", "killall", "skill"})
_EVERYBODY_WRITES: Final = frozenset(
    {"a=rwx", "ugo=rwx", "a+rwx", "ugo+rwx", "=rwx", "u=rwx,g=rwx,o=rwx", "u+rwx,g+rwx,o+rwx", "a+wrx", "uog+rwx"}
)
#: Their operands are files and the like: a rule may name any of them. Elsewhere the first operand is a sub-command.
_TAKES_FILES: Final = frozenset(
    {"rm", "cp", "mv", "ln", "chmod", "chown", "chgrp", "cat", "ls", "dd", "touch", "mkdir", "rmdir", "shred", "tar", "kill", "pkill", "killall", "vi", "vim", "nano", "less", "more", "tail", "head", "tee", "truncate", "wget", "curl", "ping", "mount", "umount", "scp", "rsync", "ssh", "sudo", "userdel", "useradd", "usermod", "passwd", "shutdown", "init", "telinit", "find", "grep", "sed", "awk", "unlink", "visudo", "chattr", "setfacl", "insmod", "rmmod", "modprobe", "mkfs", "wipefs", "swapoff", "swapon"}
)  # fmt: skip


#: Options that take no value almost everywhere: the word behind them is an operand.
_FLAGS: Final = frozenset(
    {
        "-v",
        "-q",
        "-y",
        "-h",
        "-V",
        "-vv",
        "--verbose",
        "--quiet",
        "--yes",
        "--force",
        "--debug",
        "--no-pager",
        "--now",
        "--all",
        "--dry-run",
        "--system",
        "--user",
        "--silent",
    }
)


#: Their first operand is a mode or an owner, whatever it looks like.
_MODE_FIRST: Final = frozenset({"chmod", "chown", "chgrp"})


@dataclass(frozen=True, slots=True)
class Arguments:
    """The words behind a program."""

    options: frozenset[str]
    #: Options that are not wholly known, such as `-…`.
    open_options: tuple[str, ...]
    #: Each operand, and whether it may be the value of the option before it.
    operands: tuple[tuple[str, bool], ...]


def arguments_of(program: str, words: tuple[str, ...]) -> Arguments:
    """Normalises the words behind `program`."""
    synonyms = _SYNONYMS.get(program, {})
    signals = program in _SENDS_SIGNALS
    options: set[str] = set()
    unknown: list[str] = []
    operands: list[tuple[str, bool]] = []
    after_option = only_operands = False
    for place, word in enumerate(words):
        if only_operands or not word.startswith("-") or word == "-":
            operands.append((_operand(program, word), after_option))
            after_option = False
            continue
        if word == "--":
            only_operands, after_option = True, False
            continue
        after_option = "=" not in word and word not in _FLAGS
        if not is_literal(word):
            unknown.append(word)
        elif signals and _signal(word, words[place + 1 :]) is not None:
            options.add(f"signal {_signal(word, words[place + 1 :])}")
        else:
            options.update(_options(program, word, synonyms))
    return Arguments(frozenset(options), tuple(unknown), tuple(operands))


def _options(program: str, word: str, synonyms: dict[str, str]) -> set[str]:
    if word.startswith("--"):
        name = word.partition("=")[0]
        return {_synonym(name, synonyms), word}
    if program in _LONG_WITH_ONE_DASH or len(word) == 2:
        return {synonyms.get(word, word)}
    letters = {f"-{letter}" for letter in word[1:]}
    return {synonyms.get(letter, letter) for letter in letters} | {word}


def _synonym(name: str, synonyms: dict[str, str]) -> str:
    """The short form of a long option, which may be abbreviated."""
    for table in (synonyms, _EVERYWHERE):
        if name in table:
            return table[name]
        matching = {short for long, short in table.items() if long.startswith(name) and len(name) > 2}
        if len(matching) == 1:
            return matching.pop()
    return name


def _signal(word: str, following: tuple[str, ...]) -> str | None:
    """The number of the signal that `kill` sends."""
    name = word[1:]
    if word in ("-s", "-n", "--signal") and following:
        name = following[0]
    elif word.startswith("--signal="):
        name = word.partition("=")[2]
    elif word.startswith("-s") and len(word) > 2:
        name = word[2:]
    name = name.upper().removeprefix("SIG")
    return name if name.isdigit() else _SIGNALS.get(name)


def _operand(program: str, word: str) -> str:
    if program == "chmod":
        if word in _EVERYBODY_WRITES:
            return "777"
        return re.sub(r"^0+(?=[0-7]{3}$)", "", word)
    if word.startswith("/") and is_literal(word):
        return "/" + posixpath.normpath(word).lstrip("/")
    return word.rstrip("/") if len(word) > 1 and is_literal(word) else word


def names_files(program: str, operand: str) -> bool:
    """Whether a rule's first operand may be in any place, instead of being the sub-command."""
    if program in _MODE_FIRST:
        return False
    return program in _TAKES_FILES or not re.fullmatch(r"[A-Za-z][\w-]*", operand)
