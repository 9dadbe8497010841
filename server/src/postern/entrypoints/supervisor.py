"""The supervisor of `postern up`: starts all services, restarts them when they die, and stops them in order.

Services start in the given order and stop in reverse. If a service has a readiness check, the next one starts when the
check succeeds. A service that dies is restarted after a growing pause. Each service has its own session (`setsid`), so
Ctrl-C reaches only the supervisor. Each asks the kernel for a signal at the supervisor's death (`follow_supervisor`),
so even `kill -9` of the supervisor leaves nothing behind.
"""

import asyncio
import contextlib
import ctypes
import logging
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from postern.entrypoints.environments import environ_of
from postern.foundation.parts import part_board
from postern.foundation.parts.part_board import SUPERVISOR_PID, PartLife
from postern.kernel import clock
from postern.kernel.clock import monotonic_s

log = logging.getLogger(__name__)

#: Exit status of a service that cannot start because of a setting (sysexits.h EX_CONFIG): restarting would not help.
EXIT_CONFIG: Final = 78

_FIRST_PAUSE_S: Final = 0.5
_LONGEST_PAUSE_S: Final = 30.0
#: A service that ran this long counts as stable, and its restart pause starts from the beginning.
STABLE_AFTER_S: Final = 10.0
_READY_POLL_S: Final = 0.05
_PR_SET_PDEATHSIG: Final = 1


@dataclass(frozen=True, kw_only=True)
class Part:
    """One supervised process.

    `ready` is polled before the next service starts. `stop_timeout_s` is the time to end after SIGTERM. `grace_s` is
    additional time to let people finish, which a second stop signal cuts short. `renews`: on SIGHUP the service
    replaces its own processes one by one.
    """

    name: str
    argv: Sequence[str]
    ready: Callable[[], Awaitable[bool]] | None = None
    stop_timeout_s: float = 10.0
    grace_s: float = 0.0
    renews: bool = False


class PartFailed(Exception):
    """A service ended with `EXIT_CONFIG` or never became ready; the message says which."""


