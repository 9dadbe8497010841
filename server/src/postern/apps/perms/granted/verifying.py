"""Compares the index with the tables on a live installation. Reads only."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from uuid import UUID

from postern.apps.assets.models import Asset, Node, TreeVersion
from postern.apps.perms.granted.indexed import IndexedReach
from postern.apps.perms.granted.reach import Reach, Who
from postern.apps.perms.index.comparing import differences
from postern.apps.perms.index.reading import caught_up, read_world
from postern.apps.perms.index.world import World
from postern.apps.users.models import User
from postern.foundation.database.snapshot import snapshot
from postern.kernel.clock import now


@dataclass(slots=True)
class IndexReport:
    """How much was compared, and a line for each difference."""

    people: int = 0
    assets: int = 0
    faults: list[str] = field(default_factory=list)


def verify_index(*, username: str = "", follow_s: float = 0.0) -> IndexReport:
    """Compare what people reach by the index and by the tables, for all people or for one.

    First the index follows the writes of `follow_s` seconds, as the index of a web process does, and is compared with
    one that is read from nothing. Each person is compared in a snapshot, so that writes meanwhile do no harm.
    """
    report = IndexReport()
    with snapshot():
        worlds = {org_id: read_world(org_id, seq) for org_id, seq in _versions()}
    time.sleep(follow_s)
    people = User.objects.order_by("username")
    chosen = people.filter(username=username) if username else people
    for user_id, name in chosen.values_list("pk", "username"):
        with snapshot():
            worlds = _followed(worlds, report)
            report.faults += [f"{name}: {line}" for line in _of_person(user_id, worlds, report)]
        report.people += 1
    return report


def _versions() -> list[tuple[UUID, int]]:
    return list(TreeVersion.objects.order_by("org_id").values_list("org_id", "seq"))


def _followed(worlds: dict[UUID, World], report: IndexReport) -> dict[UUID, World]:
    """The worlds at the versions of the snapshot. Where there were writes, compared with worlds from nothing."""
    followed = {}
    for org_id, seq in _versions():
        held = worlds.get(org_id)
        if held is not None and held.seq == seq:
            followed[org_id] = held
            continue
        followed[org_id] = read_world(org_id, seq)
        if held is not None:
            report.faults += differences(caught_up(held, seq), followed[org_id])
    return followed


def _of_person(user_id: UUID, worlds: dict[UUID, World], report: IndexReport) -> Iterator[str]:
    reach = Reach(Who(user_id=user_id), now())
    if not reach.org_ids:
        return
    index = IndexedReach(reach.parts({org_id: worlds[org_id] for org_id in reach.org_ids if org_id in worlds}))
    stored = set(reach.assets(include_inactive=True).values_list("pk", flat=True))
    members = index.assets(include_inactive=True)
    held = set(index.page(members, ("hostname", "pk"), 0, sum(map(len, members.values()))).keys)
    report.assets += len(stored)
    names = dict(Asset.objects.filter(pk__in=held ^ stored).values_list("pk", "hostname")) if held != stored else {}
    for key in held ^ stored:
        yield f"asset {names.get(key, key)}: in reach only by the {'index' if key in held else 'tables'}"
    roots = list(Node.objects.filter(parent__isnull=True, org_id__in=reach.org_ids))
    by_tables, by_index = reach.counts(roots), index.counts([root.pk for root in roots])
    for root in roots:
        if by_tables.get(root.pk, 0) != by_index.get(root.pk, 0):
            yield f"node {root.full_value}: {by_index.get(root.pk, 0)} by the index, {by_tables.get(root.pk, 0)} by the tables"
