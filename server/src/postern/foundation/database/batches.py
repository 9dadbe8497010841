"""Deleting many rows without one long transaction: whoever writes beside it waits for one batch at most."""

from typing import Any, Final

from django.db import models, transaction

#: Rows of one transaction.
BATCH_ROWS: Final = 1_000
#: Batches of one round; the next round goes on.
_MOST_BATCHES: Final = 500


def delete_in_batches(rows: "models.QuerySet[Any]", *, batch_rows: int = BATCH_ROWS) -> int:
    """Delete these rows, and what hangs on them, batch by batch; returns how many of them are gone."""
    gone = 0
    for _ in range(_MOST_BATCHES):
        with transaction.atomic():
            keys = list(rows.order_by("pk").values_list("pk", flat=True)[:batch_rows])
            # The condition once more: a row may have been prolonged in between.
            rows.filter(pk__in=keys).delete()
        gone += len(keys)
        if len(keys) < batch_rows:
            break
    return gone
