"""What must exist in every installation (default organization, platforms, root node …), made after `migrate`.

Apps provide the steps, which are idempotent, change nothing that exists, and run in the order of the stack: each time that the
tables have been migrated, and after a test emptied them.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from django.db import connections
from django.db.migrations.executor import MigrationExecutor

from postern.foundation.provided import Provided

STEPS: Final = Provided[Sequence[Callable[[], None]]]("what every installation has")


def run_after_migrate(*, using: str = "default", **_: Any) -> None:
    """Receiver of `post_migrate`: does nothing while the tables are only partly migrated."""
    executor = MigrationExecutor(connections[using])
    if not executor.migration_plan(executor.loader.graph.leaf_nodes()):
        run()


def run() -> None:
    """Run all steps."""
    for step in STEPS.value:
        step()
