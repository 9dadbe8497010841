"""Rows that a write of application permissions locks first (`foundation.database.row_locks`), as with asset permissions:
the permissions, then the objects that they name or will name.
"""

from collections.abc import Collection, Mapping
from uuid import UUID

from postern.apps.perms.application_grants.links import LINKS, USERS
from postern.apps.perms.application_grants.models import ApplicationPermission
from postern.apps.perms.grants.links import Link
from postern.apps.users import facade as users
from postern.foundation.database import row_locks


def hold(
    permission_ids: Collection[UUID],
    org_ids: Collection[UUID],
    *,
    named: Mapping[Link, Collection[UUID]],
    links: Collection[Link] = (),
    deleting: bool = False,
) -> None:
    """Lock permissions of these organizations, and the objects that they name.

    `named`: the objects in the write. `links`: the lists that the write replaces; the objects in them are locked too.
    """
    row_locks.lock(ApplicationPermission, permission_ids, deleting=deleting)
    for link in LINKS:
        ids = set(named.get(link, ()))
        if link in links and permission_ids:
            held = link.rows.filter(applicationpermission__in=list(permission_ids)).order_by()
            ids |= set(held.values_list(f"{link.column}_id", flat=True))
        row_locks.share(link.target, ids)
        if link is USERS:
            users.hold_memberships(ids, org_ids)
