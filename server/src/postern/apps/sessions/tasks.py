"""All periodic work of the app, where Celery looks for it.

Tasks keep the names that they had when all of them lay here: the queue of an earlier release holds those.
"""

from typing import Final

from postern.apps.sessions.heartbeats import tasks as heartbeats
from postern.apps.sessions.recordings import tasks as recordings
from postern.apps.sessions.sessions import tasks as sessions
from postern.apps.sessions.viewings import tasks as viewings

BEAT: Final = {**heartbeats.BEAT, **sessions.BEAT, **recordings.BEAT, **viewings.BEAT}
