"""Accepting work on hosts: the task, its version, the execution with one row for each host, and the job, all at once."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import msgspec
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils.translation import gettext as _

from postern.apps.jobs.engine import actions as engine
from postern.apps.jobs.engine.kinds import JobKind
from postern.apps.jobs.engine.models import Job, JobState
from postern.apps.jobs.executions.models import Execution, HostOutcome, HostResult, HostState
from postern.apps.jobs.host_tasks.models import HostTask, TaskVersion
from postern.foundation.caller.actor import Actor
from postern.foundation.database.write_transaction import write_transaction
from postern.kernel import clock
from postern.kernel.errors import PosternError

#: Most hosts of one execution.
MAX_HOSTS: Final = 20_000
_MAX_NAME: Final = 128
_BATCH: Final = 500
#: How often another name is tried for a task: each time, somebody else was quicker.
_NAME_TRIES: Final = 50


class NoHosts(PosternError):
    """There is nothing to work on."""

    code = "no_hosts"


class TooManyHosts(PosternError):
    """More hosts than one execution takes."""

    code = "too_many_hosts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """An asset as it is now, and the system user that the work there concerns, if any."""

    asset_id: UUID
    hostname: str
    ip: str
    system_user_id: UUID | None = None
    username: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What people see of the work. `name` is that of the task at its first execution; `steps` is stored with the version
    (contract: adhoc, `tasks`) and never holds secrets.
    """

    name: str
    subject: str
    steps: Sequence[Mapping[str, Any]]
    run_as: str = ""
    run_as_admin: bool = False


@write_transaction()
def start(
    *,
    actor: Actor,
    org_id: UUID,
    kind: JobKind[Any],
    argument: msgspec.Struct,
    plan: Plan,
    hosts: Sequence[Host],
    task: HostTask | None = None,
    is_news: bool = False,
) -> Job:
    """Store an execution of `task`, or of the task of this work, and its job. If the kind joins equal requests, it may be
    one that is open already; `is_news` as in `engine.accept`.

    Raises NoHosts, TooManyHosts.
    """
    if not hosts:
        raise NoHosts(_("There is no asset to work on."))
    if len(hosts) > MAX_HOSTS:
        raise TooManyHosts(_("One job takes at most %(number)d assets.") % {"number": MAX_HOSTS})

    def add_execution(job: Job) -> None:
        of_task = task or _task(actor, org_id, kind, argument, plan)
        version = _version(actor, of_task, plan, hosts)
        execution = Execution.objects.create(
            job=job, org_id=org_id, task=of_task, version=version, task_display=of_task.name, hosts_amount=len(hosts)
        )
        HostTask.objects.filter(pk=of_task.pk).update(
            latest=job.pk, runs_total=F("runs_total") + 1, date_updated=clock.now()
        )
        TaskVersion.objects.filter(pk=version.pk).update(latest=job.pk)
        add_hosts(execution, hosts)

    return engine.accept(
        actor=actor,
        org_id=org_id,
        kind=kind.name,
        argument=argument,
        subject=plan.subject,
        with_it=add_execution,
        is_news=is_news,
    )


def add_hosts(execution: Execution, hosts: Sequence[Host]) -> None:
    """Store a row for each host of a new execution."""
    HostOutcome.objects.bulk_create(
        (
            HostOutcome(
                execution=execution,
                position=position,
                asset_id=host.asset_id,
                hostname=host.hostname,
                ip=host.ip,
                system_user_id=host.system_user_id,
                username=host.username,
            )
            for position, host in enumerate(hosts)
        ),
        batch_size=_BATCH,
    )


def settle(job: Job) -> None:
    """Give every host of a job that has ended a result, and count it. Called in the transaction that ends the job."""
    job_id = job.pk
    open_rows = HostOutcome.objects.filter(execution_id=job_id)
    open_rows.filter(state=HostState.STARTED).update(state=HostState.ENDED, result=HostResult.UNKNOWN)
    open_rows.filter(state=HostState.WAITING).update(state=HostState.ENDED, result=HostResult.NOT_STARTED)
    counter = "runs_success" if job.state == JobState.SUCCEEDED else "runs_failed"
    HostTask.objects.filter(executions=job_id).update(**{counter: F(counter) + 1})


def _task(actor: Actor, org_id: UUID, kind: JobKind[Any], argument: msgspec.Struct, plan: Plan) -> HostTask:
    """The task of this work, created at its first execution."""
    values = msgspec.to_builtins(argument)
    key = _hash([kind.name, values])
    tries_left = _NAME_TRIES
    while True:
        task: HostTask | None = HostTask.objects.select_for_update().filter(org_id=org_id, work_key=key).first()
        if task is not None:
            return task
        try:
            with transaction.atomic():
                created: HostTask = HostTask.objects.create(
                    org_id=org_id,
                    name=_free_name(org_id, plan.name),
                    kind=kind.name,
                    argument=values,
                    work_key=key,
                    subject=plan.subject[:255],
                    created_by=actor.label[:128],
                )
        except IntegrityError:  # a task of the same name, such as "2 assets", was made at the same time
            tries_left -= 1
            if not tries_left:
                raise
        else:
            return created


def _free_name(org_id: UUID, wanted: str) -> str:
    """`wanted`, or with a number when another task has this name."""
    name, number = wanted[:_MAX_NAME], 2
    while HostTask.objects.filter(org_id=org_id, name=name).exists():
        ending = f" ({number})"
        name, number = wanted[: _MAX_NAME - len(ending)] + ending, number + 1
    return name


def _version(actor: Actor, task: HostTask, plan: Plan, hosts: Sequence[Host]) -> TaskVersion:
    """The version of the task with exactly these hosts and steps."""
    steps = list(plan.steps)
    ids = sorted(f"{host.asset_id} {host.system_user_id}" for host in hosts)
    digest = _hash([ids, steps, plan.run_as, plan.run_as_admin])
    version, _created = TaskVersion.objects.get_or_create(
        task=task,
        digest=digest,
        defaults={
            "org_id": task.org_id,
            "steps": steps,
            "run_as": plan.run_as[:64],
            "run_as_admin": plan.run_as_admin,
            "hosts_amount": len(hosts),
            "created_by": actor.label[:128],
        },
    )
    return version


def _hash(value: Any) -> str:
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()
