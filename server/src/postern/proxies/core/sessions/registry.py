"""All live sessions of this proxy: opening, orders from the control plane, limits by the clock, draining."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Iterable
from typing import Final, Protocol, TypeVar
from uuid import UUID

from postern.contracts.access import SessionGrant, WatchGrant
from postern.contracts.enums import EndReason, SessionState
from postern.contracts.terminals import ChangeGrant, Order, StopWatching, TerminateSession
from postern.kernel.clock import monotonic_s, now
from postern.kernel.errors import PosternError
from postern.proxies.core.limits import Limits
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.sessions.services import SessionServices
from postern.proxies.core.sessions.watching import Picture, Watcher
from postern.proxies.core.texts import ENGLISH, Text

log = logging.getLogger(__name__)

_TICK_S: Final = 0.5
#: At a shutdown, people are told once more when so many seconds are left.
_SECOND_WARNING_S: Final = 60
#: Sessions that are remembered because they ended, or because their end was ordered before the proxy heard of them.
_REMEMBERED: Final = 10_000
#: Why the control plane may order an end; anything else counts as ended by an administrator.
_ORDERED: Final = frozenset({EndReason.ACCOUNT_CLOSED, EndReason.GRANT_EXPIRED, EndReason.GRANT_WITHDRAWN})


class SnapshotSource(Protocol):
    """Where pictures of live screens come from; the sealer's client is one."""

    async def picture(self, session_id: UUID, at_least_offset: int) -> Picture:
        """The screen after at least that many bytes of output. Raises TimeoutError, OSError."""


