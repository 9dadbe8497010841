"""Writes of the node tree. Every write updates `parent`, `key`, `full_value` and the closure (`NodePath`) together."""

from collections.abc import Iterable, Sequence
from typing import Final
from uuid import UUID

from django.db import connection, transaction
from django.utils.translation import gettext as _

from postern.apps.assets.tree import change_log, node_keys
from postern.apps.assets.tree.change_log import TreeWrite
from postern.apps.assets.tree.errors import NodeNotEmpty, NodeNotFound, NodeRefused, NodeValueRefused
from postern.apps.assets.tree.events import AssetsChanged, NodeMoved
from postern.apps.assets.tree.models import AssetNode, Node, NodePath, TreeChangeKind
from postern.apps.audits import facade as audits
from postern.apps.audits import recorded
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.foundation.database import row_locks, row_writes
from postern.foundation.database.prepared import as_stored
from postern.kernel.ids import DEFAULT_ORG_ID, new_id

_MAX_VALUE: Final = 128
_MAX_FULL_VALUE: Final = 4096
_BATCH: Final = 500
#: Links what is below a node to what is above another, in one statement: a large subtree has thousands of these rows.
_JOIN_CLOSURES: Final = (
    "INSERT INTO assets_nodepath (ancestor_id, descendant_id) SELECT up.ancestor_id, down.descendant_id"
    " FROM assets_nodepath up CROSS JOIN assets_nodepath down WHERE up.descendant_id = %s AND down.ancestor_id = %s"
)


def hold(org_ids: Iterable[UUID]) -> None:
    """Lock the trees of these organizations until the transaction ends. Call it first in a write of many nodes."""
    for org_id in sorted(org_ids):
        change_log.begin(org_id)


@transaction.atomic
def ensure_root(*, actor: Actor, org_id: UUID, name: str) -> Node:
    """Create the root node of an organization if it is missing, and rename it when the organization's name changed."""
    write = change_log.begin(org_id)
    root = Node.objects.filter(org_id=org_id, parent__isnull=True).first()
    value = name.replace("/", "-")[:_MAX_VALUE]
    if root is None:
        root = Node(org_id=org_id, key=_next_root_key(), value=value, full_value=f"/{value}", created_by=actor.label)
        root.save(force_insert=True)
        NodePath.objects.create(ancestor=root, descendant=root)
        write.touch(TreeChangeKind.NODE, [root.pk])
    elif root.value != value:
        root.value = value
        root.save(update_fields=["value", "date_updated"])
        _rewrite_subtree(root, parent=None)
    return root


@transaction.atomic
def drop_root(*, org_id: UUID) -> None:
    """Delete the root node and the change list of an organization that is being deleted.

    Its other rows must be gone.
    """
    change_log.begin(org_id)
    Node.objects.filter(org_id=org_id, parent__isnull=True).delete()
    change_log.forget(org_id)


@transaction.atomic
def create_node(*, actor: Actor, parent: Node, value: str | None, node_id: UUID | None = None) -> Node:
    """Create a child of `parent`. Without a `value` its name is the next free "New node N"."""
    write = change_log.begin(parent.org_id)
    parent = _fresh(parent)
    name = _free_value(parent) if value is None else _checked_value(value, parent, None)
    node = _insert(actor, write, parent, name, node_id)
    audits.record_change(actor=actor, action="create", target=node, new={"full_value": node.full_value})
    events.publish(AssetsChanged(org_id=node.org_id))
    return node


@transaction.atomic
def ensure_path(*, actor: Actor, org_id: UUID, path: str) -> Node:
    """The node with the full value `path` (`/Default/a/b`). Missing nodes below the root are created."""
    write = change_log.begin(org_id)
    node = Node.objects.get(org_id=org_id, parent__isnull=True)
    parts = [part.strip() for part in path.strip().strip("/").split("/") if part.strip()]
    if not parts or parts[0] != node.value:
        raise NodeRefused(
            _("A node path must start with the root node, for example /%(root)s/web.") % {"root": node.value}
        )
    for part in parts[1:]:
        child = Node.objects.filter(parent=node, value=part).first()
        if child is None:
            child = _insert(actor, write, node, _checked_value(part, node, None), None)
            audits.record_change(actor=actor, action="create", target=child, new={"full_value": child.full_value})
        node = child
    return node


