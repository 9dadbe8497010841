"""Background work of the assets app."""

from typing import Any, Final

from celery import shared_task

from postern.apps.assets.tree.upkeep import prune_changes

BEAT: Final[dict[str, dict[str, Any]]] = {
    "assets-prune-tree-changes": {"task": "postern.assets.prune_tree_changes", "schedule": 3600.0},
}


@shared_task(name="postern.assets.prune_tree_changes")  # type: ignore[untyped-decorator]  # celery has no types
def prune_tree_changes() -> int:
    """Delete entries of the change list that no index needs any more."""
    return prune_changes()
