"""All live sessions of this proxy: opening, orders from the control plane, time limits and draining."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Iterable
from typing import Final, Protocol, TypeVar
from uuid import UUID

from postern.contracts.access import SessionGrant, WatchGrant
from postern.contracts.enums import EndReason, SessionState
from postern.contracts.terminals import (
    ChangeCommandControl,
    ChangeGrant,
    ChangeLock,
    Order,
    ShowMessage,
    StopWatching,
    TerminateSession,
)
from postern.kernel.clock import monotonic_s, now
from postern.kernel.errors import PosternError
from postern.proxies.core.limits import Limits
from postern.proxies.core.sessions.listeners import NoticeKind
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.sessions.services import SessionServices
from postern.proxies.core.sessions.watching import Picture, Watcher
from postern.proxies.core.spoken import ENGLISH
from postern.proxies.core.texts import Text

log = logging.getLogger(__name__)

_TICK_S: Final = 0.5
#: At a shutdown, users get a second warning when this many seconds are left.
_SECOND_WARNING_S: Final = 60
#: Maximum number of remembered session ids, both of ended sessions and of sessions ended before they arrived here.
_REMEMBERED: Final = 10_000
#: End reasons that the control plane may order. Any other reason counts as terminated by an administrator.
_ORDERED: Final = frozenset({EndReason.ACCOUNT_CLOSED, EndReason.GRANT_EXPIRED, EndReason.GRANT_WITHDRAWN})


class SnapshotSource(Protocol):
    """The source of snapshots of live screens, for example the sealer's client."""

    async def picture(self, session_id: UUID, at_least_offset: int) -> Picture:
        """Return the screen after at least that many bytes of output. Raises TimeoutError, OSError."""


