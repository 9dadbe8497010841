"""The periodic tasks of sessions."""

from postern.apps.sessions.tasks import BEAT


def test_tasks_keep_the_names_under_which_an_earlier_release_queued_them() -> None:
    assert {name: entry["task"] for name, entry in BEAT.items()} == {
        "sessions: leases": "postern.apps.sessions.tasks.check_leases",
        "sessions: closed accounts": "postern.apps.sessions.tasks.sweep_accounts",
        "sessions: withdrawn permissions": "postern.apps.sessions.tasks.sweep_permissions",
        "sessions: old sessions": "postern.apps.sessions.tasks.forget_old_sessions",
        "sessions: copies of recordings": "postern.apps.sessions.tasks.copy_recordings",
        "sessions: index of recordings": "postern.apps.sessions.tasks.index_recordings",
        "sessions: anchors": "postern.apps.sessions.tasks.anchor_running_sessions",
        "sessions: viewings": "postern.apps.sessions.tasks.close_idle_viewings",
        "sessions: old tokens": "postern.apps.sessions.tasks.purge_tokens",
        "sessions: entered credentials": "postern.apps.sessions.tasks.purge_entered_credentials",
        "sessions: days": "postern.apps.sessions.tasks.count_days",
    }
