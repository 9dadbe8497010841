"""Upkeep of the list of changes, so that it does not grow without end."""

from typing import Final

from django.db import transaction
from django.db.models import Max

from postern.apps.assets.tree.models import TreeChange

#: An index that is further behind than this many writes is rebuilt from the truth, which takes about half a second.
KEPT_WRITES: Final = 10_000


@transaction.atomic
def prune_changes(*, kept_writes: int = KEPT_WRITES) -> int:
    """Delete the changes of all but the last writes of each organization; gives their number.

    A reader whose position lies before the oldest change that is left has missed some and starts anew.
    """
    deleted = 0
    newest = TreeChange.objects.order_by().values("org_id").annotate(last=Max("seq")).values_list("org_id", "last")
    for org_id, last in list(newest):
        count, _per_model = TreeChange.objects.filter(org_id=org_id, seq__lte=last - kept_writes).delete()
        deleted += count
    return deleted
