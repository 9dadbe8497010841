"""Delete many rows without one long transaction: concurrent writers wait for one batch at most."""

from typing import Any, Final

from django.db import models, transaction

#: Rows deleted in one transaction.
BATCH_ROWS: Final = 1_000
#: Maximum number of batches in one call; the next call continues.
_MOST_BATCHES: Final = 500


def delete_in_batches(rows: "models.QuerySet[Any]", *, batch_rows: int = BATCH_ROWS) -> int:
    """Delete these rows and their dependent rows in batches. Returns the number of deleted rows."""
    gone = 0
    for _ in range(_MOST_BATCHES):
        with transaction.atomic():
            keys = list(rows.order_by("pk").values_list("pk", flat=True)[:batch_rows])
            # Apply the filter again: a row may have been prolonged since its key was read.
            rows.filter(pk__in=keys).delete()
        gone += len(keys)
        if len(keys) < batch_rows:
            break
    return gone
