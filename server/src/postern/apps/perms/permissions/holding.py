"""Which rows a write of permissions locks first (`foundation.database.row_locks`): the permissions, then everything that they name or are to name.

Objects that a permission names are kept from being deleted until the write is stored: their deletion takes them out of the permissions that
name them, row by row, and would wait for this write while this write waits for it.
"""

from collections.abc import Collection, Mapping
from uuid import UUID

from postern.apps.perms.grants.links import LINKS, USERS, Link
from postern.apps.perms.grants.models import AssetPermission
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
    """Lock these permissions, which are of these organizations, and what they name.

    `named`: what the write names. `links`: the lists that it replaces, so that it concerns what they name now as well.
    """
    row_locks.lock(AssetPermission, permission_ids, deleting=deleting)
    for link in LINKS:
        ids = set(named.get(link, ()))
        if link in links and permission_ids:
            held = link.rows.filter(assetpermission__in=list(permission_ids)).order_by()
            ids |= set(held.values_list(f"{link.column}_id", flat=True))
        row_locks.share(link.target, ids)
        if link is USERS:
            users.hold_memberships(ids, org_ids)
