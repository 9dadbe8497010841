"""`WinrmHost`: a host that jobs reach over WinRM."""

import asyncio
from collections.abc import Awaitable
from typing import Final, TypeVar

from postern.contracts.runner import OUTPUT_BYTES, HostOutput, HostResult, ProgramStarts, RunOnHost
from postern.kernel.clock import monotonic_s
from postern.kernel.log import printable
from postern.proxies.core.targets.wires import Wire
from postern.proxies.core.texts import Text
from postern.proxies.runner import powershell
from postern.proxies.runner.host_session import HostSession
from postern.proxies.runner.pipe import WorkerPipe
from postern.proxies.runner.program_end import EndedEarly, ProgramEnd
from postern.proxies.runner.shell import Answer as ShellAnswer
from postern.proxies.runner.winrm import envelopes
from postern.proxies.runner.winrm.connection import ApproveKey, FetchSecret, WinrmConnection

ResultT = TypeVar("ResultT")

#: How long the host waits for output before it answers without any. A stop takes effect after this time.
_POLL_S: Final = 1
_INPUT_BYTES: Final = 32 * 1024
_MAX_SHOWN: Final = 300
_END_S: Final = 1.0


async def open_winrm(
    wire: Wire, wish: RunOnHost, pipe: WorkerPipe, approve: ApproveKey, fetch: FetchSecret
) -> HostSession | None:
    """Sign in over an open connection. Returns None if nothing more is wanted. Raises EndedEarly, OSError, and what
    `approve` and `fetch` raise.
    """
    connection = await WinrmConnection.open(wire, wish, approve)
    try:
        if wish.login_name:
            await connection.sign_in(fetch)
    except BaseException:
        connection.close()
        raise
    if wish.login_name and wish.script:
        return WinrmHost(connection, wish, pipe, via=wire.via)
    connection.close()
    return None


