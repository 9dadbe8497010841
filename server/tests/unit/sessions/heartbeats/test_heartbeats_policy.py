"""The rules of heartbeats: when a session counts as missing."""

from datetime import UTC, datetime, timedelta

from postern.apps.sessions.heartbeats import policy

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def test_session_is_missing_only_when_it_is_old_enough_and_no_event_is_unsent() -> None:
    old, young = NOW - timedelta(minutes=5), NOW - timedelta(seconds=5)
    assert policy.is_missed(date_start=old, now=NOW, is_unreported=False)
    assert not policy.is_missed(date_start=young, now=NOW, is_unreported=False)
    assert not policy.is_missed(date_start=old, now=NOW, is_unreported=True)
