"""What the work of a job may call while it runs."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Final
from uuid import UUID

from postern.apps.jobs.engine.errors import LogLost, Lost, Stop, TimeUp
from postern.apps.jobs.engine.models import Job, JobState
from postern.apps.jobs.logs.files import LogWriter
from postern.foundation.database.write_transaction import write_transaction
from postern.kernel import clock

_log = logging.getLogger(__name__)

#: Progress is stored at most this often.
_PROGRESS_S: Final = 0.5


class JobRun:
    """What the work of a job may call.

    `stop`, `check` and `write` may be called by any thread; everything else by the thread of the work only.
    """

    def __init__(self, job: Job, time_limit: timedelta, writer: LogWriter, *, starts_again: bool) -> None:
        """`starts_again`: another worker starts the job again if this worker stops."""
        self.id: UUID = job.pk
        self.org_id: UUID = job.org_id
        self.token: int = job.token
        self.starts_again = starts_again
        self._writer = writer
        self._ends_at = clock.monotonic_s() + time_limit.total_seconds()
        self._reason: type[Stop] | None = None
        self._stored_at = 0.0
        self._has_log = True

    def stop(self, reason: type[Stop]) -> None:
        """Let the next `check` raise this. The first reason counts, but a lost claim comes before everything."""
        if self._reason is None or reason is Lost:
            self._reason = reason

    def check(self) -> None:
        """Raise `Stop` when the work must end. Call it between steps, at least each second."""
        if self._reason is not None:
            raise self._reason
        if clock.monotonic_s() > self._ends_at:
            raise TimeUp

    def say(self, line: str) -> None:
        """Write a line to the log. If that fails, the next `check` raises `LogLost`: whoever calls this still has
        outcomes to store.
        """
        if not self._has_log:
            return
        try:
            self._writer.write(line.encode("utf-8", "replace") + b"\n")
        except OSError:
            _log.warning("the log of job %s cannot be written, so the job is ended", self.id, exc_info=True)
            self._has_log = False
            self.stop(LogLost)

    def progress(self, done: int, total: int, failed: int = 0) -> None:
        """Store how much is done; cheap to call often. Raises `Stop` as `check` does."""
        self.check()
        now = clock.monotonic_s()
        if now - self._stored_at < _PROGRESS_S and done < total:
            return
        self._stored_at = now
        own_row = Job.objects.filter(pk=self.id, token=self.token, state=JobState.RUNNING)
        if not own_row.update(done=done, total=total, failed=failed):
            raise Lost

    @contextmanager
    def write(self, *, is_stopping: bool = False) -> Iterator[None]:
        """A transaction for effects of the work. Raises `Stop` before anything is written when the work must end; with
        `is_stopping` only when the claim is lost.
        """
        if not is_stopping:
            self.check()
        with write_transaction():
            own_row = Job.objects.select_for_update().filter(pk=self.id, token=self.token, state=JobState.RUNNING)
            if not own_row.values_list("pk").first():
                raise Lost
            yield
