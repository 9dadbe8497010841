"""Recovery codes, for users who lost their authenticator app. Pure functions."""

import secrets
from typing import Final

from postern.kernel.ids import token_hash

COUNT: Final = 10
#: 80 bits each, so that their unsalted hashes in the database cannot be reversed. 0, 1, 8 and 9 are left out: they look
#: like letters.
_ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz234567"
_CHARS: Final = 16
_GROUP: Final = 4
MAX_TYPED_CHARS: Final = 64


def new_codes() -> list[str]:
    """A new set of codes, written in groups: `abcd-efgh-ijkl-mnop`."""
    return [_grouped("".join(secrets.choice(_ALPHABET) for _ in range(_CHARS))) for _ in range(COUNT)]


def code_hash(user_id: object, typed: str) -> str:
    """The stored hash of a code. Case, spaces and hyphens are ignored."""
    plain = "".join(character for character in typed[:MAX_TYPED_CHARS].casefold() if character.isalnum())
    return token_hash(f"recovery-code:{user_id}:{plain}")


def _grouped(text: str) -> str:
    return "-".join(text[at : at + _GROUP] for at in range(0, len(text), _GROUP))
