"""One task: connecting to a host, signing in, running its script."""

import asyncio
import logging
from typing import Final

import asyncssh

from postern.contracts.enums import EndReason
from postern.contracts.runner import OUTPUT_BYTES, HostResult, RunOnHost, TaskEnded
from postern.kernel.clock import monotonic_s
from postern.proxies.core.targets.ports import TargetFailed
from postern.proxies.gateways.dialer import Dialer
from postern.proxies.runner.host_login import HostLogin
from postern.proxies.runner.pipe import WorkerPipe
from postern.proxies.runner.program import HostProgram, ProgramEnd
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


class HostTask:
    """Call `run` once. `stop` ends it early; `run` then returns within a few seconds."""

    def __init__(
        self, wish: RunOnHost, dialer: Dialer, client: SshClient, questions: Questions, pipe: WorkerPipe
    ) -> None:
        self._wish = wish
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
        signed_in = signing_in.result()
        if signed_in is None:
            return ProgramEnd(result=HostResult.DONE)
        link, login = signed_in
        try:
            if not self._wish.script:
                return ProgramEnd(result=HostResult.DONE)
            program = HostProgram(link, self._wish, self._pipe, via=self._via, password=login.known_password)
            return await program.run(self._stopping)
        finally:
            login.forget()
            link.abort()

    async def _sign_in(self) -> tuple[ServerLink, HostLogin] | None:
        wish = self._wish
        wire = await self._dialer.dial(
            wish.target, wish.route, self._questions, language=wish.language, progress=lambda _state, _via="": None
        )
        self._via = wire.via
        if wish.only_dial:
            _reader, writer = await wire.streams(limit=OUTPUT_BYTES)
            writer.close()
            return None
        login = HostLogin(wish, self._questions, wire.via)
        try:
            link = await sign_in(self._client, wire, login, wish)
        except BaseException:
            login.forget()
            raise
        return (link, login) if link is not None else None
