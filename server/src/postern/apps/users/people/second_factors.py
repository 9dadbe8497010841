"""Interface to users' second factors, which authn, in a higher layer, stores."""

from collections.abc import Callable
from typing import Final

from postern.apps.users.accounts.models import User
from postern.foundation.caller.actor import Actor
from postern.foundation.provided import Provided

RESET: Final = Provided[Callable[[Actor, User], None]]("the reset of second factors")


def reset(actor: Actor, user: User) -> None:
    """Remove the user's authenticator app and recovery codes."""
    RESET.value(actor, user)
