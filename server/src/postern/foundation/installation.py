"""What must exist in every installation (default organization, platforms, root node …), made after `migrate`.

An app registers a step in `AppConfig.ready`; steps are idempotent and run in the order of the stack, each time that
the tables have been migrated, and after a test emptied them.
"""

from collections.abc import Callable
from typing import Any

from django.db import connections
from django.db.migrations.executor import MigrationExecutor

_steps: list[Callable[[], None]] = []


def register(step: Callable[[], None]) -> None:
    """Run `step` after every migration. It must not change anything that already exists."""
    if step not in _steps:
        _steps.append(step)


def run_after_migrate(*, using: str = "default", **_: Any) -> None:
    """Receiver of `post_migrate`: does nothing while the tables are only partly migrated."""
    executor = MigrationExecutor(connections[using])
    if not executor.migration_plan(executor.loader.graph.leaf_nodes()):
        run()


def run() -> None:
    """Run all steps."""
    for step in _steps:
        step()
