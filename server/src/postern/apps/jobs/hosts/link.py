"""`RunnerLink`: the worker's side of the pipe to the runner (`contracts.runner`).

The runner is started when the first task needs it, and again when it is gone. A task whose program had not started when
the runner was lost has done nothing, and may be sent again; the state of other tasks is unknown.
"""

import logging
import os
import select
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from queue import SimpleQueue
from typing import IO, Any, Final, Protocol

import msgspec

from postern.apps.jobs.hosts.reports import ImpossibleReport, Report
from postern.contracts.access import HostKeyAnswer
from postern.contracts.runner import (
    MAX_FRAME_BYTES,
    FromRunner,
    HostKeyJudged,
    HostOutput,
    JudgeHostKey,
    ProgramStarts,
    RunOnHost,
    SecretGiven,
    StopTask,
    TaskEnded,
    ToRunner,
    WantSecret,
)
from postern.foundation.database.database_threads import DatabaseThreads
from postern.foundation.provided import Provided
from postern.kernel import clock

log = logging.getLogger(__name__)

_LENGTH_BYTES: Final = 4
#: Questions that are answered at the same time; each may need the database.
_ANSWERERS: Final = 4
_END_S: Final = 3.0
#: How long the runner may leave the pipe to it full. It reads frames whatever its tasks do, so a runner that does not read hangs.
_SEND_S: Final = 20.0


class Owner(Protocol):
    """Answers the questions of a task. Called in other threads, several times at once for different tasks."""

    def judge(self, question: JudgeHostKey) -> HostKeyAnswer | None:
        """The verdict about a host key; None if it cannot be judged now."""

    def secret(self, question: WantSecret) -> SecretGiven:
        """The secret, or why there is none."""


@dataclass(frozen=True, slots=True)
class RunnerLost:
    """The runner ended before the task. `has_started`: its program may have had effects."""

    task: int
    has_started: bool


#: What arrives about a task.
News = ProgramStarts | HostOutput | TaskEnded | RunnerLost


@dataclass(slots=True)
class _Open:
    owner: Owner
    news: "SimpleQueue[Any]"
    process: "subprocess.Popen[bytes]"
    report: Report


