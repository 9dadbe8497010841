# ruff: noqa: PLC0415 - the environment must be set before Django loads
"""A worker process for tests that kill workers: `python job_worker.py DATABASE HOME NAME`.

It runs jobs of one kind, whose effect is a row in the outbox. Leases are short, so that a test need not wait for long.
"""

import os
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Final

import msgspec

EFFECT: Final = "test.effect"
KIND: Final = "test.slow"


class Slow(msgspec.Struct, frozen=True):
    """The argument of a job: its number, and how long it takes."""

    number: int
    seconds: float


def main(database: str, home: str, name: str) -> None:
    os.environ["POSTERN_HOME"] = home
    os.environ["DJANGO_SETTINGS_MODULE"] = "postern.foundation.django_settings"
    import django

    django.setup()
    from django.db import connection
    from django.utils.translation import gettext_lazy as _

    from postern.apps.jobs.engine import claims, dispatcher, kinds
    from postern.apps.jobs.engine.job_run import JobRun
    from postern.apps.jobs.engine.kinds import JobKind, Kinds, OnLost, Outcome
    from postern.foundation.models import OutboxMessage
    from postern.foundation.rest.rights import Right
    from postern.kernel import clock

    connection.settings_dict["NAME"] = database
    claims.LEASE = timedelta(seconds=2)  # type: ignore[misc]
    dispatcher._SWEEP_S = 0.5  # type: ignore[misc]

    def work(job: JobRun, argument: Slow) -> Outcome:
        until = clock.monotonic_s() + argument.seconds
        while clock.monotonic_s() < until:
            job.check()
            time.sleep(0.01)

        def effect() -> None:
            later = clock.now() + timedelta(days=1)
            OutboxMessage.objects.create(topic=EFFECT, payload={"number": argument.number}, date_due=later)

        return Outcome(code="done", effect=effect)

    kind = JobKind(
        name=KIND,
        label=_("Job"),
        argument=Slow,
        run=work,
        right=Right.ORG_ADMIN,
        on_lost=OnLost.RERUN,
        time_limit=timedelta(minutes=5),
        outcomes={"done": _("Done")},
        at_once=8,
        at_once_in_org=8,
    )
    kinds.KINDS.provide(Kinds(kind))
    dispatcher.Dispatcher(Path(home), name, poll_s=0.1, heartbeat_s=0.3).start()
    while True:
        time.sleep(60)


if __name__ == "__main__":
    main(*sys.argv[1:])
