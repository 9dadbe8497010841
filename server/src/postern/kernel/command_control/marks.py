"""Words with parts that cannot be known: characters of the private use area represent them inside ordinary strings.

A word of a resolved command is a `str`. `UNKNOWN` is any text, `STAR` and `ANY` for the active patterns `*` and
`?`, and `SET_OPEN … SET_CLOSE` for `[…]`. `cleaned` removes these characters from input, so that nobody can type them.
"""

import re
from typing import Final

UNKNOWN: Final = "\ue000"
STAR: Final = "\ue001"
ANY: Final = "\ue002"
SET_OPEN: Final = "\ue003"
SET_CLOSE: Final = "\ue004"

_MARK: Final = re.compile("[\ue000-\ue004]")
_TYPED_MARK: Final = re.compile("[\ue000-\ue004\x00\ud800-\udfff]")
_ATOM: Final = re.compile("\ue003([^\ue004]*)\ue004|[\ue000-\ue004]|[^\ue000-\ue004]+")
_SHOWN: Final = str.maketrans({UNKNOWN: "…", STAR: "*", ANY: "?", SET_OPEN: "[", SET_CLOSE: "]"})
_LONGEST_NAME: Final = 512


def cleaned(text: str) -> str:
    """Input without the characters that have a meaning here; NUL is dropped by every shell. Halves of pairs become `�`, too."""
    return _TYPED_MARK.sub(lambda match: "" if match[0] == "\0" else "\ufffd", text)


def is_literal(word: str) -> bool:
    """Whether every character of the word is known."""
    return word.isascii() or _MARK.search(word) is None


def is_wholly_unknown(word: str) -> bool:
    """Whether no character of the word is known, and not even its length. `/bin/??` is not wholly unknown."""
    return bool(word) and not word.strip(UNKNOWN + STAR)


def shown(word: str) -> str:
    """The word for people and for regular expressions: `…` for unknown text, patterns as typed."""
    return word if word.isascii() else word.translate(_SHOWN)


def base_name(word: str) -> str:
    """The last component of a path. `[a/b]` is not a path, so a slash inside a set does not count."""
    if "/" not in word:
        return word
    cut = word.rstrip("/") if is_literal(word) else word
    at = cut.rfind("/")
    while at >= 0 and cut.rfind(SET_OPEN, 0, at) > cut.rfind(SET_CLOSE, 0, at):
        at = cut.rfind("/", 0, at)
    return cut[at + 1 :]


def could_be(word: str, name: str) -> bool:
    """Whether the word can turn out to be `name`, in time proportional to the product of their lengths."""
    if is_literal(word):
        return word == name
    if len(name) > _LONGEST_NAME or len(word) > _LONGEST_NAME:
        return False
    places = {0}
    for atom in _ATOM.finditer(word):
        places = _advanced(places, atom[0], atom[1], name)
        if not places:
            return False
    return len(name) in places


def could_start_with(word: str, start: str) -> bool:
    """Whether the word can turn out to begin with `start`."""
    return word.startswith(start) if is_literal(word) else could_be(word + UNKNOWN, start)


def _advanced(places: set[int], atom: str, members: str | None, name: str) -> set[int]:
    if members is not None:
        return {at + 1 for at in places if at < len(name) and _in_set(name[at], members)}
    if atom in (UNKNOWN, STAR):
        return set(range(min(places), len(name) + 1))
    if atom == ANY:
        return {at + 1 for at in places if at < len(name)}
    return {at + len(atom) for at in places if name.startswith(atom, at)}


def _in_set(character: str, members: str) -> bool:
    negated = members[:1] in ("!", "^")
    listed = members[1:] if negated else members
    if "[:" in listed:  # a class of characters: which it holds depends on the language of the host
        return True
    at, inside = 0, False
    while at < len(listed):
        if listed[at + 1 : at + 2] == "-" and at + 2 < len(listed):
            inside = inside or listed[at] <= character <= listed[at + 2]
            at += 3
        else:
            inside = inside or listed[at] == character
            at += 1
    return inside != negated
