"""Periodic tasks for recordings: retention, and copies to other storages."""

from typing import Final

from celery import shared_task

from postern.apps.sessions.recordings.actions import copying, moving, retention
from postern.apps.sessions.recordings.storage import replay_storage
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.parts.schedule import every

_FORGET_S: Final = 600.0
_COPY_S: Final = 30.0


@shared_task(name="postern.apps.sessions.tasks.forget_old_sessions")  # type: ignore[untyped-decorator]  # celery has no types
def forget_old_sessions() -> int:
    """Delete sessions that the rules of retention no longer keep."""
    return retention.forget_old_sessions(actor=SYSTEM, storage=replay_storage())


@shared_task(name="postern.apps.sessions.tasks.copy_recordings")  # type: ignore[untyped-decorator]  # celery has no types
def copy_recordings() -> int:
    """Copy recordings to the storages in which they are to lie, and delete the files that were copied."""
    local = replay_storage()
    moving.queue_moves(actor=SYSTEM)
    count = copying.copy_due(actor=SYSTEM, local=local, limit_s=_COPY_S)
    retention.delete_doomed_files(storage=local)
    return count


BEAT: Final = {
    "sessions: old sessions": every(forget_old_sessions, _FORGET_S),
    "sessions: copies of recordings": every(copy_recordings, _COPY_S),
}
