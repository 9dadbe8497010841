"""All tables whose rows belong to the chain of a session. A new one is added here, and its columns are listed in its own folder."""

from typing import Any, Final

from django.db import models

from postern.apps.sessions.commands.evidence import COMMANDS
from postern.apps.sessions.sessions.evidence import REFUSALS, Covered
from postern.apps.sessions.transfers.evidence import TRANSFERS, TRANSFERS_BEGUN

#: Tables whose rows belong to the chain of a session.
ROWS: Final = (COMMANDS, TRANSFERS, REFUSALS)
#: Everything that has a place in the chain of a session.
PLACES: Final = (*ROWS, TRANSFERS_BEGUN)


def unproven(covered: Covered) -> models.QuerySet[Any]:
    """Rows that have no place in a chain and ought to have one."""
    rows = covered.model._default_manager.filter(number__isnull=True)  # noqa: SLF001 - the documented model API
    if covered is TRANSFERS:
        return rows.exclude(begun_number__isnull=False, size=0, is_success=False, detail="")
    return rows
