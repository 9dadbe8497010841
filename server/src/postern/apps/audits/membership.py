"""Interface to the members of organizations. The `users` app, in a higher layer, registers the implementation."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import QuerySet

from postern.foundation.caller.scope import OrgScope
from postern.foundation.provided import Provided


@dataclass(frozen=True, slots=True, kw_only=True)
class Members:
    """The members of an organization, as one-column querysets for use in subqueries, because an organization may be
    large.

    `usernames` matches the sign-in log; `labels` (`Name(username)`) matches the other logs.
    """

    usernames: Callable[[OrgScope], QuerySet[Any]]
    labels: Callable[[OrgScope], QuerySet[Any]]


MEMBERS: Final = Provided[Members]("the members of an organization")
