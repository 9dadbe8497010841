"""Notes the use of permissions."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from postern.apps.perms.last_uses.models import PermissionUse


def note_use(*, permission_ids: Collection[UUID], user_id: UUID, at: datetime) -> None:
    """A session of the person was permitted by these permissions. One statement, in the transaction of the caller.

    In the order of their ids, as every writer of several rows does.
    """
    PermissionUse.objects.bulk_create(
        [
            PermissionUse(assetpermission_id=permission_id, user_id=user_id, date_last_used=at)
            for permission_id in sorted(permission_ids)
        ],
        update_conflicts=True,
        unique_fields=("assetpermission", "user"),
        update_fields=("date_last_used",),
    )
