"""The part of a worker that finds jobs and runs them, each in a thread of its own.

One thread claims: at each wake-up and each second. Another extends the leases, notices cancellations, and handles the
jobs of lost workers, so that a slow claim never costs a lease. A job that does not return holds only a place of its own
kind. Neither depends on the broker.
"""

import logging
import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final
from uuid import UUID

from django.db import Error as DatabaseError
from django.db import connections

from postern.apps.jobs.engine import claims, running
from postern.apps.jobs.engine.errors import CancelWanted, Lost, Stop, WorkerStops
from postern.apps.jobs.engine.job_run import JobRun
from postern.apps.jobs.engine.kinds import KINDS, OnLost
from postern.apps.jobs.engine.models import Job
from postern.apps.jobs.logs.files import LogWriter
from postern.kernel import clock

log = logging.getLogger(__name__)

_POLL_S: Final = 1.0
_HEARTBEAT_S: Final = 5.0
_SWEEP_S: Final = 5.0
#: How long a stopping worker waits for its jobs to return.
STOP_S: Final = 8.0


class Dispatcher:
    """Runs jobs of all kinds in this process. `holder` names this worker in the rows that it holds."""

    def __init__(self, home: Path, holder: str, *, poll_s: float = _POLL_S, heartbeat_s: float = _HEARTBEAT_S) -> None:
        self._home = home
        self._holder = holder
        self._poll_s = poll_s
        self._heartbeat_s = heartbeat_s
        self._woken = threading.Event()
        self._stopping = threading.Event()
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._runs: dict[UUID, JobRun] = {}
        self._kinds: dict[UUID, str] = {}
        self._threads: list[threading.Thread] = []
        self._claimer: threading.Thread | None = None
        self._keeper: threading.Thread | None = None

    def start(self, *, predecessor_is_gone: bool = False) -> None:
        """Begin. With `predecessor_is_gone`, jobs of an earlier process of this holder are handled at once."""
        keep = partial(self._keeping, predecessor_is_gone=predecessor_is_gone)
        self._keeper = threading.Thread(target=self._guarded, args=(keep,), name="keeps jobs", daemon=True)
        self._claimer = threading.Thread(target=self._guarded, args=(self._claiming,), name="claims jobs", daemon=True)
        for thread in (self._keeper, self._claimer):
            thread.start()

    def wake(self) -> None:
        """Look for jobs now. Callable from any thread."""
        self._woken.set()

    def stop(self, timeout_s: float = STOP_S) -> bool:
        """Claim nothing more, ask the running jobs to return, and wait for them. False when some did not."""
        self._stopping.set()
        self._woken.set()
        self._stop_all(WorkerStops)
        ends_at = clock.monotonic_s() + timeout_s
        # The claimer first: a claim that is under way begins more jobs.
        if self._claimer is not None:
            self._claimer.join(max(ends_at - clock.monotonic_s(), 0.0))
        for thread in self._threads:
            thread.join(max(ends_at - clock.monotonic_s(), 0.0))
        # Leases are extended until the last job has returned.
        self._over.set()
        if self._keeper is not None:
            self._keeper.join(max(ends_at - clock.monotonic_s(), self._poll_s))
        return not any(thread.is_alive() for thread in (self._claimer, *self._threads) if thread is not None)

    @staticmethod
    def _guarded(loop: Callable[[], None]) -> None:
        try:
            loop()
        finally:
            connections.close_all()

    def _claiming(self) -> None:
        while not self._stopping.is_set():
            try:
                self._claim()
            except DatabaseError:
                log.warning("the worker cannot look for jobs, because the database does not answer", exc_info=True)
                connections.close_all()
            except Exception:  # without this thread nothing would run any more, in a worker that looks healthy
                log.exception("the worker could not look for jobs")
            self._woken.wait(self._poll_s)
            self._woken.clear()

    def _claim(self) -> None:
        with self._lock:
            busy = Counter(self._kinds.values())
        room = {kind.name: kind.at_once - busy[kind.name] for kind in KINDS.value if kind.at_once > busy[kind.name]}
        if not room or not claims.is_anything_due(room):
            return
        for job in claims.claim(room, holder=self._holder):
            self._begin(job)

    def _begin(self, job: Job) -> None:
        try:
            writer = running.open_log(self._home, job)
        except OSError:
            log.exception("job %s cannot run, because its log cannot be written", job.pk)
            running.end_without_log(job)
            return
        kind = KINDS.value.named(job.kind)
        run = JobRun(job, kind.time_limit, writer, starts_again=kind.on_lost is OnLost.RERUN)
        with self._lock:
            self._runs[job.pk], self._kinds[job.pk] = run, job.kind
        if self._stopping.is_set():
            run.stop(WorkerStops)
        thread = threading.Thread(target=self._work, args=(job, run, writer), name=f"job {job.kind}", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the machine has no room for another thread
            log.exception("job %s is returned, because it got no thread", job.pk)
            self._forget(job, writer)
            claims.give_back(job.pk, job.token)
            return
        self._threads = [*(other for other in self._threads if other.is_alive()), thread]

    def _work(self, job: Job, run: JobRun, writer: LogWriter) -> None:
        try:
            running.run(job, KINDS.value.named(job.kind), run)
        except Exception:  # the lease runs out, and the sweep decides
            log.exception("the end of job %s could not be stored", job.pk)
        finally:
            self._forget(job, writer)
            connections.close_all()
            self.wake()

    def _forget(self, job: Job, writer: LogWriter) -> None:
        """The job is not run here any more."""
        with self._lock:
            del self._runs[job.pk], self._kinds[job.pk]
        try:
            writer.close()
        except OSError:
            log.warning("the log of job %s could not be packed", job.pk, exc_info=True)

    def _keeping(self, *, predecessor_is_gone: bool) -> None:
        if predecessor_is_gone:
            self._try(lambda: claims.void(self._holder))
        beat_at = swept_at = 0.0
        while not self._over.wait(self._poll_s):
            now = clock.monotonic_s()
            if now - beat_at >= self._heartbeat_s:
                beat_at = now
                self._try(self._extend)
            elif self._runs:
                self._try(self._look_for_cancellations)
            if now - swept_at >= _SWEEP_S and not self._stopping.is_set():
                swept_at = now
                self._try(self._sweep)

    def _extend(self) -> None:
        with self._lock:
            runs = dict(self._runs)
        held = claims.extend({job_id: run.token for job_id, run in runs.items()})
        for job_id, run in runs.items():
            # A job that has ended meanwhile is not held either; telling its run does no harm.
            if job_id not in held:
                run.stop(Lost)
            elif held[job_id]:
                run.stop(CancelWanted)

    def _look_for_cancellations(self) -> None:
        with self._lock:
            runs = dict(self._runs)
        for job_id in claims.cancelled_among(runs):
            runs[job_id].stop(CancelWanted)

    def _sweep(self) -> None:
        if claims.sweep() + claims.end_unknown(kind.name for kind in KINDS.value):
            self.wake()

    def _stop_all(self, reason: type[Stop]) -> None:
        with self._lock:
            runs = list(self._runs.values())
        for run in runs:
            run.stop(reason)

    @staticmethod
    def _try(call: Callable[[], object]) -> None:
        try:
            call()
        except DatabaseError:
            log.warning("the worker cannot reach the database", exc_info=True)
            connections.close_all()
        except Exception:  # without this thread every running job would be lost, and started a second time
            log.exception("the worker could not look after its jobs")
