"""All live sessions of this proxy: opening, orders from the control plane, limits by the clock, draining."""

import asyncio
import logging
from collections.abc import Iterable
from typing import Final, Protocol
from uuid import UUID

from postern.contracts.access import SessionGrant, WatchGrant
from postern.contracts.enums import EndReason
from postern.contracts.terminals import Order, StopWatching, TerminateSession
from postern.kernel.clock import monotonic_s, now
from postern.kernel.errors import PosternError
from postern.proxies.core.limits import Limits
from postern.proxies.core.session import LiveSession, SessionServices
from postern.proxies.core.texts import ENGLISH, Text
from postern.proxies.core.watching import Picture, Watcher

log = logging.getLogger(__name__)

_TICK_S: Final = 0.5


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


class SessionRegistry:
    """Every live session, by id."""

    def __init__(self, services: SessionServices, limits: Limits, snapshots: SnapshotSource | None = None) -> None:
        self._services = services
        self._limits = limits
        self._snapshots = snapshots
        self._sessions: dict[UUID, LiveSession] = {}
        self._watchers: dict[UUID, tuple[LiveSession, Watcher]] = {}
        self._empty = asyncio.Event()
        self._empty.set()
        self._control_seen_s = monotonic_s()
        self.draining = False

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
        if self.draining:
            message = Text.DRAINING.say(grant.user.language)
            session.end(EndReason.DRAINED, message=message)
            raise NoNewSessions(EndReason.DRAINED, message)
        if len(self._sessions) >= self._limits.sessions:
            message = Text.TOO_MANY_SESSIONS.say(grant.user.language)
            session.end(EndReason.LIMIT, "too many sessions on this proxy", message=message)
            raise NoNewSessions(EndReason.LIMIT, message)
        self._sessions[grant.session_id] = session
        self._empty.clear()
        return session

    def _gone(self, session: LiveSession) -> None:
        if self._sessions.get(session.grant.session_id) is session:
            del self._sessions[session.grant.session_id]
        if not self._sessions:
            self._empty.set()

    # Orders

    def carry_out(self, order: Order) -> bool:
        """Do what the control plane asks for. True: done, or nothing left to do. Orders may come twice."""
        if isinstance(order, TerminateSession):
            return self.terminate(order)
        self.stop_watching(order)
        return True

    def terminate(self, order: TerminateSession) -> bool:
        """End a session now; the person is told why. True also when it is over already."""
        session = self._sessions.get(order.session_id)
        if session is not None:
            reason = (
                EndReason.ACCOUNT_CLOSED if order.reason == EndReason.ACCOUNT_CLOSED.value else EndReason.TERMINATED
            )
            message = order.message_en if session.language == ENGLISH else order.message_zh
            session.end(reason, f"by {order.by}", message=message or None)
        return True

    def stop_watching(self, order: StopWatching) -> None:
        """End one watcher's view."""
        found = self._watchers.get(order.watch_id)
        if found is not None:
            found[1].end(None, "")

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

    async def run(self) -> None:
        """Apply the limits until cancelled."""
        while True:
            await asyncio.sleep(_TICK_S)
            self.check()

    # End

    async def drain(self, limit_s: float) -> None:
        """Take no new sessions; wait for the live ones up to `limit_s`, then end them as `drained`."""
        self.draining = True
        if self._sessions:
            log.info("draining: %d sessions may go on for %.0f s", len(self._sessions), limit_s)
        try:
            async with asyncio.timeout(limit_s):
                await self._empty.wait()
        except TimeoutError:
            self.end_all(EndReason.DRAINED)

    def end_all(self, reason: EndReason, sessions: Iterable[LiveSession] | None = None) -> None:
        """End all (or the given) sessions at once."""
        for session in list(self._sessions.values() if sessions is None else sessions):
            session.end(reason)
