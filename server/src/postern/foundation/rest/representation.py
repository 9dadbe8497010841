"""How a serializer shows many rows quickly: fields are built once for each class, and plain columns are read without detours.

What is shown is exactly what DRF would show; only the way there is shorter. DRF builds all fields anew for each request (some
5 ms for an asset) and asks every field of every row four questions, the answers to which are the same for all rows.
"""

import copy
from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final, NamedTuple

from django.db import models
from django.utils.translation import get_language
from rest_framework import serializers
from rest_framework.fields import SkipField
from rest_framework.relations import PKOnlyObject

Field = serializers.Field[Any, Any, Any, Any]


class _Column(NamedTuple):
    """One field of a row. `show` is left out for values of exactly `plain` type, which are their own representation."""

    name: str
    read: Callable[[Any], Any]
    show: Callable[[Any], Any]
    plain: type | None


#: Fields that show a value of this type as it is, by the function that does it.
_PLAIN: Final[dict[Any, type]] = {
    serializers.CharField.to_representation: str,
    serializers.IntegerField.to_representation: int,
    serializers.BooleanField.to_representation: bool,
}
#: These hold other fields, which know their parent: they are copied with all that hangs on them.
_HOLDERS: Final = (
    serializers.BaseSerializer,
    serializers.ListField,
    serializers.DictField,
)


class KeptFields(serializers.ModelSerializer[Any]):
    """Fields are worked out from model and `Meta` once for each class and language; every serializer gets copies of them."""

    def get_fields(self) -> dict[str, Field]:
        key = type(self), get_language()  # DRF leaves a label out that is its default in the present language
        kept = _kept_fields.get(key)
        if kept is None:
            kept = _kept_fields[key] = super().get_fields()
        return {name: _fresh(field) for name, field in kept.items()}


_kept_fields: dict[tuple[type, str | None], dict[str, Field]] = {}


def _fresh(field: Field) -> Field:
    """A copy that can be bound to a serializer of its own."""
    if isinstance(field, _HOLDERS):
        return copy.deepcopy(field)
    fresh: Any = copy.copy(field)
    if "validators" in vars(field):
        fresh.validators = list(field.validators)
    if isinstance(field, serializers.ManyRelatedField):
        fresh.child_relation = copy.copy(field.child_relation)
        fresh.child_relation.parent = fresh  # bound already, with the name that items of lists have
    return fresh  # type: ignore[no-any-return]  # a copy of a field is a field


class QuickRows(serializers.ModelSerializer[Any]):
    """`to_representation` with the questions that are the same for all rows asked once."""

    def to_representation(self, instance: Any) -> dict[str, Any]:
        meta_model: type[models.Model] = self.Meta.model
        columns: list[_Column] | None = getattr(self, "_columns", None)
        if columns is None:
            columns = self._columns = [
                _column(name, field, meta_model) for name, field in self.fields.items() if not field.write_only
            ]
        if not isinstance(instance, meta_model):  # a mapping, an annotated stand-in: DRF's own way
            return super().to_representation(instance)
        shown: dict[str, Any] = {}
        for name, read, show, plain in columns:
            try:
                value = read(instance)
            except SkipField:
                continue
            if value is None or (type(value) is PKOnlyObject and value.pk is None):
                shown[name] = None
            else:
                shown[name] = value if type(value) is plain else show(value)
        return shown

    _columns: list[_Column] | None = None


def _column(name: str, field: Field, model: type[models.Model]) -> _Column:
    show = field.to_representation
    plain = _PLAIN.get(getattr(type(field), "to_representation", None))
    read: Callable[[Any], Any] = field.get_attribute
    if type(field).get_attribute is serializers.Field.get_attribute and field.source in _columns_of(model):
        read = attrgetter(field.source)
    return _Column(name, read, show, plain)


def _columns_of(model: type[models.Model]) -> frozenset[str]:
    """Names under which a row holds a value of its own, not a relation."""
    found = _own_columns.get(model)
    if found is None:
        concrete = model._meta.concrete_fields  # noqa: SLF001 - the documented model API
        names = {column.attname for column in concrete}
        found = _own_columns[model] = frozenset(names)
    return found


_own_columns: dict[type[models.Model], frozenset[str]] = {}


def prefetched(row: models.Model, relation: str) -> Any:
    """The rows of a to-many relation, without a query or a manager when they have been read for the whole page."""
    for place in ("_page_relations", "_prefetched_objects_cache"):
        kept = getattr(row, place, None)
        if kept is not None and relation in kept:
            return kept[relation]
    return getattr(row, relation).all()
