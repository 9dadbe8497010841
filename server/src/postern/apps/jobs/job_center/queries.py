"""What lists of tasks, versions and executions show of the hosts, read for all rows of an answer at once."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from postern.apps.jobs.engine.models import JobState
from postern.apps.jobs.executions.models import Execution, HostOutcome, HostResult, HostState
from postern.foundation.phrases import why

#: How many hosts of each execution a list looks at, and the object itself. All are in the list of hosts.
IN_LISTS: Final = 100
IN_ONE: Final = 500
_AT_ONCE: Final = 500


@dataclass(slots=True)
class ShownHosts:
    """Of the first hosts of an execution: assets, their names, those that succeeded, and the others with their message."""

    assets: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    succeeded: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)


def shown_hosts(execution_ids: Iterable[UUID], number: int) -> Mapping[UUID, ShownHosts]:
    """The first hosts of each execution."""
    hosts_by_execution: dict[UUID, ShownHosts] = defaultdict(ShownHosts)
    labels: Mapping[str, Any] = dict(HostResult.choices)
    columns = ("execution_id", "asset_id", "hostname", "state", "result", "reason", "message")
    for keys in _chunks(list(execution_ids)):
        rows = HostOutcome.objects.filter(execution_id__in=keys, position__lt=number)
        for execution_id, asset_id, hostname, state, result, reason, message in rows.order_by(
            "execution_id", "position"
        ).values_list(*columns):
            hosts = hosts_by_execution[execution_id]
            hosts.assets.append(str(asset_id))
            hosts.names.append(hostname)
            if result == HostResult.DONE:
                hosts.succeeded.append(hostname)
            elif state == HostState.ENDED:
                hosts.failed[hostname] = why(reason, message) or str(labels.get(result, result))
    return hosts_by_execution


def with_hosts(executions: Sequence[Execution], number: int) -> None:
    """Set `shown` on each of the executions."""
    hosts_by_execution = shown_hosts([row.pk for row in executions], number)
    for row in executions:
        row.shown = hosts_by_execution.get(row.pk, ShownHosts())  # type: ignore[attr-defined]  # shown by the API


def latest(keys: Iterable[UUID | None], number: int) -> Mapping[UUID, Execution]:
    """The executions with these keys that still exist, with their hosts."""
    rows: list[Execution] = []
    for chunk in _chunks([key for key in keys if key is not None]):
        rows += Execution.objects.filter(pk__in=chunk).select_related("job", "version")
    with_hosts(rows, number)
    return {row.pk: row for row in rows}


def counts(execution: Execution) -> dict[str, int]:
    """Hosts of an execution by how they ended: `total`, `success`, `failed`, `pending`."""
    job, total = execution.job, execution.hosts_amount
    success = min(max(0, job.done - job.failed), total)
    if job.state == JobState.SUCCEEDED:
        success = total
    pending = max(0, total - job.done) if job.is_open else 0
    return {"total": total, "success": success, "failed": total - success - pending, "pending": pending}


def _chunks(keys: Sequence[UUID]) -> Iterator[Sequence[UUID]]:
    """Databases take a limited number of values in one query."""
    for start in range(0, len(keys), _AT_ONCE):
        yield keys[start : start + _AT_ONCE]
