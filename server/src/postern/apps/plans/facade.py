"""Public interface of access plans, for the command line."""

from postern.apps.plans.applying.actions import Plan, apply, export, plan, read_wish
from postern.apps.plans.applying.words import in_words
from postern.apps.plans.files.errors import FileRefused, FileUnreadable
from postern.apps.plans.files.items import MAX_BYTES
from postern.apps.plans.files.schema import schema

__all__ = [
    "MAX_BYTES",
    "FileRefused",
    "FileUnreadable",
    "Plan",
    "apply",
    "export",
    "in_words",
    "plan",
    "read_wish",
    "schema",
]
