"""`POST {list}?dry_run=1` and `PUT {list}?dry_run=1`: what a write of these rows would do, without writing them.

Each row is validated and written by the code of the real write, in a transaction that is always rolled back. So no row,
audit record, event or message stays: all of them are stored in that transaction or sent after its commit. What would be
written outside of the database is left out (`trial`).

A check is the same action of the same view as the write, so it needs the same right (and the same second factor and
licence). `refuse_elsewhere` refuses the parameter wherever it has no meaning, because a client that asks for a check
must never write.

The answer has one entry for each row, in the order of the rows. Rows do not see each other. A client finds duplicates
in its file by comparing `unique`.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeVar, cast

from django.core.exceptions import ValidationError as ModelValidationError
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from postern.foundation.database.trial import undone
from postern.foundation.rest import bulk, errors, rights
from postern.foundation.rest.exchange import corrections, fields

PARAMETER: Final = "dry_run"
#: The actions that a check can try, which are those of an import.
_ACTIONS: Final = frozenset({"create", "bulk_update"})
#: Columns that no user set, although they belong to a unique constraint.
_OWN_COLUMNS: Final = frozenset({"org_id"})

_Action = TypeVar("_Action", bound=Callable[..., Any])
Values = dict[str, Any]
Outcome = dict[str, Any]


def is_asked(request: Request) -> bool:
    """Whether the request asks for a check in place of a write."""
    return PARAMETER in request.query_params


def makes_checks(action: _Action) -> _Action:
    """Mark an action of the kit that answers a check in place of writing. A view that overrides it loses the mark."""
    action.makes_checks = True  # type: ignore[attr-defined]  # read by `refuse_elsewhere`
    return action


def can_be_asked(view: Any) -> bool:
    """Whether the current action of the view can be checked: those of an import, as the kit makes them."""
    action = getattr(view, "action", None) or ""
    is_kit = action in _ACTIONS and getattr(getattr(type(view), action, None), "makes_checks", False)
    return is_kit and bool(getattr(view, "importable", False))


def refuse_elsewhere(view: Any, request: Request) -> None:
    """Raise ValidationError when a request asks for a check where the view would write."""
    action = getattr(view, "action", None) or ""
    if not is_asked(request) or (request.method in SAFE_METHODS and action not in view.acts_on_get):
        return
    if not can_be_asked(view) or request.query_params[PARAMETER] != "1":
        raise ValidationError({PARAMETER: [_("This call cannot be tried without writing.")]})


def of_creates(view: Any, items: Any) -> list[Outcome]:
    """What creating these rows would do."""
    items = _items(items)
    if not items:
        return []
    serializer = view.get_serializer(data=items[0])
    work = _Work(view, serializer, items)
    values: dict[int, Values] = {}
    for place, item in enumerate(items):
        with work.judging(place):
            values[place] = view.prepare_create(_validated(serializer, None, item))
    view.in_bulk = True

    def together(places: Sequence[int]) -> list[Any]:
        wanted = [values[place] for place in places]
        view.begin_write((), wanted)
        many: Callable[[Sequence[Values]], list[Any]] | None = getattr(view, "create_objects", None)
        return many(wanted) if many is not None else [view.create_object(item) for item in wanted]

    def note(places: Sequence[int], made: Sequence[Any]) -> None:
        for place, row in zip(places, made, strict=True):
            work.outcomes[place] = {"outcome": "create", "unique": _unique_values(row, items[place])}

    work.write(list(values), together, note)
    return work.outcomes


def of_changes(view: Any, items: Any) -> list[Outcome]:
    """What changing the rows that these items name would do."""
    items = _items(items)
    if not items:
        return []
    rows = _rows(view, items)
    shown_before = _shown(view, list({row.pk: row for row in rows.values()}.values()))
    serializer: Any = None
    work = _Work(view, None, items)
    pairs: dict[int, tuple[Any, Values]] = {}
    for place, item in enumerate(items):
        row = rows.get(place)
        if row is None:
            work.outcomes[place] = _refused({"id": [_("Not found.")]})
            continue
        if serializer is None:
            serializer = work.serializer = view.get_serializer(row, data=item)
        with work.judging(place):
            view.check_object_permissions(view.request, row)
            pairs[place] = row, view.prepare_update(row, _validated(serializer, row, item))
    view.in_bulk = True

    def together(places: Sequence[int]) -> list[Any]:
        wanted = [pairs[place] for place in places]
        view.begin_write([row for row, _values in wanted], [values for _row, values in wanted])
        many: Callable[[Sequence[Any]], list[Any]] | None = getattr(view, "update_objects", None)
        return many(wanted) if many is not None else [view.update_object(*pair) for pair in wanted]

    def note(places: Sequence[int], changed: Sequence[Any]) -> None:
        del changed
        keys = [pairs[place][0].pk for place in places]
        reloaded = bulk.by_key(view.get_queryset().prefetch_related(None), keys)
        work.note_changed(places, [reloaded.get(key) for key in keys], shown_before)

    # Two changes of one row in one call would see each other.
    first = list({pairs[place][0].pk: place for place in reversed(pairs)}.values())
    work.write(sorted(first), together, note)
    for place in sorted(set(pairs) - set(first)):
        work.write([place], together, note)
    return work.outcomes


def _items(body: Any) -> list[Any]:
    if not isinstance(body, list):
        raise ValidationError([_("Expected a list of objects.")])
    bulk.refuse_too_many(body)
    return body


def _rows(view: Any, items: Sequence[Any]) -> dict[int, Any]:
    """The visible row of each item, by the place of the item."""
    column: Any = view.get_queryset().model._meta.pk  # noqa: SLF001 - the documented model API
    keys = {
        place: key
        for place, item in enumerate(items)
        if isinstance(item, dict) and (key := bulk.key_of_row(column, item)) is not None
    }
    visible = view.filter_queryset(view.get_queryset()).prefetch_related(None)
    rows = bulk.by_key(visible, set(keys.values()))
    return {place: rows[key] for place, key in keys.items() if key in rows}


def _validated(serializer: Any, row: Any, item: Any) -> Values:
    """One serializer for all items, as in a bulk write: its fields depend on the request only."""
    serializer.instance, serializer.initial_data = row, item
    return dict(serializer.run_validation(item))


def _shown(view: Any, rows: list[Any]) -> dict[Any, dict[str, Any]]:
    """Primary key → the values of the fields that an import can change, with names in place of ids."""
    if not rows:
        return {}
    view.completed(rows)
    serializer = fields.for_writing(view, "update", rows)
    names = fields.writable(view, serializer, with_id=False)
    shown = [dict(serializer.to_representation(row)) for row in rows]
    for name in names:
        fields.put_names(serializer.fields[name], name, shown)
    return {row.pk: {name: values.get(name) for name in names} for row, values in zip(rows, shown, strict=True)}


class _Work:
    """The outcomes of the rows of one call."""

    def __init__(self, view: Any, serializer: Any, items: Sequence[Any]) -> None:
        self._view = view
        self.serializer = serializer
        self._items = items
        self._closest = corrections.Corrections()
        self.outcomes: list[Outcome] = [{} for _item in items]

    @contextmanager
    def judging(self, place: int) -> Iterator[None]:
        """Turn an error inside the block into the outcome of this row. Errors that concern the whole call propagate."""
        try:
            yield
        except Exception as error:
            field_errors = errors.of_item(error)
            if field_errors is None:
                raise
            self.outcomes[place] = self._explained(field_errors, self._items[place])

    def write(
        self,
        places: Sequence[int],
        together: Callable[[Sequence[int]], list[Any]],
        note: Callable[[Sequence[int], list[Any]], None],
    ) -> None:
        """Write the rows at these places and roll back. If they are refused together, try each of them alone."""
        if len(places) > 1:
            try:
                with undone():
                    note(places, together(places))
            except Exception as error:  # only errors about rows are refusals; others propagate
                if errors.of_item(error) is None:
                    raise
            else:
                return
        for place in places:
            with self.judging(place), undone():
                note([place], together([place]))

    def note_changed(
        self, places: Sequence[int], changed: Sequence[Any], shown_before: Mapping[Any, dict[str, Any]]
    ) -> None:
        shown_after = _shown(self._view, [row for row in changed if row is not None])
        for place, row in zip(places, changed, strict=True):
            if row is None:  # the change hides the row from the caller
                self.outcomes[place] = {"outcome": "update", "unique": [], "changes": {}}
                continue
            changes: dict[str, Any] = {
                name: {"before": value, "after": shown_after[row.pk].get(name)}
                for name, value in shown_before[row.pk].items()
                if value != shown_after[row.pk].get(name)
            }
            changes |= self._secrets(self._items[place])
            unique = [*_unique_values(row, self._items[place]), _unique_value(row, ("id",), ("pk",))]
            self.outcomes[place] = {"outcome": "update", "id": str(row.pk), "unique": unique, "changes": changes}

    def _secrets(self, item: Mapping[str, Any]) -> dict[str, Any]:
        """Values that no answer shows (K5: secrets are write-only). They are named, because they are replaced."""
        known = self.serializer.fields
        return {name: {"is_secret": True} for name in item if name in known and known[name].write_only}

    def _explained(self, found: dict[str, Any], item: Any) -> Outcome:
        outcome = _refused(found)
        if not isinstance(item, dict):
            return outcome
        outcome["corrections"] = self._closest.of(self.serializer, item, found)
        owner = self._owner(found, item)
        if owner is not None:
            outcome["taken_by"] = {"id": str(owner.pk), "name": str(owner)}
        return outcome

    def _owner(self, found: dict[str, Any], item: Mapping[str, Any]) -> Any:
        """The visible row that has the unique values of the item, if the caller may change it."""
        view = self._view
        taken = _taken_fields(found)
        right = rights.declared(view, "PUT", "bulk_update")
        # With other errors beside, an update of that object would be refused as well.
        if not taken or len(taken) < len(found) or not hasattr(view, "bulk_update") or right is None:
            return None
        if not rights.holds(right, view.actor, view.scope):
            return None
        exact, similar = Q(), Q()
        for name in taken:
            field = self.serializer.fields.get(name)
            if field is None or "." in (field.source or "."):
                return None
            try:
                value = field.to_internal_value(item.get(name))
            except (ValidationError, ModelValidationError, TypeError, ValueError):
                return None
            exact &= Q((field.source, value))
            similar &= Q((f"{field.source}__iexact", value)) if isinstance(value, str) else Q((field.source, value))
        for condition in (exact, similar):
            rows = list(view.get_queryset().prefetch_related(None).filter(condition)[:2])
            if len(rows) == 1:
                return rows[0]
        return None


def _refused(found: dict[str, Any]) -> Outcome:
    return {"outcome": "refused", "errors": found}


def _taken_fields(found: Mapping[str, Any]) -> list[str]:
    """The fields with the error that another row has their value."""
    text = _("This field must be unique.")
    return [
        name
        for name, details in found.items()
        if isinstance(details, list)
        and any(getattr(detail, "code", None) == "unique" or str(detail) == text for detail in details)
    ]


def _unique_values(row: Any, item: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What no second row may have: for each unique constraint its fields, and a digest of their values.

    Constraints without a column that the item sets are left out: the server chooses free values for those. A digest
    keeps the answer small and gives away nothing.
    """
    if not isinstance(row, models.Model):
        return []
    meta = row._meta  # noqa: SLF001 - the documented model API
    groups = [tuple(constraint.fields) for constraint in meta.total_unique_constraints]
    groups += [(column.name,) for column in meta.concrete_fields if column.unique and not column.primary_key]
    groups += [tuple(names) for names in meta.unique_together]
    conflicts = []
    for names in dict.fromkeys(groups):
        columns = [cast("Any", meta.get_field(name)).attname for name in names]
        shown = tuple(errors.shown_name(name) for name in names if name not in _OWN_COLUMNS)
        if any(name in item for name in shown) and all(getattr(row, column) is not None for column in columns):
            conflicts.append(_unique_value(row, shown, columns))
    return conflicts


def _unique_value(row: Any, shown: Sequence[str], columns: Sequence[str]) -> dict[str, Any]:
    text = json.dumps([shown, *(str(getattr(row, column)) for column in columns)])
    return {"fields": list(shown), "value": hashlib.sha256(text.encode()).hexdigest()[:32]}
