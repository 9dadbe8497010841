"""Notices in the page. A message of an administrator that no page could show is sent to the page that resumes."""

from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, Final

from postern.contracts.browser import Notice
from postern.kernel.clock import now
from postern.proxies.core.sessions.listeners import NoticeKind
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.terminal.link import BrowserLink, LinkGone

#: Maximum number of messages that are kept for a page that is away. The oldest are dropped above it.
_MAX_MISSED: Final = 100


class Notices:
    """The notices of one session, over the link that is attached when they come."""

    def __init__(
        self,
        session: LiveSession,
        link: Callable[[], BrowserLink | None],
        spawn: Callable[[Coroutine[Any, Any, None]], None],
    ) -> None:
        self._session = session
        self._link = link
        self._spawn = spawn
        self._missed: deque[str] = deque(maxlen=_MAX_MISSED)

    def send(self, kind: NoticeKind, message: str) -> None:
        """Show a notice. Only a message waits for a page; all other notices are about the present."""
        link = self._link()
        if link is not None:
            self._spawn(self._say(link, kind, message))
        elif kind is NoticeKind.MESSAGE:
            self._missed.append(message)

    def resumed(self) -> None:
        """Tell the page that has just resumed that the session is locked, and the messages that it missed."""
        if self._session.lock.is_on:
            self.send(NoticeKind.LOCK, self._session.lock.sentence)
        missed = list(self._missed)
        self._missed.clear()
        for message in missed:
            self.send(NoticeKind.MESSAGE, message)

    async def _say(self, link: BrowserLink, kind: NoticeKind, message: str) -> None:
        present = int(self._session.rights.at(now()))
        try:
            await link.say(Notice(code=kind.value, message=message, actions=present))
        except LinkGone:
            if self._link() is not link:
                self.send(kind, message)
            elif kind is NoticeKind.MESSAGE:
                self._missed.append(message)
