"""Sentences in both languages, as members of an enumeration."""

from enum import Enum
from typing import Final

ENGLISH: Final = "en"


class Spoken(Enum):
    """Each member is `(Simplified Chinese, English)`. A test checks that both have the same placeholders."""

    def say(self, language: str, **values: object) -> str:
        """Return the sentence in `language` (`en`; anything else is Chinese) with its placeholders filled in."""
        text: str = self.value[1] if language == ENGLISH else self.value[0]
        return text.format_map(values) if values else text
