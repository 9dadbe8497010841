"""The storages that terminals may name."""

from collections.abc import Collection
from typing import Final

from django.utils.translation import gettext as _

from postern.apps.sessions.storages.models import DEFAULT_NAME, CommandStorage, ReplayStorage, Storage
from postern.foundation.database import row_locks
from postern.kernel.errors import Conflict

#: Column of terminals → the table whose names it holds.
TABLES: Final[dict[str, type[Storage]]] = {"replay_storage": ReplayStorage, "command_storage": CommandStorage}


def names(column: str) -> list[str]:
    """The storages that a terminal may name. A storage that keeps nothing is not among them: what a person does on a
    host is recorded, or does not happen.
    """
    rows = TABLES[column]._default_manager.exclude(type="null").order_by("name", "pk")  # noqa: SLF001 - the documented model API
    return list(rows.values_list("name", flat=True))


def default_name(column: str) -> str:
    """The storage that a new terminal gets."""
    rows = TABLES[column]._default_manager.filter(is_default=True)  # noqa: SLF001 - the documented model API
    return rows.values_list("name", flat=True).first() or DEFAULT_NAME


def hold(column: str, wanted: Collection[str]) -> None:
    """Protect the named storages from deletion until the transaction ends, before a terminal names them. Raises Conflict
    when one was deleted or renamed meanwhile.
    """
    if not wanted:
        return
    rows = TABLES[column]._default_manager.filter(name__in=wanted)  # noqa: SLF001 - the documented model API
    row_locks.share(TABLES[column], list(rows.values_list("pk", flat=True)))
    if rows.count() != len(set(wanted)):
        raise Conflict(_("This storage was deleted or renamed. Reload the page and choose again."))
