"""Keys of the node tree: a root is a whole number (`1`), a child is its parent's key and a number (`1:0:3`).

A key describes a position in the tree and changes when the node moves. Do not use a key as an id.
"""

from collections.abc import Iterable
from typing import Final

SEPARATOR: Final = ":"
#: The column holds 512 characters; a path of this depth with four-digit numbers still fits.
MAX_DEPTH: Final = 64
MAX_KEY_LENGTH: Final = 512


def is_key(text: str) -> bool:
    """Whether `text` is a well-formed key."""
    return 0 < len(text) <= MAX_KEY_LENGTH and all(part.isascii() and part.isdigit() for part in text.split(SEPARATOR))


def parent_of(key: str) -> str | None:
    """Key of the parent, or None for a root."""
    head, separator, _ = key.rpartition(SEPARATOR)
    return head if separator else None


def ancestors_of(key: str) -> list[str]:
    """Keys of all ancestors from the root down, without the node itself."""
    parts = key.split(SEPARATOR)
    return [SEPARATOR.join(parts[:length]) for length in range(1, len(parts))]


def depth_of(key: str) -> int:
    """Depth of the node; 1 for a root."""
    return key.count(SEPARATOR) + 1


def is_root(key: str) -> bool:
    return SEPARATOR not in key


def is_within(key: str, ancestor: str) -> bool:
    """Whether `key` is the node `ancestor` or below it."""
    return key == ancestor or key.startswith(ancestor + SEPARATOR)


def child_key(parent: str, number: int) -> str:
    """Key of the child `number` (from 0) of `parent`."""
    return f"{parent}{SEPARATOR}{number}"


def rebased(key: str, old_base: str, new_base: str) -> str:
    """The new form of `key`, which is below `old_base`, after that subtree has moved to `new_base`."""
    if not is_within(key, old_base):
        raise ValueError(f"{key} is not below {old_base}")
    return new_base + key[len(old_base) :]


def sort_key(key: str) -> tuple[int, ...]:
    """Sorts keys in tree order: parents before children, numbers by value and not as text."""
    return tuple(int(part) for part in key.split(SEPARATOR))


def topmost(keys: Iterable[str]) -> list[str]:
    """The keys that are not below another key of the list, in tree order."""
    topmost_keys: list[str] = []
    for key in sorted(set(keys), key=sort_key):
        if not topmost_keys or not is_within(key, topmost_keys[-1]):
            topmost_keys.append(key)
    return topmost_keys
