"""What the assets app needs to know about admin users, which belong to the vault, the app above.

The vault registers itself in `AppConfig.ready`, so that no import points up the stack.
"""

from collections.abc import Iterable, Mapping
from typing import Protocol
from uuid import UUID


class AdminUserDirectory(Protocol):
    """Looks up system users of type admin."""

    def displays(self, ids: Iterable[UUID]) -> Mapping[UUID, str]:
        """`name(username)` of those that exist."""
        ...

    def is_admin_user(self, admin_user_id: UUID, org_id: UUID) -> bool:
        """Is there such an admin user in the organization?"""
        ...

    def assets_of(self, system_user_id: UUID) -> Iterable[UUID]:
        """Ids of the assets that a system user is bound to (a queryset of values serves)."""
        ...


class _Registry:
    directory: AdminUserDirectory | None = None


def register(directory: AdminUserDirectory) -> None:
    _Registry.directory = directory


def displays(ids: Iterable[UUID]) -> Mapping[UUID, str]:
    """Names for people of the admin users that exist."""
    wanted = set(ids)
    return _Registry.directory.displays(wanted) if _Registry.directory and wanted else {}


def is_admin_user(admin_user_id: UUID, org_id: UUID) -> bool:
    return bool(_Registry.directory and _Registry.directory.is_admin_user(admin_user_id, org_id))


def assets_of(system_user_id: UUID) -> Iterable[UUID]:
    """Ids of the assets that a system user is bound to."""
    return _Registry.directory.assets_of(system_user_id) if _Registry.directory else ()