@transaction.atomic
def rename_node(*, actor: Actor, node: Node, value: str) -> Node:
    """Rename a node and update the full values of its subtree. The root is renamed with its organization only."""
    change_log.begin(node.org_id)
    node = _fresh(node)
    if node.parent is None and value == node.value:
        return node
    if node.parent is None:
        raise NodeRefused(_("The root node has the name of its organization. To change it, rename the organization."))
    old, name = node.full_value, _checked_value(value, node.parent, node)
    if name == node.value:
        return node
    node.value = name
    node.save(update_fields=["value", "date_updated"])
    _rewrite_subtree(node, parent=node.parent)
    audits.record_change(
        actor=actor, action="update", target=node, old={"full_value": old}, new={"full_value": node.full_value}
    )
    return node


@transaction.atomic
def move_nodes(*, actor: Actor, target: Node, nodes: Sequence[Node]) -> None:
    """Move `nodes` with their subtrees under `target`. A node that is already a child of `target` is not changed."""
    write = change_log.begin(target.org_id)
    target = _fresh(target)
    for stale in nodes:
        node = _fresh(stale)
        old_parent, old_path = _require_movable(node, target), node.full_value
        if old_parent.pk == target.pk:
            continue
        node.parent = target
        node.save(update_fields=["parent", "date_updated"])
        above = _above(node)
        _rehang_closure(node, target)
        _rewrite_subtree(node, parent=target, key=_take_child_key(target))
        write.touch(TreeChangeKind.NODE, [old_parent.pk, target.pk])
        audits.record_change(
            actor=actor,
            action="update",
            event=audits.Event.NODE_MOVED,
            target=node,
            old={"full_value": old_path},
            new={"full_value": node.full_value},
        )
        entered = _above(node) - above
        events.publish(NodeMoved(by=actor, org_id=target.org_id, node_id=node.pk, entered=entered))
    events.publish(AssetsChanged(org_id=target.org_id))


@transaction.atomic
def delete_node(*, actor: Actor, node: Node) -> None:
    """Delete an empty node. Refuses the root node, and nodes that contain nodes or assets."""
    write = change_log.begin(node.org_id)
    node = _fresh(node)
    row_locks.lock(Node, [node.pk], deleting=True)
    write.touch(TreeChangeKind.NODE, [check_deletion(node).pk])
    recorded.delete_row(actor=actor, row=node, old={"full_value": node.full_value})
    events.publish(AssetsChanged(org_id=node.org_id))


def check_move(*, target: Node, node: Node) -> None:
    """Raise what `move_nodes` would raise for this node."""
    if _require_movable(node, target).pk == target.pk:
        return
    below = list(Node.objects.filter(paths_up__ancestor=node).values_list("key", "full_value"))
    levels = max(map(node_keys.depth_of, (key for key, _path in below))) - node_keys.depth_of(node.key)
    if node_keys.depth_of(target.key) + 1 + levels > node_keys.MAX_DEPTH:
        raise NodeRefused(_too_deep())
    longest = max(len(path) for _key, path in below) - len(node.full_value)
    _joined(target.full_value, node.value + "-" * longest)


def check_deletion(node: Node) -> Node:
    """Raise what `delete_node` would raise for this node; returns its parent."""
    if node.parent is None:
        raise NodeNotEmpty(_("The root node cannot be deleted."))
    below = NodePath.objects.filter(ancestor=node).values("descendant")
    if Node.objects.filter(parent=node).exists() or AssetNode.objects.filter(node__in=below).exists():
        raise NodeNotEmpty(_("The node is not empty: move its assets and nodes elsewhere first."))
    return node.parent


def _require_movable(node: Node, target: Node) -> Node:
    """The present parent of a node that may be moved under `target`."""
    if node.parent is None:
        raise NodeRefused(_("The root node cannot be moved."))
    if NodePath.objects.filter(ancestor=node, descendant=target).exists():
        raise NodeRefused(_("A node cannot be moved into itself or below itself."))
    if node.parent_id != target.pk:
        _checked_value(node.value, target, node)
    return node.parent


def _too_deep() -> str:
    return _("The tree is limited to %(depth)d levels. Choose a place higher up.") % {"depth": node_keys.MAX_DEPTH}


