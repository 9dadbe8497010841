"""Doorway to what callers have shown: authn, above this app in the stack, keeps sign-ins, tokens and access keys."""

from collections.abc import Callable

from postern.foundation.actor import Actor

#: Answers, inside a transaction, whether the sign-in, token or key that made the call still holds; locks its row.
StillHolds = Callable[[Actor], bool]


class _Hooks:
    still_holds: StillHolds | None = None


def register(still_holds: StillHolds) -> None:
    """Called once, by authn, when the app registry is ready."""
    _Hooks.still_holds = staticmethod(still_holds)


def still_holds(actor: Actor) -> bool:
    """Whether what the caller has shown still holds. True for callers who have shown nothing that could end."""
    return _Hooks.still_holds(actor) if _Hooks.still_holds else True
