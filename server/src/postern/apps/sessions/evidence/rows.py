"""All tables whose rows belong to a session's chain.

A new table is added here; its columns are listed in its own folder.
"""

from typing import Any, Final

from django.db import models

from postern.apps.sessions.commands.evidence import COMMANDS
from postern.apps.sessions.forwards.evidence import FORWARDS, FORWARDS_BEGUN
from postern.apps.sessions.sessions.evidence import REFUSALS, Covered
from postern.apps.sessions.transfers.evidence import TRANSFERS, TRANSFERS_BEGUN

#: Tables whose rows belong to a session's chain.
ROWS: Final = (COMMANDS, TRANSFERS, REFUSALS, FORWARDS)
#: Everything that has a position in a session's chain.
PLACES: Final = (*ROWS, TRANSFERS_BEGUN, FORWARDS_BEGUN)


def unproven(covered: Covered) -> models.QuerySet[Any]:
    """Rows that should have a position in a chain, but have none."""
    rows = covered.model._default_manager.filter(number__isnull=True)  # noqa: SLF001 - the documented model API
    if covered is TRANSFERS:
        return rows.exclude(begun_number__isnull=False, size=0, is_success=False, detail="", sha256="")
    if covered is FORWARDS:
        return rows.exclude(begun_number__isnull=False, bytes_in=0, bytes_out=0, duration_ms=0, reason="")
    return rows
