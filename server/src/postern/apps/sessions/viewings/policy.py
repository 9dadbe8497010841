"""Rules for playing a recording. Pure functions."""


def parse_byte_range(text: str, size: int) -> tuple[int, int] | None:
    """First and last byte of `Range: bytes=…` for a file of `size` bytes; None when it cannot be satisfied.

    Only a single range is accepted: players request a single range, and many small ranges could be used to overload the
    server.
    """
    unit, equals, span = text.strip().partition("=")
    first_text, dash, last_text = span.strip().partition("-")
    if unit.strip().lower() != "bytes" or not equals or not dash or size <= 0:
        return None
    if not all(
        part == "" or (part.isascii() and part.isdigit() and len(part) < 16) for part in (first_text, last_text)
    ):
        return None
    if first_text == "":
        length = int(last_text) if last_text else 0
        return (max(0, size - length), size - 1) if length else None
    first = int(first_text)
    last = min(int(last_text), size - 1) if last_text else size - 1
    return (first, last) if first <= last else None
