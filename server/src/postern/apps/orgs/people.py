"""Interface to the members of organizations. The `users` app, in a higher layer, registers the implementation."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet

from postern.apps.orgs.models import Organization
from postern.apps.orgs.roles import OrgRole
from postern.foundation.caller.actor import Actor
from postern.foundation.provided import Provided

#: Users, as rows of `AUTH_USER_MODEL`, by role. Members of a role that is missing here are not changed.
Members = Mapping[OrgRole, Collection[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """What organizations need to know about their members.

    `hold`: lock the users of a write before anything of the organization is locked; given an organization, also the
    current members of these roles. `assign`: set the members of the organization, in the same transaction. `beside`:
    the rows together with the members that `in_role` reads, with one more query for all rows.
    """

    hold: Callable[[Actor, UUID | None, Members], object]
    assign: Callable[[Actor, UUID, Members], object]
    beside: Callable[[QuerySet[Organization]], QuerySet[Organization]]
    in_role: Callable[[Organization, OrgRole], list[UUID]]


PEOPLE: Final = Provided[People]("the people of organizations")
