"""Interface to locked account names, which authn, in a higher layer, stores."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from postern.foundation.caller.actor import Actor
from postern.foundation.provided import Provided


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginLocks:
    """`locked`: those of the names that cannot sign in now, with the end of each lock. `unlock`: unlock a name."""

    locked: Callable[[list[str]], Mapping[str, datetime]]
    unlock: Callable[[str, Actor], None]


LOGIN_LOCKS: Final = Provided[LoginLocks]("the lock-out of account names")


def locked_names(usernames: list[str]) -> frozenset[str]:
    """Those of the names that cannot sign in now."""
    return frozenset(locked_until(usernames))


def locked_until(usernames: list[str]) -> Mapping[str, datetime]:
    """Those of the names that cannot sign in now, with the end of each lock."""
    return LOGIN_LOCKS.value.locked(usernames)


def unlock(username: str, actor: Actor) -> None:
    """Unlock the name."""
    LOGIN_LOCKS.value.unlock(username, actor)
