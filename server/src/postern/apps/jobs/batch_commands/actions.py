"""Accepting batch commands, and recording those that are refused."""

import hashlib
from collections.abc import Sequence
from typing import Final
from uuid import UUID

from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.jobs.batch_commands.errors import TooManyCommands
from postern.apps.jobs.batch_commands.events import BatchCommandRefused
from postern.apps.jobs.batch_commands.job import MOST_TOLD, RUN_COMMANDS
from postern.apps.jobs.batch_commands.models import BatchCommand
from postern.apps.jobs.engine import actions as engine
from postern.apps.jobs.engine.kinds import NoArgument
from postern.apps.jobs.engine.models import OPEN_STATES, Job
from postern.apps.jobs.executions import actions as executions
from postern.apps.jobs.executions.models import Execution
from postern.apps.users import facade as users
from postern.apps.vault import facade as vault
from postern.contracts.command_control import CommandDecision
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.foundation.database.write_transaction import write_transaction

#: Commands of one person that wait or run: each may have thousands of rows.
MOST_OPEN: Final = 100


@write_transaction()
def run_command(
    *,
    actor: Actor,
    run_as: vault.SystemUserBrief,
    command: str,
    hosts: Sequence[executions.Host],
    may_when_off: bool,
) -> BatchCommand:
    """Store a command of the actor on these hosts, and its job. The caller has judged it. Raises TooManyCommands."""
    if actor.user_id is None:
        raise ValueError("a batch command belongs to a person")
    user_id = actor.user_id
    epoch = users.hold_epoch(user_id)
    waiting = Job.objects.filter(kind=RUN_COMMANDS.name, created_by_id=user_id, state__in=OPEN_STATES)
    if waiting.count() >= MOST_OPEN:
        text = _("You have %(number)d batch commands that have not ended yet. Wait for them, or stop them.")
        raise TooManyCommands(text % {"number": MOST_OPEN})
    made: list[BatchCommand] = []

    def add(job: Job) -> None:
        row = BatchCommand.objects.create(
            job=job,
            org_id=run_as.org_id,
            command=command,
            user_id=user_id,
            user_name=actor.name[:128],
            username=actor.username,
            user_label=actor.label,
            epoch=epoch or 0,
            may_when_off=may_when_off,
            remote_addr=actor.remote_addr or "",
            run_as=run_as.id,
            run_as_name=run_as.name,
            run_as_username=actor.username if run_as.username_same_with_user else run_as.username,
            hosts_amount=len(hosts),
        )
        executions.add_hosts(
            Execution.objects.create(job=job, org_id=run_as.org_id, hosts_amount=len(hosts), is_listed=False), hosts
        )
        audits.record(
            actor=actor,
            org_id=run_as.org_id,
            event=audits.Event.BATCHCOMMAND_REQUESTED,
            object_type="BatchCommand",
            object_id=str(row.pk),
            object_name=str(row),
            new={"command": command, "run_as": run_as.name, "hosts": _named(hosts), "hosts_amount": len(hosts)},
        )
        made.append(row)

    engine.accept(
        actor=actor,
        org_id=run_as.org_id,
        kind=RUN_COMMANDS.name,
        argument=NoArgument(),
        subject=run_as.name,
        with_it=add,
    )
    return made[0]


@write_transaction()
def record_refusal(
    *, actor: Actor, run_as: vault.SystemUserBrief, command: str, asset_ids: Sequence[UUID], decision: CommandDecision
) -> None:
    """Record a command that the command filters refused. It was run nowhere."""
    audits.record(
        actor=actor,
        org_id=run_as.org_id,
        event=audits.Event.BATCHCOMMAND_REFUSED,
        object_type="BatchCommand",
        object_name=command.splitlines()[0][:128],
        new={
            "command": command,
            "run_as": run_as.name,
            "hosts_amount": len(asset_ids),
            "filter": decision.filter_name,
            "rule": str(decision.rule_id) if decision.rule_id else None,
            "action": decision.action.value,
            "reason": decision.reason,
        },
    )
    events.publish(
        BatchCommandRefused(
            org_id=run_as.org_id,
            user_id=actor.user_id,
            user=actor.label,
            run_as_id=run_as.id,
            run_as=run_as.name,
            command=command[:MOST_TOLD],
            hosts_amount=len(asset_ids),
            has_begun=False,
        )
    )


#: Names in an audit record; all hosts are in the rows, and `hosts_sha256` proves which.
_SHOWN = 50


def _named(hosts: Sequence[executions.Host]) -> dict[str, object]:
    ids = "\n".join(str(host.asset_id) for host in hosts)
    return {
        "first": [host.hostname for host in hosts[:_SHOWN]],
        "sha256": hashlib.sha256(ids.encode()).hexdigest(),
    }
