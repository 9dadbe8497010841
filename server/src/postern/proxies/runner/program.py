"""`HostProgram`: a script on a host, from the first answer of its shell to its end."""

import asyncio
import logging
import secrets
from collections.abc import Coroutine
from typing import Any, Final

import asyncssh

from postern.contracts.runner import OUTPUT_BYTES, HostOutput, HostResult, ProgramStarts, RunOnHost, Shell
from postern.kernel.clock import monotonic_s
from postern.kernel.log import printable
from postern.kernel.secret import Secret
from postern.proxies.core.texts import Text
from postern.proxies.runner import powershell, shell
from postern.proxies.runner.pipe import WorkerPipe
from postern.proxies.runner.program_end import ProgramEnd
from postern.proxies.ssh_connections.sign_in import ServerLink

log = logging.getLogger(__name__)

_MAX_SHOWN: Final = 300
_MAX_SIGNAL: Final = 32
_NONCE_BYTES: Final = 12
#: How long a program may take after TERM, and after KILL.
_AFTER_TERM_S: Final = 2.0
_AFTER_KILL_S: Final = 1.0
#: How long the signal of the protocol may take before the program is killed by a command. OpenSSH ignores the signal in
#: sessions of root.
_SIGNAL_S: Final = 0.3
#: A program that has ended may leave another one behind that holds its output open. How long that is listened to.
_LEFT_OPEN_S: Final = 1.0
_LOOK_S: Final = 0.25
#: How long a host may take to say what it is, when PowerShell has not answered.
_WHO_S: Final = 5.0
_MAX_WHO_BYTES: Final = 1024
_VERSION_OF_WINDOWS: Final = "Windows"


