"""The nodes of an asset as a change of it names them."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError

from postern.apps.assets.models import Node
from postern.foundation.rest.viewsets import RowNotFound


def own_ids(org_id: UUID, nodes: Iterable[Node]) -> frozenset[UUID]:
    """The ids of the nodes. Raises RowNotFound for a node of another organization."""
    several = list(nodes)
    if any(node.org_id != org_id for node in several):
        raise RowNotFound(_("Not found."))
    return frozenset(node.pk for node in several)


class AssetNodes:
    """Reads each path of one request once."""

    def __init__(self) -> None:
        self._ends: dict[tuple[UUID, str], UUID] = {}

    def given(self, org_id: UUID, values: Mapping[str, Any]) -> frozenset[UUID] | None:
        """The nodes of the asset afterwards; None: as it is stored.

        Raises RowNotFound for a node of another organization, ValidationError for a path that has no root.
        """
        if values.get("nodes_display"):
            return frozenset(self._end(org_id, path) for path in values["nodes_display"])
        if "nodes" not in values:
            return None
        return own_ids(org_id, values["nodes"])

    def _end(self, org_id: UUID, path: str) -> UUID:
        """The last node on the path that exists; the real write creates the nodes below it, which no permission names."""
        key = (org_id, path)
        if key not in self._ends:
            parts = [part for text in path.split("/") if (part := text.strip())]
            paths = ["/" + "/".join(parts[:count]) for count in range(1, len(parts) + 1)]
            rows = Node.objects.filter(org_id=org_id, full_value__in=paths).values_list("full_value", "pk")
            node_ids: dict[str, UUID] = dict(rows)
            last = next((path for path in reversed(paths) if path in node_ids), None)
            if last is None:
                raise ValidationError({"nodes_display": [_("A node path starts with the name of the root node.")]})
            self._ends[key] = node_ids[last]
        return self._ends[key]
