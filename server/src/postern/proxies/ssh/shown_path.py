"""Paths for the audit log: text of bounded length in which nothing relevant can be hidden."""

from typing import Final

#: The log stores 1,024 characters, which a pair of paths shares.
PATH_CHARS: Final = 1000
PAIR_CHARS: Final = 480


def shown(path: bytes, limit: int = PATH_CHARS) -> str:
    """Return `path` as text, with escapes for NUL and for bytes that are not UTF-8.

    Of a long path the beginning and the end are shown. With a cut end `/tmp/././…/../etc/shadow` could pass for another
    path.
    """
    text = path.decode("utf-8", "backslashreplace").replace("\0", "\\x00")
    return shortened(text, limit)


def shortened(text: str, limit: int = PATH_CHARS) -> str:
    """Return `text` in at most `limit` characters. The middle of a longer text is removed."""
    if len(text) <= limit:
        return text
    note = f" [{len(text)} characters] "
    side = (limit - len(note)) // 2
    return text[:side] + note + text[-side:]
