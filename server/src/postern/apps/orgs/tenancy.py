"""What higher apps store in an organization, and their actions when one is created, renamed or deleted.

The apps register it in their `holdings.py`, so that no import points up the stack:

    HOLDINGS: Final = (orgs.Holding(label=_("Assets"), rows=Asset.objects.all, statistic="assets_amount"),)
    LIFECYCLE: Final = orgs.Lifecycle(named=ensure_root, dissolved=drop_tree)

A `PlainModel` needs no line there: `plain_holdings` names all of them.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.apps import apps
from django.db import models
from django.db.models import Count, Value
from django.utils.functional import Promise

from postern.foundation.caller.actor import Actor
from postern.foundation.models import PlainModel
from postern.foundation.provided import Provided

#: Names in `resource_statistics` of an organization (contract: orgs). A name without a holding is counted as 0.
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
    """One kind of object that organizations own.

    `rows()` returns rows with a column `org_id`; `counted` is the column whose distinct values are counted. `statistic`:
    where the count is shown, if anywhere. `keeps`: an organization that has such objects cannot be deleted.
    """

    label: str | Promise
    rows: Callable[[], models.QuerySet[Any]]
    counted: str = "pk"
    statistic: str = ""
    keeps: bool = True

    @property
    def count(self) -> Count:
        """The aggregate. Each row has its own key, so only other columns need a costly DISTINCT."""
        return Count("*") if self.counted == "pk" else Count(self.counted, distinct=True)

    def __post_init__(self) -> None:
        if self.statistic and self.statistic not in STATISTICS:
            raise ValueError(self.statistic)


def plain_holdings() -> Sequence[Holding]:
    """A holding for each `PlainModel` of the installed apps."""
    plain = [model for model in apps.get_models() if issubclass(model, PlainModel)]
    return [Holding(label=_plural(model), rows=model._default_manager.all) for model in plain]  # noqa: SLF001 - the documented model API


def _plural(model: type[PlainModel]) -> str | Promise:
    plural: str | Promise = model._meta.verbose_name_plural or ""  # noqa: SLF001 - the documented model API
    return plural


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifecycle:
    """Actions of an app in the transaction that creates or renames (`named`) or deletes (`dissolved`) an organization."""

    named: Callable[[Actor, UUID, str], object]
    dissolved: Callable[[Actor, UUID], object]


HOLDINGS: Final = Provided[Sequence[Holding]]("what organizations own")
LIFECYCLES: Final = Provided[Sequence[Lifecycle]]("what happens with organizations")


def counts(wanted: Collection[Holding], org_ids: Collection[UUID]) -> dict[UUID, dict[int, int]]:
    """Counts of each kind per organization: organization → index of the holding in `wanted` → count. One query."""
    parts = [
        holding.rows()
        .filter(org_id__in=list(org_ids))
        .order_by()
        .values("org_id")
        .annotate(holding=Value(number, output_field=models.IntegerField()), amount=holding.count)
        .values_list("org_id", "holding", "amount")
        for number, holding in enumerate(wanted)
    ]
    counts_by_org: dict[UUID, dict[int, int]] = {org_id: {} for org_id in org_ids}
    if parts and org_ids:
        for org_id, number, amount in parts[0].union(*parts[1:], all=True):
            counts_by_org[org_id][number] = amount
    return counts_by_org
