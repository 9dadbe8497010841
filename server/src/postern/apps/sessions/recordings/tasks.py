"""Periodic tasks for recordings: retention."""

from typing import Final

from celery import shared_task

from postern.apps.sessions.recordings.actions import retention
from postern.apps.sessions.recordings.storage import replay_storage
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.parts.schedule import every

_FORGET_S: Final = 600.0


@shared_task(name="postern.apps.sessions.tasks.forget_old_sessions")  # type: ignore[untyped-decorator]  # celery has no types
def forget_old_sessions() -> int:
    """Delete sessions older than the retention period."""
    return retention.forget_old_sessions(actor=SYSTEM, storage=replay_storage())


BEAT: Final = {
    "sessions: old sessions": every(forget_old_sessions, _FORGET_S),
}
