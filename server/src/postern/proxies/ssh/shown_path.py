"""Paths for the audit log: text of bounded length in which nothing that matters can be hidden."""

from typing import Final

#: The log holds 1,024 characters; a pair of paths shares them.
PATH_CHARS: Final = 1000
PAIR_CHARS: Final = 480


def shown(path: bytes, limit: int = PATH_CHARS) -> str:
    """`path` as text, with escapes for NUL and for bytes that are not UTF-8.

    Of a long path the beginning and the end are shown: a cut end would let `/tmp/././…/../etc/shadow` pass for another.
    """
    text = path.decode("utf-8", "backslashreplace").replace("\0", "\\x00")
    return shortened(text, limit)


def shortened(text: str, limit: int = PATH_CHARS) -> str:
    """`text` in at most `limit` characters, without its middle when it is longer."""
    if len(text) <= limit:
        return text
    note = f" [{len(text)} characters] "
    side = (limit - len(note)) // 2
    return text[:side] + note + text[-side:]
