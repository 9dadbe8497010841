"""`SessionLock`: while an administrator has locked a session, nothing of its person reaches the target.

Keys of a terminal are dropped, not queued: what a person types blindly must not run when the session is unlocked.
Programs without a terminal (commands, file transfers) stand still in both directions, because their bytes are one
stream and any of them may be part of a file. Keep-alives and changes of the size go on.
"""

import asyncio
from typing import Final, Protocol

from postern.contracts.access import SessionGrant
from postern.contracts.enums import EndReason, SessionState
from postern.kernel.clock import monotonic_s
from postern.proxies.core.sessions.command_filtering import CommandFiltering
from postern.proxies.core.sessions.listeners import Listeners, NoticeKind
from postern.proxies.core.texts import Text

#: A person who goes on typing is told again that the session is locked, at most once in this time.
_REMINDER_S: Final = 10.0
#: Keys that follow dropped keys within this time are dropped too after the unlocking: they are the rest of one paste.
_TAIL_S: Final = 0.3


class LockedSession(Protocol):
    """The part of `LiveSession` that its lock uses."""

    grant: SessionGrant
    columns: int
    state: SessionState
    end_reason: EndReason | None
    opened_s: float
    last_traffic_s: float
    filtering: CommandFiltering

    @property
    def language(self) -> str: ...
    @property
    def recorded(self) -> bool: ...

    def note(self, text: str) -> None: ...


class SessionLock:
    """Whether one session is locked, and by whom."""

    def __init__(self, session: LockedSession, listeners: Listeners) -> None:
        self._session = session
        self._listeners = listeners
        self.is_on = False
        self._by = ""
        self._is_noted = False
        self._version = 0
        self._reminded_s = 0.0
        self._refused_s = 0.0
        self._is_passable = asyncio.Event()
        self._is_passable.set()
        listeners.on_end(lambda _reason, _message: self._is_passable.set())

    def change(self, version: int, *, is_on: bool, by: str) -> None:
        """Apply an order of the control plane. A stale version changes nothing."""
        session = self._session
        if version <= self._version or session.end_reason is not None:
            return
        self._version, self._by = version, by
        if is_on is self.is_on:
            return
        self.is_on, self._is_noted = is_on, session.recorded
        # The idle time and the time for opening begin anew: nobody could do anything meanwhile.
        session.last_traffic_s = session.opened_s = monotonic_s()
        if is_on:
            self._is_passable.clear()
            if session.filtering.gate is not None:
                session.filtering.gate.drop_waiting()
        else:
            self._is_passable.set()
        session.note(f"Locked by {by}" if is_on else f"Unlocked by {by}")
        self._reminded_s = monotonic_s()
        # Tell the user before the traffic goes on, so that the sentence is not between the lines of later output.
        self._listeners.notify(
            NoticeKind.LOCK, self.sentence if is_on else Text.UNLOCKED.say(session.language, name=by)
        )
        self._listeners.lock_changed()

    def activated(self) -> None:
        """Note and tell that the session is locked, if it was locked before its recording began."""
        if self.is_on:
            if not self._is_noted:
                self._session.note(f"Locked by {self._by}")
            self._is_noted = True
            self._listeners.notify(NoticeKind.LOCK, self.sentence)

    @property
    def sentence(self) -> str:
        """What the user of a locked session reads."""
        session = self._session
        text = Text.LOCKED if session.columns or session.state is SessionState.OPENING else Text.PROGRAM_LOCKED
        return text.say(self._session.language, name=self._by)

    def refuses_keys(self) -> bool:
        """Whether to drop keys that have just arrived at a terminal. Reminds the user of the lock from time to time."""
        present_s = monotonic_s()
        if not self.is_on and present_s - self._refused_s >= _TAIL_S:
            return False
        self._refused_s = present_s
        if self.is_on and present_s - self._reminded_s >= _REMINDER_S:
            self._reminded_s = present_s
            text = Text.STILL_LOCKED.say(self._session.language, name=self._by)
            self._listeners.notify(NoticeKind.LOCK, text)
        return True

    async def passable(self) -> None:
        """Wait until the session is unlocked or has ended."""
        while self.is_on and self._session.end_reason is None:
            await self._is_passable.wait()
