"""Interface to the admin users of assets. They belong to the vault, an app in a higher layer.

The vault registers the implementation, so that no import points up the stack.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, Protocol
from uuid import UUID

from postern.foundation.provided import Provided


class AdminUserDirectory(Protocol):
    """Looks up system users of type admin."""

    def displays(self, ids: Iterable[UUID]) -> Mapping[UUID, str]:
        """Display text `name(username)` of each existing admin user, by id."""
        ...

    def is_admin_user(self, admin_user_id: UUID, org_id: UUID) -> bool:
        """Whether the organization has an admin user with this id."""
        ...

    def named(self, name: str, org_id: UUID) -> UUID | None:
        """The admin user with this name (or `name(username)`) in the organization, or None."""
        ...

    def hold(self, ids: Collection[UUID]) -> None:
        """Protect these admin users from deletion until the transaction ends. Raises when an admin user no longer
        exists.
        """
        ...

    def assets_of(self, system_user_id: UUID) -> Iterable[UUID]:
        """Ids of the assets that a system user is bound to, as any iterable; a values queryset works too."""
        ...


DIRECTORY: Final = Provided[AdminUserDirectory]("the admin users")


def displays(ids: Iterable[UUID]) -> Mapping[UUID, str]:
    """Display text of each existing admin user, by id."""
    wanted = set(ids)
    return DIRECTORY.value.displays(wanted) if wanted else {}


def is_admin_user(admin_user_id: UUID, org_id: UUID) -> bool:
    return DIRECTORY.value.is_admin_user(admin_user_id, org_id)


def hold(values: Iterable[Mapping[str, Any]]) -> None:
    """Protect the admin users that assets get in a write from deletion: `admin_user_id` of each item."""
    ids = {item["admin_user_id"] for item in values if item.get("admin_user_id")}
    if ids:
        DIRECTORY.value.hold(ids)


def named(name: str, org_id: UUID) -> UUID | None:
    """The admin user with this name in the organization, or None."""
    return DIRECTORY.value.named(name, org_id)


def assets_of(system_user_id: UUID) -> Iterable[UUID]:
    """Ids of the assets that a system user is bound to."""
    return DIRECTORY.value.assets_of(system_user_id)
