"""When the state of a part of Postern is worth a message. Pure functions.

A measure that goes up and down around its threshold, and a connection that comes and goes, must not cause a message each
time. So there are three delays. A worse state must last before it is reported. A better state must last before it counts,
and is reported only a calm period after the last message. The calm period does not hold back a state that is worse than
the last message: there are at most two messages about a part in it, unless the part gets worse step by step.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from postern.apps.sessions.facade import TerminalStatus

#: How long a state lasts before a message reports it. A lost proxy has a message of its own at once.
LASTS: Final[Mapping[TerminalStatus, timedelta]] = {
    TerminalStatus.NORMAL: timedelta(0),
    TerminalStatus.HIGH: timedelta(minutes=2),
    TerminalStatus.CRITICAL: timedelta(minutes=2),
    TerminalStatus.OFFLINE: timedelta(minutes=5),
}
#: How long a better state lasts before it counts.
RECOVERY: Final = timedelta(minutes=10)
#: The time from a message to a message about a better state.
CALM: Final = timedelta(minutes=30)
_RANK: Final = {
    level: rank
    for rank, level in enumerate(
        (TerminalStatus.NORMAL, TerminalStatus.HIGH, TerminalStatus.CRITICAL, TerminalStatus.OFFLINE)
    )
}


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of a part.

    `level` counts since `since`; readings are better since `better_since`. `told`: the state in the last message,
    which was sent at `told_at`.
    """

    level: TerminalStatus
    since: datetime
    better_since: datetime | None = None
    told: TerminalStatus = TerminalStatus.NORMAL
    told_at: datetime | None = None


def read(standing: Standing, level: TerminalStatus, now: datetime) -> Standing:
    """The standing after a reading."""
    if _RANK[level] > _RANK[standing.level]:
        return replace(standing, level=level, since=now, better_since=None)
    if level is standing.level:
        return replace(standing, better_since=None)
    since = standing.better_since or now
    if now - since < RECOVERY:
        return replace(standing, better_since=since)
    return replace(standing, level=level, since=since, better_since=None)


def is_to_tell(standing: Standing, level: TerminalStatus, now: datetime) -> bool:
    """Whether to send a message about the standing now, after a reading of this level."""
    if standing.level is standing.told or level is not standing.level or now - standing.since < LASTS[standing.level]:
        return False
    is_calm = standing.told_at is None or now - standing.told_at >= CALM
    return is_calm or _RANK[standing.level] > _RANK[standing.told]
