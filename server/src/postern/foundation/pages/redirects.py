"""Validation of redirect targets from clients: only relative paths on this server (K12: a redirect stays on this
server).
"""

import unicodedata
from typing import Final
from urllib.parse import unquote

HOME: Final = "/ui/"
_MAX_CHARS: Final = 2_000
_MAX_DECODINGS: Final = 4


def safe_next(target: str | None, default: str = HOME) -> str:
    """`target` if it is a path on this server in every decoding of it, otherwise `default`."""
    return target if target and _is_safe(target) else default


def _is_safe(target: str) -> bool:
    """Whether the target stays a plain absolute path, however often it is decoded."""
    if len(target) > _MAX_CHARS or not target.isascii() or not target.startswith("/") or " " in target:
        return False
    reading = target
    for _ in range(_MAX_DECODINGS):
        if not _stays_here(reading):
            return False
        decoded = unquote(reading)
        if decoded == reading:
            return True
        reading = decoded
    return False  # nobody encodes a legitimate target this often


def _stays_here(reading: str) -> bool:
    plain = unicodedata.normalize("NFKC", reading)
    path = plain.split("?", 1)[0].split("#", 1)[0]
    # A query may contain blanks after decoding, for example a search for two words.
    if " " in path or any(ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 or _is_odd_space(char) for char in plain):
        return False
    if "\\" in plain or "//" in path or "@" in path:
        return False
    return path.startswith("/") and ".." not in path.split("/")


def _is_odd_space(char: str) -> bool:
    return char.isspace() and char != " "
