"""Text that is what it looks like: no character in a name that is invisible, or turns the direction of what follows.

`admin` and `adm\u200bin` look alike, and `\u202e` shows `gnp.exe` as a picture. The kit puts `refuse_disguises` on every
text column that can be written; a serializer that declares a field of its own takes `PlainField` or `PlainTextField`
(`tests/architecture/test_plain_text.py` holds every route against it).
"""

import unicodedata
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from rest_framework import serializers

#: Characters of the category "format" that can be seen: signs of Arabic, Syriac and Kaithi numbers.
_VISIBLE_FORMATS: Final = frozenset(
    map(chr, (*range(0x0600, 0x0606), 0x06DD, 0x070F, 0x0890, 0x0891, 0x08E2, 0x110BD, 0x110CD))
)
#: Letters and marks that show nothing: fillers of Hangul and Khmer, the joiner of graphemes.
_BLANK_LETTERS: Final = frozenset(map(chr, (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0)))
_CATEGORIES: Final = frozenset({"Cc", "Cf", "Zl", "Zp"})
#: In a text of several lines: line breaks, tabs, and the joiners that Persian, Indic scripts and emoji are written with.
_IN_LONG_TEXT: Final = frozenset("\n\r\t\u200c\u200d")


def disguise_in(text: str, *, lines: bool) -> str | None:
    """The first character that a reader would not see, or None."""
    if text.isascii() and text.isprintable():
        return None
    for character in text:
        if character in _BLANK_LETTERS:
            return character
        if unicodedata.category(character) not in _CATEGORIES or character in _VISIBLE_FORMATS:
            continue
        if not (lines and character in _IN_LONG_TEXT):
            return character
    return None


def _refuse(value: Any, *, lines: bool) -> None:
    found = disguise_in(value, lines=lines) if isinstance(value, str) else None
    if found is not None:
        code = f"U+{ord(found):04X}"
        message = _("It contains a character that cannot be seen or that turns the direction of the text (%(code)s).")
        raise ValidationError(message % {"code": code}, code="disguise")


def refuse_disguises(value: Any) -> None:
    """A validator for names: one line, every character visible."""
    _refuse(value, lines=False)


def refuse_disguises_in_lines(value: Any) -> None:
    """A validator for comments and messages: they may have several lines."""
    _refuse(value, lines=True)


class PlainField(serializers.CharField):
    """A name, or another text of one line."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.validators.append(refuse_disguises)


class PlainTextField(serializers.CharField):
    """A text of several lines."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.validators.append(refuse_disguises_in_lines)
