"""What the rules of the tree refuse."""

from postern.kernel.errors import Conflict, NotFound, PosternError


class NodeRefused(PosternError):
    """A change of the tree that its rules forbid. Answered as `{"error": "…"}` (contract: nodes)."""

    code = "node_refused"

    @property
    def fields(self) -> dict[str, str]:
        return {"error": self.message}


class NodeNotEmpty(NodeRefused):
    """The root, or a node with something below it, is not deleted."""

    code = "node_not_empty"
    status = 403


class NodeValueRefused(PosternError):
    """The name is taken among the siblings, empty, too long or contains a slash."""

    code = "node_value"

    @property
    def fields(self) -> dict[str, list[str]]:
        return {"value": [self.message]}


class TreeBusy(Conflict):
    """Somebody else moved one of these objects meanwhile."""

    code = "tree_changed"


class NodeNotFound(NotFound):
    """No such node in the organization."""
