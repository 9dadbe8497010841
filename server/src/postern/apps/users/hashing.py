"""How passwords are hashed: argon2id, with a bound on how much of the machine signing in may take at once."""

from typing import Final

from django.contrib.auth.hashers import Argon2PasswordHasher

from postern.foundation.machine_turns import MachineTurns

#: Each hash takes `memory_cost` of memory; a flood of sign-ins must not take more than this many times as much, in all processes together.
_AT_ONCE: Final = 2

_turns: Final = MachineTurns("hashing", at_once=_AT_ONCE)


class BoundedArgon2Hasher(Argon2PasswordHasher):
    """argon2id with 46 MiB, two passes, one lane: above the OWASP minimum (46 MiB and one pass, or 19 MiB and two)."""

    memory_cost = 46 * 1024  # KiB
    time_cost = 2
    parallelism = 1

    def encode(self, password: str, salt: str) -> str:
        with _turns.turn():
            encoded: str = super().encode(password, salt)
        return encoded

    def verify(self, password: str, encoded: str) -> bool:
        with _turns.turn():
            fits: bool = super().verify(password, encoded)
        return fits
