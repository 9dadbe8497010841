"""What the apps above keep in an organization, and what they do when one is founded, renamed or dissolved.

They provide it in their `holdings.py`, so that no import points up the stack:

    HOLDINGS: Final = (orgs.Holding(label=_("Assets"), rows=Asset.objects.all, statistic="assets_amount"),)
    LIFECYCLE: Final = orgs.Lifecycle(named=ensure_root, dissolved=drop_tree)
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db import models
from django.db.models import Count, Value
from django.utils.functional import Promise

from postern.foundation.caller.actor import Actor
from postern.foundation.provided import Provided

#: What `resource_statistics` of an organization counts (contract: orgs). What nobody registers is counted as none.
STATISTICS: Final = (
    "users_amount",
    "groups_amount",
    "assets_amount",
    "nodes_amount",
    "admin_users_amount",
    "system_users_amount",
    "domains_amount",
    "gateways_amount",
    "applications_amount",
    "asset_perms_amount",
    "app_perms_amount",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """One kind of thing that organizations own.

    `rows()` gives rows with a column `org_id`; `counted` is the column whose different values count. `statistic`: where
    the count is shown, if anywhere. `keeps`: an organization that has one cannot be deleted.
    """

    label: str | Promise
    rows: Callable[[], models.QuerySet[Any]]
    counted: str = "pk"
    statistic: str = ""
    keeps: bool = True

    def __post_init__(self) -> None:
        if self.statistic and self.statistic not in STATISTICS:
            raise ValueError(self.statistic)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifecycle:
    """What an app does in the transaction of a founding or renaming (`named`), and of an end (`dissolved`)."""

    named: Callable[[Actor, UUID, str], object]
    dissolved: Callable[[Actor, UUID], object]


HOLDINGS: Final = Provided[Sequence[Holding]]("what organizations own")
LIFECYCLES: Final = Provided[Sequence[Lifecycle]]("what happens with organizations")


def counts(wanted: Collection[Holding], org_ids: Collection[UUID]) -> dict[UUID, dict[int, int]]:
    """How many of each kind each organization has: organization → number of the holding in `wanted` → count. One query."""
    parts = [
        holding.rows()
        .filter(org_id__in=list(org_ids))
        .order_by()
        .values("org_id")
        .annotate(
            holding=Value(number, output_field=models.IntegerField()), amount=Count(holding.counted, distinct=True)
        )
        .values_list("org_id", "holding", "amount")
        for number, holding in enumerate(wanted)
    ]
    found: dict[UUID, dict[int, int]] = {org_id: {} for org_id in org_ids}
    if parts and org_ids:
        for org_id, number, amount in parts[0].union(*parts[1:], all=True):
            found[org_id][number] = amount
    return found
