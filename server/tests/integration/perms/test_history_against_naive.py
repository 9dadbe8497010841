"""Random edits of everything that decides who reaches what. At the end the history answers for each instant in between
what a naive evaluator said at that instant.

`POSTERN_HISTORY_EDITS`: number of edits.
"""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Final
from uuid import UUID

import pytest

from factories.naive_reach import NaiveReach
from factories.reach_edits import Edits
from postern.apps.perms.history import upkeep
from postern.apps.perms.history.access import Reach, people_of
from postern.apps.perms.history.granting import ASSETS
from postern.apps.perms.history.past import Past
from postern.apps.users.models import User
from postern.foundation import installation

pytestmark = pytest.mark.django_db(transaction=True)

_EDITS: Final = int(os.environ.get("POSTERN_HISTORY_EDITS", "80"))
#: The clock of SQLite has milliseconds.
_TICK_S: Final = 0.002


@dataclass(frozen=True)
class _Snapshot:
    """What the naive evaluator said. The clock of the edits jumps over the dates of permissions, so it is kept too."""

    past: Past
    reached: dict[UUID, set[UUID]]
    names: dict[UUID, str]

    @classmethod
    def taken(cls, edits: Edits) -> "_Snapshot":
        time.sleep(_TICK_S)
        instant = Past.of(datetime.now().astimezone()).instant
        naive = NaiveReach()
        active = {key for key, row in naive.assets.items() if row.is_active}
        reached = {user.pk: naive.reach(edits.at, user=user.pk) & active for user in edits.users}
        time.sleep(_TICK_S)
        return cls(Past(edits.at, instant), reached, {key: row.hostname for key, row in naive.assets.items()})


def test_history_equals_what_the_rules_said_at_each_instant(make_user: Callable[..., User]) -> None:
    installation.run()
    dice = Random(7)
    edits = Edits(dice, make_user)
    snapshots = [_Snapshot.taken(edits)]
    for _ in range(_EDITS):
        for _ in range(dice.choice([1, 1, 2])):
            edits.step()
        snapshots.append(_Snapshot.taken(edits))
    assert list(upkeep.differences()) == []
    for number, snapshot in enumerate(snapshots):
        reached = {}
        for user, expected in snapshot.reached.items():
            reach = Reach(snapshot.past, ASSETS, user, None)
            targets = reach.targets()
            assert {row.id for row in targets} == expected, f"after edit {number}"
            assert [row.name for row in targets] == [snapshot.names[row.id] for row in targets]
            reached[user] = {one.object.id: one.ways for one in reach.with_ways(targets)}
        for asset in snapshot.names:
            people = {one.object.id: one.ways for one in people_of(snapshot.past, ASSETS, asset)}
            # Both questions have the same answer, with the same ways.
            assert people == {user: ways[asset] for user, ways in reached.items() if asset in ways}, f"edit {number}"
            assert all(way.system_users and (way.names_target or way.nodes) for ways in people.values() for way in ways)
    assert sum(map(len, (ids for one in snapshots for ids in one.reached.values()))) > _EDITS
