"""Writes of plain rows together with their audit records.

    SITES = RecordedRows(Site, gone=("name", "city"), lists={"assets": "hostname"})

    SITES.create(actor=actor, org_id=org_id, values={"name": "north", "assets": [asset]})
    SITES.update(actor=actor, row=site, values={"city": "Bern"})
    SITES.delete(actor=actor, row=site)

A resource whose writes do more has its own functions in `actions.py`. These call `assign`, `replace_list` and `delete_row`.
Values are recorded unchanged: a table with a secret column needs its own functions.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, Generic, NamedTuple, TypeVar
from uuid import UUID

from django.db import models, transaction

from postern.apps.audits import facade as audits
from postern.foundation.caller.actor import Actor
from postern.foundation.database import row_locks

#: A record names at most this many objects of a list. For a longer list it names the changed objects and the total.
MAX_NAMES: Final = 50

Row = TypeVar("Row", bound=models.Model)


class Diff(NamedTuple):
    """Values that a write changes, before and after."""

    old: dict[str, Any]
    new: dict[str, Any]


def assign(row: models.Model, values: Mapping[str, Any]) -> Diff:
    """Set the columns whose values differ; returns their old and new values. Does not save the row."""
    old = {name: getattr(row, name) for name, value in values.items() if getattr(row, name) != value}
    new = {name: values[name] for name in old}
    for name, value in new.items():
        setattr(row, name, value)
    return Diff(old, new)


def shortened(names: Collection[str], besides: Collection[str] = ()) -> list[str]:
    """Names for a record: all names of a short list; for a long list, those missing from `besides` and the total."""
    if len(names) <= MAX_NAMES:
        return sorted(names)
    return [*sorted(set(names) - set(besides))[:MAX_NAMES], f"… ({len(names)})"]


def names_in(row: models.Model, relation: str, column: str) -> set[str]:
    """The values of `column` of the related objects."""
    return set(getattr(row, relation).values_list(column, flat=True))


def replace_list(row: Any, relation: str, objects: Sequence[Any], column: str) -> tuple[list[str], list[str]]:
    """Set a many-to-many relation to exactly `objects`; returns the names before and after for the record.

    Objects of another organization than the row's are left out (K68: rows refer to their own organization only).
    """
    before = names_in(row, relation, column)
    getattr(row, relation).set([other for other in objects if other.org_id == row.org_id])
    after = names_in(row, relation, column)
    return shortened(before, besides=after), shortened(after, besides=before)


def delete_row(*, actor: Actor, row: models.Model, old: Mapping[str, Any], event: audits.Event | None = None) -> None:
    """Delete a row and append its audit record, in the caller's transaction.

    The record follows the deletion, because every write takes the lock of the audit chain last. The row object keeps
    its key.
    """
    key = row.pk
    row.delete()
    row.pk = key
    audits.record_change(actor=actor, action="delete", target=row, old=old, event=event)


class RecordedRows(Generic[Row]):
    """Writes for a table that belongs to organizations and has only columns and lists of other objects.

    `lists`: many-to-many relation → column that names its objects in the record. `gone`: columns that are recorded when
    a row is deleted.
    """

    def __init__(self, model: type[Row], *, gone: Sequence[str], lists: Mapping[str, str] | None = None) -> None:
        self._model = model
        self._gone = tuple(gone)
        self.lists: Final = dict(lists or {})

    def hold(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        """Lock the rows, then the current and the requested objects of their lists, by the rules of `row_locks`."""
        keys = [row.pk for row in rows]
        row_locks.lock(self._model, keys, deleting=deleting)
        for relation in self.lists:
            named = [other.pk for item in values for other in item.get(relation) or ()]
            other_model, present = self._listed(relation, keys)
            row_locks.share(other_model, present, required=named)

    def _listed(self, relation: str, keys: Collection[Any]) -> tuple[type[models.Model], Collection[Any]]:
        """The model of a list, and the keys of the objects that the lists of these rows contain now."""
        field: Any = self._model._meta.get_field(relation)  # noqa: SLF001 - the documented model API
        if field.auto_created:  # the relation is declared by the other model
            through, own, other = field.through, field.field.m2m_reverse_field_name(), field.field.m2m_field_name()
        else:
            through, own, other = (
                field.remote_field.through,
                field.m2m_field_name(),
                field.m2m_reverse_field_name(),
            )
        links = through.objects.filter(**{f"{own}_id__in": keys}).order_by()
        return field.related_model, links.values_list(f"{other}_id", flat=True)

    @transaction.atomic
    def create(self, *, actor: Actor, org_id: UUID, values: Mapping[str, Any]) -> Row:
        """Insert a row. `values`: columns, and a list of objects for each of the lists."""
        columns = self._columns(values)
        row = self._model(org_id=org_id, created_by=actor.label, **columns)
        row.save(force_insert=True)
        recorded = dict(columns)
        for relation, column in self.lists.items():
            if values.get(relation):
                _, recorded[relation] = replace_list(row, relation, values[relation], column)
        audits.record_change(actor=actor, action="create", target=row, new=recorded)
        return row

    @transaction.atomic
    def update(self, *, actor: Actor, row: Row, values: Mapping[str, Any]) -> Row:
        """Change the given values; a given list replaces the current list. Without a change there is no record."""
        rows = self._model._default_manager.select_for_update(no_key=True)  # noqa: SLF001 - the documented model API
        current = rows.get(pk=row.pk)
        old, new = assign(current, self._columns(values))
        if new:
            current.save()
        for relation, column in self.lists.items():
            if values.get(relation) is None:
                continue
            before, after = replace_list(current, relation, values[relation], column)
            if before != after:
                old[relation], new[relation] = before, after
        if new:
            audits.record_change(actor=actor, action="update", target=current, old=old, new=new)
        return current

    @transaction.atomic
    def delete(self, *, actor: Actor, row: Row) -> None:
        """Delete a row. The objects of its lists stay."""
        old = {name: getattr(row, name) for name in self._gone}
        old |= {relation: shortened(names_in(row, relation, column)) for relation, column in self.lists.items()}
        delete_row(actor=actor, row=row, old=old)

    def _columns(self, values: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in values.items() if name not in self.lists}
