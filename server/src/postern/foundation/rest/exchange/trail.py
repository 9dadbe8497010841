"""How an export gets into the audit log: the foundation knows no app, so `audits` provides the recorder.

Without it nothing is exported: what leaves the house is always on record.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db import transaction

from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope
from postern.foundation.provided import Provided


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """One file that somebody took: of which resource, how many rows, and what he asked for (the query of the request)."""

    actor: Actor
    scope: OrgScope
    resource: str  # name of the model, as in the log's other rows
    rows: int
    kind: str  # "export", or "import" and "update" for templates
    file_format: str
    query: Mapping[str, Any]


#: Writes an export into the audit log; runs in a transaction.
RECORDER: Final = Provided[Callable[[Export], None]]("the recorder of exports")


def record(export: Export) -> None:
    """Write the export into the audit log."""
    recorder = RECORDER.value
    with transaction.atomic():
        recorder(export)
