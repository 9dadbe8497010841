"""Wakes the workers for new audit events, where a webhook or the syslog receiver follows the log.

Each process keeps for some seconds whether anybody follows, so that an installation without receivers pays nothing for
its writes. A process that does not know yet of a new receiver leaves its events to the periodic tasks.
"""

from typing import Final

from postern.apps.audits.events import AuditEventsAppended
from postern.apps.forwarding.streams.models import AuditStream
from postern.foundation.bus import waking
from postern.foundation.bus.gathered import Gathered
from postern.kernel.clock import monotonic_s

#: The periodic tasks.
SEND_WEBHOOKS: Final = "postern.apps.forwarding.tasks.send_webhooks"
SEND_SYSLOG: Final = "postern.apps.forwarding.tasks.send_syslog"
#: Name of the stream of the syslog receiver. The other streams are those of webhooks.
SYSLOG: Final = "syslog"
#: How long a process relies on what it knows.
_KNOWN_S: Final = 10.0


class _Followers:
    """The tasks that follow the log, as this process knows them."""

    def __init__(self) -> None:
        self._tasks: frozenset[str] = frozenset()
        self._read_at_s: float | None = None

    def wake(self) -> None:
        """Send a hint to each task. Reads who follows in another thread: a request must not wait for it."""
        if self._read_at_s is None or monotonic_s() - self._read_at_s > _KNOWN_S:
            _READS.ask("who follows")
        elif self._tasks:
            self._send()

    def read_and_wake(self, _asked: frozenset[str] = frozenset()) -> None:
        """Read who follows, and send the hints."""
        names = set(AuditStream.objects.values_list("name", flat=True))
        tasks = {SEND_SYSLOG} if SYSLOG in names else set()
        self._tasks = frozenset(tasks | ({SEND_WEBHOOKS} if names - {SYSLOG} else set()))
        self._read_at_s = monotonic_s()
        self._send()

    def _send(self) -> None:
        for task in self._tasks:
            waking.wake_after_commit(task)


_FOLLOWERS: Final = _Followers()
_READS: Final = Gathered[str]("reads who follows the audit log", _FOLLOWERS.read_and_wake)


def on_events_appended(_event: AuditEventsAppended) -> None:
    """Wake the tasks that follow the log. Called after the commit."""
    _FOLLOWERS.wake()
