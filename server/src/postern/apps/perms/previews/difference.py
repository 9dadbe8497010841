"""Compares who reaches what before and after a change. Pure: everything that it depends on is handed in.

Targets (assets or applications) are numbers. People who hold the same grants on both sides are compared once, so the cost
grows with the different sets of grants and not with pairs of a person and a target.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from pyroaring import BitMap


@dataclass(frozen=True, slots=True, eq=False)
class Grant:
    """What one permission lets people use, by system user. Both sides hold the same object if nothing differs."""

    reaches: Mapping[UUID, BitMap]
    everything: BitMap


def grant_of(reaches: Mapping[UUID, BitMap], limit: BitMap | None) -> Grant:
    """The grant of these targets by system user, within the limit."""
    if limit is not None:
        reaches = {system_user: part for system_user, targets in reaches.items() if (part := targets & limit)}
    return Grant(reaches, _united(reaches.values()))


@dataclass(frozen=True, slots=True)
class Delta:
    """Targets that are gained and lost."""

    gained: BitMap = field(default_factory=BitMap)
    lost: BitMap = field(default_factory=BitMap)

    def __bool__(self) -> bool:
        return bool(self.gained or self.lost)


@dataclass(frozen=True, slots=True)
class Figures:
    """Distinct people and targets, and the pairs of them."""

    people: int
    targets: int
    pairs: int


@dataclass(slots=True)
class Tally:
    """Counts one side, gained or lost."""

    people: int = 0
    pairs: int = 0
    targets: BitMap = field(default_factory=BitMap)

    def add(self, people: int, targets: BitMap) -> None:
        """Count these people, each with these targets."""
        if targets:
            self.people += people
            self.pairs += people * len(targets)
            self.targets |= targets

    @property
    def figures(self) -> Figures:
        """The numbers."""
        return Figures(self.people, len(self.targets), self.pairs)


@dataclass(frozen=True, slots=True)
class Case:
    """People for whom the same changes: what they gain and lose with each system user."""

    people: Sequence[UUID]
    system_users: Mapping[UUID, Delta]


@dataclass(slots=True)
class Difference:
    """What a change does in one organization. `people`: each person for whom something changes, as `cases` say."""

    gained: Tally = field(default_factory=Tally)
    lost: Tally = field(default_factory=Tally)
    system_users: dict[UUID, tuple[Tally, Tally]] = field(default_factory=dict)
    people: dict[UUID, Delta] = field(default_factory=dict)
    cases: list[Case] = field(default_factory=list)


def difference(before: Mapping[UUID, frozenset[Grant]], after: Mapping[UUID, frozenset[Grant]]) -> Difference:
    """Compare the grants that each person holds on the two sides."""
    alike: defaultdict[tuple[frozenset[Grant], frozenset[Grant]], list[UUID]] = defaultdict(list)
    nothing: frozenset[Grant] = frozenset()
    for person in before.keys() | after.keys():
        held, will_hold = before.get(person, nothing), after.get(person, nothing)
        if held != will_hold:
            alike[held, will_hold].append(person)
    total = Difference()
    for (held, will_hold), people in alike.items():
        _count(total, held, will_hold, people)
    return total


def _count(total: Difference, held: frozenset[Grant], will_hold: frozenset[Grant], people: list[UUID]) -> None:
    new, gone = will_hold - held, held - will_hold
    whole = Delta(
        _united(grant.everything for grant in new) - _united(grant.everything for grant in held),
        _united(grant.everything for grant in gone) - _united(grant.everything for grant in will_hold),
    )
    total.gained.add(len(people), whole.gained)
    total.lost.add(len(people), whole.lost)
    if whole:
        total.people |= dict.fromkeys(people, whole)
    changed: dict[UUID, Delta] = {}
    for system_user in {system_user for grant in (*new, *gone) for system_user in grant.reaches}:
        gained = _beyond(system_user, new, held)
        lost = _beyond(system_user, gone, will_hold)
        if gained or lost:
            changed[system_user] = Delta(gained, lost)
            tallies = total.system_users.setdefault(system_user, (Tally(), Tally()))
            tallies[0].add(len(people), gained)
            tallies[1].add(len(people), lost)
            # A person for whom only the account changes is listed, too.
            for person in people:
                total.people.setdefault(person, whole)
    if changed:
        total.cases.append(Case(people, changed))


def _beyond(system_user: UUID, some: Iterable[Grant], others: Iterable[Grant]) -> BitMap:
    """What the system user may be used for by some grants and by none of the others."""
    targets = _with(system_user, some)
    return targets - _with(system_user, others) if targets else targets


def _with(system_user: UUID, grants: Iterable[Grant]) -> BitMap:
    return _united(grant.reaches[system_user] for grant in grants if system_user in grant.reaches)


def _united(parts: Iterable[BitMap]) -> BitMap:
    """The union; of a single part the part itself, which nobody changes."""
    several = list(parts)
    if len(several) == 1:
        return several[0]
    return BitMap.union(*several) if several else BitMap()
