"""Gives a stored message to its receivers, over the site and over channels that may fail.

Few receivers are written in the transaction of the message. Many would hold the one writer of SQLite for seconds, so
their ids are stored with the message, in batches, and the worker writes each batch in a transaction of its own that also
deletes it. A crash therefore loses nobody and tells nobody twice.
"""

import threading
import time
from collections.abc import Collection, Sequence
from typing import Final
from uuid import UUID

from django.db import connection, transaction

from postern.apps.notifications import deliveries, push
from postern.apps.notifications.backends import SITE_MESSAGE_BACKEND
from postern.apps.notifications.models import DeliveryChannel, ReceiverBatch, SiteMessage, SiteMessageReceipt
from postern.apps.users.models import User
from postern.foundation.bus import waking

#: Receivers of one transaction: about 100 ms on a busy machine with SQLite.
BATCH: Final = 250
#: The periodic task that writes batches.
WRITE: Final = "postern.apps.notifications.tasks.write_receivers"
#: Time for other writers between two batches. A writer that waits for SQLite tries again after at most 100 ms.
_PAUSE_S: Final = 0.12
#: One run at a time in a process: two would leave no pause to other writers.
_TURN: Final = threading.Lock()


def give(message: SiteMessage, user_ids: Sequence[UUID], backends: Collection[str]) -> None:
    """Give the message to these users by these methods, in the caller's transaction or soon after it."""
    if len(user_ids) <= BATCH:
        _write(message, user_ids, backends)
        if SITE_MESSAGE_BACKEND in backends:
            push.unread_changed(user_ids)
        return
    ReceiverBatch.objects.bulk_create(
        ReceiverBatch(
            message=message,
            user_ids=[str(user_id) for user_id in user_ids[start : start + BATCH]],
            backends=sorted(backends),
        )
        for start in range(0, len(user_ids), BATCH)
    )
    waking.wake_after_commit(WRITE)


def write_waiting() -> int:
    """Write the stored batches; returns how many. Called in the worker."""
    if not _TURN.acquire(blocking=False):
        return 0
    try:
        written = 0
        while _write_first():
            written += 1
            time.sleep(_PAUSE_S)
        return written
    finally:
        _TURN.release()


@transaction.atomic
def _write_first() -> bool:
    """Write one batch and delete it. Several workers take different batches where rows can be locked."""
    rows = ReceiverBatch.objects.order_by("id")
    if connection.features.has_select_for_update_skip_locked:
        rows = rows.select_for_update(of=("self",), skip_locked=True)
    batch = rows.select_related("message").first()
    if batch is None:
        return False
    # Users who were deleted since have no row to which a receipt could point.
    remaining = User.objects.filter(pk__in=batch.user_ids)
    _write(batch.message, list(remaining.values_list("pk", flat=True)), batch.backends)
    batch.delete()
    if SITE_MESSAGE_BACKEND in batch.backends and not ReceiverBatch.objects.filter(message=batch.message).exists():
        push.everybody_changed()
    return True


def _write(message: SiteMessage, user_ids: Sequence[UUID], backends: Collection[str]) -> None:
    if SITE_MESSAGE_BACKEND in backends:
        SiteMessageReceipt.objects.bulk_create(
            SiteMessageReceipt(message=message, user_id=user_id, date_delivered=message.date_created)
            for user_id in user_ids
        )
    for channel in DeliveryChannel:
        if channel in backends:
            deliveries.enqueue(message, user_ids, channel=channel)
