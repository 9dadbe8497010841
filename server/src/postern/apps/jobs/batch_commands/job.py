"""Runs a batch command on its hosts."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import msgspec
from django.db import transaction
from django.utils.translation import gettext_lazy

from postern.apps.audits import facade as audits
from postern.apps.jobs.batch_commands import permission
from postern.apps.jobs.batch_commands.events import BatchCommandRefused
from postern.apps.jobs.batch_commands.models import BatchCommand, HostOutput
from postern.apps.jobs.batch_commands.showing import Output, packed
from postern.apps.jobs.engine.job_run import JobRun
from postern.apps.jobs.engine.kinds import JobKind, NoArgument, OnLost, Outcome
from postern.apps.jobs.engine.models import Job
from postern.apps.jobs.executions import actions as executions
from postern.apps.jobs.executions.models import HostOutcome, HostResult
from postern.apps.jobs.hosts.accounts import account_of
from postern.apps.jobs.hosts.fleet import HostNotTried
from postern.apps.jobs.hosts.on_assets import AssetRun, AssetWork, Errand, HostAnswer, Place, Verdict, plain_verdict
from postern.apps.jobs.hosts.ways_in import way_to
from postern.apps.preferences import facade as preferences
from postern.apps.users import facade as users
from postern.apps.vault import facade as vault
from postern.contracts import runner
from postern.contracts.enums import Protocol
from postern.contracts.runner import HostLimits, Shell
from postern.foundation.bus import events
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.phrases import Phrase
from postern.foundation.rest.rights import Right
from postern.kernel.sentences import Sentence

_ACCESS_ENDED: Final = Phrase("commands.access_ended", gettext_lazy("The access of the user has been ended."))
_ONLY_WINDOWS: Final = Phrase(
    "commands.only_windows", gettext_lazy("Only Windows hosts have accounts of this system user.")
)
_OFF: Final = Phrase("commands.off", gettext_lazy("An administrator has turned batch commands off."))

_LIMITS: Final = HostLimits(run_s=3600, output_bytes=64 * 1024 * 1024)
_ROWS_AT_ONCE: Final = 200
#: Characters of a command in an event.
MOST_TOLD: Final = 256


class _BatchCommand(AssetWork):
    """The command on each host, for as long as the person may use the system user there."""

    def __init__(self, command: BatchCommand) -> None:
        self._command = command
        run_as = vault.system_user_briefs([command.run_as]).get(command.run_as)
        self._protocol = run_as.protocol if run_as is not None else Protocol.SSH
        self._outputs: dict[int, Output] = {}
        self._withdrawn: dict[int, Sentence] = {}
        self._is_refusal_told = False

    def errand(self, place: Place) -> Errand:
        command = self._command
        why = self._refusals([place.asset.id]).get(place.asset.id) or self._refused_by_rules()
        if why:
            raise HostNotTried(runner.HostResult.REFUSED, why)
        way = way_to(place.asset)
        if self._protocol not in way.system_user_protocols:
            raise HostNotTried(runner.HostResult.REFUSED, _ONLY_WINDOWS.say())
        return Errand(
            port=way.port,
            over=way.over,
            account=account_of(command.run_as, place.asset.id, command.username),
            script=command.command,
            run_by=way.shell(Shell.LOGIN),
            limits=_LIMITS,
        )

    def _refusals(self, asset_ids: Sequence[UUID]) -> Mapping[UUID, Sentence]:
        command = self._command
        if users.epoch_of(command.user_id) != command.epoch:
            return dict.fromkeys(asset_ids, _ACCESS_ENDED.say())
        return permission.refusals(
            user_id=command.user_id, run_as=command.run_as, protocol=self._protocol, asset_ids=asset_ids
        )

    def _refused_by_rules(self) -> Sentence:
        command = self._command
        is_exempt = command.may_when_off and users.is_administrator(
            command.user_id, command.org_id
        )  # who may have lost the role
        if not is_exempt and not permission.is_on():
            return _OFF.say()
        why = permission.filter_refusal(permission.filter_decision(command.run_as, command.command))
        if why and not self._is_refusal_told:
            self._is_refusal_told = True
            events.publish(_refused_late(command))
        return why

    def withdrawn(self, rows: Sequence[HostOutcome]) -> Iterable[HostOutcome]:
        rows = [row for row in rows if row.pk not in self._withdrawn]
        refusals = self._refusals([row.asset_id for row in rows]) if rows else {}
        for row in rows:
            if row.asset_id in refusals:
                self._withdrawn[row.pk] = refusals[row.asset_id]
                yield row

    def judge(self, answer: HostAnswer) -> Verdict:
        output = self._outputs.setdefault(answer.row.pk, Output())
        output.is_new = False  # it is stored with its verdict
        why = self._withdrawn.get(answer.row.pk)
        if why is not None and answer.how.result is runner.HostResult.STOPPED:
            return Verdict(result=HostResult.STOPPED, message=why)
        return plain_verdict(answer.how)

    def heard(self, row: HostOutcome, data: bytes, *, is_error: bool) -> None:
        self._outputs.setdefault(row.pk, Output()).add(data, is_error=is_error)

    def has_news(self) -> bool:
        return any(output.is_new for output in self._outputs.values())

    def show(self) -> None:
        new = {key: output for key, output in self._outputs.items() if output.is_new}
        for output in new.values():
            output.is_new = False
        _write(HostOutput(outcome_id=key, data=packed(output.live), size=output.size) for key, output in new.items())

    def store(self, verdicts: Sequence[tuple[HostOutcome, Verdict]]) -> None:
        ended = {row.pk: self._outputs.get(row.pk) for row, _verdict in verdicts}
        transaction.on_commit(lambda: self._forget(ended))  # if this fails, it is stored again
        _write(
            HostOutput(outcome_id=key, data=packed(output.kept), size=output.size, digest=output.digest)
            for key, output in ended.items()
            if output is not None
        )

    def _forget(self, keys: Iterable[int]) -> None:
        for key in keys:
            self._outputs.pop(key, None)


def _refused_late(command: BatchCommand) -> BatchCommandRefused:
    return BatchCommandRefused(
        org_id=command.org_id,
        user_id=command.user_id,
        user=command.user_label,
        run_as_id=command.run_as,
        run_as=command.run_as_name,
        command=command.command[:MOST_TOLD],
        hosts_amount=command.hosts_amount,
        has_begun=True,
    )


def _write(rows: Iterable[HostOutput]) -> None:
    HostOutput.objects.bulk_create(
        rows,
        batch_size=50,
        update_conflicts=True,
        unique_fields=["outcome"],
        update_fields=["data", "size", "digest"],
    )


def _run(job: JobRun, _argument: NoArgument) -> Outcome:
    command = BatchCommand.objects.get(pk=job.id)
    counts = AssetRun(job, _BatchCommand(command), actor=SYSTEM).run()
    values: dict[str, Any] = {"total": counts.total, "succeeded": counts.succeeded, "failed": counts.failed}
    return Outcome(code="ran", succeeded=not counts.failed, values=values)


def _settle(job: Job) -> None:
    """Give every host a result, and the audit log the proof of each output."""
    executions.settle(job)
    command = BatchCommand.objects.filter(pk=job.pk).first()
    if command is None:
        return
    command.evidence = evidence_of(command)
    command.save(update_fields=["evidence"])
    audits.record(
        actor=SYSTEM,
        org_id=command.org_id,
        event=audits.Event.BATCHCOMMAND_FINISHED,
        object_type="BatchCommand",
        object_id=str(command.pk),
        object_name=str(command),
        new={
            "user": command.user_label,
            "run_as": command.run_as_name,
            "hosts_amount": command.hosts_amount,
            "state": str(job.state),
            "evidence": command.evidence,
        },
    )


def evidence_of(command: BatchCommand) -> str:
    """SHA-256 of the command, and of each host with its outcome and the hash of its output, as hexadecimal digits."""
    digest = hashlib.sha256()
    digest.update(msgspec.json.encode([command.pk, command.user_id, command.run_as, command.command]))
    rows = HostOutcome.objects.filter(execution_id=command.pk).order_by("position")
    columns = ("asset_id", "result", "status", "output__size", "output__digest")
    for row in rows.values_list(*columns).iterator(chunk_size=_ROWS_AT_ONCE):
        digest.update(b"\n" + msgspec.json.encode(row))
    return digest.hexdigest()


def _forgetting(jobs: Sequence[Job]) -> None:
    """Leave the proof of old commands in the audit log when they are deleted."""
    for command in BatchCommand.objects.filter(pk__in=[job.pk for job in jobs]).order_by("date_created", "pk"):
        audits.record(
            actor=SYSTEM,
            org_id=command.org_id,
            event=audits.Event.BATCHCOMMAND_FORGOTTEN,
            action="delete",
            object_type="BatchCommand",
            object_id=str(command.pk),
            object_name=str(command),
            old={
                "user": command.user_label,
                "run_as": command.run_as_name,
                "hosts_amount": command.hosts_amount,
                "date_created": command.date_created,
                "evidence": command.evidence,
            },
        )


def _kept() -> timedelta:
    """Commands are evidence like sessions, and are retained as long."""
    return timedelta(days=preferences.get_int("TERMINAL_SESSION_KEEP_DURATION"))


RUN_COMMANDS: Final = JobKind(
    name="commands.run",
    label=gettext_lazy("Batch command"),
    argument=NoArgument,
    run=_run,
    right=Right.ORG_ADMIN,
    readers=Right.ORG_AUDITOR,
    on_lost=OnLost.STOP,
    time_limit=timedelta(hours=4),
    at_once=8,
    at_once_in_org=4,
    at_once_of_one=2,
    settle=_settle,
    kept=_kept,
    forgetting=_forgetting,
    outcomes={"ran": gettext_lazy("Hosts: %(total)d, succeeded: %(succeeded)d, failed: %(failed)d.")},
)
