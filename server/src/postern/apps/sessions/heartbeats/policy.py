"""Rules for heartbeats. Pure functions."""

from datetime import datetime, timedelta
from typing import Final

#: A heartbeat is created before it arrives, and a proxy learns of a session after its row exists. Younger sessions are
#: therefore never treated as missing. Twice the time after which the proxy gives up an unanswered request.
HEARTBEAT_BLIND_S: Final = 30


def is_missed(*, date_start: datetime, now: datetime, is_unreported: bool) -> bool:
    """Whether a live session, missing from a heartbeat, has ended without a report.

    It must be old enough to have been listed, and the proxy must not have unsent events of it, which would say how it
    ended.
    """
    return not is_unreported and now - date_start > timedelta(seconds=HEARTBEAT_BLIND_S)
