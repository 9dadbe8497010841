"""Validators against disguised text: invisible characters, and characters that reverse the text direction.

`admin` and `adm\u200bin` look alike, and `\u202e` makes `gnp.exe` look like a picture. The kit puts `refuse_disguises`
on every writable text column. A serializer that declares its own text field uses `PlainField` or `PlainTextField`
(`tests/architecture/test_plain_text.py` checks every route).
"""

import unicodedata
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from rest_framework import serializers

#: Visible characters of the category "format": Arabic, Syriac and Kaithi number signs.
_VISIBLE_FORMATS: Final = frozenset(
    map(chr, (*range(0x0600, 0x0606), 0x06DD, 0x070F, 0x0890, 0x0891, 0x08E2, 0x110BD, 0x110CD))
)
#: Letters and marks that are displayed as nothing: Hangul and Khmer fillers, the grapheme joiner.
_BLANK_LETTERS: Final = frozenset(map(chr, (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0)))
_CATEGORIES: Final = frozenset({"Cc", "Cf", "Zl", "Zp"})
#: Allowed in multi-line text: line breaks, tabs, and the joiners that Persian, Indic scripts and emoji need.
_IN_LONG_TEXT: Final = frozenset("\n\r\t\u200c\u200d")


def disguise_in(text: str, *, lines: bool) -> str | None:
    """The first character that a reader would not see; None if there is none."""
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
    character = disguise_in(value, lines=lines) if isinstance(value, str) else None
    if character is not None:
        code = f"U+{ord(character):04X}"
        message = _(
            "The text contains an invisible character, or one that changes the direction of the text (%(code)s). "
            "Remove it."
        )
        raise ValidationError(message % {"code": code}, code="disguise")


def refuse_disguises(value: Any) -> None:
    """Validator for names: one line, every character visible."""
    _refuse(value, lines=False)


def refuse_disguises_in_lines(value: Any) -> None:
    """Validator for comments and messages, which may have several lines."""
    _refuse(value, lines=True)


class PlainField(serializers.CharField):
    """A single-line text such as a name."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.validators.append(refuse_disguises)


class PlainTextField(serializers.CharField):
    """A multi-line text."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.validators.append(refuse_disguises_in_lines)
