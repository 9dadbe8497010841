"""What the assets app needs to know about admin users, which belong to the vault, the app above.

The vault provides it, so that no import points up the stack.
"""

from collections.abc import Iterable, Mapping
from typing import Final, Protocol
from uuid import UUID

from postern.foundation.provided import Provided


class AdminUserDirectory(Protocol):
    """Looks up system users of type admin."""

    def displays(self, ids: Iterable[UUID]) -> Mapping[UUID, str]:
        """`name(username)` of those that exist."""
        ...

    def is_admin_user(self, admin_user_id: UUID, org_id: UUID) -> bool:
        """Is there such an admin user in the organization?"""
        ...

    def named(self, name: str, org_id: UUID) -> UUID | None:
        """The admin user of this name (or `name(username)`) in the organization."""
        ...

    def assets_of(self, system_user_id: UUID) -> Iterable[UUID]:
        """Ids of the assets that a system user is bound to (a queryset of values serves)."""
        ...


DIRECTORY: Final = Provided[AdminUserDirectory]("the admin users")


def displays(ids: Iterable[UUID]) -> Mapping[UUID, str]:
    """Names for people of the admin users that exist."""
    wanted = set(ids)
    return DIRECTORY.value.displays(wanted) if wanted else {}


def is_admin_user(admin_user_id: UUID, org_id: UUID) -> bool:
    return DIRECTORY.value.is_admin_user(admin_user_id, org_id)


def named(name: str, org_id: UUID) -> UUID | None:
    """The admin user of this name in the organization, or None."""
    return DIRECTORY.value.named(name, org_id)


def assets_of(system_user_id: UUID) -> Iterable[UUID]:
    """Ids of the assets that a system user is bound to."""
    return DIRECTORY.value.assets_of(system_user_id)
