"""Code in other languages: `python -c`, `perl -e`, `awk`.

It is not parsed. When it holds a word that starts programs, its string literals are judged as shell code; when such a
call gets something else than a literal, the line is unresolved.
"""

import re
from typing import Final

from postern.kernel.command_control.escapes import unescaped
from postern.kernel.command_control.files import written_texts
from postern.kernel.command_control.machine import Machine, Run
from postern.kernel.command_control.marks import UNKNOWN, is_literal
from postern.kernel.command_control.verdict import Reason

#: Options whose value is code.
_CODE: Final[dict[str, tuple[str, ...]]] = {
    "python": ("-c",), "python3": ("-c",), "python2": ("-c",), "pypy3": ("-c",), "perl": ("-e", "-E"), "ruby": ("-e",),
    "node": ("-e", "-p", "--eval", "--print"), "nodejs": ("-e", "-p"), "deno": ("eval",), "bun": ("-e",), "php": ("-r", "-B", "-R"),
    "lua": ("-e",), "luajit": ("-e",), "tclsh": (), "jshell": (), "R": ("-e",), "Rscript": ("-e",), "julia": ("-e", "-E"),
    "awk": (), "gawk": ("-e", "--source"), "mawk": (), "nawk": (), "original-awk": (), "groovy": ("-e",), "scala": ("-e",),
    "guile": ("-c",), "elixir": ("-e",), "erl": ("-eval",), "osascript": ("-e",), "irb": (), "ipython": ("-c",),
    "sed": ("-e", "--expression"), "gsed": ("-e", "--expression"), "jrunscript": ("-e",), "octave": ("--eval",), "m4": (), "bc": (),
}  # fmt: skip
NAMES: Final = tuple(_CODE)
_VERSIONED: Final = re.compile(r"(python|pypy|perl|ruby|lua|php|node|tclsh|guile)[\d.]+\Z")
_FIRST_OPERAND: Final = frozenset({"awk", "gawk", "mawk", "nawk", "original-awk"})
_STARTS: Final = re.compile(
    r"system|exec|popen|spawn|`|\bqx\b|%x|subprocess|pty\.|open\s*\(?.*\||\|\s*getline|\|\s*[\"']|print\s*\|"
    r"|posix_|os\.\w*run|\brun\s*\(|Runtime|IO\.|shell|syscmd|esyscmd|\bcall\s*\("
)
#: What turns something else into a text.
_DISGUISES: Final = re.compile(
    r"chr\s*\(|decode|fromhex|\bjoin\b|\[::-1\]|reverse|replace|\bpack\b|unhexlify|String\.from|fromCharCode|\beval\b"
    r"|argv|environ|ENV|input\(|stdin|getattr|\+\s*[a-zA-Z_]\w*\s*\+|sprintf|%c|format\(|\.tr\b|\btr/|gsub|substr|__import__"
)
#: A call that starts a program and gets a variable.
_OPEN_CALL: Final = re.compile(
    r"\b(?:system|exec\w*|p?open|spawn\w*|call|run|Popen|check_output|getoutput)\s*(?:\(\s*|\s)\$?@?(?!qw|qq|q\b)[A-Za-z_$]"
)
_LITERAL: Final = re.compile(
    r"'''((?:[^\\]|\\.)*?)'''|\"\"\"((?:[^\\]|\\.)*?)\"\"\"|'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|`((?:[^`\\]|\\.)*)`"
    r"|(?:%x|%q|%Q|%w|\bqx|\bqq|\bq|\bqw)\s*(?:\{([^}]*)\}|\(([^)]*)\)|/([^/]*)/|\[([^]]*)\]|\|([^|]*)\|)",
    re.DOTALL,
)
_BETWEEN_PARTS: Final = re.compile(r"\s*(?:[+.]|\.\.)?\s*\Z")
_BETWEEN_ITEMS: Final = re.compile(r"\s*,\s*\Z")
#: A program that does nothing but print one literal without values in it.
_PRINTED: Final = re.compile(
    r"\s*(?:BEGIN\s*\{)?\s*(?:print|puts|echo|say|console\.log)\s*\(?\s*(?:'([^'\\]*)'|\"([^\"$@#{\\]*)\")\s*\)?;?\s*\}?\s*"
)


def is_interpreter(name: str) -> bool:
    return _plain_name(name) in _CODE


def _plain_name(name: str) -> str:
    match = _VERSIONED.match(name)
    return match[1] if match else name


