"""Doorway to people's second factors, which authn keeps above this app in the stack."""

from collections.abc import Callable
from typing import Final

from postern.apps.users.accounts.models import User
from postern.foundation.caller.actor import Actor
from postern.foundation.provided import Provided

RESET: Final = Provided[Callable[[Actor, User], None]]("the reset of second factors")


def reset(actor: Actor, user: User) -> None:
    """Take away the person's authenticator app and recovery codes."""
    RESET.value(actor, user)
