"""Writes of many objects with one call: all or nothing, and errors that stand where their item stands.

The answer to a refused call is an array as long as the one that was sent: `[{}, {"name": ["…"]}]`.

A viewset whose actions can write many objects with few queries says so with `create_objects(items)`, `update_objects(pairs)` and
`delete_objects(rows)` beside the forms for one. They mean exactly the same, in the same order.

Item after item would lock row after row: two such calls, or one beside a write of one object, would wait for each other in a circle. So
`begin` locks the rows of all items in one order before the first of them (`row_locks`), and the audit log comes last (`write_transaction`).
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

#: One bulk call is one transaction; more would hold locks for too long.
MAX_ITEMS: Final = 1_000

_Item = TypeVar("_Item")
_Made = TypeVar("_Made")


def refuse_too_many(items: Sequence[Any]) -> None:
    """Raise ValidationError when a call names more than is written at once."""
    if len(items) > MAX_ITEMS:
        raise ValidationError([_("At most %(count)d items can be written in one call.") % {"count": MAX_ITEMS}])


def checked_items(body: Any) -> list[dict[str, Any]]:
    """The objects of a bulk update, each with its id. Raises ValidationError."""
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
    """The row of each item, in their order, with one query. Raises ValidationError for unknown ids and for twins."""
    column: Any = rows.model._meta.pk  # noqa: SLF001 - the documented model API
    keys = [_parsed(column, _key_of(item)) for item in items]
    found = by_key(rows, [key for key in keys if key is not None])
    faults: list[dict[str, Any]] = []
    seen: set[Any] = set()
    for key in keys:
        if key not in found:
            faults.append({"id": [_("Not found.")]})
        elif key in seen:
            faults.append({"id": [_("This object is named more than once.")]})
        else:
            faults.append({})
        seen.add(key)
    if any(faults):
        raise ValidationError(faults)
    return [found[key] for key in keys]


def by_key(rows: "models.QuerySet[Any]", keys: Iterable[Any]) -> dict[Any, Any]:
    """The rows with these keys."""
    return {row.pk: row for row in chosen(rows, keys).order_by()}


def checked_creates(make: Callable[..., Any], items: Sequence[Any]) -> list[dict[str, Any]]:
    """The validated values of new objects. `make` makes the serializer of the view. Raises ValidationError for all that is wrong."""
    serializer, gathered = make(data=items, many=True), list[Wanted]()
    serializer.context[GATHERED] = gathered
    if not serializer.is_valid() or not all_free(gathered):
        # Once more in the usual way, which says all that is wrong with each item
        serializer = make(data=items, many=True)
        if not serializer.is_valid():
            raise ValidationError(_aligned(serializer.errors, len(items)))
    return [dict(values) for values in serializer.validated_data]


def checked_changes(
    make: Callable[..., Any], rows: Sequence[Any], items: Sequence[dict[str, Any]], *, partial: bool
) -> list[tuple[Any, dict[str, Any]]]:
    """Each row with its validated values. Raises ValidationError for all that is wrong."""
    if not rows:
        return []
    gathered: list[Wanted] = []
    serializer = make(rows[0], data=items[0], partial=partial)
    serializer.context[GATHERED] = gathered
    found, faults = _validated(serializer, rows, items)
    if any(faults) or not all_free(gathered):
        serializer = make(rows[0], data=items[0], partial=partial)
        found, faults = _validated(serializer, rows, items)
        if any(faults):
            raise ValidationError(faults)
    return found


def _validated(
    serializer: Any, rows: Sequence[Any], items: Sequence[dict[str, Any]]
) -> tuple[list[tuple[Any, dict[str, Any]]], list[Any]]:
    """One serializer for all: making its fields takes longer than checking an item. Its fields depend on the request only."""
    found: list[tuple[Any, dict[str, Any]]] = []
    faults: list[Any] = []
    for row, item in zip(rows, items, strict=True):
        serializer.instance, serializer.initial_data = row, item
        try:
            found.append((row, dict(serializer.run_validation(item))))
            faults.append({})
        except ValidationError as error:
            faults.append(error.detail)
    return found, faults


def _aligned(errors: Any, count: int) -> Any:
    """Errors of an array as the contract wants them: one entry for each item, `{}` where it is fine."""
    by_index = isinstance(errors, dict) and all(isinstance(key, int) for key in errors)
    return [errors.get(index, {}) for index in range(count)] if by_index else errors


def write_all(
    items: Sequence[_Item],
    write: Callable[[_Item], _Made],
    together: Callable[[Sequence[_Item]], list[_Made]] | None = None,
    *,
    begin: Callable[[], object],
) -> list[_Made]:
    """Write each item, in one transaction. What refuses one refuses all, and the error names which.

    `begin` comes first in the transaction. `together` writes all items with few queries; when it is refused, nothing of it stays, and
    `write` retries item by item to find the invalid one.
    """
    if together is not None and len(items) > 1:
        try:
            with write_transaction():
                begin()
                return together(items)
        except Exception as error:  # only what an answer can tell is a refusal; the rest goes on
            if errors.fields_of(error) is None:
                raise
    with write_transaction():
        begin()
        with _faults_by_item(items) as done:
            for item in items:
                done.append(write(item))
    return done


def prepare_all(items: Sequence[_Item], prepare: Callable[[_Item], _Item]) -> list[_Item]:
    """Prepare each item, before the transaction that writes them. What refuses one refuses all, and the error names which."""
    with _faults_by_item(items) as done:
        for item in items:
            done.append(prepare(item))
    return done


@contextmanager
def _faults_by_item(items: Sequence[Any]) -> Iterator[list[Any]]:
    """Collects what was done with each item; a refusal of the one at work becomes an array of errors, as long as `items`."""
    done: list[Any] = []
    try:
        yield done
    except Exception as error:  # only what an answer can tell is a refusal; the rest goes on
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
    """Delete the rows that `begin` answers, in one transaction; the first that may not go refuses all, with its own error.

    `together` as above.
    """
    if together is not None:
        try:
            with write_transaction():
                together(begin())
        except Exception as error:  # as above
            if errors.fields_of(error) is None:
                raise
        else:
            return
    with write_transaction():
        for row in begin():
            delete(row)


def _key_of(item: dict[str, Any]) -> Any:
    return item.get("id", item.get("pk"))


def _parsed(column: Any, key: Any) -> Any:
    """The key as the database has it; None when it can be nobody's."""
    if not isinstance(key, str | int) or isinstance(key, bool):
        return None
    try:
        found = column.to_python(key)
        column.run_validators(found)  # a number that no key of this column can be
    except (ModelValidationError, ValueError, OverflowError):
        return None
    return found