class NoNewSessions(PosternError):
    """The proxy takes no new sessions now (draining, or full); the message is in the person's language."""

    code = "no_new_sessions"

    def __init__(self, reason: EndReason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class NotWatchable(PosternError):
    """There is no such live session with a terminal here."""

    code = "session_unknown"
    status = 404


_Value = TypeVar("_Value")


def _remember(memory: OrderedDict[UUID, _Value], session_id: UUID, value: _Value) -> None:
    """Keep the newest only."""
    memory[session_id] = value
    while len(memory) > _REMEMBERED:
        memory.popitem(last=False)


class SessionRegistry:
    """Every live session, by id."""

    def __init__(self, services: SessionServices, limits: Limits, snapshots: SnapshotSource | None = None) -> None:
        self._services = services
        self._limits = limits
        self._snapshots = snapshots
        self._sessions: dict[UUID, LiveSession] = {}
        self._watchers: dict[UUID, tuple[LiveSession, Watcher]] = {}
        self._ended: OrderedDict[UUID, None] = OrderedDict()
        self._ended_early: OrderedDict[UUID, TerminateSession] = OrderedDict()
        self._empty = asyncio.Event()
        self._empty.set()
        self._control_seen_s = monotonic_s()
        #: Set from the beginning of a shutdown: no new sessions.
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
        """Ids of all live sessions, for the heartbeat."""
        return tuple(self._sessions)

    def get(self, session_id: UUID) -> LiveSession | None:
        return self._sessions.get(session_id)

    def open(self, grant: SessionGrant) -> LiveSession:
        """Take up a permitted session, in state `opening`.

        Raises `NoNewSessions`; the control plane is told that the session ended without having been active.
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
        return session

    def _gone(self, session: LiveSession) -> None:
        _remember(self._ended, session.grant.session_id, None)
        if self._sessions.get(session.grant.session_id) is session:
            del self._sessions[session.grant.session_id]
        if not self._sessions:
            self._empty.set()

    # Orders

    def carry_out(self, order: Order) -> bool:
        """Do what the control plane asks for. False: no such session or view is here. Orders may come twice."""
        if isinstance(order, TerminateSession):
            return self.terminate(order)
        if isinstance(order, ChangeGrant):
            return self.change_grant(order)
        return self.stop_watching(order)

    def terminate(self, order: TerminateSession) -> bool:
        """End a session now; the person is told why. False when it never was here: then it shall not begin here either."""
        session = self._sessions.get(order.session_id)
        if session is not None:
            self._end_by_order(session, order)
            return True
        if order.session_id in self._ended:
            return True  # how it ended is told, or on its way
        _remember(self._ended_early, order.session_id, order)  # its grant may be on the way still
        return False

    @staticmethod
    def _end_by_order(session: LiveSession, order: TerminateSession) -> None:
        reason = next((known for known in _ORDERED if known.value == order.reason), EndReason.TERMINATED)
        message = order.message_en if session.language == ENGLISH else order.message_zh
        session.end(reason, f"by {order.by}", message=message or None)

    def change_grant(self, order: ChangeGrant) -> bool:
        """A live session may do something else from now on."""
        session = self._sessions.get(order.session_id)
        if session is None:
            return False
        session.change_grant(order.version, order.ends)
        return True

    def end_over(self, session_ids: Iterable[UUID]) -> None:
        """The control plane has these sessions as over for good: nothing of them would be recorded any more."""
        for session_id in session_ids:
            session = self._sessions.get(session_id)
            if session is not None:
                log.warning("session %s is over for the control plane: it ends", session_id)
                session.end(EndReason.INTERRUPTED, "the control plane does not carry it any more")

    def decline(self, grant: SessionGrant, detail: str) -> None:
        """Nobody is there any more to take a permitted session up: say so, or its row would wait for ever."""
        session = LiveSession(grant, self._services, on_gone=self._gone)
        session.end(EndReason.USER_CLOSED, detail)

    def stop_watching(self, order: StopWatching) -> bool:
        """End one watcher's view."""
        found = self._watchers.get(order.watch_id)
        if found is not None:
            found[1].end(None, "")
        return found is not None

    # Watching

    def watch(self, grant: WatchGrant) -> Watcher:
        """A view of a live terminal session, from its present screen on. Raises `NotWatchable`."""
        session = self._sessions.get(grant.session_id)
        if session is None or not session.recorded:
            raise NotWatchable(Text.END_USER_CLOSED.say(grant.watcher.language))
        if len(session.watchers) >= self._limits.watchers_per_session:
            raise NotWatchable(Text.END_LIMIT.say(grant.watcher.language))

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
        found = self._watchers.pop(watcher.watch_id, None)
        if found is not None and watcher in found[0].watchers:
            found[0].watchers.remove(watcher)

    # Clock

    def control_seen(self) -> None:
        """The control plane has just answered."""
        self._control_seen_s = monotonic_s()

    def check(self) -> None:
        """Apply every session's limits."""
        at, monotonic = now(), monotonic_s()
        away_s = monotonic - self._control_seen_s
        for session in list(self._sessions.values()):
            session.check(at, monotonic, away_s, self._limits.opening_s)
        if self.draining:
            self._warn_of_shutdown(monotonic)

    def _warn_of_shutdown(self, monotonic: float) -> None:
        """Tell who is in a session how long it may go on: once at the beginning, again when the end is near."""
        left_s = max(0, round(self._shutdown_ends_s - monotonic))
        warning = 2 if left_s <= self._second_warning_s else 1
        for session in list(self._sessions.values()):
            told = self._warned.get(session.grant.session_id, 0)
            if left_s and session.state is SessionState.ACTIVE and told < warning:
                self._warned[session.grant.session_id] = warning
                session.warn_of_shutdown(left_s)

    async def run(self) -> None:
        """Apply the limits until cancelled."""
        while True:
            await asyncio.sleep(_TICK_S)
            self.check()

    # End

    async def drain(self, limit_s: float, *, at_once: asyncio.Event | None = None) -> None:
        """Take no new sessions; wait for the live ones up to `limit_s`, then end them as `drained`.

        The people in them are told how long they may go on. `at_once` ends the waiting.
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
        """End all (or the given) sessions at once."""
        for session in list(self._sessions.values() if sessions is None else sessions):
            session.end(reason)
