"""Random edits of the tree by two administrators, compared after each step with a tree of plain dictionaries.

The administrators work interleaved, with nodes that they read some steps ago. The comparison covers parents, full
values, keys, the places of assets, and the numbers of assets below each node, both counted and cached.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any, Final
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from factories.at_once import at_once
from factories.grants import make_asset, make_node
from postern.apps.assets.assets.actions.assets import delete_asset
from postern.apps.assets.models import Asset, AssetNode, Node, NodePath
from postern.apps.assets.nodes.actions import add_assets, remove_assets, replace_assets, root_of
from postern.apps.assets.tree import kept_counts, node_keys, queries
from postern.apps.assets.tree.actions import create_node, delete_node, ensure_root, move_nodes, rename_node
from postern.apps.assets.tree.checking import find_faults
from postern.apps.assets.tree.errors import NodeNotFound, NodeRefused, NodeValueRefused
from postern.foundation import installation
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.errors import PosternError
from postern.kernel.ids import DEFAULT_ORG_ID, new_id

pytestmark = pytest.mark.django_db(transaction=True)

NAMES: Final = ("web", "db", "lab")
#: What an administrator can do, with the arguments (node, other node, name, assets).
VERBS: Final = ("create", "rename", "move", "delete", "add", "place", "remove", "make", "drop", "look")

Step = tuple[int, str, int, int, int]
#: A statement takes several times as long on PostgreSQL.
_EXAMPLES: Final = 8 if "DATABASE_URL" in os.environ else 20


@pytest.fixture(autouse=True)
def _installed() -> None:
    """Restore the rows of every installation, because tests with real transactions empty the tables."""
    installation.run()


@dataclass
class Naive:
    """The tree as anybody would write it down: parent and name of each node, nodes of each asset."""

    root: UUID
    nodes: dict[UUID, tuple[UUID | None, str]] = field(default_factory=dict)
    assets: dict[UUID, set[UUID]] = field(default_factory=dict)

    def chain(self, node: UUID) -> list[UUID]:
        """The node and all nodes above it."""
        found, current = [node], self.nodes[node][0]
        while current is not None:
            found.append(current)
            current = self.nodes[current][0]
        return found

    def path(self, node: UUID) -> str:
        return "".join(f"/{self.nodes[one][1]}" for one in reversed(self.chain(node)))

    def below(self, node: UUID) -> set[UUID]:
        return {one for one in self.nodes if node in self.chain(one)}

    def count(self, node: UUID) -> int:
        below = self.below(node)
        return sum(1 for places in self.assets.values() if places & below)

    def is_taken(self, parent: UUID | None, name: str, *, besides: UUID | None = None) -> bool:
        return any(one != besides and entry == (parent, name) for one, entry in self.nodes.items())

    def create(self, node: UUID, parent: UUID, name: str) -> bool:
        if parent not in self.nodes or self.is_taken(parent, name):
            return False
        self.nodes[node] = (parent, name)
        return True

    def rename(self, node: UUID, name: str) -> bool:
        if node not in self.nodes or node == self.root:
            return False
        parent = self.nodes[node][0]
        if self.is_taken(parent, name, besides=node):
            return False
        self.nodes[node] = (parent, name)
        return True

    def move(self, node: UUID, target: UUID) -> bool:
        if node not in self.nodes or target not in self.nodes or node == self.root or node in self.chain(target):
            return False
        name = self.nodes[node][1]
        if self.is_taken(target, name, besides=node):
            return False
        self.nodes[node] = (target, name)
        return True

    def delete(self, node: UUID) -> bool:
        if node not in self.nodes or node == self.root or len(self.below(node)) > 1 or self.count(node):
            return False
        del self.nodes[node]
        return True

    def put(self, node: UUID, assets: list[UUID], *, keeps: bool) -> bool:
        if node not in self.nodes:
            return False
        for asset in assets:
            self.assets[asset] = (self.assets[asset] if keeps else set()) | {node}
        return True

    def remove(self, node: UUID, assets: list[UUID]) -> bool:
        if node not in self.nodes:
            return False
        for asset in assets:
            self.assets[asset] = self.assets[asset] - {node} or {self.root}
        return True


class Pair:
    """The real tree of a new organization and its naive twin."""

    def __init__(self) -> None:
        self.org_id = new_id()
        root = ensure_root(actor=SYSTEM, org_id=self.org_id, name="Top")
        self.naive = Naive(root.pk, {root.pk: (None, "Top")})
        self.numbers = iter(range(10**6))
        #: Nodes as each of the two administrators has read them last; they may have been changed or deleted since.
        self.read: list[list[Node]] = [[root], [root]]

    def do(self, step: Step) -> None:
        who, verb, first, second, third = step
        known = self.read[who]
        node, other, name = known[first % len(known)], known[second % len(known)], NAMES[third % len(NAMES)]
        keys = sorted(self.naive.assets, key=str)[first % 3 :: 1 + second % 3]
        match verb:
            case "create":
                key = new_id()
                self.compare_outcome(
                    self.naive.create(key, node.pk, name),
                    partial(create_node, actor=SYSTEM, parent=node, value=name, node_id=key),
                )
            case "rename":
                expected = self.naive.rename(node.pk, name)
                self.compare_outcome(expected, partial(rename_node, actor=SYSTEM, node=node, value=name))
            case "move":
                expected = self.naive.move(node.pk, other.pk)
                self.compare_outcome(expected, partial(move_nodes, actor=SYSTEM, target=other, nodes=[node]))
            case "delete":
                self.compare_outcome(self.naive.delete(node.pk), partial(delete_node, actor=SYSTEM, node=node))
            case "make":
                if node.pk in self.naive.nodes:
                    made = make_asset(f"h{next(self.numbers)}", nodes=[node], org_id=self.org_id)
                    self.naive.assets[made.pk] = {node.pk}
            case "drop":
                for key in keys[:1]:
                    delete_asset(actor=SYSTEM, asset=Asset.objects.get(pk=key))
                    del self.naive.assets[key]
            case "look":
                self.read[who] = list(Node.objects.filter(org_id=self.org_id))
            case _:
                expected, write = {
                    "add": (partial(self.naive.put, keeps=True), add_assets),
                    "place": (partial(self.naive.put, keeps=False), replace_assets),
                    "remove": (self.naive.remove, remove_assets),
                }[verb]
                assets = list(Asset.objects.filter(pk__in=keys))
                self.compare_outcome(expected(node.pk, keys), partial(write, actor=SYSTEM, node=node, assets=assets))

    @staticmethod
    def compare_outcome(expected: bool, write: Callable[[], Any]) -> None:
        """The write succeeds exactly if the naive one did."""
        if expected:
            write()
        else:
            with pytest.raises((NodeRefused, NodeValueRefused, NodeNotFound)):
                write()

    def check(self) -> None:
        rows = list(Node.objects.filter(org_id=self.org_id))
        assert {row.pk: (row.parent_id, row.value) for row in rows} == self.naive.nodes
        assert {row.pk: row.full_value for row in rows} == {one: self.naive.path(one) for one in self.naive.nodes}
        keys = {row.pk: row.key for row in rows}
        assert len(set(keys.values())) == len(rows)
        for row in rows:
            assert node_keys.parent_of(row.key) == (keys[row.parent_id] if row.parent_id else None)
        paths = NodePath.objects.filter(descendant__org_id=self.org_id).values_list("ancestor_id", "descendant_id")
        assert sorted(paths) == sorted((above, one) for one in self.naive.nodes for above in self.naive.chain(one))
        places: dict[UUID, set[UUID]] = {}
        for asset, node in AssetNode.objects.filter(asset__org_id=self.org_id).values_list("asset_id", "node_id"):
            places.setdefault(asset, set()).add(node)
        assert places == self.naive.assets
        counts = {one: self.naive.count(one) for one in self.naive.nodes}
        assert queries.asset_counts(rows) == counts
        assert kept_counts.asset_counts(rows) == counts


steps = st.lists(
    st.tuples(
        st.integers(0, 1), st.sampled_from(VERBS), st.integers(0, 30), st.integers(0, 30), st.integers(0, 2)
    ),
    min_size=10,
    max_size=40,
)  # fmt: skip


@settings(max_examples=_EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(steps)
def test_tree_equals_a_naive_tree_after_each_step_of_two_administrators(taken: list[Step]) -> None:
    pair = Pair()
    for step in [(0, "create", 0, 0, 0), (0, "look", 0, 0, 0), *taken]:
        pair.do(step)
        pair.check()


def test_assets_of_an_organization_are_counted_again_only_when_some_were_made_or_deleted() -> None:
    root, node = root_of(DEFAULT_ORG_ID), make_node("a")
    assets = [make_asset() for _ in range(3)]

    def look() -> tuple[int, bool]:
        """The number of the root, and whether the assets were counted for it."""
        with CaptureQueriesContext(connection) as queries_made:
            number = kept_counts.asset_counts([root, node])[root.pk]
        return number, any("COUNT" in one["sql"] and 'FROM "assets_asset"' in one["sql"] for one in queries_made)

    assert look() == (3, True)
    add_assets(actor=SYSTEM, node=node, assets=assets)
    remove_assets(actor=SYSTEM, node=node, assets=assets[:1])
    assert look() == (3, False)
    assert kept_counts.asset_counts([node]) == {node.pk: 2}
    more = make_asset(nodes=[node])
    assert look() == (4, True)
    delete_asset(actor=SYSTEM, asset=more)
    assert look() == (3, True)
    assert look() == (3, False)


def test_concurrent_edits_succeed_or_are_refused_and_lose_nothing() -> None:
    nodes = [make_node(name) for name in ("a", "b", "c", "d")]
    assets = [make_asset(nodes=[nodes[number % 4]]) for number in range(12)]
    outcomes: list[str] = []

    def edit(seed: int) -> None:
        dice = Random(seed)
        for _ in range(15):
            node, other = dice.sample(nodes, 2)
            chosen = dice.sample(assets, 3)
            write: Callable[[], Any] = dice.choice(
                [
                    partial(move_nodes, actor=SYSTEM, target=other, nodes=[node]),
                    partial(rename_node, actor=SYSTEM, node=node, value=dice.choice(["x", "y", node.value])),
                    partial(create_node, actor=SYSTEM, parent=node, value=None),
                    partial(add_assets, actor=SYSTEM, node=node, assets=chosen),
                    partial(remove_assets, actor=SYSTEM, node=node, assets=chosen),
                    partial(replace_assets, actor=SYSTEM, node=node, assets=chosen),
                    partial(delete_node, actor=SYSTEM, node=node),
                ]
            )
            try:
                write()
                outcomes.append("done")
            except PosternError as refusal:
                outcomes.append(refusal.code)

    at_once(*(partial(edit, seed) for seed in range(4)))
    assert outcomes.count("done") > 10
    assert set(outcomes) <= {"done", "node_refused", "node_not_empty", "node_value", "object_does_not_exist"}
    assert find_faults(DEFAULT_ORG_ID).number == 0
    assert Asset.objects.count() == AssetNode.objects.values("asset_id").distinct().count() == 12
    rows = list(Node.objects.all())
    assert kept_counts.asset_counts(rows) == queries.asset_counts(rows)
    assert kept_counts.asset_counts([root_of(DEFAULT_ORG_ID)]) == {root_of(DEFAULT_ORG_ID).pk: 12}
