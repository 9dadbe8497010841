"""Runs one script on many hosts at once, for one job."""

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from queue import Empty, SimpleQueue
from typing import Final, Protocol

from django.db import DatabaseError, close_old_connections
from msgspec.structs import replace

from postern.apps.jobs.engine.errors import Stop
from postern.apps.jobs.engine.job_run import JobRun
from postern.apps.jobs.hosts.link import News, Owner, RunnerLink, RunnerLost
from postern.contracts.runner import HostOutput, HostResult, ProgramStarts, RunOnHost, TaskEnded
from postern.foundation.database.database_threads import DatabaseThreads
from postern.kernel import clock
from postern.kernel.sentences import Sentence

log = logging.getLogger(__name__)

#: Hosts at once at the beginning, so that the first answers come soon, and at most.
FIRST: Final = 10
MOST: Final = 50
#: Hosts whose way is looked for at the same time. A name that nobody resolves takes seconds.
_PREPARERS: Final = 8
#: How often a task whose runner was lost before its script was sent is sent again.
_TRIES: Final = 3
_WAIT_S: Final = 0.3
#: How long the runner may take to end its tasks when the job must end.
_STOP_S: Final = 4.0
#: How long the database may refuse what is stored while hosts are worked on.
_PATIENCE_S: Final = 15.0


class HostNotTried(Exception):
    """Nothing is sent to this host. `message` tells people why."""

    def __init__(self, result: HostResult, message: Sentence) -> None:
        super().__init__(message.text)
        self.result = result
        self.message = message


class HostWork(Protocol):
    """One host of a job. Called in the job's thread unless noted."""

    @property
    def owner(self) -> Owner:
        """Who answers the questions about keys and secrets."""

    def prepare(self) -> RunOnHost:
        """What to do, without a task number. Called in another thread. Raises HostNotTried."""

    def started(self, via: str) -> None:
        """The script is about to be sent."""

    def output(self, data: bytes, *, is_error: bool) -> None:
        """The script has shown something."""

    def ended(self, how: TaskEnded) -> "bool | HostWork":
        """The last call. Returns whether the work on this host succeeded, or what to do there next."""


@dataclass(frozen=True, slots=True)
class _Prepared:
    number: int
    answer: "RunOnHost | HostNotTried"


@dataclass(slots=True)
class _Running:
    work: HostWork
    wish: RunOnHost
    tries: int = 1


