"""Where a page of hits ends: an opaque text for the next request."""

import base64
import binascii
from typing import NamedTuple, Self

_MOST_CHARS = 60


class Place(NamedTuple):
    """A line of the index: the key of its piece, and its place there."""

    key: int
    line: int

    def text(self) -> str:
        """The place as a text for `of`."""
        return base64.urlsafe_b64encode(f"{self.key}.{self.line}".encode()).decode().rstrip("=")

    @classmethod
    def of(cls, text: str) -> Self | None:
        """The place of a text; None if it is not one."""
        if len(text) > _MOST_CHARS or not text.isascii():
            return None
        try:
            plain = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True).decode("ascii")
            key, line = map(int, plain.split("."))
        except (binascii.Error, UnicodeDecodeError, ValueError):
            return None
        place = cls(key, line)
        return place if place.text() == text and 0 <= key < 2**63 and 0 <= line < 2**31 else None
