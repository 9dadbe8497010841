"""The nodes of a tree with what it shows of them, read as columns."""

from dataclasses import dataclass
from functools import cache
from typing import Final
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import QuerySet

from postern.apps.assets.models import Node
from postern.apps.perms.granted.reach import Reach
from postern.foundation.database.prepared import PreparedQuery, as_stored

#: So many nodes are not named to the database: all nodes of the organizations are read.
_MANY_NODES: Final = 500


@dataclass(slots=True)
class ShownNode:
    """What a tree shows of a node."""

    pk: UUID
    key: str
    value: str
    org_id: UUID


def shown(nodes: QuerySet[Node]) -> list[ShownNode]:
    """These nodes, in the order of the queryset. A model object of each would take most of the time of a whole tree."""
    return [ShownNode(*row) for row in nodes.values_list("pk", "key", "value", "org_id")]


def visible(reach: Reach) -> list[ShownNode]:
    """All nodes of the tree."""
    if reach.indexed is None:
        return shown(reach.visible_nodes())
    wanted = reach.indexed.visible_nodes()
    if len(wanted) <= _MANY_NODES:
        return shown(Node.objects.filter(pk__in=wanted).order_by())
    database = connections[DEFAULT_DB_ALIAS]
    by_stored = {as_stored(node, database): node for node in wanted}
    return [
        ShownNode(by_stored[node], key, value, org_id)
        for org_id in reach.org_ids
        for node, key, value in _nodes_of().stored(org_id=org_id)
        if node in by_stored
    ]


@cache
def _nodes_of() -> PreparedQuery:
    """The nodes of an organization."""
    return PreparedQuery(
        lambda org_id: Node.objects.filter(org_id=org_id).order_by(),
        stand_ins={"org_id": UUID(int=1)},
        columns=("id", "key", "value"),
    )