class NoNewSessions(PosternError):
    """The proxy accepts no new sessions now (draining, or full). The message is in the user's language."""

    code = "no_new_sessions"

    def __init__(self, reason: EndReason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class NotWatchable(PosternError):
    """No live terminal session with that id exists on this proxy."""

    code = "session_unknown"
    status = 404


_Value = TypeVar("_Value")


def _remember(memory: OrderedDict[UUID, _Value], session_id: UUID, value: _Value) -> None:
    """Store a value and drop the oldest above the limit."""
    memory[session_id] = value
    while len(memory) > _REMEMBERED:
        memory.popitem(last=False)


class SessionRegistry:
    """All live sessions, by id."""

    def __init__(self, services: SessionServices, limits: Limits, snapshots: SnapshotSource | None = None) -> None:
        self._services = services
        self._limits = limits
        self._snapshots = snapshots
        self._sessions: dict[UUID, LiveSession] = {}
        self._watchers: dict[UUID, tuple[LiveSession, Watcher]] = {}
        self._ended: OrderedDict[UUID, None] = OrderedDict()
        self._ended_early: OrderedDict[UUID, TerminateSession] = OrderedDict()
        #: Locks of sessions whose grant may still be on the way, and orders whose message was shown.
        self._locked_early: OrderedDict[UUID, ChangeLock] = OrderedDict()
        self._messages: OrderedDict[UUID, None] = OrderedDict()
        self._empty = asyncio.Event()
        self._empty.set()
        self._control_seen_s = monotonic_s()
        #: Set from the beginning of a shutdown: no new sessions are accepted.
        self.shutdown = asyncio.Event()
        self._shutdown_ends_s = 0.0
        self._second_warning_s = 0
        self._warned: dict[UUID, int] = {}

    @property
    def draining(self) -> bool:
        return self.shutdown.is_set()

    def __len__(self) -> int:
        return len(self._sessions)

    def ids(self) -> tuple[UUID, ...]:
        """Return the ids of all live sessions, for the heartbeat."""
        return tuple(self._sessions)

    def get(self, session_id: UUID) -> LiveSession | None:
        return self._sessions.get(session_id)

    def open(self, grant: SessionGrant) -> LiveSession:
        """Create the session of a grant, in state `opening`.

        Raises `NoNewSessions`. In that case it reports to the control plane that the session ended without having been
        active.
        """
        session = LiveSession(grant, self._services, on_gone=self._gone)
        early = self._ended_early.pop(grant.session_id, None)
        if early is not None:
            self._end_by_order(session, early)
            raise NoNewSessions(session.end_reason or EndReason.TERMINATED, session.end_message)
        if self.draining:
            message = Text.DRAINING.say(grant.user.language)
            session.end(EndReason.DRAINED, message=message)
            raise NoNewSessions(EndReason.DRAINED, message)
        if len(self._sessions) >= self._limits.sessions:
            message = Text.TOO_MANY_SESSIONS.say(grant.user.language)
            session.end(EndReason.LIMIT, "too many sessions on this proxy", message=message)
            raise NoNewSessions(EndReason.LIMIT, message)
        session.reserve_room()
        if session.end_reason is not None:
            raise NoNewSessions(session.end_reason, session.end_message)
        self._sessions[grant.session_id] = session
        self._empty.clear()
        if (lock := self._locked_early.pop(grant.session_id, None)) is not None:
            session.lock.change(lock.version, is_on=lock.is_locked, by=lock.by)
        return session

    def _gone(self, session: LiveSession) -> None:
        _remember(self._ended, session.grant.session_id, None)
        if self._sessions.get(session.grant.session_id) is session:
            del self._sessions[session.grant.session_id]
        if not self._sessions:
            self._empty.set()

    # Orders

    def carry_out(self, order: Order) -> bool:
        """Carry out an order of the control plane. Returns False if the session or view is not here. Orders may arrive
        twice.
        """
        if isinstance(order, TerminateSession):
            return self.terminate(order)
        if isinstance(order, ChangeGrant):
            return self.change_grant(order)
        if isinstance(order, ChangeCommandControl):
            return self.change_command_control(order)
        if isinstance(order, ChangeLock):
            return self.change_lock(order)
        if isinstance(order, ShowMessage):
            return self.show_message(order)
        return self.stop_watching(order)

    def terminate(self, order: TerminateSession) -> bool:
        """End a session now and tell the user why.

        Returns False if the session was never here. Then it must not start here later either.
        """
        session = self._sessions.get(order.session_id)
        if session is not None:
            self._end_by_order(session, order)
            return True
        if order.session_id in self._ended:
            return True  # its end was already reported, or the report is queued
        _remember(self._ended_early, order.session_id, order)  # its grant may still be on the way
        return False

    @staticmethod
    def _end_by_order(session: LiveSession, order: TerminateSession) -> None:
        reason = next((known for known in _ORDERED if known.value == order.reason), EndReason.TERMINATED)
        message = order.message_en if session.language == ENGLISH else order.message_zh
        session.end(reason, f"by {order.by}", message=message or None)

    def change_grant(self, order: ChangeGrant) -> bool:
        """Apply a changed grant to a live session."""
        session = self._sessions.get(order.session_id)
        if session is None:
            return False
        session.change_grant(order.version, order.ends)
        return True

    def change_command_control(self, order: ChangeCommandControl) -> bool:
        """Apply changed command filters to a live session."""
        session = self._sessions.get(order.session_id)
        if session is None:
            return False
        session.change_command_control(order.control)
        return True

    def change_lock(self, order: ChangeLock) -> bool:
        """Lock or unlock a live session. One that is not here yet begins so."""
        session = self._sessions.get(order.session_id)
        if session is None:
            early = self._locked_early.get(order.session_id)
            if order.session_id not in self._ended and (early is None or early.version < order.version):
                _remember(self._locked_early, order.session_id, order)
            return False
        session.lock.change(order.version, is_on=order.is_locked, by=order.by)
        return True

    def show_message(self, order: ShowMessage) -> bool:
        """Show the person of a live session a message, and keep it in the recording. A repeated order shows nothing.

        False while the session opens, when nothing can show it: the order is repeated.
        """
        session = self._sessions.get(order.session_id)
        if session is None or session.state is SessionState.OPENING:
            return False
        if order.order_id not in self._messages:
            _remember(self._messages, order.order_id, None)
            session.note(f"Message from {order.by}: {order.text}")
            session.notify(NoticeKind.MESSAGE, Text.MESSAGE.say(session.language, name=order.by, text=order.text))
        return True

    def end_over(self, session_ids: Iterable[UUID]) -> None:
        """End sessions that the control plane has closed for good. Nothing of them would be recorded any more."""
        for session_id in session_ids:
            session = self._sessions.get(session_id)
            if session is not None:
                log.warning("ended session %s, because the control plane has already closed it", session_id)
                session.end(EndReason.INTERRUPTED, "the control plane has already closed it")

    def decline(self, grant: SessionGrant, detail: str) -> None:
        """Report a permitted session as ended because its user has left. Otherwise its row would stay open for ever."""
        session = LiveSession(grant, self._services, on_gone=self._gone)
        session.end(EndReason.USER_CLOSED, detail)

    def stop_watching(self, order: StopWatching) -> bool:
        """End the view of one watcher."""
        view = self._watchers.get(order.watch_id)
        if view is not None:
            view[1].end(None, "")
        return view is not None

    # Watching

    def watch(self, grant: WatchGrant) -> Watcher:
        """Watch a live terminal session from its present screen on. Raises `NotWatchable`."""
        session = self._sessions.get(grant.session_id)
        if session is None or not session.recorded:
            raise NotWatchable(Text.WATCH_OVER.say(grant.watcher.language))
        if len(session.watchers) >= self._limits.watchers_per_session:
            raise NotWatchable(Text.WATCH_FULL.say(grant.watcher.language, count=len(session.watchers)))

        async def take_picture(at_least_offset: int) -> Picture:
            if self._snapshots is None:
                raise OSError("no source of pictures")
            async with asyncio.timeout(self._limits.snapshot_s):
                return await self._snapshots.picture(session.grant.session_id, at_least_offset)

        watcher = Watcher(
            grant.watch_id,
            queue_bytes=self._limits.watcher_queue_bytes,
            take_picture=take_picture,
            size_and_offset=lambda: (session.columns, session.rows, session.shown_bytes),
            on_close=self._watcher_closed,
        )
        session.watchers.append(watcher)
        self._watchers[grant.watch_id] = (session, watcher)
        return watcher

    def _watcher_closed(self, watcher: Watcher) -> None:
        view = self._watchers.pop(watcher.watch_id, None)
        if view is not None and watcher in view[0].watchers:
            view[0].watchers.remove(watcher)

    # Clock

    def control_seen(self) -> None:
        """Note that the control plane has just answered."""
        self._control_seen_s = monotonic_s()

    def check(self) -> None:
        """Apply the limits of every session."""
        at, monotonic = now(), monotonic_s()
        away_s = monotonic - self._control_seen_s
        for session in list(self._sessions.values()):
            session.check(at, monotonic, away_s, self._limits.opening_s)
        if self.draining:
            self._warn_of_shutdown(monotonic)

    def _warn_of_shutdown(self, monotonic: float) -> None:
        """Tell users in sessions how long they may continue: once at the beginning, and again when the end is near."""
        left_s = max(0, round(self._shutdown_ends_s - monotonic))
        warning = 2 if left_s <= self._second_warning_s else 1
        for session in list(self._sessions.values()):
            previous_warning = self._warned.get(session.grant.session_id, 0)
            if left_s and session.state is SessionState.ACTIVE and previous_warning < warning:
                self._warned[session.grant.session_id] = warning
                session.warn_of_shutdown(left_s)

    async def run(self) -> None:
        """Apply the limits until cancelled."""
        while True:
            await asyncio.sleep(_TICK_S)
            self.check()

    # End

    async def drain(self, limit_s: float, *, at_once: asyncio.Event | None = None) -> None:
        """Accept no new sessions, wait for the live sessions up to `limit_s`, then end them as `drained`.

        A message tells their users how long they may continue. `at_once` ends the wait early.
        """
        self.shutdown.set()
        self._shutdown_ends_s = monotonic_s() + limit_s
        self._second_warning_s = _SECOND_WARNING_S if limit_s >= 2 * _SECOND_WARNING_S else 0
        if self._sessions:
            log.info("draining: %d sessions may go on for %.0f s", len(self._sessions), limit_s)
        self._warn_of_shutdown(monotonic_s())
        ends = [asyncio.ensure_future(event.wait()) for event in (self._empty, at_once) if event is not None]
        try:
            await asyncio.wait(ends, timeout=limit_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for end in ends:
                end.cancel()
        self.end_all(EndReason.DRAINED)

    def end_all(self, reason: EndReason, sessions: Iterable[LiveSession] | None = None) -> None:
        """End all sessions, or the given sessions, immediately."""
        for session in list(self._sessions.values() if sessions is None else sessions):
            session.end(reason)
