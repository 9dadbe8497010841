"""Validators against disguised text: invisible characters, and characters that reverse the text direction.

`admin` and `adm\u200bin` look alike, and `\u202e` makes `gnp.exe` look like a picture. The kit puts `refuse_disguises`
on every writable text column. A serializer that declares its own text field uses `PlainField` or `PlainTextField`
(`tests/architecture/test_plain_text.py` checks every route).
"""

from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from rest_framework import serializers

from postern.kernel.visible_text import is_disguise


def disguise_in(text: str, *, lines: bool) -> str | None:
    """The first character that a reader would not see; None if there is none."""
    if text.isascii() and text.isprintable():
        return None
    return next((character for character in text if is_disguise(character, lines=lines)), None)


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
