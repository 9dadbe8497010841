"""Compares the derived forms of a tree with the parents of its nodes, and corrects what differs.

`parent` is authoritative; `key`, `full_value` and `NodePath` follow from it (see `models`). Ordinary writes keep them
together, so a difference comes from outside: a restored table, a hand in the database, a bug. Numbers that the console
shows are counted along `NodePath`, so a wrong row there means wrong numbers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db.models import Exists, OuterRef

from postern.apps.assets.tree import change_log, node_keys
from postern.apps.assets.tree.models import Asset, AssetNode, Node, NodePath, TreeChangeKind

_BATCH: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeFaults:
    """What differs, and how much there is. `wrong_names` counts nodes with a wrong key or full value."""

    nodes: int
    assets: int
    missing_paths: frozenset[tuple[UUID, UUID]]
    extra_paths: frozenset[int]
    wrong_names: frozenset[UUID]
    unplaced_assets: frozenset[UUID]

    @property
    def number(self) -> int:
        return sum(map(len, (self.missing_paths, self.extra_paths, self.wrong_names, self.unplaced_assets)))


def find_faults(org_id: UUID, check: Callable[[], None] = lambda: None) -> TreeFaults:
    """Look at the whole tree of an organization. `check` is called between steps and may raise."""
    nodes = _nodes(org_id)
    chains = {pk: _chain(pk, nodes) for pk in nodes}
    check()
    expected = {(above, pk) for pk, chain in chains.items() for above in chain}
    extra = set()
    for key, ancestor, descendant in NodePath.objects.filter(descendant__org_id=org_id).values_list(
        "pk", "ancestor_id", "descendant_id"
    ):
        if (ancestor, descendant) in expected:
            expected.discard((ancestor, descendant))
        else:
            extra.add(key)
    check()
    wrong = {pk for pk, node in nodes.items() if not _is_named_right(node, nodes)}
    check()
    placed = AssetNode.objects.filter(asset_id=OuterRef("pk"))
    assets = Asset.objects.filter(org_id=org_id)
    return TreeFaults(
        nodes=len(nodes),
        assets=assets.count(),
        missing_paths=frozenset(expected),
        extra_paths=frozenset(extra),
        wrong_names=frozenset(wrong),
        unplaced_assets=frozenset(assets.filter(~Exists(placed)).values_list("pk", flat=True)),
    )


def correct(org_id: UUID) -> TreeFaults:
    """Correct what differs, and return it. Must run inside a transaction; locks the tree first."""
    write = change_log.begin(org_id)
    faults = find_faults(org_id)
    NodePath.objects.filter(pk__in=faults.extra_paths).delete()
    NodePath.objects.bulk_create(
        [NodePath(ancestor_id=above, descendant_id=below) for above, below in faults.missing_paths], batch_size=_BATCH
    )
    if faults.wrong_names:
        _rename(org_id)
    root = Node.objects.filter(org_id=org_id, parent__isnull=True).first()
    if root is not None and faults.unplaced_assets:
        AssetNode.objects.bulk_create(
            [AssetNode(asset_id=asset, node=root) for asset in faults.unplaced_assets], batch_size=_BATCH
        )
    if faults.number:
        # Indexes in memory cannot know which of their rows were wrong: all are read again.
        write.touch(TreeChangeKind.NODE, Node.objects.filter(org_id=org_id).values_list("pk", flat=True))
        write.touch(TreeChangeKind.ASSET, faults.unplaced_assets)
    return faults


def _nodes(org_id: UUID) -> dict[UUID, Node]:
    rows = Node.objects.filter(org_id=org_id)
    return {row.pk: row for row in rows.only("pk", "parent_id", "key", "value", "full_value", "next_child", "org_id")}


def _chain(pk: UUID, nodes: dict[UUID, Node]) -> list[UUID]:
    """The node and all nodes above it."""
    chain: list[UUID] = []
    current: UUID | None = pk
    while current is not None and current in nodes and len(chain) <= node_keys.MAX_DEPTH:
        chain.append(current)
        current = nodes[current].parent_id
    return chain


def _is_named_right(node: Node, nodes: dict[UUID, Node]) -> bool:
    above = nodes.get(node.parent_id) if node.parent_id else None
    path = f"{above.full_value if above else ''}/{node.value}"
    return node.full_value == path and node_keys.parent_of(node.key) == (above.key if above else None)


def _rename(org_id: UUID) -> None:
    """Compute keys and full values again from the root down. A correct key stays."""
    nodes = _nodes(org_id)
    ordered = sorted(nodes.values(), key=lambda node: len(_chain(node.pk, nodes)))
    changed = []
    for node in ordered:
        above = nodes.get(node.parent_id) if node.parent_id else None
        key, path = node.key, f"{above.full_value if above else ''}/{node.value}"
        if above is not None and node_keys.parent_of(node.key) != above.key:
            key = node_keys.child_key(above.key, above.next_child)
            above.next_child += 1
            changed.append(above)
        if (key, path) != (node.key, node.full_value):
            node.key, node.full_value = key, path
            changed.append(node)
    unique = list({node.pk: node for node in changed}.values())
    # Keys are unique: a key that moves from one node to another must be free first.
    for node in unique:
        Node.objects.filter(pk=node.pk).update(key=f"?{node.pk.hex}")
    Node.objects.bulk_update(unique, ["key", "full_value", "next_child"], batch_size=_BATCH)
