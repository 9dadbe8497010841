"""Concurrent writers append to one chain without a gap, a duplicate or a broken link."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from postern.apps.audits import facade, queries
from postern.apps.audits.models import AuditEvent
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.ids import new_id

WRITERS, EVENTS_EACH = 4, 8


@pytest.mark.django_db(transaction=True)
def test_chain_of_concurrent_writers_is_valid() -> None:
    org_id = new_id()

    def write(writer: int) -> None:
        try:
            for number in range(EVENTS_EACH):
                with transaction.atomic():
                    facade.record(
                        actor=SYSTEM,
                        org_id=org_id,
                        event=facade.Event.ASSET_UPDATED,
                        object_type="Thing",
                        object_id=f"{writer}-{number}",
                    )
        finally:
            connection.close()

    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(write, range(WRITERS)))
    sequences = list(AuditEvent.objects.filter(org_id=org_id).order_by("sequence").values_list("sequence", flat=True))
    assert sequences == list(range(1, WRITERS * EVENTS_EACH + 1))
    assert list(queries.verify()) == []
