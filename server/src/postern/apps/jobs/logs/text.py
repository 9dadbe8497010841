"""Cutting UTF-8 at borders of characters."""


def whole_characters(data: bytes, *, is_last: bool) -> bytes:
    """`data` without the beginning of a character at its end, so that no character is split between two pieces.

    With `is_last` nothing follows, so everything is returned; likewise when the end is no valid character anyway.
    """
    if is_last:
        return data
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte < 0x80:
            return data
        if byte > 0xF4:  # never part of a character
            return data
        if byte >= 0xC0:
            needed = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return data[:-back] if back < needed else data
    return data
