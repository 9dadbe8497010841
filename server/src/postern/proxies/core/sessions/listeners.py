"""The calls to the front of a live session: notices for the user, flow control, and the end."""

import asyncio
import logging
from collections.abc import Callable
from enum import StrEnum
from functools import partial
from uuid import UUID

from postern.contracts.enums import EndReason

log = logging.getLogger(__name__)


class NoticeKind(StrEnum):
    """The subject of a notice to the user. The session continues."""

    ACTIONS = "actions"  # actions were withdrawn or granted
    EXPIRING = "expiring"  # the session ends soon
    PROLONGED = "prolonged"  # the session was about to end and no longer is
    SHUTDOWN = "shutdown"  # the proxy is being stopped
    COMMAND = "command"  # a command filter refused a line, or waits for a reviewer
    LOCK = "lock"  # the session was locked or unlocked, or is still locked
    MESSAGE = "message"  # a message of an administrator


#: Called with each notice for the user.
OnNotice = Callable[[NoticeKind, str], None]
#: Called once with the reason and the sentence for the user.
OnEnd = Callable[[EndReason, str], None]


class Listeners:
    """The callbacks of one session's front. A callback that fails is logged, and the session continues."""

    def __init__(self, session_id: UUID) -> None:
        self._session_id = session_id
        self._on_notice: list[OnNotice] = []
        self._on_caught_up: list[Callable[[], None]] = []
        self._on_lock: list[Callable[[], None]] = []
        self._before_end: list[Callable[[], None]] = []
        self._on_end: list[OnEnd] = []
        self._ended: tuple[EndReason, str] | None = None

    def on_notice(self, callback: OnNotice) -> None:
        """Register a callback for notices to the user."""
        self._on_notice.append(callback)

    def on_caught_up(self, callback: Callable[[], None]) -> None:
        """Register a callback for each time that `LiveSession.is_behind` becomes False."""
        self._on_caught_up.append(callback)

    def on_lock(self, callback: Callable[[], None]) -> None:
        """Register a callback for each time that the session was locked or unlocked."""
        self._on_lock.append(callback)

    def before_end(self, callback: Callable[[], None]) -> None:
        """Register a callback that runs just before the end is reported, so that it can still report pending events."""
        self._before_end.append(callback)

    def on_end(self, callback: OnEnd) -> None:
        """Register a callback for the end of the session. It is called immediately if the session has ended already."""
        if self._ended is not None:
            callback(*self._ended)
        else:
            self._on_end.append(callback)

    def notify(self, kind: NoticeKind, message: str) -> None:
        """Show a notice to the user."""
        for callback in self._on_notice:
            self._call(partial(callback, kind, message))

    def caught_up(self) -> None:
        """Tell that a reader is no longer full. The callbacks run in a later turn of the loop, because both sides
        resume at once.
        """
        asyncio.get_running_loop().call_soon(self.caught_up_now)

    def caught_up_now(self) -> None:
        """Tell that a reader is no longer full, in this turn of the loop."""
        for callback in self._on_caught_up:
            self._call(callback)

    def lock_changed(self) -> None:
        """Tell that the session was locked or unlocked."""
        for callback in self._on_lock:
            self._call(callback)

    def ending(self, reason: EndReason, message: str) -> None:
        """Ask for the events that are still to be reported."""
        self._ended = (reason, message)
        for report in self._before_end:
            self._call(report)

    def ended(self, reason: EndReason, message: str) -> None:
        """Tell the end of the session, once."""
        self._ended = (reason, message)
        callbacks, self._on_end = self._on_end, []
        for callback in callbacks:
            self._call(partial(callback, reason, message))

    def _call(self, callback: Callable[[], None]) -> None:
        try:
            callback()
        except Exception:  # a failing front must not keep the session from ending
            log.exception("session %s: a front failed", self._session_id)
