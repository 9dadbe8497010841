"""Bulk writes: all items or none, with each error at the position of its item.

A refused call is answered with an array as long as the array that was sent: `[{}, {"name": ["…"]}]`.

A viewset whose actions can write many objects with few queries implements `create_objects(items)`,
`update_objects(pairs)` and `delete_objects(rows)` beside the methods for a single object. Both forms must have the same
effects in the same order.

Locking row by row could deadlock two concurrent calls. So `begin` locks the rows of all items in one fixed order before
the first item is written (`row_locks`), and the audit log is written last (`write_transaction`).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from django.core.exceptions import ValidationError as ModelValidationError
from django.db import models
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError

from postern.foundation.database.write_transaction import write_transaction
from postern.foundation.rest import errors
from postern.foundation.rest.by_key import chosen
from postern.foundation.rest.uniqueness import GATHERED, Wanted, all_free

#: One bulk call is one transaction; more items would hold their locks for too long.
MAX_ITEMS: Final = 1_000

_Item = TypeVar("_Item")
_Made = TypeVar("_Made")


def refuse_too_many(items: Sequence[Any]) -> None:
    """Raise ValidationError when a call has more than `MAX_ITEMS` items."""
    if len(items) > MAX_ITEMS:
        raise ValidationError([_("At most %(count)d items can be written in one call.") % {"count": MAX_ITEMS}])


def checked_items(body: Any) -> list[dict[str, Any]]:
    """The items of a bulk update; each is an object with an id. Raises ValidationError."""
    if not isinstance(body, list):
        raise ValidationError([_("Expected a list of objects.")])
    refuse_too_many(body)
    if not all(isinstance(item, dict) for item in body):
        raise ValidationError(
            [{} if isinstance(item, dict) else {"non_field_errors": [_("Expected an object.")]} for item in body]
        )
    if any(_key_of(item) is None for item in body):
        raise ValidationError([["id or pk not in data"]])
    return body


def instances(rows: "models.QuerySet[Any]", items: Sequence[dict[str, Any]]) -> list[Any]:
    """The row of each item, in the order of the items, with one query. Raises ValidationError for unknown and duplicate
    ids.
    """
    column: Any = rows.model._meta.pk  # noqa: SLF001 - the documented model API
    keys = [_parsed(column, _key_of(item)) for item in items]
    rows_by_key = by_key(rows, [key for key in keys if key is not None])
    item_errors: list[dict[str, Any]] = []
    seen: set[Any] = set()
    for key in keys:
        if key not in rows_by_key:
            item_errors.append({"id": [_("Not found.")]})
        elif key in seen:
            item_errors.append({"id": [_("This object appears more than once in the request.")]})
        else:
            item_errors.append({})
        seen.add(key)
    if any(item_errors):
        raise ValidationError(item_errors)
    return [rows_by_key[key] for key in keys]


def by_key(rows: "models.QuerySet[Any]", keys: Iterable[Any]) -> dict[Any, Any]:
    """The rows with these primary keys, by primary key."""
    return {row.pk: row for row in chosen(rows, keys).order_by()}


def checked_creates(make: Callable[..., Any], items: Sequence[Any]) -> list[dict[str, Any]]:
    """The validated values of new objects. `make` creates the view's serializer. Raises ValidationError with the errors
    of every item.
    """
    serializer, gathered = make(data=items, many=True), list[Wanted]()
    serializer.context[GATHERED] = gathered
    if not serializer.is_valid() or not all_free(gathered):
        # Validate again item by item, without collected unique checks, to get every error of every item.
        serializer = make(data=items, many=True)
        if not serializer.is_valid():
            raise ValidationError(_aligned(serializer.errors, len(items)))
    return [dict(values) for values in serializer.validated_data]


def checked_changes(
    make: Callable[..., Any], rows: Sequence[Any], items: Sequence[dict[str, Any]], *, partial: bool
) -> list[tuple[Any, dict[str, Any]]]:
    """Each row with its validated values. Raises ValidationError with the errors of every item."""
    if not rows:
        return []
    gathered: list[Wanted] = []
    serializer = make(rows[0], data=items[0], partial=partial)
    serializer.context[GATHERED] = gathered
    pairs, item_errors = _validated(serializer, rows, items)
    if any(item_errors) or not all_free(gathered):
        serializer = make(rows[0], data=items[0], partial=partial)
        pairs, item_errors = _validated(serializer, rows, items)
        if any(item_errors):
            raise ValidationError(item_errors)
    return pairs


def _validated(
    serializer: Any, rows: Sequence[Any], items: Sequence[dict[str, Any]]
) -> tuple[list[tuple[Any, dict[str, Any]]], list[Any]]:
    """Validate all items with one serializer: building its fields takes longer than checking an item.

    That is safe because the fields depend on the request only.
    """
    pairs: list[tuple[Any, dict[str, Any]]] = []
    item_errors: list[Any] = []
    for row, item in zip(rows, items, strict=True):
        serializer.instance, serializer.initial_data = row, item
        try:
            pairs.append((row, dict(serializer.run_validation(item))))
            item_errors.append({})
        except ValidationError as error:
            item_errors.append(error.detail)
    return pairs, item_errors


def _aligned(errors: Any, count: int) -> Any:
    """Errors of an array in the shape of the API contract: one entry for each item, `{}` for a valid item."""
    by_index = isinstance(errors, dict) and all(isinstance(key, int) for key in errors)
    return [errors.get(index, {}) for index in range(count)] if by_index else errors


def write_all(
    items: Sequence[_Item],
    write: Callable[[_Item], _Made],
    together: Callable[[Sequence[_Item]], list[_Made]] | None = None,
    *,
    begin: Callable[[], object],
) -> list[_Made]:
    """Write each item in one transaction. An invalid item rolls back all of them, and the error says which item it was.

    `begin` runs first in the transaction. `together` writes all items with few queries. When `together` is refused, its
    transaction is rolled back and `write` retries item by item to find the invalid item.
    """
    if together is not None and len(items) > 1:
        try:
            with write_transaction():
                begin()
                return together(items)
        except Exception as error:  # only errors that become a 400 are refusals; others propagate
            if errors.fields_of(error) is None:
                raise
    with write_transaction():
        begin()
        with _errors_by_item(items) as done:
            for item in items:
                done.append(write(item))
    return done


def prepare_all(items: Sequence[_Item], prepare: Callable[[_Item], _Item]) -> list[_Item]:
    """Prepare each item before the transaction that writes them. An invalid item refuses the call, and the error says
    which item.
    """
    with _errors_by_item(items) as done:
        for item in items:
            done.append(prepare(item))
    return done


@contextmanager
def _errors_by_item(items: Sequence[Any]) -> Iterator[list[Any]]:
    """Yield the list that collects the results. A refusal becomes an array of errors as long as `items`, with the error
    at the position of the item that was being written.
    """
    done: list[Any] = []
    try:
        yield done
    except Exception as error:  # only errors that become a 400 are refusals; others propagate
        fault = errors.fields_of(error)
        if fault is None:
            raise
        raise ValidationError([fault if place == len(done) else {} for place in range(len(items))]) from error


def delete_all(
    delete: Callable[[Any], None],
    together: Callable[[Sequence[Any]], None] | None = None,
    *,
    begin: Callable[[], Sequence[Any]],
) -> None:
    """Delete the rows that `begin` returns, in one transaction. The first row that cannot be deleted refuses the call
    with its error.

    `together` deletes all rows with few queries; it works as in `write_all`.
    """
    if together is not None:
        try:
            with write_transaction():
                together(begin())
        except Exception as error:  # as in `write_all`
            if errors.fields_of(error) is None:
                raise
        else:
            return
    with write_transaction():
        for row in begin():
            delete(row)


def key_of_row(column: Any, item: dict[str, Any]) -> Any:
    """The primary key that an item names; None when it names none, or a key that no row can have."""
    return _parsed(column, _key_of(item))


def _key_of(item: dict[str, Any]) -> Any:
    return item.get("id", item.get("pk"))


def _parsed(column: Any, key: Any) -> Any:
    """The key converted to the column's Python type; None when no row can have such a key."""
    if not isinstance(key, str | int) or isinstance(key, bool):
        return None
    try:
        parsed = column.to_python(key)
        column.run_validators(parsed)  # refuses numbers outside the range of the column
    except (ModelValidationError, ValueError, OverflowError):
        return None
    return parsed
