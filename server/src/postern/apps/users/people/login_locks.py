"""Doorway to the lock-out of account names, which authn keeps above this app in the stack."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from postern.foundation.caller.actor import Actor
from postern.foundation.provided import Provided


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginLocks:
    """`locked`: those of some names that may not sign in for now, and until when. `unlock`: let one sign in again."""

    locked: Callable[[list[str]], Mapping[str, datetime]]
    unlock: Callable[[str, Actor], None]


LOGIN_LOCKS: Final = Provided[LoginLocks]("the lock-out of account names")


def locked_names(usernames: list[str]) -> frozenset[str]:
    """Which of the names may not sign in for now."""
    return frozenset(locked_until(usernames))


def locked_until(usernames: list[str]) -> Mapping[str, datetime]:
    """Those of the names that may not sign in for now, and until when."""
    return LOGIN_LOCKS.value.locked(usernames)


def unlock(username: str, actor: Actor) -> None:
    """Let the name sign in again."""
    LOGIN_LOCKS.value.unlock(username, actor)
