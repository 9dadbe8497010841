"""Running a task: the one place that starts a kind of job from the argument that is stored with a task."""

from collections.abc import Callable, Mapping
from typing import Any, Final
from uuid import UUID

import msgspec
from django.utils.translation import gettext as _

from postern.apps.jobs.account_tests.job import AccountsArgument
from postern.apps.jobs.asset_tasks.actions import start_for_assets
from postern.apps.jobs.connectivity.job import AssetsArgument
from postern.apps.jobs.engine.kinds import KINDS
from postern.apps.jobs.engine.models import Job
from postern.apps.jobs.host_tasks.models import HostTask
from postern.apps.jobs.job_center.errors import NothingToRun
from postern.apps.jobs.system_user_tasks.actions import start_for_accounts
from postern.foundation.caller.actor import Actor
from postern.foundation.database.write_transaction import write_transaction

#: Type of an argument → what finds its hosts, as they are now, and starts the job.
STARTERS: Final[Mapping[type[msgspec.Struct], Callable[..., Job]]] = {
    AssetsArgument: start_for_assets,
    AccountsArgument: start_for_accounts,
}


@write_transaction()
def run_task(*, actor: Actor, task_id: UUID) -> Job:
    """Start a task on the hosts that it means now. If an equal job is open, it is that job.

    Raises HostTask.DoesNotExist, NothingToRun, NoHosts, TooManyHosts.
    """
    task: HostTask = HostTask.objects.select_for_update().get(pk=task_id)
    kind = KINDS.value.get(task.kind)
    starter = STARTERS.get(kind.argument) if kind is not None else None
    if kind is None or starter is None:
        raise NothingToRun(_("This task has nothing to run."))
    try:
        argument: Any = msgspec.convert(task.argument, kind.argument)
    except msgspec.ValidationError:
        raise NothingToRun(_("This task was made by another version of Postern and cannot run.")) from None
    return starter(actor=actor, org_id=task.org_id, kind=kind, argument=argument, task=task)
