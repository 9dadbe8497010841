"""What commands print that only rearrange known text: `echo`, `printf`, `base64 -d`, `rev`, `tr` and their like.

Anything else prints unknown text. None of these functions runs anything.
"""

import base64
import binascii
import codecs
import itertools
import re
from collections.abc import Callable
from typing import Final

from postern.kernel.command_control.escapes import unescaped
from postern.kernel.command_control.files import file_text, write, written_texts
from postern.kernel.command_control.limits import MAX_TEXT_CHARACTERS
from postern.kernel.command_control.machine import Machine, Run
from postern.kernel.command_control.marks import STAR, UNKNOWN, base_name, cleaned, is_literal
from postern.kernel.command_control.substitute import substituted

_PROGRAM_FOLDERS: Final = ("/bin/", "/sbin/", "/usr/", "/opt/")
_FORMAT: Final = re.compile(r"%(?:%|([-+ #0]*)(\d+|\*)?(?:\.(\d+))?([a-zA-Z]))")
Filter = Callable[[list[str], str], str]


def output(machine: Machine, run: Run, name: str) -> str:
    """What the command prints; unknown text when that is not known."""
    if name in _SPOKEN:
        return _SPOKEN[name](run.words[1:])[:MAX_TEXT_CHARACTERS]
    if name == "tee":
        for path in run.words[1:]:
            if not path.startswith("-"):
                write(run.state, path, run.stdin or UNKNOWN, appends="-a" in run.words)
        return run.stdin or UNKNOWN
    maker = _FILTERS.get(name)
    if maker is None:
        return UNKNOWN
    text = run.stdin
    known = [word for word in run.words[1:] if written_texts(run.state, word)]
    if known:
        text = "".join(file_text(run.state, word) for word in known)
    if text is None or not is_literal(text):
        return UNKNOWN
    machine.meter.spend(4 * len(text) + 1)
    arguments = [word for word in run.words[1:] if word not in known]
    if not all(map(is_literal, arguments)):
        return UNKNOWN
    try:
        return maker(arguments, text)[:MAX_TEXT_CHARACTERS]
    except (ValueError, IndexError, binascii.Error):
        return UNKNOWN


def _echo(arguments: list[str]) -> str:
    escapes = newline = False
    at = 0
    while at < len(arguments) and re.fullmatch(r"-[neEs]+", arguments[at]):
        escapes = escapes or "e" in arguments[at]
        newline = newline or "n" in arguments[at]
        at += 1
    text = " ".join(arguments[at:])
    # dash and zsh replace escapes without -e.
    return (unescaped(text) if escapes else text) + ("" if newline else "\n")


def formatted(template: str, arguments: list[str]) -> str:
    """What `printf` prints: the template is used again until no argument is left."""
    parts: list[str] = []
    left = list(arguments)
    for _turn in range(256):
        text, used = _format_once(template, left)
        parts.append(text)
        left = left[used:]
        if not left or not used:
            return "".join(parts)
    return UNKNOWN


def _format_once(template: str, arguments: list[str]) -> tuple[str, int]:
    used = 0

    def value(match: re.Match[str]) -> str:
        nonlocal used
        if match[0] == "%%":
            return "%"
        if match[2] == "*":
            return UNKNOWN
        argument = arguments[used] if used < len(arguments) else ""
        used += 1
        return _converted(match[4], argument, match[3])

    return _FORMAT.sub(value, unescaped(template)), used


def _converted(letter: str, argument: str, precision: str | None) -> str:
    if not is_literal(argument):
        return argument
    cut = int(precision[:4]) if precision else None
    if letter == "s":
        return argument[:cut]
    if letter == "b":
        return unescaped(argument)[:cut]
    if letter == "q":
        return argument
    if letter == "c":
        return argument[:1]
    if argument[:1] in "'\"" and len(argument) > 1:
        argument = str(ord(argument[1]))
    try:
        number = int(argument or "0", 0)
    except ValueError:
        return UNKNOWN
    shapes = {"d": "d", "i": "d", "u": "d", "x": "x", "X": "X", "o": "o"}
    return format(number, shapes[letter]) if letter in shapes else UNKNOWN


