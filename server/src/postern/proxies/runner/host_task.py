"""One task: connecting to a host, signing in, running its script."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

import asyncssh

from postern.contracts.access import Credential
from postern.contracts.enums import EndReason, HostKeyVerdict
from postern.contracts.runner import OUTPUT_BYTES, HostResult, Remote, RunOnHost, TaskEnded
from postern.kernel.clock import monotonic_s
from postern.kernel.log import printable
from postern.kernel.sentences import Value
from postern.proxies.core.targets.ports import TargetFailed
from postern.proxies.core.targets.wires import Wire
from postern.proxies.core.texts import Text
from postern.proxies.gateways.dialer import Dialer
from postern.proxies.runner.host_login import HostLogin, key_refusal
from postern.proxies.runner.host_session import HostSession
from postern.proxies.runner.pipe import WorkerPipe
from postern.proxies.runner.program import HostProgram
from postern.proxies.runner.program_end import EndedEarly, ProgramEnd
from postern.proxies.runner.questions import Questions, TaskQuestions
from postern.proxies.runner.sign_in import sign_in
from postern.proxies.ssh_connections.sign_in import ServerLink, SshClient

log = logging.getLogger(__name__)

_MAX_DETAIL: Final = 300

_RESULTS: Final = {
    EndReason.UNREACHABLE: HostResult.UNREACHABLE,
    EndReason.HOST_KEY_REFUSED: HostResult.HOST_KEY_REFUSED,
    EndReason.CREDENTIAL_REFUSED: HostResult.CREDENTIAL_REFUSED,
}


class WinrmOpener(Protocol):
    """`winrm.host.open_winrm`."""

    def __call__(
        self,
        wire: Wire,
        wish: RunOnHost,
        pipe: WorkerPipe,
        approve: Callable[[str], Awaitable[None]],
        fetch: Callable[[], Awaitable[Credential]],
    ) -> Awaitable[HostSession | None]:
        """Sign in over an open connection."""


#: Loads the code of WinRM, which takes memory that most runners do not need.
LoadWinrm = Callable[[], WinrmOpener]


class _SshHost(HostSession):
    """A host that was signed in on over SSH."""

    def __init__(self, link: ServerLink, login: HostLogin, wish: RunOnHost, pipe: WorkerPipe, via: str) -> None:
        self._link = link
        self._login = login
        self._program = HostProgram(link, wish, pipe, via=via, password=login.known_password)

    async def run(self, stopping: asyncio.Event) -> ProgramEnd:
        return await self._program.run(stopping)

    def close(self) -> None:
        self._login.forget()
        self._link.abort()


class HostTask:
    """Call `run` once. `stop` ends it early; `run` then returns within a few seconds."""

    def __init__(
        self,
        wish: RunOnHost,
        dialer: Dialer,
        client: SshClient,
        questions: Questions,
        pipe: WorkerPipe,
        *,
        load_winrm: LoadWinrm,
    ) -> None:
        self._wish = wish
        self._load_winrm = load_winrm
        self._dialer = dialer
        self._client = client
        self._questions = TaskQuestions(questions, wish.task, wish.language)
        self._pipe = pipe
        self._stopping = asyncio.Event()
        self._via = ""

    def stop(self) -> None:
        """End the task early."""
        self._stopping.set()

    async def run(self) -> TaskEnded:
        """Do the work and return how it ended. Raises nothing."""
        started = monotonic_s()
        try:
            end = await self._work()
        except TargetFailed as failure:
            result = _RESULTS.get(failure.reason, HostResult.FAULT)
            end = ProgramEnd(result=result, message=failure.sentence, detail=failure.detail)
        except EndedEarly as early:
            end = early.end
        except (asyncssh.Error, OSError) as error:
            end = ProgramEnd(result=HostResult.UNREACHABLE, detail=str(error)[:_MAX_DETAIL])
        except Exception as error:  # one task must not end the runner, in which others run
            log.exception("task %d failed", self._wish.task)
            end = ProgramEnd(result=HostResult.FAULT, detail=repr(error)[:_MAX_DETAIL])
        return TaskEnded(
            task=self._wish.task,
            result=end.result,
            status=end.status,
            signal=end.signal,
            message=end.message,
            detail=end.detail,
            via=self._via,
            seconds=round(monotonic_s() - started, 3),
            is_told_only=end.is_told_only,
        )

    async def _work(self) -> ProgramEnd:
        """Sign in and run the script. A stop before the script is sent ends everything at once."""
        stopped = asyncio.ensure_future(self._stopping.wait())
        signing_in = asyncio.ensure_future(self._sign_in())
        try:
            await asyncio.wait((stopped, signing_in), return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopped.cancel()
            if not signing_in.done():
                signing_in.cancel()
            await asyncio.gather(stopped, signing_in, return_exceptions=True)
        if signing_in.cancelled():
            return ProgramEnd(result=HostResult.STOPPED)
        session = signing_in.result()
        if session is None:
            return ProgramEnd(result=HostResult.DONE)
        try:
            return await session.run(self._stopping) if self._wish.script else ProgramEnd(result=HostResult.DONE)
        finally:
            session.close()

    async def _sign_in(self) -> HostSession | None:
        wish = self._wish
        wire = await self._dial()
        self._via = wire.via
        if wish.only_dial:
            _reader, writer = await wire.streams(limit=OUTPUT_BYTES)
            writer.close()
            return None
        return await (self._sign_in_with_ssh(wire) if wish.over is Remote.SSH else self._sign_in_with_winrm(wire))

    async def _dial(self) -> Wire:
        wish = self._wish
        try:
            return await self._dialer.dial(
                wish.target, wish.route, self._questions, language=wish.language, progress=lambda _state, _via="": None
            )
        except TargetFailed as failure:
            if wish.over is not Remote.SSH and isinstance(failure.__cause__, ConnectionRefusedError):
                message = Text.WINRM_CLOSED.sentence(wish.language, host=wish.target.host, port=wish.target.port)
                end = ProgramEnd(result=HostResult.NO_WINRM, message=message, detail=failure.detail)
                raise EndedEarly(end) from failure
            raise

    async def _sign_in_with_ssh(self, wire: Wire) -> HostSession | None:
        wish = self._wish
        login = HostLogin(wish, self._questions, wire.via)
        try:
            link = await sign_in(self._client, wire, login, wish)
        except BaseException:
            login.forget()
            raise
        return _SshHost(link, login, wish, self._pipe, self._via) if link is not None else None

    async def _sign_in_with_winrm(self, wire: Wire) -> HostSession | None:
        wish = self._wish
        open_winrm = self._load_winrm()
        try:
            async with asyncio.timeout(wish.limits.sign_in_s):
                return await open_winrm(wire, wish, self._pipe, self._approve, self._questions.secret)
        except TimeoutError as error:
            message = Text.CONNECT_TIMEOUT.sentence(wish.language, host=wish.target.host, port=wish.target.port)
            wire.close()
            raise TargetFailed(EndReason.UNREACHABLE, message, "log-in timed out") from error
        except OSError as error:
            wire.close()
            detail = printable(str(error))[:_MAX_DETAIL]
            where: dict[str, Value] = {"host": wish.target.host, "port": wish.target.port}
            message = Text.CONNECT_FAILED.sentence(wish.language, **where, detail=detail)
            raise TargetFailed(EndReason.UNREACHABLE, message, detail) from error
        except BaseException:
            wire.close()
            raise

    async def _approve(self, public_key: str) -> None:
        """Judge the key of the host's certificate. Raises `TargetFailed`."""
        answer = await self._questions.judge_key(public_key, via=self._via)
        if answer.verdict is HostKeyVerdict.CHANGED:
            raise key_refusal(self._wish, answer, public_key)
