"""Interface to the caller's credentials.

Authn, in a higher layer, stores sign-ins, tokens and access keys and registers the implementation.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from postern.apps.users.accounts.models import User
from postern.foundation.caller.actor import Actor
from postern.foundation.provided import Provided


@dataclass(frozen=True, slots=True, kw_only=True)
class CallerChecks:
    """`still_holds`: whether the sign-in, token or key of the call is still valid; locks its row and needs a
    transaction. `has_lost_rights`: whether the caller now has fewer rights than when the call began.
    """

    still_holds: Callable[[Actor], bool]
    has_lost_rights: Callable[[Actor, User], bool]


CHECKS: Final = Provided[CallerChecks]("what callers have shown")


def still_holds(actor: Actor) -> bool:
    """Whether the caller's credential is still valid. True for callers without a credential that could end."""
    return CHECKS.value.still_holds(actor)


def has_lost_rights(actor: Actor, user: User) -> bool:
    """Whether the caller, whose row is locked, now has fewer rights than when the call began."""
    return CHECKS.value.has_lost_rights(actor, user)
