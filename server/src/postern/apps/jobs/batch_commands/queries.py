"""Reads of batch commands: hosts, and groups of hosts with the same output."""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db.models import Q, QuerySet

from postern.apps.jobs.batch_commands.models import BatchCommand, HostOutput
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
#: Outputs that are in memory at the same time: 256 KiB each.
_AT_ONCE: Final = 20
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
    matching = rows.filter(state=state, result=result, status=int(status) if status else None)
    if state != HostState.ENDED:
        return matching
    return matching.filter(output__digest=digest) if digest else matching.filter(Q(output=None) | Q(output__digest=""))


def groups_of(command_id: UUID) -> list[Group]:
    """The groups of a command, failed groups first, then the largest. At most `MAX_GROUPS`; the rest are in the list of
    hosts.
    """
    rows = HostOutcome.objects.filter(execution_id=command_id).order_by("position")
    hosts: dict[_Alike, list[tuple[int, str]]] = {}
    columns = ("state", "result", "status", "output__digest", "position", "hostname")
    for state, result, status, digest, position, hostname in rows.values_list(*columns):
        alike = (state, result, status, (digest or "") if state == HostState.ENDED else "")
        hosts.setdefault(alike, []).append((position, hostname))
    ranked = sorted(hosts.items(), key=lambda group: (_rank(group[0]), -len(group[1]), group[1][0]))[:MAX_GROUPS]
    firsts = rows.filter(position__in=[group[0][0] for _alike, group in ranked]).select_related("output")
    samples = {row.position: row for row in firsts.defer("output__data")}
    previews = _previews(samples.values())
    return [
        _group(alike, group, samples[group[0][0]], previews.get(samples[group[0][0]].pk, _NOTHING))
        for alike, group in ranked
    ]


def failed(rows: "QuerySet[HostOutcome]") -> "QuerySet[HostOutcome]":
    """The hosts on which the command did not end as it should."""
    return rows.filter(state=HostState.ENDED).exclude(result=HostResult.DONE)


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


def _previews(samples: Iterable[HostOutcome]) -> "dict[int, _Preview]":
    """The beginnings of the outputs of these hosts. The page asks every second while a command runs: an output that has
    ended is read and unpacked once.
    """
    previews: dict[int, _Preview] = {}
    keys: dict[int, str] = {}
    for row in samples:
        output = getattr(row, "output", None)
        if output is None:
            continue
        keys[row.pk] = output.digest if row.state == HostState.ENDED else ""
        known = _KNOWN.get(keys[row.pk])
        if known is not None:
            previews[row.pk] = known
    missing = [key for key in keys if key not in previews]
    for start in range(0, len(missing), _AT_ONCE):
        outputs = HostOutput.objects.filter(outcome_id__in=missing[start : start + _AT_ONCE])
        for outcome_id, data, size in outputs.values_list("outcome_id", "data", "size"):
            preview = previews[outcome_id] = _preview(data, size)
            if keys[outcome_id]:
                _KNOWN.put(keys[outcome_id], preview)
    return previews


def _preview(data: "bytes | memoryview", size: int) -> "_Preview":
    stored = unpacked(data, _READ)
    text = shown(stored)
    return _Preview(text[:PREVIEW], len(text) > PREVIEW or size > len(stored))


def _group(alike: _Alike, hosts: Sequence[tuple[int, str]], sample: HostOutcome, preview: "_Preview") -> Group:
    return Group(
        key=_key(alike),
        state=alike[0],
        result=alike[1],
        status=alike[2],
        hosts_amount=len(hosts),
        hostnames=[hostname for _position, hostname in hosts[:_NAMES]],
        sample=sample.pk,
        message=sample.why,
        output=preview.text,
        is_cut=preview.is_cut,
    )


@dataclass(frozen=True, slots=True)
class _Preview:
    text: str
    is_cut: bool


_NOTHING: Final = _Preview("", is_cut=False)


class _Previews:
    """The previews that were used last, by the hash of the output. All methods may be called from any thread."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._previews: OrderedDict[str, _Preview] = OrderedDict()

    def get(self, digest: str) -> _Preview | None:
        with self._lock:
            preview = self._previews.get(digest)
            if preview is not None:
                self._previews.move_to_end(digest)
            return preview

    def put(self, digest: str, preview: _Preview) -> None:
        with self._lock:
            self._previews[digest] = preview
            while len(self._previews) > self._most:
                self._previews.popitem(last=False)


#: Two full answers; 4 MB of plain text, at most 16 MB.
_KNOWN: Final = _Previews(2 * MAX_GROUPS)
