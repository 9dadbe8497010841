"""Periodic task of the index of recordings."""

from typing import Final

from celery import shared_task

from postern.apps.sessions.indexing import actions
from postern.apps.sessions.recordings.storage import replay_storage
from postern.foundation.parts.schedule import every

_INDEX_S: Final = 30.0


@shared_task(name="postern.apps.sessions.tasks.index_recordings")  # type: ignore[untyped-decorator]  # celery has no types
def index_recordings() -> int:
    """Index the lines of recordings for the search, or delete the index when the search is off."""
    return actions.index_due(local=replay_storage(), limit_s=_INDEX_S)


BEAT: Final = {"sessions: index of recordings": every(index_recordings, _INDEX_S)}
