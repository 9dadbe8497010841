"""Doorway to what callers have shown: authn, above this app in the stack, keeps sign-ins, tokens and access keys."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from postern.apps.users.accounts.models import User
from postern.foundation.caller.actor import Actor
from postern.foundation.provided import Provided


@dataclass(frozen=True, slots=True, kw_only=True)
class CallerChecks:
    """`still_holds`: inside a transaction, whether the sign-in, token or key that made the call still holds; locks its row.
    `has_lost_rights`: whether the caller, as they are now, holds less than when the call began.
    """

    still_holds: Callable[[Actor], bool]
    has_lost_rights: Callable[[Actor, User], bool]


CHECKS: Final = Provided[CallerChecks]("what callers have shown")


def still_holds(actor: Actor) -> bool:
    """Whether what the caller has shown still holds. True for callers who have shown nothing that could end."""
    return CHECKS.value.still_holds(actor)


def has_lost_rights(actor: Actor, user: User) -> bool:
    """Whether the caller, whose row is locked, holds less than when the call began."""
    return CHECKS.value.has_lost_rights(actor, user)
