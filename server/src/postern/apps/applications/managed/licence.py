"""Which applications need a licence. Remote apps are closed without a licence: not shown, not made, not changed
(S6-033).
"""

from collections.abc import Collection
from typing import Final

from django.db.models import QuerySet

from postern.apps.applications.kinds.declarations import DECLARATIONS, Category
from postern.apps.applications.managed.models import Application
from postern.foundation import licensing

#: Values of `category` and `type` that a request may not ask for without a licence.
LICENSED: Final = frozenset(
    name
    for kind, declaration in DECLARATIONS.items()
    if declaration.needs_licence
    for name in (kind, declaration.category.value)
)


def require_for(names: Collection[str]) -> None:
    """Raise LicenceRequired if one of these categories or types needs a licence, and there is none."""
    if LICENSED.intersection(names):
        licensing.require()


def open_rows(rows: "QuerySet[Application]") -> "QuerySet[Application]":
    """The rows that may be shown now."""
    return rows if licensing.is_open() else rows.exclude(category=Category.REMOTE_APP)
