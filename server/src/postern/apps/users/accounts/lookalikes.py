"""Usernames that look like another username (docs/decisions/0081; Unicode Technical Standard 39).

A name may mix only scripts that are written together ("highly restrictive"). Two names may not have the same skeleton:
the name with each letter replaced by the letter that it looks like, as the table of Unicode says. ASCII stays as it is:
companies have both `wangl` and `wang1`, and can tell them apart.
"""

import unicodedata
from collections.abc import Mapping
from functools import cache
from typing import Final

from confusable_homoglyphs import categories
from confusable_homoglyphs.utils import load

#: Scripts of characters that belong to all scripts, such as digits and combining marks.
_EVERYWHERE: Final = frozenset({"COMMON", "INHERITED"})
_TOGETHER: Final = (
    frozenset({"LATIN", "HAN", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "HAN", "BOPOMOFO"}),
    frozenset({"LATIN", "HAN", "HANGUL"}),
)


def scripts_mixed_in(name: str) -> tuple[str, ...]:
    """The scripts that the name mixes although nobody writes them together; empty for other names."""
    if name.isascii():
        return ()
    scripts = {categories.alias(character).upper() for character in name} - _EVERYWHERE
    if len(scripts) < 2 or any(scripts <= together for together in _TOGETHER):
        return ()
    return tuple(sorted(script.capitalize() for script in scripts))


def skeleton_of(key: str) -> str:
    """What the name looks like, from its `username_key`: equal for names that people confuse."""
    if key.isascii():
        return key
    prototypes = _prototypes()
    letters = unicodedata.normalize("NFD", key)
    return unicodedata.normalize("NFC", "".join(prototypes.get(letter, letter) for letter in letters))


@cache
def _prototypes() -> Mapping[str, str]:
    """Each letter outside ASCII that looks like others, with one representative; read at the first such name.

    Sequences (`rn` for `m`) are left out, and so are the pairs inside of ASCII.
    """
    groups: dict[str, set[str]] = {}
    for letter, rows in load("confusables.json").items():
        alike = {letter, *(row["c"] for row in rows)}
        together = {single for single in alike if len(single) == 1}
        for single in tuple(together):
            together |= groups.get(single, set())
        groups.update(dict.fromkeys(together, together))
    return {letter: min(together, key=_preference) for letter, together in groups.items() if not letter.isascii()}


def _preference(letter: str) -> tuple[bool, str]:
    """The small letter of ASCII first: keys of names are folded."""
    return not (letter.isascii() and letter.islower()), letter