class Supervisor:
    """Runs services until `stop()` is called or a signal arrives."""

    def __init__(self, parts: Sequence[Part], *, ready_timeout_s: float = 60.0, board: Path | None = None) -> None:
        self._parts = tuple(parts)
        self._board = board
        self._lives: dict[str, PartLife] = {}
        self._ready_timeout_s = ready_timeout_s
        self._stopping = asyncio.Event()
        self._at_once = asyncio.Event()
        self._failure: str | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._processes: dict[str, asyncio.subprocess.Process] = {}

    def stop(self) -> None:
        """Ask all services to end; `run` returns when they have. A second call cuts the wait short."""
        if self._stopping.is_set():
            self._at_once.set()
        self._stopping.set()

    def renew(self) -> None:
        """Let the services that support it replace their processes without interruption."""
        for part in self._parts:
            pid = self.pid(part.name)
            if part.renews and pid is not None:
                os.kill(pid, signal.SIGHUP)

    def pid(self, name: str) -> int | None:
        """Process id of a running service; None otherwise."""
        process = self._processes.get(name)
        return process.pid if process is not None and process.returncode is None else None

    async def run(self, on_up: Callable[[], Awaitable[None]] | None = None) -> int:
        """Start everything, call `on_up` once all services are ready, and wait for the end. Returns an exit status."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(number, self.stop)
        loop.add_signal_handler(signal.SIGUSR1, self.renew)
        try:
            for part in self._parts:
                self._tasks.append(asyncio.create_task(self._keep_up(part), name=part.name))
                if not await self._wait_ready(part):
                    break
            else:
                if on_up is not None and not self._stopping.is_set():
                    await self._unless_stopping(on_up())
            await self._stopping.wait()
        finally:
            await self._stop_all()
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1):
                loop.remove_signal_handler(number)
        if self._failure is not None:
            log.error("%s", self._failure)
            return EXIT_CONFIG
        return 0

    async def _unless_stopping(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        stopping = asyncio.ensure_future(self._stopping.wait())
        await asyncio.wait({task, stopping}, return_when=asyncio.FIRST_COMPLETED)
        for pending in (task, stopping):
            if not pending.done():
                pending.cancel()
        await asyncio.gather(task, stopping, return_exceptions=True)

    async def _wait_ready(self, part: Part) -> bool:
        deadline = monotonic_s() + self._ready_timeout_s
        while not self._stopping.is_set():
            if part.ready is None or await part.ready():
                return True
            if monotonic_s() > deadline:
                self._fail(f"{part.name} was not ready within {self._ready_timeout_s:.0f} s")
                return False
            await asyncio.sleep(_READY_POLL_S)
        return False

    def _fail(self, message: str) -> None:
        self._failure = self._failure or message
        self._stopping.set()

    async def _keep_up(self, part: Part) -> None:
        pause_s = 0.0
        while not self._stopping.is_set():
            started = monotonic_s()
            status = await self._run_once(part)
            if self._stopping.is_set():
                return
            if status == EXIT_CONFIG:
                self._fail(f"{part.name} cannot start with these settings")
                return
            pause_s = next_pause_s(pause_s, ran_s=monotonic_s() - started)
            log.warning("%s ended with status %d; starting it again in %.1f s", part.name, status, pause_s)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), pause_s)

    async def _run_once(self, part: Part) -> int:
        """Run a service from start to end. Returns its exit status."""
        try:
            process = await asyncio.create_subprocess_exec(
                *part.argv,
                stdin=asyncio.subprocess.DEVNULL,
                start_new_session=True,
                env={**environ_of(part.name, os.environ), SUPERVISOR_PID: str(os.getpid())},
            )
        except OSError as error:  # out of memory or processes: retried like after any other exit
            log.error("%s cannot be started: %s", part.name, error)  # noqa: TRY400 - no trace wanted
            self._note(part, 0)
            return os.EX_OSERR
        self._processes[part.name] = process
        self._note(part, process.pid)
        try:
            return await process.wait()
        finally:
            self._note(part, 0)

    def _note(self, part: Part, pid: int) -> None:
        self._lives[part.name] = PartLife(pid, clock.now().timestamp())
        if self._board is not None:
            part_board.write(self._board, self._lives)

    async def _stop_all(self) -> None:
        for part in reversed(self._parts):
            process = self._processes.get(part.name)
            if process is None or process.returncode is not None:
                continue
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            if not await self._ends_in_time(part, process):
                log.warning("%s did not end in time and is killed", part.name)
                # Kill the whole session, so that the service's children do not outlive it.
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _ends_in_time(self, part: Part, process: asyncio.subprocess.Process) -> bool:
        """Wait for a stopping service: first its grace time, then its own stop time."""
        ended = asyncio.ensure_future(process.wait())
        at_once = asyncio.ensure_future(self._at_once.wait())
        try:
            # SIGINT only for services with a grace time; others would drop work that they are finishing anyway.
            watched = {ended, at_once} if part.grace_s else {ended}
            limit_s = part.grace_s + part.stop_timeout_s
            await asyncio.wait(watched, timeout=limit_s, return_when=asyncio.FIRST_COMPLETED)
            if not ended.done() and part.grace_s and at_once.done():
                with contextlib.suppress(ProcessLookupError):
                    process.send_signal(signal.SIGINT)
                await asyncio.wait({ended}, timeout=part.stop_timeout_s)
            return ended.done()
        finally:
            for task in (ended, at_once):
                task.cancel()
            await asyncio.gather(ended, at_once, return_exceptions=True)


def next_pause_s(last_s: float, *, ran_s: float) -> float:
    """Pause before a restart: doubles each time, and starts from the beginning after a stable run."""
    if ran_s >= STABLE_AFTER_S or last_s <= 0:
        return _FIRST_PAUSE_S
    return min(last_s * 2, _LONGEST_PAUSE_S)


def follow_supervisor() -> None:
    """End this process when the supervisor ends for any reason. Every service calls this first; no-op without a
    supervisor.
    """
    expected = os.environ.get(SUPERVISOR_PID)
    if expected:
        end_with_parent(int(expected))


def end_with_parent(pid: int) -> None:
    """Let the kernel send SIGTERM to this process when its parent `pid` ends for any reason. Linux only."""
    if not sys.platform.startswith("linux"):
        return
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != pid:  # the parent died before the call above
        sys.exit(0)
