"""Puzzles and solutions as plain values. Nothing is stored: the puzzle is in a signed token.

The server chooses a number and derives a key from it with PBKDF2-HMAC-SHA256. The browser derives the keys of 0, 1, 2 …
until one matches. The server derives one key to make a puzzle and one to check it (0.33 ms each), the browser 2,000 on
average and at most `MOST`. PBKDF2 is used because WebCrypto runs it at native speed: with plain SHA-256 a program would
be 17 to 40 times as fast as a browser.
"""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final

from django.core.signing import BadSignature, Signer
from django.utils.crypto import constant_time_compare

from postern.apps.users.models import username_key
from postern.kernel import clock
from postern.kernel.ids import token_hash

#: Solutions are accepted for this long, because a user may need time to find the password.
LIFETIME: Final = timedelta(minutes=5)
ROUNDS: Final = 1_000
#: The number is at least `_LEAST` and below `MOST`, so no puzzle is trivial or takes too long.
MOST: Final = 3_000
_LEAST: Final = 1_000
_KEY_BYTES: Final = 16
_SALT_BYTES: Final = 16
_MAX_NAME_CHARS: Final = 512
MAX_TOKEN_CHARS: Final = 256


class Purpose(StrEnum):
    """The action for which a solution is valid."""

    SIGN_IN = "sign-in"
    FORGOTTEN_PASSWORD = "forgotten-password"  # noqa: S105 - not a password


@dataclass(frozen=True, slots=True)
class Puzzle:
    """Find the number below `most` whose key is `key`: PBKDF2-HMAC-SHA256 of its decimal digits with `salt` (both hex).

    `token` is sent back with the number.
    """

    token: str
    salt: str
    key: str
    rounds: int = ROUNDS
    most: int = MOST


@dataclass(frozen=True, slots=True)
class Solution:
    token: str
    number: int


def new_puzzle(purpose: Purpose, name: str) -> Puzzle:
    """A puzzle for one attempt with this name. The work is the same for existing and other names."""
    salt = secrets.token_hex(_SALT_BYTES)
    key = _key_of(_LEAST + secrets.randbelow(MOST - _LEAST), salt)
    expires = int((clock.now() + LIFETIME).timestamp())
    return Puzzle(token=_signer(purpose, name).sign(f"{expires}.{salt}.{key}"), salt=salt, key=key)


def is_solved(solution: Solution, purpose: Purpose, name: str) -> bool:
    """Whether this solves an unexpired puzzle of this server for this purpose and name. Does not check earlier use."""
    try:
        text = _signer(purpose, name).unsign(solution.token)
    except BadSignature:
        return False
    expires, salt, key = text.split(".")
    if int(expires) <= clock.now().timestamp() or not 0 <= solution.number < MOST:
        return False
    return constant_time_compare(_key_of(solution.number, salt), key)


def _signer(purpose: Purpose, name: str) -> Signer:
    return Signer(salt=f"postern.puzzle:{purpose}:{token_hash(username_key(name[:_MAX_NAME_CHARS]))}")


def _key_of(number: int, salt: str) -> str:
    return hashlib.pbkdf2_hmac("sha256", str(number).encode(), bytes.fromhex(salt), ROUNDS, _KEY_BYTES).hex()
