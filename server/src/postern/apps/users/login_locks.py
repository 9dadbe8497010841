"""Doorway to the lock-out of account names, which authn keeps above this app in the stack."""

from collections.abc import Callable, Mapping
from datetime import datetime

from postern.foundation.actor import Actor

LockedNames = Callable[[list[str]], Mapping[str, datetime]]
Unlock = Callable[[str, Actor], None]


class _Hooks:
    locked: LockedNames | None = None
    unlock: Unlock | None = None


def register(locked: LockedNames, unlock: Unlock) -> None:
    """Called once, by authn, when the app registry is ready."""
    _Hooks.locked = staticmethod(locked)
    _Hooks.unlock = staticmethod(unlock)


def locked_names(usernames: list[str]) -> frozenset[str]:
    """Which of the names may not sign in for now."""
    return frozenset(locked_until(usernames))


def locked_until(usernames: list[str]) -> Mapping[str, datetime]:
    """Those of the names that may not sign in for now, and until when."""
    return _Hooks.locked(usernames) if _Hooks.locked else {}


def unlock(username: str, actor: Actor) -> None:
    """Let the name sign in again."""
    if _Hooks.unlock:
        _Hooks.unlock(username, actor)