def _printf(arguments: list[str]) -> str:
    arguments = arguments[1:] if arguments[:1] == ["--"] else arguments
    return formatted(arguments[0], arguments[1:]) if arguments else ""


def _paths(arguments: list[str]) -> str:
    names = [word for word in arguments if not word.startswith("-")]
    return "".join((name if "/" in name else f"/usr/bin/{name}") + "\n" for name in names)


def _ls(arguments: list[str]) -> str:
    """Of a folder the content is printed, which is not known; programs are in folders that are."""
    names = [word for word in arguments if not word.startswith("-")]
    known = names and all(name.startswith(_PROGRAM_FOLDERS) or not is_literal(name) for name in names)
    return "".join(name + "\n" for name in names) if known else UNKNOWN


def _find(arguments: list[str]) -> str:
    if "-printf" in arguments:
        return UNKNOWN
    for flag, name in itertools.pairwise(arguments):
        if flag in ("-name", "-iname", "-path", "-wholename"):
            return f"/{UNKNOWN}/{base_name(name).replace('*', STAR).replace('?', STAR)}\n"
    return UNKNOWN


def _first(arguments: list[str]) -> str:
    names = [word for word in arguments if not word.startswith("-")]
    return names[0] + "\n" if names else UNKNOWN


def _basename(arguments: list[str]) -> str:
    names = [word for word in arguments if not word.startswith("-")]
    if not names or len(names) != len(arguments):
        return UNKNOWN
    name = base_name(names[0])
    return (name.removesuffix(names[1]) if len(names) > 1 and name != names[1] else name) + "\n"


