"""Compares the index with the tables on a live installation. Reads only."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final
from uuid import UUID

from pyroaring import BitMap

from postern.apps.assets.models import Asset, Node, TreeVersion
from postern.apps.perms.granted.indexed import IndexedReach
from postern.apps.perms.granted.reach import Reach, Who
from postern.apps.perms.granted.tables import Tables, misnumbered, read_tables
from postern.apps.perms.index.comparing import differences
from postern.apps.perms.index.reading import caught_up, read_world
from postern.apps.perms.index.world import NOTHING, World
from postern.apps.users.models import User
from postern.foundation.database.snapshot import snapshot
from postern.kernel.clock import now

#: People of one snapshot. After a write of the tree, each snapshot reads the tree again, which takes seconds.
_AT_ONCE: Final = 200
#: Assets of one person that are named; further assets are only counted.
_NAMED: Final = 20


@dataclass(slots=True)
class IndexReport:
    """How much was compared."""

    people: int = 0
    assets: int = 0


def verify_index(
    *,
    found: Callable[[str], None],
    progressed: Callable[[int, int], None] | None = None,
    username: str = "",
    follow_s: float = 0.0,
) -> IndexReport:
    """Compare what people reach by the index and by the tables, for all people or for one person.

    First the index follows the writes of `follow_s` seconds, as the index of a web process does, and is compared with
    an index that is read afresh. Then the people are compared, some in a snapshot, so that writes meanwhile do no harm.
    `found` gets a line for each difference; `progressed` the number of people who were compared, and of all.
    """
    report = IndexReport()
    with snapshot():
        worlds = {org_id: read_world(org_id, seq) for org_id, seq in _versions()}
    time.sleep(follow_s)
    people = User.objects.filter(username=username) if username else User.objects.all()
    count, last, tables = people.count(), "", None
    while some := list(people.filter(username__gt=last).order_by("username").values_list("pk", "username")[:_AT_ONCE]):
        with snapshot():
            held, worlds = worlds, _followed(worlds, found)
            if tables is None or worlds != held:
                tables = read_tables()
                _tell(misnumbered(worlds), found)
            for user_id, name in some:
                report.assets += _compare_person(user_id, name, (worlds, tables), found)
        report.people, last = report.people + len(some), some[-1][1]
        if progressed is not None:
            progressed(report.people, max(count, report.people))
    return report


def _versions() -> list[tuple[UUID, int]]:
    return list(TreeVersion.objects.order_by("org_id").values_list("org_id", "seq"))


def _followed(worlds: dict[UUID, World], found: Callable[[str], None]) -> dict[UUID, World]:
    """The worlds at the versions of the snapshot. Where there were writes, compared with worlds from nothing."""
    versions = _versions()
    if versions == [(org_id, world.seq) for org_id, world in worlds.items()]:
        return worlds
    followed = {}
    for org_id, seq in versions:
        held = worlds.get(org_id)
        if held is not None and held.seq == seq:
            followed[org_id] = held
            continue
        followed[org_id] = read_world(org_id, seq)
        if held is not None:
            _tell(differences(caught_up(held, seq), followed[org_id]), found)
    return followed


def _tell(lines: Iterator[str], found: Callable[[str], None]) -> None:
    for line in lines:
        found(line)


def _compare_person(
    user_id: UUID, name: str, sides: tuple[Mapping[UUID, World], Tables], found: Callable[[str], None]
) -> int:
    """Tell what differs for the person. Returns the number of assets that they reach by the tables."""
    worlds, tables = sides
    reach = Reach(Who(user_id=user_id), now())
    if not reach.org_ids:
        return 0
    index = IndexedReach(reach.parts({org_id: worlds[org_id] for org_id in reach.org_ids if org_id in worlds}))
    stored, held = tables.reached(reach), index.assets(include_inactive=True)
    for org_id in stored.keys() | held.keys():
        by_tables, by_index = stored.get(org_id, NOTHING), held.get(org_id, NOTHING)
        if by_tables != by_index:
            _tell((f"{name}: {line}" for line in _assets(org_id, by_tables, by_index)), found)
    _tell((f"{name}: {line}" for line in _counts(reach, index, tables, stored)), found)
    return sum(map(len, stored.values()))


def _assets(org_id: UUID, by_tables: BitMap, by_index: BitMap) -> Iterator[str]:
    differing = by_tables ^ by_index
    first: Sequence[int] = list(islice(differing, _NAMED))
    names = dict(Asset.objects.filter(org_id=org_id, dense_id__in=first).values_list("dense_id", "hostname"))
    for number in first:
        side = "index" if number in by_index else "tables"
        yield f"asset {names.get(number, number)}: in reach only by the {side}"
    if len(differing) > len(first):
        yield f"{len(differing) - len(first)} more assets: in reach only by one of the two"


def _counts(reach: Reach, index: IndexedReach, tables: Tables, stored: Mapping[UUID, BitMap]) -> Iterator[str]:
    """The numbers that the tree shows at its root nodes."""
    roots = list(Node.objects.filter(parent__isnull=True, org_id__in=reach.org_ids).only("full_value"))
    by_index = index.counts([root.pk for root in roots])
    for root in roots:
        below = tables.below.get(root.pk, {})
        by_tables = sum(
            numbers.intersection_cardinality(stored.get(org_id, NOTHING)) for org_id, numbers in below.items()
        )
        if by_tables != by_index.get(root.pk, 0):
            yield f"node {root.full_value}: {by_index.get(root.pk, 0)} by the index, {by_tables} by the tables"
