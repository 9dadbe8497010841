"""Errors of tree writes."""

from postern.kernel.errors import Conflict, NotFound, PosternError


class NodeRefused(PosternError):
    """A change that the rules of the tree forbid. The response body is `{"error": "…"}` (contract: nodes)."""

    code = "node_refused"

    @property
    def fields(self) -> dict[str, str]:
        return {"error": self.message}


class NodeNotEmpty(NodeRefused):
    """The root node, or a node that contains nodes or assets, cannot be deleted."""

    code = "node_not_empty"
    status = 403


class NodeValueRefused(PosternError):
    """The name is used by a sibling, empty, too long or contains a slash."""

    code = "node_value"

    @property
    def fields(self) -> dict[str, list[str]]:
        return {"value": [self.message]}


class TreeBusy(Conflict):
    """Another request changed one of these objects at the same time."""

    code = "tree_changed"


class NodeNotFound(NotFound):
    """The organization has no such node."""
