"""Reads of batch commands: hosts, and groups of hosts that said the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db.models import Q, QuerySet

from postern.apps.jobs.batch_commands.models import BatchCommand
from postern.apps.jobs.batch_commands.showing import shown, unpacked
from postern.apps.jobs.executions.models import HostOutcome, HostResult, HostState
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope

_SEPARATOR: Final = "."
#: Characters of an output in the list of groups.
PREVIEW: Final = 4_000
#: Bytes that are read for it: text has up to four for a character, and sequences for terminals are not shown.
_READ: Final = 4 * PREVIEW
#: Groups of one answer.
MAX_GROUPS: Final = 200
_NAMES: Final = 5
#: State, result, exit status, and hash of the output.
_Alike = tuple[str, str, int | None, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Hosts that ended in the same way and showed the same, or that have not ended.

    `sample` is the first of them, `output` the beginning of what it showed, `is_cut` whether there is more.
    """

    key: str
    state: str
    result: str
    status: int | None
    hosts_amount: int
    hostnames: Sequence[str]
    sample: int
    message: str
    output: str
    is_cut: bool


def visible(actor: Actor, scope: OrgScope) -> "QuerySet[BatchCommand]":
    """The person's own commands, whatever the organization, and for auditors those of the organization."""
    rows: QuerySet[BatchCommand] = BatchCommand.objects.visible_to(actor, scope) | BatchCommand.objects.owned_by(actor)
    return rows


def hosts_of(command_id: UUID) -> "QuerySet[HostOutcome]":
    """The hosts of a command, with the sizes of their outputs."""
    rows: QuerySet[HostOutcome] = HostOutcome.objects.filter(execution_id=command_id)
    return rows.select_related("output").defer("output__data")


def in_group(rows: "QuerySet[HostOutcome]", key: str) -> "QuerySet[HostOutcome]":
    """The hosts of one group. Raises ValueError for a key that is none."""
    state, result, status, digest = key.split(_SEPARATOR)
    found = rows.filter(state=state, result=result, status=int(status) if status else None)
    if state != HostState.ENDED:
        return found
    return found.filter(output__digest=digest) if digest else found.filter(Q(output=None) | Q(output__digest=""))


def groups_of(command_id: UUID) -> list[Group]:
    """The groups of a command, failed ones first, then the largest. At most `MAX_GROUPS`; the rest are in the list of
    hosts.
    """
    rows = HostOutcome.objects.filter(execution_id=command_id).order_by("position")
    hosts: dict[_Alike, list[tuple[int, str]]] = {}
    columns = ("state", "result", "status", "output__digest", "position", "hostname")
    for state, result, status, digest, position, hostname in rows.values_list(*columns):
        alike = (state, result, status, (digest or "") if state == HostState.ENDED else "")
        hosts.setdefault(alike, []).append((position, hostname))
    ranked = sorted(hosts.items(), key=lambda one: (_rank(one[0]), -len(one[1]), one[1][0]))[:MAX_GROUPS]
    firsts = rows.filter(position__in=[found[0][0] for _alike, found in ranked]).select_related("output")
    samples = {row.position: row for row in firsts}
    return [_group(alike, found, samples[found[0][0]]) for alike, found in ranked]


def key_of(row: HostOutcome) -> str:
    """The key of the group of a host whose output is loaded."""
    is_over = row.state == HostState.ENDED and hasattr(row, "output")
    return _key((row.state, row.result, row.status, row.output.digest if is_over else ""))


def _rank(alike: _Alike) -> int:
    """Failed hosts come first, then those that did as asked, then those that have not ended."""
    state, result = alike[0], alike[1]
    if state == HostState.ENDED:
        return 1 if result == HostResult.DONE else 0
    return 2 if state == HostState.STARTED else 3


def _key(alike: _Alike) -> str:
    return _SEPARATOR.join("" if part is None else str(part) for part in alike)


def _group(alike: _Alike, hosts: Sequence[tuple[int, str]], sample: HostOutcome) -> Group:
    output = getattr(sample, "output", None)
    kept = unpacked(output.data, _READ) if output is not None else b""
    text = shown(kept)
    return Group(
        key=_key(alike),
        state=alike[0],
        result=alike[1],
        status=alike[2],
        hosts_amount=len(hosts),
        hostnames=[hostname for _position, hostname in hosts[:_NAMES]],
        sample=sample.pk,
        message=sample.message,
        output=text[:PREVIEW],
        is_cut=len(text) > PREVIEW or (output is not None and output.size > len(kept)),
    )
