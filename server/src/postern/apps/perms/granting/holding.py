"""Rows that a write of permissions locks first (`foundation.database.row_locks`): the permissions, then the objects
that they name or will name.

The locks prevent the deletion of these objects until the write commits. A deletion removes the object from its
permissions row by row; without the locks, it could wait for this write while this write waits for it.
"""

from collections.abc import Collection, Mapping
from uuid import UUID

from postern.apps.perms.granting.kind import Kind, P
from postern.apps.perms.granting.links import Link
from postern.apps.users import facade as users
from postern.foundation.database import row_locks


def hold(
    kind: Kind[P],
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
    row_locks.lock(kind.model, permission_ids, deleting=deleting)
    for link in kind.links:
        ids = set(named.get(link, ()))
        if link in links and permission_ids:
            held = link.rows.filter(**{f"{kind.parent}__in": list(permission_ids)}).order_by()
            ids |= set(held.values_list(f"{link.column}_id", flat=True))
        row_locks.share(link.target, ids)
        if link is kind.users:
            users.hold_memberships(ids, org_ids)
