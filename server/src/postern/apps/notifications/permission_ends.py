"""Tells the maker of a permission that it ends soon: once for each end, five days before.

The maker is the administrator whom `created_by` names, while they administer the organization. After that, all
administrators of the organization get the message; without any, the system administrators.

The stored message marks the permission as reported. The permission is locked, so that of several workers one sends it.
"""

from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from postern.apps.notifications.actions import tell
from postern.apps.notifications.declarations.expiries import PERMISSION_EXPIRING, Ending
from postern.apps.notifications.models import SiteMessage
from postern.apps.notifications.queries import super_administrators
from postern.apps.orgs.roles import OrgRole
from postern.apps.perms.models import ApplicationPermission, AssetPermission
from postern.apps.users.models import Membership, SystemRole, User
from postern.kernel import clock

DAYS_BEFORE: Final = 5
_DAY: Final = timedelta(days=1)
_Permission = AssetPermission | ApplicationPermission
_Kind = type[AssetPermission] | type[ApplicationPermission]


def warn_due() -> int:
    """Send a message about every permission that ends soon and was not reported yet; returns their number."""
    now = clock.now()
    reported = set(
        SiteMessage.objects.filter(message_type=PERMISSION_EXPIRING.message_type.name).values_list(
            "occasion", flat=True
        )
    )
    return sum(_warn_of(model, now, reported) for model in (AssetPermission, ApplicationPermission))


def _warn_of(model: _Kind, now: datetime, reported: set[str]) -> int:
    rows = _ending(model, now).order_by("date_expired", "pk").values_list("pk", "date_expired")
    return sum(_warn(model, key, now) for key, ends_at in list(rows) if _occasion(key, ends_at) not in reported)


def _ending(model: _Kind, now: datetime) -> QuerySet[Any]:
    rows: QuerySet[Any] = model.objects.filter(
        is_active=True, date_expired__gt=now, date_expired__lte=now + DAYS_BEFORE * _DAY
    )
    return rows


def _occasion(permission_id: UUID, ends_at: datetime) -> str:
    return f"{permission_id}:{ends_at.timestamp():.0f}"


@transaction.atomic
def _warn(model: _Kind, permission_id: UUID, now: datetime) -> bool:
    """Look at the permission again under a lock: its end may have been changed since the list was read."""
    permission = _ending(model, now).select_for_update(of=("self",)).filter(pk=permission_id).first()
    if permission is None:
        return False
    days_left = max(-((now - permission.date_expired) // _DAY), 1)  # begun days
    facts = Ending(
        permission.date_expired,
        days_left,
        name=permission.name,
        row_id=permission.pk,
        of_applications=model is ApplicationPermission,
    )
    occasion = _occasion(permission.pk, permission.date_expired)
    return bool(tell(notice=PERMISSION_EXPIRING.about(facts), occasion=occasion, user_ids=list(_receivers(permission))))


def _receivers(permission: _Permission) -> set[UUID]:
    administers = Membership.objects.filter(user=OuterRef("pk"), org_id=permission.org_id, role=OrgRole.ADMIN)
    people = User.objects.valid().people()
    # `Name(username)`, and names may contain parentheses, too.
    username = permission.created_by.rpartition("(")[2].removesuffix(")")
    maker = people.filter(Q(Exists(administers)) | Q(role=SystemRole.ADMIN), username=username)
    user_ids = set(maker.values_list("pk", flat=True)) or set(
        people.filter(Exists(administers)).values_list("pk", flat=True)
    )
    return user_ids or set(super_administrators().values_list("pk", flat=True))
