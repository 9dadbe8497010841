"""The marks of a piece: what a search is narrowed by besides its text, in the same index of grams.

A mark is a gram of three characters of the private area, a hash of 37 bits. So the organization, the user, the asset and
the kinds of lines lead to the pieces as a word does. Two values may have the same mark, and a screen may show one: marks
only choose candidates.
"""

import hashlib
from collections.abc import Iterable
from typing import Final
from uuid import UUID

#: The first character after the one that ends the pairs of `folding`, and how many follow it.
_FIRST: Final = 0xE001
_COUNT: Final = 0xF8FF - _FIRST + 1
#: Characters of a mark.
LENGTH: Final = 3


def organization(org_id: UUID) -> str:
    """The mark of the pieces of an organization."""
    return _mark("organization", org_id.hex)


def user(user_id: UUID) -> str:
    """The mark of the pieces of a user's sessions."""
    return _mark("user", user_id.hex)


def asset(asset_id: UUID) -> str:
    """The mark of the pieces of sessions on an asset."""
    return _mark("asset", asset_id.hex)


def kind(letter: str) -> str:
    """The mark of the pieces that have lines of a kind. `letter`: the first of the kind's name."""
    return _mark("kind", letter)


def joined(marks: Iterable[str]) -> str:
    """Marks as they are stored."""
    return "".join(marks)


def separate(stored: str) -> list[str]:
    """The marks of a stored text."""
    return [stored[at : at + LENGTH] for at in range(0, len(stored), LENGTH)]


def _mark(of: str, value: str) -> str:
    number = int.from_bytes(hashlib.sha256(f"{of} {value}".encode()).digest()[:8], "big")
    characters = []
    for _ in range(LENGTH):
        number, place = divmod(number, _COUNT)
        characters.append(chr(_FIRST + place))
    return "".join(characters)
