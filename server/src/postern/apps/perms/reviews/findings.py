"""What a review finds about permissions: unused for a number of days, expired, or ending soon.

A permission is used when a session is permitted by it: it named the person, the asset and the system user at that
moment. It counts as unused when it was valid, made before the days in question, and used by nobody in them. Uses are
known since the history of access begins, so nothing counts as unused before that is long enough ago. There are no sessions
to applications yet, so nothing is known about the use of application permissions.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from postern.apps.perms.application_grants.models import ApplicationPermission
from postern.apps.perms.application_permissions.filters import open_permissions
from postern.apps.perms.granting.bases import Permission
from postern.apps.perms.grants.models import AssetPermission
from postern.apps.perms.history.past import known_since
from postern.apps.perms.last_uses.models import PermissionUse

#: Days without use, and days to the end, when a review names no others.
DAYS: Final = 90
WITHIN: Final = 30


class Finding(StrEnum):
    """Stable: part of the API."""

    UNUSED = "unused"
    EXPIRED = "expired"
    ENDING = "ending"


@dataclass(frozen=True, slots=True)
class Review:
    """The question of a review: unused for `days`, ending within `within_days`. `has_uses`: whether the permissions are of
    a kind whose uses are noted.
    """

    at: datetime
    days: int
    within_days: int
    has_uses: bool = True

    @property
    def border(self) -> datetime:
        """A use at or after it counts."""
        return self.at - timedelta(days=self.days)

    @property
    def end(self) -> datetime:
        """What ends until then ends soon."""
        return self.at + timedelta(days=self.within_days)

    def knows_uses(self) -> bool:
        """Whether the uses of all days in question are known."""
        if not self.has_uses:
            return False
        since = known_since()
        return since is not None and since <= self.border

    def judges_uses_of(self, row: Permission) -> bool:
        """Whether the permission could be used on all days in question, and its uses of them are known."""
        return max(row.date_start, row.date_created) <= self.border and self.knows_uses()

    def condition(self, finding: Finding) -> Q:
        """Which permissions have the finding."""
        if finding is Finding.EXPIRED:
            return Q(date_expired__lte=self.at)
        if finding is Finding.ENDING:
            return Q(is_active=True, date_expired__gt=self.at, date_expired__lte=self.end)
        if not self.knows_uses():
            return Q(pk__in=())
        used = PermissionUse.objects.filter(assetpermission=OuterRef("pk"), date_last_used__gte=self.border)
        valid = Q(is_active=True, date_start__lte=self.border, date_expired__gt=self.at, date_created__lte=self.border)
        return valid & ~Q(Exists(used))

    def findings(self, row: Permission, last_used: datetime | None) -> list[Finding]:
        """The findings of one permission, as `condition` says them."""
        findings = []
        if row.is_valid and self.judges_uses_of(row) and (last_used is None or last_used < self.border):
            findings.append(Finding.UNUSED)
        if row.date_expired <= self.at:
            findings.append(Finding.EXPIRED)
        elif row.is_active and row.date_expired <= self.end:
            findings.append(Finding.ENDING)
        return findings


@dataclass(frozen=True, slots=True)
class FindingCounts:
    """Numbers of permissions with a finding, as the review shows them when nothing else is asked for."""

    ending: int
    ending_applications: int
    unused: int


def count_findings(org_id: UUID | None, at: datetime, most: int) -> FindingCounts:
    """How many permissions of the organization (None: of all) end soon or are unused, each up to `most`."""
    review = Review(at, DAYS, WITHIN)

    def count(rows: QuerySet[Any], finding: Finding) -> int:
        found = rows.filter(review.condition(finding)).order_by()
        return (found if org_id is None else found.filter(org_id=org_id))[:most].count()

    return FindingCounts(
        ending=count(AssetPermission.objects.all(), Finding.ENDING),
        ending_applications=count(open_permissions(ApplicationPermission.objects.all()), Finding.ENDING),
        unused=count(AssetPermission.objects.all(), Finding.UNUSED),
    )


def with_last_use(rows: QuerySet[AssetPermission]) -> QuerySet[AssetPermission]:
    """The permissions with `date_last_used`: the last use by anybody."""
    uses = PermissionUse.objects.filter(assetpermission=OuterRef("pk")).order_by("-date_last_used")
    return rows.annotate(date_last_used=Subquery(uses.values("date_last_used")[:1]))
