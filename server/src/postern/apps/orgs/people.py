"""Who belongs to an organization, in which role: `users` knows, and provides it to this app, which is below it."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet

from postern.apps.orgs.models import Organization
from postern.apps.orgs.roles import OrgRole
from postern.foundation.caller.actor import Actor
from postern.foundation.provided import Provided

#: People, as rows of `AUTH_USER_MODEL`, by role. Of a role that is not named, the people stay as they are.
Members = Mapping[OrgRole, Collection[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """What organizations need of people.

    `hold`: lock the people of a write, before anything of the organization is locked; with an organization also those who
    are in these roles now. `assign`: make these the people of the organization, as a part of the same transaction.
    `beside`: the rows with what `in_role` reads, with one more query for all of them.
    """

    hold: Callable[[Actor, UUID | None, Members], object]
    assign: Callable[[Actor, UUID, Members], object]
    beside: Callable[[QuerySet[Organization]], QuerySet[Organization]]
    in_role: Callable[[Organization, OrgRole], list[UUID]]


PEOPLE: Final = Provided[People]("the people of organizations")