class WinrmHost(HostSession):
    """A host that was signed in on. One request is open at a time."""

    def __init__(self, connection: WinrmConnection, wish: RunOnHost, pipe: WorkerPipe, *, via: str) -> None:
        self._connection = connection
        self._wish = wish
        self._pipe = pipe
        self._via = via
        self._envelopes = envelopes.Envelopes(connection.url, _POLL_S)
        self._answer = ShellAnswer(powershell.READY)
        self._shell_id = ""
        self._command_id = ""
        self._room = wish.limits.output_bytes
        self._errors = bytearray()
        self._has_begun = False

    async def run(self, stopping: asyncio.Event) -> ProgramEnd:
        try:
            end = await self._run(stopping)
        except EndedEarly as error:
            end = error.end
            if self._has_begun:  # whatever it was, the end of the program was not seen
                end = ProgramEnd(result=HostResult.LOST, message=end.message, detail=end.detail)
        except (OSError, envelopes.BadAnswer) as error:
            if not self._has_begun:
                raise EndedEarly(ProgramEnd(result=HostResult.UNREACHABLE, detail=str(error)[:_MAX_SHOWN])) from error
            return ProgramEnd(result=HostResult.LOST, detail=printable(str(error))[:_MAX_SHOWN])
        has_ended = await self._end()
        if end.result in _ENDED_BY_US and not has_ended:
            return ProgramEnd(result=end.result, message=end.message, detail=end.detail, is_told_only=True)
        return end

    def close(self) -> None:
        self._connection.close()

    async def _run(self, stopping: asyncio.Event) -> ProgramEnd:
        limit_s = self._wish.limits.shell_s
        try:
            async with asyncio.timeout(limit_s):
                self._shell_id = (await self._ask(self._envelopes.create())).shell_id
                started = await self._ask(self._envelopes.command(self._shell_id, powershell.COMMAND))
                self._command_id = started.command_id
                rest = await self._first_answer(stopping)
        except TimeoutError:
            rest = None
        if stopping.is_set():
            return ProgramEnd(result=HostResult.STOPPED)
        if rest is None:
            return self._no_powershell()
        self._pipe.tell(ProgramStarts(task=self._wish.task, via=self._via))
        self._has_begun = True
        await self._send(powershell.script_bytes(self._wish.script) + self._wish.stdin)
        if not await self._pass_on(rest, is_error=False):
            return ProgramEnd(result=HostResult.OUTPUT_LIMIT)
        return await self._follow(stopping)

    async def _first_answer(self, stopping: asyncio.Event) -> bytes | None:
        """Wait for the bootstrap. Returns what it showed behind its answer, None if it has ended instead."""
        while not stopping.is_set():
            output, ended, _status = await self._receive()
            for data, is_error in output:
                if is_error:
                    self._errors = (self._errors + data)[-_MAX_SHOWN * 4 :]
                    continue
                match = self._answer.feed(data)
                if match is not None:
                    return match[1]
            if ended or self._answer.is_hopeless:
                return None
        return None

    async def _follow(self, stopping: asyncio.Event) -> ProgramEnd:
        ends_at = monotonic_s() + self._wish.limits.run_s
        while True:
            if stopping.is_set():
                return ProgramEnd(result=HostResult.STOPPED)
            if monotonic_s() > ends_at:
                return ProgramEnd(result=HostResult.TIME_LIMIT)
            output, has_ended, status = await self._receive()
            for data, is_error in output:
                if not await self._pass_on(data, is_error=is_error):
                    return ProgramEnd(result=HostResult.OUTPUT_LIMIT)
            if has_ended:
                return ProgramEnd(result=HostResult.DONE, status=status)

    async def _receive(self) -> tuple[list[tuple[bytes, bool]], bool, int | None]:
        """Output since the last call, whether the program has ended, and its exit status."""
        answer = await self._connection.ask(self._envelopes.receive(self._shell_id, self._command_id))
        if answer.fault == envelopes.TIMED_OUT:
            return [], False, None
        self._check(answer)
        return answer.output(), *answer.exit_status()

    async def _send(self, data: bytes) -> None:
        for start in range(0, max(1, len(data)), _INPUT_BYTES):
            part = data[start : start + _INPUT_BYTES]
            is_last = start + _INPUT_BYTES >= len(data)
            message = self._envelopes.send(self._shell_id, self._command_id, part, is_last=is_last)
            await self._ask(message)

    async def _ask(self, message: bytes) -> envelopes.Answer:
        answer = await self._connection.ask(message)
        self._check(answer)
        return answer

    def _check(self, answer: envelopes.Answer) -> None:
        """Raise EndedEarly for a fault."""
        fault = answer.fault
        if not fault:
            return
        wish = self._wish
        detail = printable(f"{answer.fault_text} ({fault})")[:_MAX_SHOWN]
        if fault == envelopes.ACCESS_DENIED and not self._has_begun:
            message = Text.WINRM_ACCESS_DENIED.sentence(wish.language, host=wish.target.host, login=wish.login_name)
            raise EndedEarly(ProgramEnd(result=HostResult.NO_SHELL, message=message, detail=detail))
        message = Text.WINRM_FAULT.sentence(wish.language, host=wish.target.host, detail=detail)
        raise EndedEarly(ProgramEnd(result=HostResult.NO_SHELL, message=message, detail=detail))

    async def _pass_on(self, data: bytes, *, is_error: bool) -> bool:
        """Pass output on to the worker. Returns False when there was too much."""
        accepted = data[: self._room]
        self._room -= len(accepted)
        for start in range(0, len(accepted), OUTPUT_BYTES):
            part = accepted[start : start + OUTPUT_BYTES]
            await self._pipe.tell_slowly(HostOutput(task=self._wish.task, data=part, is_error=is_error))
        return len(data) == len(accepted)

    async def _end(self) -> bool:
        """End the program and its shell. Returns whether the host has confirmed it."""
        if not self._shell_id:
            return True
        try:
            if self._command_id:
                await self._quietly(self._connection.ask(self._envelopes.terminate(self._shell_id, self._command_id)))
            answer = await self._quietly(self._connection.ask(self._envelopes.delete(self._shell_id)))
        except (OSError, EndedEarly):  # a TimeoutError is an OSError
            return False
        return not answer.fault

    async def _quietly(self, asking: Awaitable[ResultT]) -> ResultT:
        async with asyncio.timeout(_END_S):
            return await asking

    def _no_powershell(self) -> ProgramEnd:
        shown = (bytes(self._errors) or self._answer.shown).decode(errors="replace").strip()
        message = Text.NO_POWERSHELL.sentence(
            self._wish.language, host=self._wish.target.host, shown=printable(shown)[-_MAX_SHOWN:]
        )
        return ProgramEnd(result=HostResult.NO_POWERSHELL, message=message, detail="PowerShell did not answer")


_ENDED_BY_US: Final = frozenset(
    (HostResult.OUTPUT_LIMIT, HostResult.STOPPED, HostResult.TIME_LIMIT, HostResult.NO_POWERSHELL)
)
