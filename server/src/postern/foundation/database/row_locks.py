"""Row locks that keep two writes from waiting for each other in a circle. PostgreSQL only: SQLite has one writer.

Rules of all writes:

1. The row that is written comes first, then what it refers to, each kind with one query in the order of its keys.
2. Whoever deletes a row locks it before anything that hangs on it: references are made under `share`, which waits for that lock.
3. The chain of the audit log comes last (`write_transaction`).
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from django.db import connection, models

#: Keys in one query; SQLite binds a limited number of values.
_SET: Final = 1_000


def lock(model: type[models.Model], keys: Iterable[Any], *, deleting: bool = False) -> None:
    """Lock the rows with these keys until the transaction ends. Without `deleting` others may still refer to them."""
    wanted = set(keys)
    if wanted and connection.features.has_select_for_update:
        rows = model._base_manager.select_for_update(no_key=not deleting).filter(pk__in=wanted)  # noqa: SLF001 - the documented model API
        list(rows.order_by("pk").values_list("pk"))


def share(model: type[models.Model], keys: Iterable[Any], *, required: Iterable[Any] = ()) -> None:
    """Keep the rows with these keys from being deleted until the transaction ends; they may be changed.

    For rows that are about to be referred to: PostgreSQL takes this lock with each reference, but row by row. Raises the model's
    `DoesNotExist` when one of those that are `required` besides is gone.
    """
    needed = set(required)
    wanted = list(needed.union(keys))
    there = _shared(model, wanted) if connection.vendor == "postgresql" else still_there(model, list(needed))
    if not needed <= there:
        raise model.DoesNotExist(f"some of these are gone: {model.__name__}")  # type: ignore[attr-defined]  # each model has its own


def _shared(model: type[models.Model], wanted: list[Any]) -> set[Any]:
    if wanted:
        column: Any = model._meta.pk  # noqa: SLF001 - the documented model API
        quote = connection.ops.quote_name
        table, name = quote(model._meta.db_table), quote(column.column)  # noqa: SLF001 - the documented model API
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT {name} FROM {table} WHERE {name} = ANY(%s) ORDER BY {name} FOR KEY SHARE",  # noqa: S608 - names of our models
                [[column.get_db_prep_value(key, connection) for key in wanted]],
            )
            return {key for (key,) in cursor.fetchall()}
    return set()


def still_there(model: type[models.Model], keys: Sequence[Any]) -> set[Any]:
    """Which of these keys have a row now. To be asked under the lock."""
    rows = model._base_manager.order_by()  # noqa: SLF001 - the documented model API
    sets = (keys[start : start + _SET] for start in range(0, len(keys), _SET))
    return {key for some in sets for key in rows.filter(pk__in=some).values_list("pk", flat=True)}