def _seq(arguments: list[str]) -> str:
    numbers = [int(word[:6]) for word in arguments if word.lstrip("-").isdigit()]
    if not numbers or len(numbers) != len(arguments):
        return UNKNOWN
    first, step, last = (1, 1, numbers[0]) if len(numbers) == 1 else (numbers[0], 1, numbers[-1])
    step = numbers[1] if len(numbers) > 2 else step
    if step == 0 or abs((last - first) // step) > 200:
        return UNKNOWN
    return "".join(f"{number}\n" for number in range(first, last + (1 if step > 0 else -1), step))


def _date(arguments: list[str]) -> str:
    shape = next((word[1:] for word in arguments if word.startswith("+")), None)
    return UNKNOWN if shape is None else re.sub(r"%-?[A-Za-z]", UNKNOWN, shape) + "\n"


def _base64(arguments: list[str], text: str) -> str:
    if any(
        word in ("-d", "-D", "--decode", "-di", "-id") or "--d".startswith(word[:4])
        for word in arguments
        if word.startswith("-")
    ):
        return _decoded(base64.b64decode("".join(text.split()) + "==="))
    return base64.b64encode(text.encode()).decode() + "\n"


def _base32(arguments: list[str], text: str) -> str:
    if any(word.startswith(("-d", "--d")) for word in arguments):
        raw = "".join(text.split())
        return _decoded(base64.b32decode(raw + "=" * (-len(raw) % 8)))
    return base64.b32encode(text.encode()).decode() + "\n"


def _openssl(arguments: list[str], text: str) -> str:
    if not {"base64", "-base64", "-a"} & set(arguments):
        return UNKNOWN
    return _base64(["-d"] if "-d" in arguments else [], text)


def _xxd(arguments: list[str], text: str) -> str:
    letters = "".join(word for word in arguments if word.startswith("-"))
    if "r" not in letters:
        return text.encode().hex() + "\n" if "p" in letters else UNKNOWN
    if "p" not in letters:
        text = "".join(line.partition(":")[2].split("  ")[0] for line in text.split("\n"))
    return _decoded(bytes.fromhex("".join(re.findall(r"[0-9A-Fa-f]", text))))


def _decoded(raw: bytes) -> str:
    return cleaned(raw.decode("utf-8", "replace"))


def _rev(_arguments: list[str], text: str) -> str:
    return "\n".join(line[::-1] for line in text.split("\n"))


def _tac(_arguments: list[str], text: str) -> str:
    return "".join(line + "\n" for line in reversed(text.removesuffix("\n").split("\n")))


def _same(_arguments: list[str], text: str) -> str:
    return text


def _same_without_options(arguments: list[str], text: str) -> str:
    """Options may change the text: `cat -n`, `uniq -c`, `dd bs=1 skip=2`."""
    changes = any(
        word.startswith(("-", "skip", "count", "conv", "bs", "ibs", "obs", "cbs")) and word != "-" for word in arguments
    )
    return UNKNOWN if changes else text


def _grep(arguments: list[str], text: str) -> str:
    """All lines, as if each one matched: none is lost. With -o only the pattern is printed."""
    letters = "".join(word for word in arguments if word.startswith("-"))
    if "o" in letters or "c" in letters or "n" in letters or "b" in letters:
        return UNKNOWN
    return text


def _sorted(arguments: list[str], text: str) -> str:
    return "".join(f"{line}\n" for line in sorted(text.split("\n")[:-1], reverse="-r" in arguments))


_RANGES: Final = re.compile(r"(\\?.)-(\\?.)", re.DOTALL)
_CLASSES: Final = {
    "[:upper:]": "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "[:lower:]": "abcdefghijklmnopqrstuvwxyz", "[:digit:]": "0123456789",
    "[:space:]": " \t\n\r\v\f", "[:blank:]": " \t", "[:punct:]": "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
}  # fmt: skip
_CLASSES["[:alpha:]"] = _CLASSES["[:upper:]"] + _CLASSES["[:lower:]"]
_CLASSES["[:alnum:]"] = _CLASSES["[:digit:]"] + _CLASSES["[:alpha:]"]


def _characters(listed: str) -> str:
    for name, members in _CLASSES.items():
        listed = listed.replace(name, members)
    listed = unescaped(listed)

    def spread(match: re.Match[str]) -> str:
        first, last = ord(match[1][-1]), ord(match[2][-1])
        return "".join(map(chr, range(first, last + 1))) if 0 <= last - first < 256 else match[0]

    return _RANGES.sub(spread, listed)


def _tr(arguments: list[str], text: str) -> str:
    flags = "".join(word for word in arguments if word.startswith("-") and len(word) > 1)
    sets = [_characters(word) for word in arguments if not (word.startswith("-") and len(word) > 1)]
    if "d" in flags or "c" in flags.lower():
        if "d" not in flags:
            return UNKNOWN
        inverted = "c" in flags.lower()
        return "".join(letter for letter in text if (letter in sets[0]) == inverted)
    if len(sets) < 2:
        return re.sub(f"([{re.escape(sets[0])}])\\1+", r"\1", text) if sets and sets[0] else text
    if "s" in flags:
        return UNKNOWN
    second = sets[1] + sets[1][-1:] * (len(sets[0]) - len(sets[1]))
    return text.translate(dict(zip(map(ord, sets[0]), second, strict=False)))


def _option(arguments: list[str], letter: str, long: str) -> str | None:
    for place, word in enumerate(arguments):
        if re.fullmatch(f"-[a-z]*{letter}", word) and place + 1 < len(arguments):
            return arguments[place + 1]
        if word.startswith(f"-{letter}") and len(word) > 2:
            return word[2:]
        if word.startswith(f"--{long}="):
            return word.partition("=")[2]
    return None


def _head(arguments: list[str], text: str) -> str:
    count = _option(arguments, "c", "bytes")
    if count is not None:
        return text[: int(count[:6])]
    lines = _option(arguments, "n", "lines") or next((word[1:] for word in arguments if word[1:].isdigit()), "10")
    return "".join(text.splitlines(keepends=True)[: int(lines[:6])])


def _tail(arguments: list[str], text: str) -> str:
    count = _option(arguments, "c", "bytes")
    if count is not None:
        return text[int(count[1:6]) - 1 :] if count.startswith("+") else text[-int(count[:6]) :]
    lines = _option(arguments, "n", "lines") or next((word[1:] for word in arguments if word[1:].isdigit()), "10")
    split = text.splitlines(keepends=True)
    return "".join(split[int(lines[1:6]) - 1 :] if lines.startswith("+") else split[-int(lines[:6]) :])


def _cut(arguments: list[str], text: str) -> str:
    if any(word.startswith(("--complement", "--output", "--only", "-s")) for word in arguments):
        return UNKNOWN
    places = _option(arguments, "c", "characters") or _option(arguments, "b", "bytes")
    separator = _option(arguments, "d", "delimiter") or "\t"
    fields = _option(arguments, "f", "fields")
    chosen: list[str] = []
    for line in text.removesuffix("\n").split("\n"):
        if places:
            chosen.append("".join(_listed(places, list(line))))
        elif fields:
            chosen.append(separator.join(_listed(fields, line.split(separator))) if separator in line else line)
        else:
            return UNKNOWN
    return "\n".join(chosen) + "\n"


def _listed(places: str, items: list[str]) -> list[str]:
    chosen: set[int] = set()
    for part in places.split(","):
        first, sign, last = part.partition("-")
        start = int(first[:5] or "1")
        end = (int(last[:5]) if last else len(items)) if sign else start
        chosen.update(range(start - 1, min(end, len(items))))
    return [items[place] for place in sorted(chosen) if place < len(items)]


def _sed(arguments: list[str], text: str) -> str:
    scripts = [word for word in arguments if not word.startswith("-")]
    options = {word for word in arguments if word.startswith("-")}
    if not options <= {"-e", "-E", "-r"} or not scripts or (len(scripts) > 1 and "-e" not in options):
        return UNKNOWN
    return substituted(";".join(scripts), text)


def _rot13(_arguments: list[str], text: str) -> str:
    return codecs.encode(text, "rot13")


def _paste(arguments: list[str], text: str) -> str:
    chosen = _option(arguments, "d", "delimiters")
    separator = "\t" if chosen is None else unescaped(chosen)
    if not any(word.startswith("-s") or word == "--serial" for word in arguments):
        return text
    return separator[:1].join(text.removesuffix("\n").split("\n")) + "\n"


_SPOKEN: Final[dict[str, Callable[[list[str]], str]]] = {
    "echo": _echo, "printf": _printf, "print": _echo, "which": _paths, "ls": _ls, "find": _find, "realpath": _first,
    "readlink": _first, "basename": _basename, "seq": _seq, "date": _date, "whereis": _paths, "command": _paths,
    "type": _paths, "whence": _paths, "yes": lambda words: 3 * (" ".join(words or ["y"]) + "\n"), "locate": _paths,
}  # fmt: skip
_FILTERS: Final[dict[str, Filter]] = {
    "cat": _same_without_options, "tac": _tac, "rev": _rev, "base64": _base64, "base32": _base32, "openssl": _openssl, "xxd": _xxd,
    "tr": _tr, "head": _head, "tail": _tail, "cut": _cut, "sed": _sed, "rot13": _rot13, "caesar": _rot13, "sort": _sorted,
    "uniq": _same_without_options, "paste": _paste, "expand": _same, "iconv": _same_without_options, "dd": _same_without_options, "pv": _same_without_options, "grep": _grep,
    "column": _same_without_options, "gbase64": _base64, "basenc": _base64, "less": _same,
}  # fmt: skip
