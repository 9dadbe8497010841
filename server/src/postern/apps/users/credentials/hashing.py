"""Password hashing with argon2id, and a limit on the memory that concurrent sign-ins use."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.contrib.auth.hashers import Argon2PasswordHasher
from django.utils.translation import gettext as _

from postern.foundation.requests.machine_turns import MachineTurns, NoTurn
from postern.kernel.errors import Unavailable

#: Number of concurrent hashes over all processes. Each needs `memory_cost` of memory, and a flood of sign-ins must not
#: exhaust it.
_AT_ONCE: Final = 2
#: A hash takes about 50 ms. A request that waits longer for its turn would hold a thread and a connection that others
#: need.
_WAIT_S: Final = 5.0

_turns: Final = MachineTurns("hashing", at_once=_AT_ONCE)


class BoundedArgon2Hasher(Argon2PasswordHasher):
    """argon2id with 46 MiB, two passes, one lane: above the OWASP minimum (46 MiB and one pass, or 19 MiB and two).

    Raises Unavailable when a request waits for its turn longer than some seconds.
    """

    memory_cost = 46 * 1024  # KiB
    time_cost = 2
    parallelism = 1

    def encode(self, password: str, salt: str) -> str:
        with _turn():
            encoded: str = super().encode(password, salt)
        return encoded

    def verify(self, password: str, encoded: str) -> bool:
        with _turn():
            fits: bool = super().verify(password, encoded)
        return fits


@contextmanager
def _turn() -> Iterator[None]:
    try:
        with _turns.turn(timeout_s=_WAIT_S):
            yield
    except NoTurn:
        raise Unavailable(_("Too many users are signing in at the moment. Try again in a few seconds.")) from None
