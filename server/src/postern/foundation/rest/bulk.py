"""Writes of many objects with one call: all or nothing, and errors that stand where their item stands.

The answer to a refused call is an array as long as the one that was sent: `[{}, {"name": ["…"]}]`.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeVar

from django.core.exceptions import ValidationError as ModelValidationError
from django.db import models, transaction
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError

from postern.foundation.rest import errors

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
    return {row.pk: row for row in rows.filter(pk__in=list(keys)).order_by()}


def write_all(items: Sequence[_Item], write: Callable[[_Item], _Made]) -> list[_Made]:
    """Write each item, in one transaction. What refuses one refuses all, and the error names which."""
    at = 0

    def one(place: int, item: _Item) -> _Made:
        nonlocal at
        at = place
        return write(item)

    try:
        with transaction.atomic():
            return [one(place, item) for place, item in enumerate(items)]
    except Exception as error:
        fault = errors.fields_of(error)
        if fault is None:
            raise
        raise ValidationError([fault if place == at else {} for place in range(len(items))]) from error


def _key_of(item: dict[str, Any]) -> Any:
    return item.get("id", item.get("pk"))


def _parsed(column: Any, key: Any) -> Any:
    """The key as the database has it; None when it can be nobody's."""
    if not isinstance(key, str | int) or isinstance(key, bool):
        return None
    try:
        return column.to_python(key)
    except (ModelValidationError, ValueError, OverflowError):
        return None
