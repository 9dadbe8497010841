"""Values of `$x` and `${…}` as far as the session shows them."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from postern.kernel.command_control.arithmetic import computed
from postern.kernel.command_control.escapes import unescaped
from postern.kernel.command_control.limits import MAX_TEXT_CHARACTERS, Meter
from postern.kernel.command_control.marks import UNKNOWN, is_literal
from postern.kernel.command_control.patterns import replaced, without_end, without_start
from postern.kernel.command_control.state import IFS, ShellState, Values, put

_INSIDE: Final = re.compile(r"([#!]?)([A-Za-z_]\w*|\d+|[@*#?$!_-])(?:\[([^]]*)\])?(.*)\Z", re.DOTALL)
_HERE: Final = "/" + UNKNOWN
#: What every shell sets. The rest of a path is not known.
_INHERITED: Final[dict[str, str]] = {
    "PATH": "/usr/" + UNKNOWN, "HOME": _HERE, "PWD": _HERE, "OLDPWD": _HERE, "SHELL": "/bin/bash", "BASH": "/bin/bash",
    "IFS": IFS, "OSTYPE": "linux-gnu", "0": "bash", "-": "himBHs", "OPTIND": "1", "SHLVL": "1", "PS4": "+ ",
    # Programs that the host or the user chose: not known, but not empty either.
    **dict.fromkeys(("EDITOR", "VISUAL", "PAGER", "BROWSER", "MANPAGER"), UNKNOWN + UNKNOWN),
}  # fmt: skip
#: Gives the text of the word behind an operator: `${x:-word}`, `${x/pattern/word}`. The flag keeps patterns active.
Word = Callable[[str, bool], str]


@dataclass(slots=True)
class Parameters:
    """Looks values up in `state`, and assigns for `${x:=word}`."""

    state: ShellState
    meter: Meter
    word: Word

    def values(self, inside: str) -> tuple[Values, bool]:
        """The values of `${inside}`, and whether they stay apart inside quotes (`$@`)."""
        if inside.startswith((":-", ":+", "(")):  # zsh: no name; flags
            return (self.word(inside[2:], False),) if inside.startswith(":-") else (UNKNOWN,), False
        match = _INSIDE.match(inside)
        if match is None:
            return (UNKNOWN,), False
        prefix, name, index, rest = match.groups()
        if prefix and rest == "" and name == "":
            return (UNKNOWN,), False
        if prefix == "!":
            return self._indirect(name, index, rest)
        values = self._lookup(name, index)
        if prefix == "#":
            return (self._length(name, index, values),), False
        if rest:
            self.meter.spend(len(rest) + sum(len(value) for value in values or ()))
            return self._operated(name, index, values, rest), _stays_apart(name, index)
        if values is None:
            return (UNKNOWN,), False
        return values, _stays_apart(name, index)

    def value(self, name: str) -> str | None:
        """The single value of a variable; None when nobody set it here."""
        values = self._lookup(name, None)
        return None if values is None else values[0] if values else ""

    def _lookup(self, name: str, index: str | None) -> Values | None:
        if name in ("@", "*"):
            return self.state.positional
        if name.isdigit() and name != "0":
            place = int(name[:4]) - 1
            return (self.state.positional[place],) if place < len(self.state.positional) else ("",)
        if name == "#":
            return (str(len(self.state.positional)),)
        if name == "_":
            return (self.state.last_argument,) if self.state.last_argument else None
        stored = self.state.variables.get(name)
        if stored is None:
            return (_INHERITED[name],) if name in _INHERITED else None
        if index is None:
            return stored[:1] if stored else ("",)
        if index in ("@", "*"):
            return stored
        place_of = computed(self.word(index, False))
        if place_of is None:
            return None
        return (stored[place_of],) if -len(stored) <= place_of < len(stored) else ("",)

    def _indirect(self, name: str, index: str | None, rest: str) -> tuple[Values, bool]:
        if rest in ("*", "@"):
            names = tuple(sorted(known for known in self.state.variables if known.startswith(name)))
            return names, True
        if index in ("@", "*"):
            return tuple(str(place) for place in range(len(self.state.variables.get(name, ())))), True
        target = self._lookup(name, index)
        if not target or not is_literal(target[0]) or target[0].startswith("!"):
            return (UNKNOWN,), False
        return self.values(target[0] + rest)

    def _length(self, name: str, index: str | None, values: Values | None) -> str:
        if values is None:
            return UNKNOWN
        if _stays_apart(name, index) or index == "*":
            return str(len(values))
        return str(len(values[0])) if values and is_literal(values[0]) else UNKNOWN

    def _operated(self, name: str, index: str | None, values: Values | None, rest: str) -> Values:
        conditional = re.match(r":?[-=+?]", rest)
        if conditional:
            return self._conditional(name, values, conditional[0], rest[conditional.end() :])
        if rest[0] == ":":
            return self._slice(name, index, values, rest[1:])
        if values is None:
            return (UNKNOWN,)
        return tuple(self._changed(value, rest) for value in values)

    def _conditional(self, name: str, values: Values | None, sign: str, word: str) -> Values:
        is_set = values is not None and (sign[0] != ":" or bool(values and values[0]))
        if sign[-1] == "+":
            if is_set:
                return (self.word(word, False),)
            # Names in capitals are mostly set by the host.
            self.word(word, False)
            return (
                (self.word(word, False),) if values is None and name.isupper() else (UNKNOWN,) if values is None else ()
            )
        if is_set and values is not None:
            return values
        text = self.word(word, False)
        if sign[-1] == "=":
            put(self.state.variables, name, (text,))
        return (text,)

    def _slice(self, name: str, index: str | None, values: Values | None, rest: str) -> Values:
        offset_text, has_length, length_text = rest.partition(":")
        offset = computed(self.word(offset_text, False))
        length = computed(self.word(length_text, False)) if has_length else None
        if values is None or offset is None or (has_length and length is None):
            return (UNKNOWN,)
        if _stays_apart(name, index) or name == "*" or index == "*":
            listed = ("bash", *values) if name in ("@", "*") else values
            return listed[offset:] if length is None else listed[offset : offset + length]
        value = values[0] if values else ""
        end = len(value) if length is None else offset + length if length >= 0 else len(value) + length
        cut = value[offset:end] if offset >= 0 else value[offset:][: length if length is not None else None]
        certain = is_literal(value) or (offset >= 0 and is_literal(value[:end]) and length is not None and length >= 0)
        return (cut if certain else UNKNOWN,)

    def _changed(self, value: str, rest: str) -> str:
        if rest[0] in "#%":
            longest = rest[1:2] == rest[0]
            pattern = self.word(rest[2 if longest else 1 :], True)
            cut = without_start if rest[0] == "#" else without_end
            return cut(value, pattern, longest=longest, meter=self.meter)
        if rest[0] == "/":
            everywhere = rest[1:2] == "/"
            pattern, _, by = _split_replacement(rest[2 if everywhere else 1 :])
            return replaced(
                value, self.word(pattern, True), self.word(by, False), everywhere=everywhere, meter=self.meter
            )[:MAX_TEXT_CHARACTERS]
        if rest in ("^^", "@U"):
            return value.upper()
        if rest in (",,", "@L"):
            return value.lower()
        if rest in ("^", "@u"):
            return value[:1].upper() + value[1:]
        if rest == ",":
            return value[:1].lower() + value[1:]
        if rest == "~~":
            return value.swapcase()
        if rest in ("@E", "@P"):
            return unescaped(value)
        return value if rest in ("@Q", "@k", "@K") else UNKNOWN


def _stays_apart(name: str, index: str | None) -> bool:
    return name == "@" or index == "@"


def _split_replacement(text: str) -> tuple[str, str, str]:
    """Splits at the first `/` that is not escaped."""
    at = 1 if text.startswith("/") else 0
    while at < len(text):
        if text[at] == "\\":
            at += 2
        elif text[at] == "/":
            return text[:at], "/", text[at + 1 :]
        else:
            at += 1
    return text, "", ""
