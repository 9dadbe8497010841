"""The rules of heartbeats: when a session is missed."""

from datetime import UTC, datetime, timedelta

from postern.apps.sessions.heartbeats import policy

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def test_session_is_missed_only_when_old_enough_and_nothing_is_on_its_way() -> None:
    old, young = NOW - timedelta(minutes=5), NOW - timedelta(seconds=5)
    assert policy.is_missed(date_start=old, now=NOW, is_unreported=False)
    assert not policy.is_missed(date_start=young, now=NOW, is_unreported=False)
    assert not policy.is_missed(date_start=old, now=NOW, is_unreported=True)
