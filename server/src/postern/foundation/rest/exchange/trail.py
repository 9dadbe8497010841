"""The hook through which an export gets into the audit log: the foundation knows no app, so `audits` registers itself.

Without a registered recorder nothing is exported: what leaves the house is always on record.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from postern.foundation.actor import Actor
from postern.foundation.scope import OrgScope


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


Recorder = Callable[[Export], None]


class _Hook:
    recorder: Recorder | None = None


def register_recorder(recorder: Recorder) -> None:
    """Called once, by audits. The recorder runs in a transaction."""
    _Hook.recorder = staticmethod(recorder)


def record(export: Export) -> None:
    """Write the export into the audit log. Raises LookupError when nobody keeps one."""
    if _Hook.recorder is None:
        raise LookupError("no recorder of exports is registered")
    with transaction.atomic():
        _Hook.recorder(export)
