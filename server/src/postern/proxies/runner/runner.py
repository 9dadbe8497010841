"""`Runner`: receives tasks from the worker and runs them side by side."""

import asyncio
from typing import Final

from postern.contracts.runner import HostKeyJudged, HostResult, RunOnHost, SecretGiven, StopTask, TaskEnded
from postern.proxies.gateways.dialer import Dialer
from postern.proxies.runner.host_task import HostTask, LoadWinrm
from postern.proxies.runner.pipe import WorkerPipe
from postern.proxies.runner.questions import Questions
from postern.proxies.ssh_connections.sign_in import SshClient

#: The worker sends as many tasks as it wants to run at once. This bounds a worker that errs.
MAX_TASKS: Final = 200
_KEEPALIVE_S: Final = 20
_KEEPALIVE_COUNT: Final = 3


class Runner:
    """Runs tasks until the worker closes the pipe, or nothing was to do for `idle_s`."""

    def __init__(self, pipe: WorkerPipe, dialer: Dialer, load_winrm: LoadWinrm, *, idle_s: float) -> None:
        self._pipe = pipe
        self._load_winrm = load_winrm
        self._dialer = dialer
        self._idle_s = idle_s
        self._questions = Questions(pipe)
        # Without the fast data path: its test costs more than a host's few answers.
        self._client = SshClient(
            fast=False, login_timeout_s=0, keepalive_s=_KEEPALIVE_S, keepalive_count=_KEEPALIVE_COUNT
        )
        self._tasks: dict[int, HostTask] = {}
        self._running: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Serve the worker. Returns when the worker is gone, or after the idle time."""
        receiving = asyncio.ensure_future(self._pipe.receive())
        try:
            while True:
                idle_s = None if self._running else self._idle_s
                done, _ = await asyncio.wait(
                    (receiving, *self._running), timeout=idle_s, return_when=asyncio.FIRST_COMPLETED
                )
                if not done:
                    return
                if receiving in done:
                    frame = receiving.result()
                    if frame is None:
                        return
                    self._handle(frame)
                    receiving = asyncio.ensure_future(self._pipe.receive())
        finally:
            for task in (receiving, *self._running):
                task.cancel()
            await asyncio.gather(receiving, *self._running, return_exceptions=True)

    def _handle(self, frame: RunOnHost | StopTask | HostKeyJudged | SecretGiven) -> None:
        match frame:
            case RunOnHost():
                self._begin(frame)
            case StopTask(task=number):
                if number in self._tasks:
                    self._tasks[number].stop()
            case HostKeyJudged() | SecretGiven():
                self._questions.answered(frame)

    def _begin(self, wish: RunOnHost) -> None:
        if len(self._tasks) >= MAX_TASKS:
            self._pipe.tell(TaskEnded(task=wish.task, result=HostResult.FAULT, detail="too many tasks at once"))
            return
        task = HostTask(wish, self._dialer, self._client, self._questions, self._pipe, load_winrm=self._load_winrm)
        self._tasks[wish.task] = task
        running = asyncio.get_running_loop().create_task(self._serve(wish.task, task), name=f"task {wish.task}")
        self._running.add(running)
        running.add_done_callback(self._running.discard)

    async def _serve(self, number: int, task: HostTask) -> None:
        try:
            ended = await task.run()
        finally:
            del self._tasks[number]
        await self._pipe.tell_slowly(ended)