def run(machine: Machine, job: Run, name: str) -> str | None:
    """What the interpreter prints when `name` is one, None otherwise."""
    name = _plain_name(name)
    flags = _CODE.get(name)
    if flags is None:
        return None
    if name in ("sed", "gsed"):
        _sed(machine, job)
        return None
    words = job.words[1:]
    codes = [words[place + 1] for place, word in enumerate(words[:-1]) if _is_flag(word, flags)]
    codes += [
        word[len(flag) :] for word in words for flag in flags if word.startswith(flag) and len(word) > len(flag) == 2
    ]
    operands = _operands(words, name)
    if name in _FIRST_OPERAND and not codes:
        paths = [words[place + 1] for place, word in enumerate(words[:-1]) if word == "-f"]
        codes += [text for path in paths for text in written_texts(job.state, path)] or operands[:1]
    elif not codes:
        if operands and operands[0] not in ("-", "/dev/stdin"):
            codes += written_texts(job.state, operands[0])
        elif job.stdin is not None:
            codes.append(job.stdin)
    for code in codes:
        run_text(machine, job, name, code)
    if len(codes) == 1:
        printed = _PRINTED.fullmatch(codes[0])
        if printed and is_literal(codes[0]):
            return (printed[1] or printed[2] or "") + "\n"
    return UNKNOWN


def _is_flag(word: str, flags: tuple[str, ...]) -> bool:
    if word in flags:
        return True
    # Clusters such as `-ne`, `-Sc`, `-we`.
    return (
        word.startswith("-")
        and not word.startswith("--")
        and any(len(flag) == 2 and word.endswith(flag[1]) for flag in flags)
    )


def _operands(words: list[str], name: str) -> list[str]:
    operands: list[str] = []
    skips = False
    for word in words:
        if skips:
            skips = False
        elif name in _FIRST_OPERAND and word in ("-F", "-v", "-f"):
            skips = True
        elif word == "-" or not word.startswith("-"):
            operands.append(word)
    return operands


def run_text(machine: Machine, job: Run, name: str, code: str) -> None:
    """Judges the literals of a program text."""
    machine.meter.spend(2 * len(code) + 1)
    if code.strip() == UNKNOWN:
        machine.note(Reason.UNKNOWN_CODE)
        return
    if name in ("tclsh", "expect"):
        for command in re.findall(r"exec\s+([^;\n\]]+)", code):
            machine.run_child(command, job.state)
        return
    if name == "m4":
        for command in re.findall(r"syscmd\(\s*[`']?([^)']+)", code):
            machine.run_child(command, job.state)
        return
    if not _STARTS.search(code):
        return
    if _DISGUISES.search(code) or _OPEN_CALL.search(code) or UNKNOWN in code:
        machine.note(Reason.UNKNOWN_CODE)
    for literal in _literals(code):
        machine.run_child(literal.lstrip("|").strip(), job.state)


def _literals(code: str) -> list[str]:
    """The string literals; neighbours joined by `+` as one, and lists of them as one command more."""
    texts: list[str] = []
    listed: list[str] = []
    end = -1
    for match in _LITERAL.finditer(code):
        text = unescaped(next((group for group in match.groups() if group is not None), ""))
        between = code[end : match.start()] if end >= 0 else ""
        if end >= 0 and _BETWEEN_PARTS.match(between):
            texts[-1] += text
            listed[-1:] = [listed[-1] + text]
        elif end >= 0 and _BETWEEN_ITEMS.match(between):
            texts.append(text)
            listed.append(text)
        else:
            if len(listed) > 1:
                texts.append(" ".join(listed))
            texts.append(text)
            listed = [text]
        end = match.end()
    if len(listed) > 1:
        texts.append(" ".join(listed))
    return [text for text in texts if text.strip()]


_SED_RUNS: Final = re.compile(r"(?:^|[;\n}{!]|^\d+|\$|/)\s*e\s+([^\n]+)")
_SED_REPLACES: Final = re.compile(r"s(.)((?:\\.|(?!\1).)*)\1((?:\\.|(?!\1).)*)\1[gpiI0-9]*e", re.DOTALL)


def _sed(machine: Machine, job: Run) -> None:
    """GNU sed: the command `e code`, and the flag `e` of `s`, which runs the line."""
    for word in job.words[1:]:
        if word.startswith("-") and not word.startswith(("--expression=", "-e")):
            continue
        script = word.removeprefix("--expression=")
        script = script.removeprefix("-e") if script.startswith("-e") else script
        for code in _SED_RUNS.findall(script):
            machine.run_child(code, job.state)
        for match in _SED_REPLACES.finditer(script):
            machine.run_child(match[3], job.state)
        if re.fullmatch(r"\d*\$?e", script) and job.stdin is not None:
            machine.run_child(job.stdin, job.state)
