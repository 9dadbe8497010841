"""What all kinds of jobs on hosts have in common: one declaration makes such a kind.

TEST_ASSETS = kind_on_hosts(
    name="assets.test",
    label=_("Test connectivity"),
    argument=AssetsArgument,
    work=_ConnectivityTest,
    outcome="tested",
    sentence=_("Assets: %(total)d, succeeded: %(succeeded)d, failed: %(failed)d."),
)
"""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, Final, TypeVar
from uuid import UUID

import msgspec
from django.utils.functional import Promise

from postern.apps.assets import facade as assets
from postern.apps.jobs.engine.job_run import JobRun
from postern.apps.jobs.engine.kinds import JobKind, OnLost, Outcome
from postern.apps.jobs.executions.actions import settle
from postern.apps.jobs.executions.models import HostOutcome
from postern.apps.jobs.hosts.on_assets import AssetRun, AssetWork
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.rest.rights import Right

Argument = TypeVar("Argument", bound=msgspec.Struct)

_TIME_LIMIT: Final = timedelta(hours=2)


def kind_on_hosts(
    *,
    name: str,
    label: Promise,
    argument: type[Argument],
    work: Callable[[JobRun, Argument], AssetWork],
    outcome: str,
    sentence: Promise,
) -> JobKind[Argument]:
    """A kind of job that does `work` on each host of its execution and may be repeated without harm.

    It ends with `outcome`, whose sentence has the values `total`, `succeeded` and `failed`. It has failed if a host has.
    """

    def run(job: JobRun, given: Argument) -> Outcome:
        counts = AssetRun(job, work(job, given), actor=SYSTEM).run()
        values: dict[str, Any] = {"total": counts.total, "succeeded": counts.succeeded, "failed": counts.failed}
        return Outcome(code=outcome, succeeded=not counts.failed, values=values)

    return JobKind(
        name=name,
        label=label,
        argument=argument,
        run=run,
        right=Right.ORG_ADMIN,
        on_lost=OnLost.RERUN,
        time_limit=_TIME_LIMIT,
        at_once=4,
        at_once_in_org=2,
        joins=True,
        settle=settle,
        outcomes={outcome: sentence},
    )


def admin_users_of(job: JobRun) -> Mapping[UUID, UUID | None]:
    """The admin user of each asset of the job."""
    return assets.admin_users_of(HostOutcome.objects.filter(execution_id=job.id).values_list("asset_id", flat=True))
