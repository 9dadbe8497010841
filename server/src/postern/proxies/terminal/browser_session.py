"""A session whose user works in a browser, whatever they see there. It survives the loss of the websocket for a while.

Life cycle: `start` opens the target in the background while `serve` reads the link. After the loss of a link the
session waits for `resume`, at most `RESUME_GRACE_S`. A subclass says what is opened, and what a page sends and gets.
"""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from typing import Any

from postern.contracts.access import SessionGrant
from postern.contracts.browser import (
    RESUME_GRACE_S,
    Answer,
    ClientMessage,
    Close,
    Ended,
    FilesOpened,
    Opened,
    Ping,
    Pong,
    Resume,
    Resumed,
    State,
)
from postern.contracts.enums import EndReason
from postern.proxies.core.opening.services import CoreServices
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.terminal.link import BrowserLink, LinkGone
from postern.proxies.terminal.notices import Notices
from postern.proxies.terminal.questions import Questions
from postern.proxies.terminal.resume_secrets import ResumeSecrets
from postern.proxies.terminal.texts import Text

log = logging.getLogger(__name__)


class BrowserSession(ABC):
    """One session of a browser, with the link that is attached to it, if any."""

    def __init__(
        self,
        session: LiveSession,
        link: BrowserLink,
        services: CoreServices,
        on_gone: Callable[["BrowserSession"], None],
    ) -> None:
        """`on_gone` is called when the session has ended and can no longer be resumed."""
        self.session = session
        self._link: BrowserLink | None = link
        self._services = services
        self._on_gone = on_gone
        self._secrets = ResumeSecrets()
        self._questions = Questions(lambda: self._link, session.language, services.limits.prompt_s)
        self._notices = Notices(session, lambda: self._link, self._spawn)
        self._ended: Ended | None = None
        self._exit_status: int | None = None
        self._opening: asyncio.Task[None] | None = None
        self._grace: asyncio.TimerHandle | None = None
        self._messages: set[asyncio.Task[None]] = set()

    @property
    def grant(self) -> SessionGrant:
        return self.session.grant

    # What a subclass adds

    @property
    @abstractmethod
    def _is_open(self) -> bool:
        """Whether something is open that could be resumed."""

    @abstractmethod
    async def _open(self) -> None:
        """Open the target, and tell the page."""

    @abstractmethod
    def _resumed(self, resume: Resume, secret: str) -> Resumed:
        """Return the answer to a link that resumes."""

    def _continue(self, resume: Resume, resumed: Resumed) -> None:  # noqa: B027 - not every page has a position
        """Take up the work where the link that has just resumed wants it."""

    def _attached(self) -> None:  # noqa: B027 - a subclass may have nothing to do
        """Do what waited for a link, after one has resumed."""

    def _detached(self) -> None:  # noqa: B027 - a subclass may have nothing to do
        """Do what the loss of the link requires."""

    @abstractmethod
    def _closed(self) -> None:
        """Close what the session opened. It has just ended."""

    @abstractmethod
    def _end_known(self) -> None:
        """Tell the page the end (`_ended`), if one is attached."""

    # Opening

    def start(self) -> None:
        """Open the target in the background. Meanwhile `serve` reads the link."""
        self.session.on_end(self._session_ended)
        self.session.on_notice(self._notices.send)
        self._opening = asyncio.create_task(self._open(), name="browser session opening")

    def _progress(self, state: str, via: str = "", /) -> None:
        if self._link is not None:
            self._spawn(self._link.say(State(state=state, via=via)))

    async def _tell_opened(self, opened: Opened | FilesOpened) -> bool:
        """Tell the page that the target is open. Returns False if no page is there: the session has ended, because
        nobody has the secret with which it could be resumed.
        """
        if self._messages:
            await asyncio.gather(*self._messages, return_exceptions=True)  # progress messages must arrive first
        link = self._link
        if link is not None:
            try:
                await link.say(opened)
            except LinkGone:
                self._detach(link)
                link = None
        if link is None:
            self.session.end(EndReason.USER_CLOSED, "left before the session was open")
        return link is not None

    # The user's side

    async def serve(self, link: BrowserLink) -> None:
        """Read a link until it is closed. Raises NotUnderstood if it sends something that the protocol does not
        define.
        """
        try:
            while True:
                message = await link.receive()
                if link is not self._link:
                    return
                self._secrets.spent_hash = ""
                await self._received(link, message)
        except LinkGone:
            pass
        finally:
            self._detach(link)

    async def _received(self, link: BrowserLink, message: ClientMessage | bytes) -> None:
        """Handle a frame of the page."""
        if not isinstance(message, bytes):
            self._take(link, message)

    def _take(self, link: BrowserLink, message: ClientMessage) -> None:
        """Handle a message. Never waits, because acknowledgements and the end come after it."""
        if isinstance(message, Ping):
            link.tell(Pong(t=message.t))
        elif isinstance(message, Answer):
            self._questions.answer(message)
        elif isinstance(message, Close):
            self.session.end(EndReason.USER_CLOSED)

    # Losing and resuming a link

    def _detach(self, link: BrowserLink) -> None:
        if link is not self._link:
            return
        self._link = None
        if not self._is_open and self.session.end_reason is None:
            # Nothing is open yet that could be resumed.
            self.session.end(EndReason.USER_CLOSED, "left before the session was open")
        self._wait_for_return()
        self._detached()

    def _wait_for_return(self) -> None:
        """End the session if no link resumes it in time. A wait in progress continues."""
        if self._grace is None:
            self._grace = asyncio.get_running_loop().call_later(RESUME_GRACE_S, self._given_up)

    def _stop_waiting(self) -> None:
        if self._grace is not None:
            self._grace.cancel()
            self._grace = None

    def _given_up(self) -> None:
        self.session.end(EndReason.USER_CLOSED, "the browser did not come back")
        self._finish()

    def accepts(self, resume: Resume, link: BrowserLink) -> bool:
        """Whether this link may resume the session: same user, and the secret of the last link (K63: to know an id is
        no authority).
        """
        return link.user_id == self.grant.user.id and self._secrets.accepts(resume.resume_secret)

    async def resume(self, resume: Resume, link: BrowserLink) -> None:
        """Continue with another link, after `accepts` was checked. Raises LinkGone; another link may then resume."""
        try:
            await self._resume(resume, link)
        except BaseException:
            if self._link is None:
                self._wait_for_return()
            raise

    async def _resume(self, resume: Resume, link: BrowserLink) -> None:
        self._secrets.spend(resume.resume_secret)
        secret = self._secrets.renew()
        old, self._link = self._link, None
        if old is not None:
            self._spawn(old.cut(Ended(reason="taken_over", message=Text.TAKEN_OVER.say(old.language))))
        self._stop_waiting()
        resumed = self._resumed(resume, secret)
        await link.say(resumed)
        if not self._secrets.is_newest(secret):
            raise LinkGone  # another link resumed meanwhile, and the later link has the session
        self._continue(resume, resumed)
        self._stop_waiting()
        self._link = link
        self._notices.resumed()
        self._attached()

    # End

    def _session_ended(self, reason: EndReason, message: str) -> None:
        if self._opening is not None and not self._opening.done() and asyncio.current_task() is not self._opening:
            self._opening.cancel()
        self._closed()
        self._questions.cancel()
        self._ended = Ended(reason=reason.value, message=message, exit_status=self._exit_status)
        self._end_known()
        if self._link is None and self._grace is None:
            self._grace = asyncio.get_running_loop().call_later(RESUME_GRACE_S, self._finish)

    def _finish(self) -> None:
        """Forget the session. Nobody can resume it any more."""
        self._stop_waiting()
        self._on_gone(self)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._messages.add(task)
        task.add_done_callback(self._messages.discard)
        task.add_done_callback(_retrieve)


def _retrieve(task: "asyncio.Task[None]") -> None:
    """Log a failed message. A closed link is not an error, because the reader notices it."""
    if not task.cancelled() and (error := task.exception()) is not None and not isinstance(error, LinkGone):
        log.error("sending a message to the browser failed: %r", error)
