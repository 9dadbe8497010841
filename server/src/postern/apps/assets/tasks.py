"""Background work of the assets app."""

from typing import Any, Final

from celery import shared_task

from postern.apps.assets.tree.upkeep import prune_changes

BEAT: Final[dict[str, dict[str, Any]]] = {
    "assets-prune-tree-changes": {"task": "postern.assets.prune_tree_changes", "schedule": 3600.0},
}


@shared_task(name="postern.assets.prune_tree_changes")  # type: ignore[untyped-decorator]  # celery has no types
def prune_tree_changes() -> int:
    """Drop what no index needs any more from the list of changes."""
    return prune_changes()
