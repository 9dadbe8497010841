"""Audit records of exports. The foundation imports no app, so the audits app provides the recorder.

Without a recorder nothing can be exported: every export is on record.
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
    """An export by a person: the resource, the number of rows, and the query parameters of the request."""

    actor: Actor
    scope: OrgScope
    resource: str  # model name, as in the other rows of the audit log
    rows: int
    kind: str  # "export"; "import" or "update" for templates
    file_format: str
    query: Mapping[str, Any]


#: Writes an export into the audit log; runs in a transaction.
RECORDER: Final = Provided[Callable[[Export], None]]("the recorder of exports")


def record(export: Export) -> None:
    """Write the export into the audit log."""
    recorder = RECORDER.value
    with transaction.atomic():
        recorder(export)
