"""Positions of moments in the log, also when the clock was set back."""

from datetime import UTC, datetime, timedelta

import pytest

from integration.audits.test_audit_chain import _write
from postern.apps.audits import facade
from postern.kernel.ids import DEFAULT_ORG_ID, new_id

pytestmark = pytest.mark.django_db

START = datetime(2026, 11, 28, 12, tzinfo=UTC)


def at(minute: int) -> datetime:
    return START + timedelta(minutes=minute)


def test_positions_count_and_not_instants(monkeypatch: pytest.MonkeyPatch) -> None:
    for minute in (1, 3, 3, 2, 5):  # the fourth event is written after the clock was set back
        monkeypatch.setattr("postern.kernel.clock.now", lambda minute=minute: at(minute))
        _write(1)
    before = [facade.sequence_before(DEFAULT_ORG_ID, at(minute)) for minute in range(7)]
    assert before == [0, 0, 1, 1, 4, 4, 5], "no event at or after the moment is before the position"
    last = [facade.last_before(DEFAULT_ORG_ID, at(minute)) for minute in range(7)]
    assert last == [0, 0, 1, 4, 4, 4, 5], "every event before the moment is up to the position"
    assert (facade.sequence_before(new_id(), START), facade.last_before(new_id(), START)) == (0, 0)