class RunnerLink:
    """Sends tasks to the runner. All methods may be called from any thread."""

    def __init__(self, argv: Sequence[str], environ: Mapping[str, str]) -> None:
        """`argv` starts the runner with `environ` and nothing else."""
        self._argv = list(argv)
        self._environ = dict(environ)
        self._lock = threading.Lock()
        #: Held while a frame is sent, which may take a moment: so never together with `_lock`.
        self._sending = threading.Lock()
        self._numbers = count(1)
        self._process: subprocess.Popen[bytes] | None = None
        self._hearing: threading.Thread | None = None
        self._open: dict[int, _Open] = {}
        self._answering = DatabaseThreads(_ANSWERERS, "answers the runner")
        self._encoder = msgspec.msgpack.Encoder()

    def next_task(self) -> int:
        """A number for a task."""
        return next(self._numbers)

    def run(self, wish: RunOnHost, owner: Owner, news: "SimpleQueue[Any]") -> None:
        """Start a task. What happens with it is put into `news`; the last is `TaskEnded` or `RunnerLost`."""
        with self._lock:
            process = self._running()
            self._open[wish.task] = _Open(owner, news, process, Report(wish))
        self._send(process, wish)

    def stop(self, task: int) -> None:
        """End a task early."""
        with self._lock:
            running = self._open.get(task)
        if running is not None:
            running.report.stop_wanted = True
            self._send(running.process, StopTask(task=task))

    def kill(self) -> None:
        """Kill the runner, because it does not obey. All its tasks are lost."""
        with self._lock:
            process = self._process
        if process is not None:
            process.kill()

    def close(self) -> None:
        """End the runner and wait for it."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None and process.stdin is not None:
            if not self._sending.acquire(timeout=_END_S):
                process.kill()  # which ends the sending
                self._sending.acquire()
            try:
                process.stdin.close()
            finally:
                self._sending.release()
            try:
                process.wait(_END_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if self._hearing is not None:
            self._hearing.join(_END_S)
        self._answering.close()

    def _running(self) -> "subprocess.Popen[bytes]":
        """The runner, started if necessary. Raises OSError."""
        if self._process is None or self._process.poll() is not None:
            process = subprocess.Popen(  # noqa: S603 - our own program
                self._argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self._environ
            )
            if process.stdin is not None:
                os.set_blocking(process.stdin.fileno(), False)
            self._process = process
            self._hearing = threading.Thread(target=self._hear, args=(process,), name="hears the runner", daemon=True)
            self._hearing.start()
        return self._process

    def _send(self, process: "subprocess.Popen[bytes]", frame: ToRunner) -> None:
        data = self._encoder.encode(frame)
        if process.stdin is None:
            return
        try:
            with self._sending:
                _write(process.stdin, len(data).to_bytes(_LENGTH_BYTES, "big") + data)
        except TimeoutError:
            log.warning("the runner does not read what it is sent, and is killed; its tasks get the failure")
            process.kill()
        except (OSError, ValueError):
            log.info("the runner has ended; its tasks get the failure")  # from `_hear`

    def _hear(self, process: "subprocess.Popen[bytes]") -> None:
        """Read frames until the runner ends."""
        decoder = msgspec.msgpack.Decoder(FromRunner)
        try:
            while (frame := _read(process.stdout, decoder)) is not None:
                self._handle(process, frame)
        except ImpossibleReport:
            log.exception("the runner is killed, because it sent what no honest runner sends")
            process.kill()
        except Exception:  # whatever a frame contains: its tasks must be notified
            log.exception("the runner sent what is no frame, and is killed")
            process.kill()
        process.wait()
        with self._sending:
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
        with self._lock:
            if self._process is process:
                self._process = None
            lost = {number: task for number, task in self._open.items() if task.process is process}
            for number in lost:
                del self._open[number]
        for number, task in lost.items():
            task.news.put(RunnerLost(number, task.report.has_started))

    def _handle(self, process: "subprocess.Popen[bytes]", frame: FromRunner) -> None:
        """Pass a frame on. Raises ImpossibleReport."""
        with self._lock:
            task = self._open.get(frame.task)
        if task is None or task.process is not process:
            return
        frame = task.report.checked(frame)
        match frame:
            case JudgeHostKey():
                self._answer(process, partial(_judged, task, frame))
            case WantSecret():
                self._answer(process, partial(_given, task, frame))
            case TaskEnded():
                with self._lock:
                    self._open.pop(frame.task, None)
                task.news.put(frame)
            case ProgramStarts() | HostOutput():
                task.news.put(frame)

    def _answer(self, process: "subprocess.Popen[bytes]", answer: Callable[[], HostKeyJudged | SecretGiven]) -> None:
        def work() -> None:
            try:
                self._send(process, answer())
            except Exception:  # the runner's question ends after its own time
                log.exception("a question of the runner could not be answered")

        self._answering.submit(work)


def _judged(task: _Open, question: JudgeHostKey) -> HostKeyJudged:
    answer = task.owner.judge(question)
    task.report.note_judged(question.gateway_id, answer)
    return HostKeyJudged(question=question.question, answer=answer)


def _given(task: _Open, question: WantSecret) -> SecretGiven:
    given = task.owner.secret(question)
    task.report.note_refusal(given.refusal)
    return given


def _write(pipe: IO[bytes], data: bytes) -> None:
    """Write everything. Raises TimeoutError when the pipe stays full, OSError and ValueError when it is closed."""
    waiting = select.poll()
    waiting.register(pipe, select.POLLOUT)
    until = clock.monotonic_s() + _SEND_S
    left = memoryview(data)
    while left:
        try:
            left = left[os.write(pipe.fileno(), left) :]
        except BlockingIOError:
            left_s = until - clock.monotonic_s()
            if left_s <= 0:
                raise TimeoutError from None
            waiting.poll(left_s * 1000)


def _read(pipe: IO[bytes] | None, decoder: "msgspec.msgpack.Decoder[FromRunner]") -> FromRunner | None:
    """The next frame; None at the end."""
    if pipe is None:
        return None
    head = pipe.read(_LENGTH_BYTES)
    if len(head) < _LENGTH_BYTES:
        return None
    length = int.from_bytes(head, "big")
    if length > MAX_FRAME_BYTES:
        raise ValueError(f"a frame of {length} bytes")
    data = pipe.read(length)
    return decoder.decode(data) if len(data) == length else None


#: The link of this worker.
RUNNER: Final = Provided[RunnerLink]("the runner")
