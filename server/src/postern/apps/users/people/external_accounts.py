"""Interface to accounts of users at external providers, which authn, in a higher layer, stores."""

from collections.abc import Callable, Collection, Mapping
from typing import Final
from uuid import UUID

from postern.foundation.provided import Provided

#: The providers at which these users have a bound account; users without one are left out.
BOUND: Final = Provided[Callable[[Collection[UUID]], Mapping[UUID, frozenset[str]]]]("the accounts at providers")


def bound_among(user_ids: Collection[UUID]) -> Mapping[UUID, frozenset[str]]:
    """The names of the providers at which each of these users has a bound account."""
    return BOUND.value(user_ids)
