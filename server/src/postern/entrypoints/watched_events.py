"""The events that workers send about their tasks, only while somebody watches.

The task monitor asks for events every few seconds (`enable_events`, a remote command of Celery). A worker sends them until
nobody has asked for a while: a monitor that is killed leaves nothing switched on.

Celery's own command only adds the events of tasks to those that a worker sends already. These workers send none, not even
signs of life, because Redis would carry them all day for nobody.
"""

import logging
from contextlib import suppress
from typing import Any, Final

from celery.worker.control import Panel
from celery.worker.heartbeat import Heart

from postern.kernel.clock import monotonic_s

log = logging.getLogger(__name__)

#: Six times the interval at which the monitor asks.
LEASE_S: Final = 30.0
_HEARTBEAT_S: Final = 5.0
_LOOK_S: Final = 5.0
_GROUPS: Final = frozenset({"task", "worker"})


class WatchedEvents:
    """Switches the events of one worker on and off. All methods are called by the thread of its consumer."""

    def __init__(self) -> None:
        self._until = 0.0
        self._timer: Any = None
        self._heart: Any = None

    def enable(self, state: Any, **_arguments: object) -> dict[str, str]:
        """Somebody watches: send events for the next `LEASE_S`."""
        consumer = state.consumer
        self._until = monotonic_s() + LEASE_S
        if consumer.event_dispatcher is not None:
            return {"ok": "task events already enabled"}
        events = consumer.app.events.Dispatcher(
            consumer.connection_for_write(), hostname=consumer.hostname, groups=_GROUPS
        )
        consumer.event_dispatcher = events
        consumer.update_strategies()  # they hold whether events are sent
        self._heart = Heart(consumer.timer, events, _HEARTBEAT_S)
        self._heart.start()
        self._timer = consumer.timer.call_repeatedly(_LOOK_S, self._look, (consumer,))
        log.info("somebody watches the tasks of this worker")
        return {"ok": "task events enabled"}

    def disable(self, state: Any, **_arguments: object) -> dict[str, str]:
        """Nobody watches any more."""
        self._switch_off(state.consumer)
        return {"ok": "task events disabled"}

    def _look(self, consumer: Any) -> None:
        if monotonic_s() > self._until:
            self._switch_off(consumer)

    def _switch_off(self, consumer: Any) -> None:
        if self._timer is not None:
            consumer.timer.cancel(self._timer)
            self._timer = None
        if self._heart is not None:
            self._heart.stop()
            self._heart = None
        events, consumer.event_dispatcher = consumer.event_dispatcher, None
        if events is None:
            return
        consumer.update_strategies()
        connection = events.connection
        events.disable()
        with suppress(Exception):  # it is given up in any case
            connection.close()
        log.info("nobody watches the tasks of this worker")


def register() -> None:
    """Take the place of Celery's two commands in this worker."""
    watched = WatchedEvents()
    Panel.data["enable_events"] = watched.enable
    Panel.data["disable_events"] = watched.disable
