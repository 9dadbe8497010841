"""Objects that every installation has (default organization, platforms, root node …), created after `migrate`.

Apps provide the steps. Steps are idempotent, change nothing that exists, and run in the order of the app stack: after
each migration, and after a test has emptied the tables.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from django.db import connections
from django.db.migrations.executor import MigrationExecutor

from postern.foundation.provided import Provided

STEPS: Final = Provided[Sequence[Callable[[], None]]]("what every installation has")


def run_after_migrate(*, using: str = "default", **_: Any) -> None:
    """Receiver of `post_migrate`. Does nothing until all migrations have been applied."""
    executor = MigrationExecutor(connections[using])
    if not executor.migration_plan(executor.loader.graph.leaf_nodes()):
        run()


def run() -> None:
    """Run all steps."""
    for step in STEPS.value:
        step()