@dataclass
class Fleet:
    """The hosts of one job that are being worked on. `total` and `done` count all hosts of the job."""

    job: JobRun
    link: RunnerLink
    total: int
    done: int = 0
    failed: int = 0
    most: int = MOST
    _is_stopping: bool = False
    _silent_since: float | None = None
    _news: "SimpleQueue[News | _Prepared]" = field(default_factory=SimpleQueue)
    _preparing: dict[int, HostWork] = field(default_factory=dict)
    _running: dict[int, _Running] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))
    _preparers: DatabaseThreads = field(default_factory=lambda: DatabaseThreads(_PREPARERS, "prepares hosts"))

    def run(self, hosts: Iterable[HostWork], on_tick: Callable[[], None] = lambda: None) -> None:
        """Work on all hosts. `on_tick` is called several times a second, and at the end. Raises `Stop` when the job must
        end; then every host that was begun has ended.
        """
        waiting = iter(hosts)
        at_once = min(FIRST, self.most)
        try:
            self._fill(waiting, at_once)
            while self._running or self._preparing:
                if self._next(_WAIT_S):
                    at_once = min(at_once + 1, self.most)
                self._fill(waiting, at_once)
                self._tick(on_tick)
            self.job.progress(self.done, self.total, self.failed)
        except Stop:
            self._stop_all()
            raise
        except BaseException:
            # Nobody would hear of these tasks any more. Those of other jobs go on.
            for number in list(self._running):
                self.link.stop(number)
            raise
        finally:
            self._preparers.close()

    def _tick(self, on_tick: Callable[[], None]) -> None:
        """Store what is due. A database that does not answer for a moment ends no job; its lease lasts longer."""
        try:
            self.job.progress(self.done, self.total, self.failed)
            on_tick()
        except DatabaseError:
            close_old_connections()
            now = clock.monotonic_s()
            self._silent_since = self._silent_since or now
            if now - self._silent_since > _PATIENCE_S:
                raise
            log.warning("job %s could not be stored; it is tried again", self.job.id, exc_info=True)
        else:
            self._silent_since = None

    def working(self) -> "list[HostWork]":
        """The hosts on which something runs now."""
        return [running.work for running in self._running.values()]

    def stop(self, work: HostWork) -> None:
        """End the program on one host. It ends as stopped."""
        for number, running in self._running.items():
            if running.work is work:
                running.tries = _TRIES
                self.link.stop(number)

    def _fill(self, waiting: Iterator[HostWork], at_once: int) -> None:
        while len(self._running) + len(self._preparing) < at_once:
            work = next(waiting, None)
            if work is None:
                return
            self._look_at(work)

    def _look_at(self, work: HostWork) -> None:
        number = next(self._numbers)
        self._preparing[number] = work
        self._preparers.submit(partial(self._prepare, number, work))

    def _prepare(self, number: int, work: HostWork) -> None:
        try:
            answer: RunOnHost | HostNotTried = work.prepare()
        except HostNotTried as error:
            answer = error
        except BaseException as error:  # noqa: BLE001 - whatever it is, the host must end
            answer = HostNotTried(HostResult.FAULT, Sentence(repr(error)))
        self._news.put(_Prepared(number, answer))

    def _begin(self, work: HostWork, wish: RunOnHost, tries: int) -> None:
        wish = replace(wish, task=self.link.next_task())
        self._running[wish.task] = _Running(work, wish, tries)
        self.link.run(wish, work.owner, self._news)

    def _next(self, timeout_s: float) -> bool:
        """Handle what has arrived, at most for a moment. Returns whether a host has ended."""
        has_ended = False
        until = clock.monotonic_s() + timeout_s
        try:
            while True:
                news = self._news.get(timeout=max(0.0, until - clock.monotonic_s()))
                has_ended = self._heard(news) or has_ended
                if has_ended and self._news.empty():
                    return True
        except Empty:
            return has_ended

    def _heard(self, news: "News | _Prepared") -> bool:
        if isinstance(news, _Prepared):
            return self._prepared(news)
        running = self._running.get(news.task)
        if running is None:
            return False
        match news:
            case ProgramStarts(via=via):
                running.work.started(via)
            case HostOutput(data=data, is_error=is_error):
                running.work.output(data, is_error=is_error)
            case TaskEnded():
                del self._running[news.task]
                return self._ended(running.work, news)
            case RunnerLost(has_started=has_started):
                del self._running[news.task]
                if not has_started and running.tries < _TRIES:
                    self._begin(running.work, running.wish, running.tries + 1)
                    return False
                result = HostResult.LOST if has_started else HostResult.FAULT
                return self._ended(running.work, TaskEnded(task=news.task, result=result, detail="the runner was lost"))
        return False

    def _prepared(self, news: _Prepared) -> bool:
        work = self._preparing.pop(news.number, None)
        if work is None:
            return False
        if isinstance(news.answer, HostNotTried):
            return self._ended(work, TaskEnded(task=0, result=news.answer.result, message=news.answer.message))
        self._begin(work, news.answer, 1)
        return False

    def _ended(self, work: HostWork, how: TaskEnded) -> bool:
        """Returns whether the host has ended altogether."""
        succeeded = work.ended(how)
        if not isinstance(succeeded, bool):
            if not self._is_stopping:
                self._look_at(succeeded)
                return False
            succeeded = False
        self.done += 1
        self.failed += not succeeded
        return True

    def _stop_all(self) -> None:
        """End what runs. A runner that does not obey is killed."""
        self._is_stopping = True
        self._preparing.clear()
        for number in list(self._running):
            self._running[number].tries = _TRIES
            self.link.stop(number)
        until = clock.monotonic_s() + _STOP_S
        while self._running and clock.monotonic_s() < until:
            self._next(_WAIT_S)
        if self._running:
            self.link.kill()
        while self._running:
            self._next(_WAIT_S)
