"""All periodic tasks of the app, for Celery's task discovery.

The tasks have the names of this module, because queues of an earlier release contain them.
"""

from typing import Final

from postern.apps.sessions.day_uses import tasks as day_uses
from postern.apps.sessions.entered_credentials import tasks as entered_credentials
from postern.apps.sessions.heartbeats import tasks as heartbeats
from postern.apps.sessions.indexing import tasks as indexing
from postern.apps.sessions.recordings import tasks as recordings
from postern.apps.sessions.sessions import tasks as sessions
from postern.apps.sessions.viewings import tasks as viewings

BEAT: Final = {
    **heartbeats.BEAT,
    **sessions.BEAT,
    **recordings.BEAT,
    **indexing.BEAT,
    **viewings.BEAT,
    **entered_credentials.BEAT,
    **day_uses.BEAT,
}
