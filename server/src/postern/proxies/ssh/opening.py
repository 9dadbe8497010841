"""From a wish ("this asset, as that system user") to a logged-in connection with a session of its own."""

import asyncio
from uuid import UUID

from postern.contracts.access import AuthorizeRequest, ReachableAsset
from postern.contracts.enums import DenialCode, EndReason, LoginFrom, Protocol
from postern.kernel.errors import PosternError
from postern.proxies.core.control.plane import ControlRefused, ControlUnavailable
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.targets.ports import PromptCancelled, Prompter, TargetFailed
from postern.proxies.core.texts import Text
from postern.proxies.ssh.services import FrontServices
from postern.proxies.ssh.target import TargetConnection


class Refused(PosternError):
    """There will be no session; `message` tells the person why. `candidates` when several assets match."""

    code = "refused"

    def __init__(
        self, message: str, *, code: DenialCode | None = None, candidates: tuple[ReachableAsset, ...] = ()
    ) -> None:
        super().__init__(message)
        self.denial = code
        self.candidates = candidates


class Opening:
    """One session being opened. It starts at once; a manual log-in waits until a channel can ask the person."""

    def __init__(
        self,
        services: FrontServices,
        *,
        user_id: UUID,
        ticket: str,
        asset: str,
        system_user: str,
        remote_addr: str,
        language: str,
        client: str,
    ) -> None:
        self._services = services
        self._user_id = user_id
        self._language = language
        self._request = AuthorizeRequest(
            ticket=ticket,
            asset=asset,
            system_user=system_user,
            protocol=Protocol.SSH,
            login_from=LoginFrom.SSH_TERMINAL,
            remote_addr=remote_addr,
            client=client,
            language=language,
        )
        self.session: LiveSession | None = None
        self._prompter: asyncio.Future[Prompter] = asyncio.get_running_loop().create_future()
        self._abandoned = False
        self._has_asked = False
        self._refused: list[tuple[str, str]] = []
        self._task = asyncio.create_task(self._open(), name="opening")
        self._task.add_done_callback(_retrieve)

    @property
    def is_stale(self) -> bool:
        """The way to the target was open, and its session has ended before anybody took it up."""
        is_open = self._task.done() and not self._task.cancelled() and self._task.exception() is None
        return is_open and self.session is not None and self.session.end_reason is not None

    async def result(self, prompter: Prompter) -> tuple[LiveSession, TargetConnection]:
        """The session, still in state `opening`, and its connection. Raises `Refused`."""
        if not self._prompter.done():
            self._prompter.set_result(prompter)
        return await asyncio.shield(self._task)

    def abandon(self) -> None:
        """Nobody waits for this any more (or its channel is gone). Idempotent."""
        if self._abandoned:
            return
        self._abandoned = True
        if not self._has_asked:
            self._task.cancel()
            self._prompter.cancel()
            return
        if self.session is None:
            # The control plane may have permitted it already: its row must hear of the end, so `_open` waits for the answer
            return
        self._task.cancel()
        self._prompter.cancel()
        if self._task.done() and not self._task.cancelled() and self._task.exception() is None:
            self._task.result()[1].close()
        if self.session is not None:
            self.session.end(EndReason.USER_CLOSED, "left before the session was open")

    def tell_refused(self, request: str, detail: str) -> None:
        """Something was refused on the connection that this session belongs to."""
        if self.session is not None:
            self.session.request_refused(request, detail)
        else:
            self._refused.append((request, detail))

    async def _open(self) -> tuple[LiveSession, TargetConnection]:
        session = self.session = await self._authorize()
        for request, detail in self._refused:
            session.request_refused(request, detail)
        if self._abandoned:
            session.end(EndReason.USER_CLOSED, "left before the session was open")
            raise Refused(session.end_message)
        session.on_end(self._ended_meanwhile)
        try:
            connection = await self._services.targets.connect(session, prompter=self._ask, progress=lambda _state: None)
        except TargetFailed as failure:
            session.end(failure.reason, failure.detail, message=failure.message)
            is_away = failure.reason is EndReason.CONTROL_LOST
            raise Refused(failure.message, code=DenialCode.CONTROL_UNAVAILABLE if is_away else None) from failure
        except PromptCancelled as cancelled:
            session.end(EndReason.USER_CLOSED, "no answer to a question")
            raise Refused(cancelled.message) from cancelled
        except asyncio.CancelledError:
            if session.end_reason is not None and not self._abandoned:
                # Ended from outside (terminated, limits) while opening: the channel must say why.
                raise Refused(session.end_message) from None
            raise
        except Exception as error:
            session.end(EndReason.ERROR, f"{type(error).__name__}: {error}")
            raise
        if session.end_reason is not None:
            connection.close()
            raise Refused(session.end_message)
        # The target may be slow to open the program, and no channel may ever ask for one: a session that is over waits
        # for neither, and whoever waits for the target is let go.
        session.on_end(lambda _reason, _message: connection.close())
        return session, connection

    def _ended_meanwhile(self, _reason: EndReason, _message: str) -> None:
        self._task.cancel()

    async def _ask(self, text: str, echo: bool) -> str:
        prompter = await self._prompter
        return await prompter(text, echo)

    async def _authorize(self) -> LiveSession:
        language = self._language
        await self._services.openings.turn(self._user_id)
        self._has_asked = True
        try:
            answer = await self._services.plane.authorize(self._request)
        except (ControlUnavailable, ControlRefused) as error:
            raise Refused(Text.CONTROL_UNAVAILABLE.say(language), code=DenialCode.CONTROL_UNAVAILABLE) from error
        if answer.grant is not None:
            try:
                return self._services.registry.open(answer.grant)
            except PosternError as error:
                raise Refused(error.message) from error
        if answer.denial is None:
            raise Refused(Text.END_ERROR.say(language))
        message = "\r\n  ".join((answer.denial.message, *answer.denial.reasons))
        raise Refused(message, code=answer.denial.code, candidates=answer.candidates)


def _retrieve(task: "asyncio.Task[tuple[LiveSession, TargetConnection]]") -> None:
    """An opening that nobody waits for may fail quietly: its session has told why."""
    if not task.cancelled():
        task.exception()