class HostProgram:
    """Call `run` once. It ends soon after `stopping` is set."""

    def __init__(self, link: ServerLink, wish: RunOnHost, pipe: WorkerPipe, *, via: str, password: Secret) -> None:
        """`password` answers sudo. `via` names the gateways on the way."""
        self._link = link
        self._wish = wish
        self._pipe = pipe
        self._via = via
        self._password = password
        self._nonce = secrets.token_hex(_NONCE_BYTES)
        self._is_powershell = wish.run_by is Shell.POWERSHELL
        self._answer = shell.Answer(powershell.READY if self._is_powershell else self._nonce)
        self._pid = 0
        self._answered = asyncio.Event()
        self._is_root = asyncio.Event()
        self._root_refused = asyncio.Event()
        self._full = asyncio.Event()
        self._has_begun = False
        self._asked = 0
        self._errors = bytearray()
        self._room = wish.limits.output_bytes
        self._heard_at = monotonic_s()

    async def run(self, stopping: asyncio.Event) -> ProgramEnd:
        """Run the script. Raises asyncssh.Error and OSError when the connection is lost before the script was sent."""
        if self._is_powershell:
            line = powershell.COMMAND
        else:
            line = shell.command_line(self._nonce, self._wish.script, self._wish.run_by)
        try:
            process = await self._link.create_process(line, encoding=None)
        except (asyncssh.ChannelOpenError, asyncssh.DisconnectError) as error:
            # A device without a shell refuses the channel or the program, or hangs up. Nothing was sent to it.
            return self._no_shell(str(error))
        reading = asyncio.ensure_future(self._read_all(process))
        try:
            end = await self._begin(process, reading, stopping)
            if end is None:
                end = await self._follow(process, reading, stopping)
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
        if end.result in _ENDED_BY_US:
            return _told_only(end) if not await self._end_program(process) else end
        return end

    async def _begin(
        self, process: asyncssh.SSHClientProcess[bytes], reading: "asyncio.Future[None]", stopping: asyncio.Event
    ) -> ProgramEnd | None:
        """Wait for the shell and send the script. Returns None if it runs now."""
        limit_s = self._wish.limits.shell_s
        await _first((self._answered.wait(), stopping.wait()), reading, timeout_s=limit_s)
        if stopping.is_set():
            return ProgramEnd(result=HostResult.STOPPED)
        if not self._answered.is_set():
            return await self._no_powershell() if self._is_powershell else self._no_shell("no shell answered")
        self._pipe.tell(ProgramStarts(task=self._wish.task, via=self._via))
        script_bytes = powershell.script_bytes if self._is_powershell else shell.script_bytes
        process.stdin.write(script_bytes(self._wish.script))
        if self._wish.run_by is Shell.ROOT:
            await _first((self._is_root.wait(), self._root_refused.wait(), stopping.wait()), reading, timeout_s=limit_s)
            if stopping.is_set():
                return ProgramEnd(result=HostResult.STOPPED)
            if not self._is_root.is_set():
                return self._no_root()
        self._has_begun = True
        try:
            process.stdin.write(self._wish.stdin)
            process.stdin.write_eof()
        except OSError:  # it has ended already
            log.debug("task %d ended before it read its input", self._wish.task)
        return None

    async def _follow(
        self, process: asyncssh.SSHClientProcess[bytes], reading: "asyncio.Future[None]", stopping: asyncio.Event
    ) -> ProgramEnd:
        """Wait until the script has ended or must end."""
        ends_at = monotonic_s() + self._wish.limits.run_s
        while True:
            await _first((stopping.wait(), self._full.wait()), reading, timeout_s=_LOOK_S)
            if self._full.is_set():
                return ProgramEnd(result=HostResult.OUTPUT_LIMIT)
            if reading.done() or (_has_ended(process) and monotonic_s() - self._heard_at > _LEFT_OPEN_S):
                return _of_exit(process)
            if stopping.is_set():
                return ProgramEnd(result=HostResult.STOPPED)
            if monotonic_s() > ends_at:
                return ProgramEnd(result=HostResult.TIME_LIMIT)

    async def _read_all(self, process: asyncssh.SSHClientProcess[bytes]) -> None:
        """Read until the host closes the channel."""
        try:
            await asyncio.gather(self._read_output(process.stdout), self._read_errors(process))
            await process.wait_closed()
        except (asyncssh.Error, OSError) as error:
            log.info("task %d: the connection ended: %s", self._wish.task, printable(str(error))[:_MAX_SHOWN])

    async def _read_output(self, stream: asyncssh.SSHReader[bytes]) -> None:
        root_line = f"{self._nonce} root\n".encode()
        rest = b""
        while data := await stream.read(OUTPUT_BYTES):
            self._heard_at = monotonic_s()
            if not self._answered.is_set():
                answer = self._answer.feed(data)
                if answer is None:
                    if self._answer.is_hopeless:
                        return
                    continue
                self._pid, data = answer
                self._answered.set()
            if self._wish.run_by is Shell.ROOT and not self._is_root.is_set():
                rest += data
                if not rest.startswith(root_line):
                    if len(rest) >= len(root_line):
                        self._root_refused.set()
                    continue
                data = rest[len(root_line) :]
                self._is_root.set()
            await self._pass_on(data, is_error=False)

    async def _read_errors(self, process: asyncssh.SSHClientProcess[bytes]) -> None:
        question = f"{self._nonce} password".encode()
        while data := await process.stderr.read(OUTPUT_BYTES):
            self._heard_at = monotonic_s()
            if self._has_begun:
                await self._pass_on(data, is_error=True)
                continue
            # What the login shell complains about is no output of the script, but may say why it does not start.
            self._errors = (self._errors + data)[-_MAX_SHOWN * 4 :]
            if self._wish.run_by is Shell.ROOT and question in self._errors:
                del self._errors[: self._errors.index(question) + len(question)]
                self._asked += 1
                if self._asked > 1 or not self._password:
                    self._root_refused.set()
                else:
                    process.stdin.write(self._password.reveal().encode() + b"\n")

    async def _pass_on(self, data: bytes, *, is_error: bool) -> None:
        if not data or self._full.is_set():
            return
        accepted = data[: self._room]
        self._room -= len(accepted)
        if accepted:
            await self._pipe.tell_slowly(HostOutput(task=self._wish.task, data=accepted, is_error=is_error))
        if len(data) > len(accepted):
            self._full.set()

    async def _end_program(self, process: asyncssh.SSHClientProcess[bytes]) -> bool:
        """End the program. Returns whether its end was seen. Closing the connection alone does not end it."""
        draining = asyncio.ensure_future(_drain(process))  # the end comes behind what it still shows
        try:
            if self._is_powershell:
                return await self._end_powershell(process, draining)
            for signal, seconds in (("TERM", _AFTER_TERM_S), ("KILL", _AFTER_KILL_S)):
                if await self._signal(process, draining, signal, seconds):
                    return True
            return False
        finally:
            draining.cancel()
            await asyncio.gather(draining, return_exceptions=True)

    async def _signal(
        self, process: asyncssh.SSHClientProcess[bytes], draining: "asyncio.Future[None]", signal: str, seconds: float
    ) -> bool:
        ends_at = monotonic_s() + seconds
        try:
            process.send_signal(signal)
            await asyncio.wait((draining,), timeout=_SIGNAL_S)
            if not draining.done() and self._pid > 1:
                async with asyncio.timeout(max(0.0, ends_at - monotonic_s())):
                    await self._link.run(shell.kill_line(self._pid, signal), check=False)
            await asyncio.wait((draining,), timeout=max(0.0, ends_at - monotonic_s()))
        except (OSError, asyncssh.Error):  # a TimeoutError is an OSError
            return _has_ended(process)
        return _has_ended(process)

    async def _end_powershell(
        self, process: asyncssh.SSHClientProcess[bytes], draining: "asyncio.Future[None]"
    ) -> bool:
        """End the program by a second command. OpenSSH for Windows passes no signals on."""
        if self._pid:
            try:
                async with asyncio.timeout(_AFTER_TERM_S + _AFTER_KILL_S):
                    await self._link.run(
                        powershell.END_COMMAND, input=powershell.end_input(self._pid), encoding=None, check=False
                    )
                    await asyncio.wait((draining,))
            except (OSError, asyncssh.Error):  # a TimeoutError is an OSError
                return _has_ended(process)
        return _has_ended(process)

    async def _no_powershell(self) -> ProgramEnd:
        """Why PowerShell did not answer. Nothing that the host says goes back to it."""
        text, result = Text.NOT_WINDOWS, HostResult.NOT_WINDOWS
        if self._is_windows_server() or await self._says_windows():
            text, result = Text.NO_POWERSHELL, HostResult.NO_POWERSHELL
        message = text.sentence(self._wish.language, host=self._wish.target.host, shown=self._shown())
        return ProgramEnd(result=result, message=message, detail="PowerShell did not answer")

    def _is_windows_server(self) -> bool:
        return _VERSION_OF_WINDOWS in str(self._link.get_extra_info("server_version", ""))

    async def _says_windows(self) -> bool:
        try:
            async with asyncio.timeout(_WHO_S):
                process = await self._link.create_process(powershell.WHO_COMMAND, stdin=asyncssh.DEVNULL, encoding=None)
                try:
                    return powershell.WINDOWS in await process.stdout.read(_MAX_WHO_BYTES)
                finally:
                    process.close()
        except (asyncssh.Error, OSError):
            return False

    def _shown(self) -> str:
        """The last of what the host has shown, on one line."""
        return printable((self._answer.shown or bytes(self._errors)).decode(errors="replace").strip())[-_MAX_SHOWN:]

    def _no_shell(self, detail: str) -> ProgramEnd:
        text = Text.SHELL_OF_WINDOWS if not self._is_powershell and self._is_windows_server() else Text.NO_SHELL
        message = text.sentence(self._wish.language, host=self._wish.target.host, shown=self._shown())
        return ProgramEnd(result=HostResult.NO_SHELL, message=message, detail=detail)

    def _no_root(self) -> ProgramEnd:
        shown = printable(bytes(self._errors).decode(errors="replace").strip())[-_MAX_SHOWN:]
        message = Text.ROOT_REFUSED.sentence(
            self._wish.language, host=self._wish.target.host, login=self._wish.login_name, shown=shown
        )
        return ProgramEnd(result=HostResult.ROOT_REFUSED, message=message, detail=shown)


