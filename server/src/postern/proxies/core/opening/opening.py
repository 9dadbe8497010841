"""Opens a session for a request ("this asset, as that system user") and connects it to its target."""

import asyncio
from typing import Generic, TypeVar
from uuid import UUID

from postern.contracts.access import AuthorizeRequest
from postern.contracts.enums import EndReason
from postern.proxies.core.opening.permission import permitted, take_up
from postern.proxies.core.opening.reaching import ending, reach
from postern.proxies.core.opening.refused import Refused
from postern.proxies.core.opening.services import CoreServices
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.targets.ports import Progress, Prompter, TargetLink
from postern.proxies.core.texts import Text

Link = TypeVar("Link", bound=TargetLink)


class Opening(Generic[Link]):
    """One session being opened for a user who has signed in at this proxy. Opening starts immediately.

    A manual login waits until a channel can ask the user for the password.
    """

    def __init__(self, core: CoreServices, request: AuthorizeRequest, link: type[Link], *, user_id: UUID) -> None:
        """`link` is the type of link that the front needs."""
        self._core = core
        self._request = request
        self._link = link
        self._user_id = user_id
        self.session: LiveSession | None = None
        self._report: Progress | None = None
        self._reported = ("", "")
        self._prompter: asyncio.Future[Prompter] = asyncio.get_running_loop().create_future()
        self._abandoned = False
        self._has_asked = False
        self._refused: list[tuple[str, str]] = []
        self._task = asyncio.create_task(self._open(), name="opening")
        self._task.add_done_callback(_retrieve)

    @property
    def is_stale(self) -> bool:
        """Whether the session was opened but has ended before a channel used it."""
        is_open = self._task.done() and not self._task.cancelled() and self._task.exception() is None
        return is_open and self.session is not None and self.session.end_reason is not None

    async def result(self, prompter: Prompter, progress: Progress | None = None) -> tuple[LiveSession, Link]:
        """Return the session, still in state `opening`, and its link. Raises `Refused`.

        `progress` is called with the present state, if it has one, and with those that follow.
        """
        self._report = progress
        if progress is not None and self._reported[0] and not self._task.done():
            progress(*self._reported)
        if not self._prompter.done():
            self._prompter.set_result(prompter)
        return await asyncio.shield(self._task)

    def abandon(self) -> None:
        """Cancel the opening, because no channel waits for it any more. Idempotent."""
        if self._abandoned:
            return
        self._abandoned = True
        if not self._has_asked:
            self._task.cancel()
            self._prompter.cancel()
            return
        if self.session is None:
            # The control plane may already have permitted the session and needs the report that it ended. So `_open`
            # waits for the answer.
            return
        self._task.cancel()
        self._prompter.cancel()
        if self._task.done() and not self._task.cancelled() and self._task.exception() is None:
            self._task.result()[1].close()
        if self.session is not None:
            self.session.end(EndReason.USER_CLOSED, "left before the session was open")

    def tell_refused(self, request: str, detail: str) -> None:
        """Report a refused request on the connection that this session belongs to."""
        if self.session is not None:
            self.session.log.request_refused(request, detail)
        else:
            self._refused.append((request, detail))

    async def _open(self) -> tuple[LiveSession, Link]:
        session = self.session = await self._authorize()
        for request, detail in self._refused:
            session.log.request_refused(request, detail)
        if self._abandoned:
            session.end(EndReason.USER_CLOSED, "left before the session was open")
            raise Refused(session.end_message, ended=session.end_reason)
        session.on_end(self._ended_meanwhile)
        try:
            with ending(session):
                link = await reach(
                    self._core.connectors, session, self._link, prompter=self._ask, progress=self._progress
                )
        except asyncio.CancelledError:
            if session.end_reason is not None and not self._abandoned:
                # Terminated or ended by a limit while opening. The channel must tell the user why.
                raise Refused(session.end_message, ended=session.end_reason) from None
            raise
        if session.end_reason is not None:
            link.close()
            raise Refused(session.end_message, ended=session.end_reason)
        # The target may be slow to start the program, or no channel may ever ask for one. An ended session must not
        # wait for either, and closing the link also releases whoever waits for the target.
        session.on_end(lambda _reason, _message: link.close())
        return session, link

    def _progress(self, state: str, via: str = "", /) -> None:
        self._reported = (state, via)
        if self._report is not None:
            self._report(state, via)

    def _ended_meanwhile(self, _reason: EndReason, _message: str) -> None:
        self._task.cancel()

    async def _ask(self, text: str, echo: bool) -> str:
        prompter = await self._prompter
        return await prompter(text, echo)

    async def _authorize(self) -> LiveSession:
        await self._core.openings.turn(self._user_id)
        self._has_asked = True
        language = self._request.language
        answer = await permitted(self._core.plane.authorize(self._request), language)
        if answer.grant is None:
            raise Refused(Text.END_ERROR.say(language))
        return take_up(self._core.registry, answer.grant)


def _retrieve(task: "asyncio.Task[tuple[LiveSession, Link]]") -> None:
    """Retrieve the exception of an opening that nobody awaits, because its session has already reported the failure."""
    if not task.cancelled():
        task.exception()
