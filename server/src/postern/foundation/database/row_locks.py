"""Row locks in a fixed order, so that two writes cannot deadlock. PostgreSQL only: SQLite allows one writer at a time.

Rules for all writes:

1. Lock the row to be written first, then the rows that it refers to; for each table use one query in the order of the
   keys.
2. To delete a row, lock it before its dependent rows. References are created under `share`, which waits for that lock.
3. Append to the chain of the audit log last (`write_transaction`).
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from django.db import connection, models

#: Keys per query, because SQLite limits the number of parameters.
_SET: Final = 1_000


def lock(model: type[models.Model], keys: Iterable[Any], *, deleting: bool = False) -> None:
    """Lock the rows with these keys until the transaction ends. Unless `deleting`, other writes may still refer to
    them.
    """
    wanted = set(keys)
    if wanted and connection.features.has_select_for_update:
        rows = model._base_manager.select_for_update(no_key=not deleting).filter(pk__in=wanted)  # noqa: SLF001 - the documented model API
        list(rows.order_by("pk").values_list("pk"))


def share(model: type[models.Model], keys: Iterable[Any], *, required: Iterable[Any] = ()) -> None:
    """Protect the rows with these keys from deletion until the transaction ends; other writes may still change them.

    For rows that are about to be referred to. PostgreSQL takes this lock by itself with each reference, but row by row.
    Raises the model's `DoesNotExist` when a row in `required` no longer exists.
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
    """The subset of these keys that have a row now. Call it while holding the lock."""
    rows = model._base_manager.order_by()  # noqa: SLF001 - the documented model API
    chunks = (keys[start : start + _SET] for start in range(0, len(keys), _SET))
    return {key for chunk in chunks for key in rows.filter(pk__in=chunk).values_list("pk", flat=True)}
