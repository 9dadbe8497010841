"""Pruning of the change list of the tree."""

from typing import Final

from django.db import transaction
from django.db.models import Max

from postern.apps.assets.tree.models import TreeChange

#: An index that is further behind than this many writes is rebuilt completely, which takes about half a second.
KEPT_WRITES: Final = 10_000


@transaction.atomic
def prune_changes(*, kept_writes: int = KEPT_WRITES) -> int:
    """Delete the changes of all but the latest writes of each organization; returns the number of deleted rows.

    A reader whose position is older than the oldest remaining change has missed changes and rebuilds its index.
    """
    deleted = 0
    newest = TreeChange.objects.order_by().values("org_id").annotate(last=Max("seq")).values_list("org_id", "last")
    for org_id, last in list(newest):
        count, _per_model = TreeChange.objects.filter(org_id=org_id, seq__lte=last - kept_writes).delete()
        deleted += count
    return deleted
