"""Where a page of hits ends: an opaque text for the next request."""

import base64
import binascii
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, Self
from uuid import UUID

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Place(NamedTuple):
    """A line of the index: the session that has it, the piece, and the line of the piece."""

    date_start: datetime
    session_id: UUID
    piece: int
    line: int

    def text(self) -> str:
        """The place as a text for `of`."""
        since = (self.date_start - _EPOCH) // timedelta(microseconds=1)
        plain = f"{since}.{self.session_id.hex}.{self.piece}.{self.line}"
        return base64.urlsafe_b64encode(plain.encode()).decode().rstrip("=")

    @classmethod
    def of(cls, text: str) -> Self | None:
        """The place of a text; None if it is not one."""
        if len(text) > 200 or not text.isascii():
            return None
        try:
            plain = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True).decode("ascii")
            since, session_id, piece, line = plain.split(".")
            place = cls(_EPOCH + timedelta(microseconds=int(since)), UUID(session_id), int(piece), int(line))
        except (binascii.Error, UnicodeDecodeError, ValueError, OverflowError):
            return None
        return place if place.text() == text and 0 <= place.piece < 2**31 and 0 <= place.line < 2**31 else None
