"""How far behind the syslog receiver is."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from postern.apps.forwarding.streams import reading
from postern.apps.forwarding.streams.models import AuditStream
from postern.apps.forwarding.syslog.receiver import is_on
from postern.apps.forwarding.syslog.sending import STREAM
from postern.foundation.phrases import why


@dataclass(frozen=True, slots=True)
class SyslogState:
    """`behind`: events that the receiver does not have. `reason`: why it takes nothing, in the active language."""

    is_on: bool
    behind: int = 0
    sent: int = 0
    date_sent: datetime | None = None
    failing_since: datetime | None = None
    reason: str = ""


def present_state() -> SyslogState:
    """The state at this moment."""
    stream = AuditStream.objects.filter(name=STREAM).first()
    if stream is None:
        return SyslogState(is_on())
    return SyslogState(
        is_on=is_on(),
        behind=reading.behind(stream),
        sent=stream.sent,
        date_sent=stream.date_sent,
        failing_since=stream.failing_since,
        reason=why(stream.reason, ""),
    )


def facts() -> dict[str, Any]:
    """The state for diagnostics: numbers and times only."""
    state = present_state()
    return {
        "is_on": state.is_on,
        "behind": state.behind,
        "failing_since": None if state.failing_since is None else state.failing_since.isoformat(),
    }