_ENDED_BY_US: Final = frozenset(
    (
        HostResult.OUTPUT_LIMIT,
        HostResult.STOPPED,
        HostResult.TIME_LIMIT,
        HostResult.NO_SHELL,
        HostResult.ROOT_REFUSED,
        HostResult.NOT_WINDOWS,
        HostResult.NO_POWERSHELL,
    )
)


def _told_only(end: ProgramEnd) -> ProgramEnd:
    return ProgramEnd(result=end.result, message=end.message, detail=end.detail, is_told_only=True)


def _of_exit(process: asyncssh.SSHClientProcess[bytes]) -> ProgramEnd:
    if not _has_ended(process):
        return ProgramEnd(result=HostResult.LOST, detail="the connection ended before the program")
    if process.exit_signal:
        # The host chooses the name, too: a NUL in it would keep the outcomes of all hosts from being stored.
        return ProgramEnd(result=HostResult.DONE, signal=printable(process.exit_signal[0])[:_MAX_SIGNAL])
    return ProgramEnd(result=HostResult.DONE, status=process.exit_status)


def _has_ended(process: asyncssh.SSHClientProcess[bytes]) -> bool:
    return process.exit_status is not None or process.exit_signal is not None


async def _drain(process: asyncssh.SSHClientProcess[bytes]) -> None:
    for stream in (process.stdout, process.stderr):
        while await stream.read(OUTPUT_BYTES):
            pass
    await process.wait_closed()


async def _first(
    waits: tuple[Coroutine[Any, Any, Any], ...], reading: "asyncio.Future[None]", *, timeout_s: float
) -> None:
    """Wait until one of these is there, or the reading has ended, or the time is over."""
    waiting = [asyncio.ensure_future(wait) for wait in waits]
    try:
        await asyncio.wait((*waiting, reading), timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
