"""Who belongs to an organization: `users` knows, and tells this app, which is below it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import QuerySet

from postern.foundation.caller.scope import OrgScope
from postern.foundation.provided import Provided


@dataclass(frozen=True, slots=True, kw_only=True)
class Members:
    """The members of an organization, as queries of one column, which another query may contain: an organization may be large.

    `usernames`: as the sign-in log names people; `labels`: as the other logs do, `Name(username)`.
    """

    usernames: Callable[[OrgScope], QuerySet[Any]]
    labels: Callable[[OrgScope], QuerySet[Any]]


MEMBERS: Final = Provided[Members]("the members of an organization")
