"""Doorway to what callers have shown: authn, above this app in the stack, keeps sign-ins, tokens and access keys."""

from collections.abc import Callable

from postern.apps.users.models import User
from postern.foundation.actor import Actor

#: Answers, inside a transaction, whether the sign-in, token or key that made the call still holds; locks its row.
StillHolds = Callable[[Actor], bool]


#: Answers whether the caller, as they are now, holds less than when the call began.
HasLostRights = Callable[[Actor, User], bool]


class _Hooks:
    still_holds: StillHolds | None = None
    has_lost_rights: HasLostRights | None = None


def register(still_holds: StillHolds, has_lost_rights: HasLostRights) -> None:
    """Called once, by authn, when the app registry is ready."""
    _Hooks.still_holds = staticmethod(still_holds)
    _Hooks.has_lost_rights = staticmethod(has_lost_rights)


def still_holds(actor: Actor) -> bool:
    """Whether what the caller has shown still holds. True for callers who have shown nothing that could end."""
    return _Hooks.still_holds(actor) if _Hooks.still_holds else True


def has_lost_rights(actor: Actor, user: User) -> bool:
    """Whether the caller, whose row is locked, holds less than when the call began."""
    return _Hooks.has_lost_rights(actor, user) if _Hooks.has_lost_rights else False
