"""A kind of permission, declared once. Writes, locks, filters, lists and views of all kinds are driven by it."""

from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar
from uuid import UUID

from django.db.models import Q

from postern.apps.audits.facade import Event
from postern.apps.perms.granting.bases import Permission
from postern.apps.perms.granting.links import Link

P = TypeVar("P", bound=Permission)


class Around(Protocol):
    """What a kind does around a write of permissions whose rows are locked. `only`: the one link that the write adds
    or removes.
    """

    def __call__(
        self, org_id: UUID, permission_ids: Collection[UUID], *, only: tuple[Link, UUID] | None = None
    ) -> AbstractContextManager[None]: ...


def nothing_around(
    org_id: UUID, permission_ids: Collection[UUID], *, only: tuple[Link, UUID] | None = None
) -> AbstractContextManager[None]:
    del org_id, permission_ids, only
    return nullcontext()


def any_may_be_written(permission: Permission) -> None:
    del permission


def any_fits(permission: Permission, link: Link, targets: Collection[Any]) -> None:
    del permission, link, targets


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[P]):
    """`columns`: what a write may set, in the order of the audit record. `reverse`: related name of the link rows at
    the objects. `users`, `user_groups`, `system_users`: links that every kind has. `objects`: links to what the kind
    grants.
    """

    model: type[P]
    parent: str
    reverse: str
    columns: tuple[str, ...]
    users: Link
    user_groups: Link
    objects: tuple[Link, ...]
    system_users: Link
    link_added: Event
    link_removed: Event
    #: Column → its value in the audit record.
    recorded: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    #: What a permission needs to be effective, beside a subject, an object and a system user.
    effective: Q = field(default_factory=Q)
    #: Raises for a permission that nobody may write now.
    require_writable: Callable[[P], None] = any_may_be_written
    #: Raises FieldRefused for objects that a permission may not name.
    require_fitting: Callable[[P, Link, Collection[Any]], None] = any_fits
    around: Around = nothing_around

    @property
    def links(self) -> tuple[Link, ...]:
        """In the order in which every write locks and writes them."""
        return (self.users, self.user_groups, *self.objects, self.system_users)