def _insert(actor: Actor, write: TreeWrite, parent: Node, value: str, node_id: UUID | None) -> Node:
    if node_keys.depth_of(parent.key) >= node_keys.MAX_DEPTH:
        raise NodeRefused(_too_deep())
    if node_id is not None and Node.objects.filter(pk=node_id).exists():
        raise NodeRefused(_("A node with this id already exists. Choose another id."))
    node = Node(
        id=node_id or new_id(),
        org_id=parent.org_id,
        key=_take_child_key(parent),
        value=value,
        full_value=_joined(parent.full_value, value),
        parent=parent,
        created_by=actor.label,
    )
    node.save(force_insert=True)
    above = NodePath.objects.filter(descendant=parent).values_list("ancestor_id", flat=True)
    NodePath.objects.bulk_create(
        [NodePath(ancestor_id=ancestor, descendant=node) for ancestor in [*above, node.pk]], batch_size=_BATCH
    )
    write.touch(TreeChangeKind.NODE, [parent.pk, node.pk])
    return node


def _above(node: Node) -> frozenset[UUID]:
    """The ids of the node and of all nodes above it."""
    return frozenset(NodePath.objects.filter(descendant=node).values_list("ancestor_id", flat=True))


def _rehang_closure(node: Node, target: Node) -> None:
    """Delete closure rows from outside the subtree into it, and link the subtree to the ancestors of `target`."""
    below = list(NodePath.objects.filter(ancestor=node).values_list("descendant_id", flat=True))
    NodePath.objects.filter(descendant__in=below).exclude(ancestor__in=below).delete()
    with connection.cursor() as cursor:
        cursor.execute(_JOIN_CLOSURES, [as_stored(target.pk, connection), as_stored(node.pk, connection)])


def _rewrite_subtree(top: Node, *, parent: Node | None, key: str | None = None) -> None:
    """Recompute keys and full values of `top` and its subtree from `parent`, `key` and the names."""
    old_key, new_key = top.key, key or top.key
    new_path = _joined(parent.full_value if parent else "", top.value)
    rows = list(Node.objects.filter(paths_up__ancestor=top))
    rows.sort(key=lambda row: node_keys.sort_key(row.key))
    paths = {top.pk: new_path}
    for row in rows:
        row.key = node_keys.rebased(row.key, old_key, new_key)
        if row.pk != top.pk:
            paths[row.pk] = _joined(paths[row.parent_id], row.value)
        row.full_value = paths[row.pk]
        if node_keys.depth_of(row.key) > node_keys.MAX_DEPTH or len(row.key) > node_keys.MAX_KEY_LENGTH:
            raise NodeRefused(_too_deep())
    row_writes.change(rows, ["key", "full_value"])
    top.key, top.full_value = new_key, new_path


def _joined(parent_path: str, value: str) -> str:
    path = f"{parent_path}/{value}"
    if len(path) > _MAX_FULL_VALUE:
        raise NodeRefused(_("The path of the node would be too long. Use shorter names or fewer levels."))
    return path


def _checked_value(value: str, parent: Node, itself: Node | None) -> str:
    name = value.strip()
    if not name or len(name) > _MAX_VALUE or "/" in name or not name.isprintable():
        raise NodeValueRefused(
            _("A node name needs 1 to %(max)d characters and cannot contain a slash.") % {"max": _MAX_VALUE}
        )
    taken = Node.objects.filter(parent=parent, value=name)
    if itself is not None:
        taken = taken.exclude(pk=itself.pk)
    if taken.exists():
        raise NodeValueRefused(_("A node with this name already exists here. Choose another name."))
    return name


def _free_value(parent: Node) -> str:
    taken = set(Node.objects.filter(parent=parent).values_list("value", flat=True))
    number = 0
    while (name := _("New node %(number)d") % {"number": number}) in taken:
        number += 1
    return name


def _take_child_key(parent: Node) -> str:
    key = node_keys.child_key(parent.key, parent.next_child)
    parent.next_child += 1
    parent.save(update_fields=["next_child"])
    return key


def _next_root_key() -> str:
    # Lock the default organization's root, which always exists: organizations created at the same time get their root
    # keys one after the other.
    list(
        Node.objects.select_for_update(no_key=True).filter(org_id=DEFAULT_ORG_ID, parent__isnull=True).values_list("pk")
    )
    keys = Node.objects.filter(parent__isnull=True).values_list("key", flat=True)
    return str(max((int(key) for key in keys), default=0) + 1)


def _fresh(node: Node) -> Node:
    """The current row, locked."""
    fresh_node: Node | None = Node.objects.select_related("parent").filter(pk=node.pk, org_id=node.org_id).first()
    if fresh_node is None:
        raise NodeNotFound(_("The node was not found. It may have been deleted; reload the tree."))
    return fresh_node
