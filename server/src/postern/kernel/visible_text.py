r"""Characters that a reader does not see, or that change the order in which others are shown.

`admin` and `adm\u200bin` look alike, and `\u202e` makes `gnp.exe` look like a picture. Text of people is refused with
such characters (`foundation/rest/text.py`). Text of hosts is shown with their codes, as the console shows them.
"""

import unicodedata
from collections.abc import Callable
from typing import Final

#: Visible characters of the category "format": Arabic, Syriac and Kaithi number signs.
_VISIBLE_FORMATS: Final = frozenset(
    map(chr, (*range(0x0600, 0x0606), 0x06DD, 0x070F, 0x0890, 0x0891, 0x08E2, 0x110BD, 0x110CD))
)
#: Letters and marks that are displayed as nothing: Hangul and Khmer fillers, the grapheme joiner.
_BLANK_LETTERS: Final = frozenset(map(chr, (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0)))
_CATEGORIES: Final = frozenset({"Cc", "Cf", "Zl", "Zp"})
#: Allowed in multi-line text: line breaks, tabs, and the joiners that Persian, Indic scripts and emoji need.
_IN_LONG_TEXT: Final = frozenset("\n\r\t\u200c\u200d")


def is_disguise(character: str, *, lines: bool) -> bool:
    """Whether a reader would not see this character. `lines`: in text of several lines."""
    if character in _BLANK_LETTERS:
        return True
    if unicodedata.category(character) not in _CATEGORIES or character in _VISIBLE_FORMATS:
        return False
    return not (lines and character in _IN_LONG_TEXT)


def visible_text(text: str) -> str:
    """Text of several lines with each character that a reader would not see as its code: `⟨U+202E⟩`."""
    return text if text.isascii() and text.isprintable() else text.translate(_CODES)


class StandIns(dict[int, int | str]):
    """The replacement of each character, for `str.translate`. It remembers those that it was asked for, but not those
    beyond the Basic Multilingual Plane: a host could send a million.
    """

    def __init__(self, shown: Callable[[int], int | str]) -> None:
        super().__init__()
        self._shown = shown

    def __missing__(self, code: int) -> int | str:
        shown = self._shown(code)
        if code < _REMEMBERED:
            self[code] = shown
        return shown


def _code_of(code: int) -> int | str:
    return f"⟨U+{code:04X}⟩" if is_disguise(chr(code), lines=True) else code


_REMEMBERED: Final = 0x10000
_CODES: Final = StandIns(_code_of)
