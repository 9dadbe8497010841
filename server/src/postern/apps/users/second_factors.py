"""Doorway to people's second factors, which authn keeps above this app in the stack."""

from collections.abc import Callable

from postern.apps.users.models import User
from postern.foundation.actor import Actor

Reset = Callable[[Actor, User], None]


class _Hooks:
    reset: Reset | None = None


def register(reset: Reset) -> None:
    """Called once, by authn, when the app registry is ready."""
    _Hooks.reset = staticmethod(reset)


def reset(actor: Actor, user: User) -> None:
    """Take away the person's authenticator app and recovery codes."""
    if _Hooks.reset:
        _Hooks.reset(actor, user)
