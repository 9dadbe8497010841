"""Rules for uploads. Pure functions."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an upload: bytes `first` to `last`, inclusive, of `total`."""

    first: int
    last: int
    total: int

    @property
    def size(self) -> int:
        return self.last - self.first + 1


def parse_content_range(text: str, *, max_total: int) -> Part | None:
    """Parse `bytes first-last/total`. Returns None when the header is malformed or impossible."""
    unit, _, rest = text.strip().partition(" ")
    span, slash, total_text = rest.partition("/")
    first_text, dash, last_text = span.partition("-")
    texts = (first_text, last_text, total_text)
    if (
        unit != "bytes"
        or not slash
        or not dash
        or not all(text.isascii() and text.isdigit() and len(text) < 16 for text in texts)
    ):
        return None
    first, last, total = (int(text) for text in texts)
    if not first <= last < total <= max_total:
        return None
    return Part(first, last, total)
