"""Keys of the node tree: a root is a whole number (`1`), a child is its parent's key and a number (`1:0:3`).

A key tells the place in the tree; it changes when a node moves, so nothing outside may keep one as an id.
"""

from collections.abc import Iterable
from typing import Final

SEPARATOR: Final = ":"
#: The column is 512 wide; a path of this depth with four-digit numbers still fits.
MAX_DEPTH: Final = 64
MAX_KEY_LENGTH: Final = 512


def is_key(text: str) -> bool:
    """Is `text` a well-formed key?"""
    return 0 < len(text) <= MAX_KEY_LENGTH and all(part.isascii() and part.isdigit() for part in text.split(SEPARATOR))


def parent_of(key: str) -> str | None:
    """Key of the parent, or None for a root."""
    head, separator, _ = key.rpartition(SEPARATOR)
    return head if separator else None


def ancestors_of(key: str) -> list[str]:
    """Keys of all ancestors, the root first, without the node itself."""
    parts = key.split(SEPARATOR)
    return [SEPARATOR.join(parts[:length]) for length in range(1, len(parts))]


def depth_of(key: str) -> int:
    """1 for a root."""
    return key.count(SEPARATOR) + 1


def is_root(key: str) -> bool:
    return SEPARATOR not in key


def is_within(key: str, ancestor: str) -> bool:
    """Is `key` the node `ancestor` itself or below it?"""
    return key == ancestor or key.startswith(ancestor + SEPARATOR)


def child_key(parent: str, number: int) -> str:
    """Key of the child `number` (from 0) of `parent`."""
    return f"{parent}{SEPARATOR}{number}"


def rebased(key: str, old_base: str, new_base: str) -> str:
    """`key`, which lies within `old_base`, after that subtree has moved to `new_base`."""
    if not is_within(key, old_base):
        raise ValueError(f"{key} does not lie within {old_base}")
    return new_base + key[len(old_base) :]


def sort_key(key: str) -> tuple[int, ...]:
    """Orders keys as a tree is read: parents before children, numbers by value and not by text."""
    return tuple(int(part) for part in key.split(SEPARATOR))


def topmost(keys: Iterable[str]) -> list[str]:
    """The keys that lie below no other of them, in tree order."""
    kept: list[str] = []
    for key in sorted(set(keys), key=sort_key):
        if not kept or not is_within(key, kept[-1]):
            kept.append(key)
    return kept
