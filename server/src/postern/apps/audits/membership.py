"""Who belongs to an organization: `users` knows, and tells this app, which is below it, through a registered function."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from postern.foundation.scope import OrgScope


@dataclass(frozen=True, slots=True)
class Person:
    """A member of an organization, as the logs name people."""

    username: str
    label: str


Members = Callable[[OrgScope], Iterable[Person]]


class _Source:
    members: Members | None = None


def register(members: Members) -> None:
    """`members(scope)` yields the people of an organization. Called by `users` in `AppConfig.ready`."""
    _Source.members = staticmethod(members)


def people_of(scope: OrgScope) -> list[Person]:
    """The members of an organization; nobody while no source is registered."""
    return list(_Source.members(scope)) if _Source.members else []
