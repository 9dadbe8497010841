"""Rules of heartbeats as pure functions."""

from datetime import datetime, timedelta
from typing import Final

#: A heartbeat is made before it arrives, and a proxy learns of a session after the row is there: sessions younger than
#: this are not missed in a heartbeat. Twice the time in which the proxy gives an unanswered request up.
HEARTBEAT_BLIND_S: Final = 30


def is_missed(*, date_start: datetime, now: datetime, is_unreported: bool) -> bool:
    """Whether a live session that a heartbeat does not list is over without a word.

    It must be old enough to have been listed, and no event of it may be on its way that would say how it ended.
    """
    return not is_unreported and now - date_start > timedelta(seconds=HEARTBEAT_BLIND_S)
