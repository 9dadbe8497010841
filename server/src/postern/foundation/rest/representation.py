"""How a serializer shows many rows quickly: fields are built once for each class, and plain columns are read without detours.

What is shown is exactly what DRF would show; only the way there is shorter. DRF builds all fields anew for each request (some
5 ms for an asset) and asks every field of every row four questions, the answers to which are the same for all rows.
"""

import copy
import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any, Final, NamedTuple, cast

from django.core.exceptions import ObjectDoesNotExist
from django.db import models
from django.utils.translation import get_language
from rest_framework import serializers
from rest_framework.fields import SkipField
from rest_framework.relations import PKOnlyObject

from postern.foundation.rest import labels
from postern.foundation.rest.formats import DISPLAY_FORMAT
from postern.foundation.rest.instants import InstantField

_INSTANT_FIELDS: Final = frozenset({serializers.DateTimeField, InstantField})

Field = serializers.Field[Any, Any, Any, Any]


class _Own(NamedTuple):
    """A field that shows a column of the row itself. Values of exactly `plain` type are their own representation."""

    name: str
    show: Callable[[Any], Any]
    plain: type | None


class _Other(NamedTuple):
    """Any other field: how it gets its value from the row, and how it shows that."""

    name: str
    read: Callable[[Any], Any]
    show: Callable[[Any], Any]


class _Plan(NamedTuple):
    """What is the same for all rows. `names` keeps the order of the fields; `fetch` gives the values of all `own` columns."""

    names: dict[str, None]
    fetch: Callable[[Any], tuple[Any, ...]]
    own: tuple[_Own, ...]
    others: tuple[_Other, ...]


#: Fields that show a value of this type as it is, by the function that does it.
_PLAIN: Final[dict[Any, type]] = {
    serializers.CharField.to_representation: str,
    serializers.IntegerField.to_representation: int,
    serializers.BooleanField.to_representation: bool,
}
#: `2026-11-21 15:47:03+08:00`.
_ISO_CHARS: Final = 25
#: Ways to read that ask nothing but the attributes that `source` names, one after the other.
_BY_SOURCE: Final = (
    serializers.Field.get_attribute,
    serializers.RelatedField.get_attribute,
)
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
            kept = super().get_fields()
            labels.improve(kept)
            _kept_fields[key] = kept
        return {name: _fresh(field) for name, field in kept.items()}


_kept_fields: dict[tuple[type, str | None], dict[str, Field]] = {}


def _fresh(field: Field) -> Field:
    """A copy that can be bound to a serializer of its own."""
    if isinstance(field, _HOLDERS):
        copied = copy.deepcopy(field)  # made anew from its arguments
        copied.label = field.label
        return copied
    fresh: Any = object.__new__(type(field))  # `copy.copy` asks six questions first
    vars(fresh).update(vars(field))
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
        if not isinstance(instance, meta_model):  # a mapping, an annotated stand-in: DRF's own way
            return super().to_representation(instance)
        plan = self._plan
        if plan is None:
            plan = self._plan = _plan_for(self.fields, meta_model)
        shown: dict[str, Any] = plan.names.copy()
        for (name, show, plain), value in zip(plan.own, plan.fetch(instance), strict=True):
            if value is not None:
                shown[name] = value if type(value) is plain else show(value)
        for name, read, show in plan.others:
            try:
                value = read(instance)
            except SkipField:
                del shown[name]
                continue
            if value is not None and (type(value) is not PKOnlyObject or value.pk is not None):
                shown[name] = show(value)
        return shown

    _plan: _Plan | None = None


def _plan_for(fields: Mapping[str, Field], model: type[models.Model]) -> _Plan:
    own: list[_Own] = []
    sources: list[str] = []
    others: list[_Other] = []
    names: dict[str, None] = {}
    columns, foreign_keys = _columns_of(model), _foreign_keys_of(model)
    for name, field in fields.items():
        if field.write_only:
            continue
        names[name] = None
        chosen = _choice_column(field, model)
        if chosen is not None:
            own.append(_Own(name, _words_of(chosen), None))
            sources.append(chosen.attname)
        elif type(field).get_attribute is serializers.Field.get_attribute and field.source in columns:
            plain = _PLAIN.get(getattr(type(field), "to_representation", None))
            own.append(_Own(name, _way_to_show(field), plain))
            sources.append(field.source)
        elif _shows_key(field) and field.source in foreign_keys:
            own.append(_Own(name, _same, None))
            sources.append(foreign_keys[field.source])
        else:
            others.append(_Other(name, _way_to_read(field), _way_to_show(field)))
    return _Plan(names, _fetching(sources), tuple(own), tuple(others))


def _choice_column(field: Field, model: type[models.Model]) -> Any | None:
    """The column whose choice the field shows in words, by Django's own `get_…_display`."""
    source, kind = str(field.source), type(field)
    if not (source.startswith("get_") and source.endswith("_display")):
        return None
    usual = isinstance(inspect.getattr_static(model, source, None), functools.partialmethod)
    plain = kind.get_attribute is serializers.Field.get_attribute
    plain = plain and kind.to_representation is serializers.CharField.to_representation
    column = source.removeprefix("get_").removesuffix("_display")
    found = next((one for one in model._meta.concrete_fields if one.name == column and one.choices), None)  # noqa: SLF001 - the documented model API
    return found if usual and plain else None


def _words_of(column: Any) -> Callable[[Any], Any]:
    """The words of a choice in the present language, looked up once for all rows; Django would do so for each."""
    words = {value: str(label) for value, label in column.flatchoices}
    return lambda value: words.get(value, str(value))


def _fetching(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    if len(names) > 1:
        return attrgetter(*names)
    return lambda row: tuple(getattr(row, name) for name in names)


def _way_to_read(field: Field) -> Callable[[Any], Any]:
    """How the field gets its value; where that is a matter of attributes only, without DRF's questions about each of them."""
    usual: Callable[[Any], Any] = field.get_attribute
    if type(field).get_attribute not in _BY_SOURCE or not field.source_attrs:
        return usual
    if isinstance(field, serializers.RelatedField) and field.use_pk_only_optimization():
        return usual
    get = attrgetter(str(field.source))

    def read(row: Any) -> Any:
        try:
            value = get(row)
        except (AttributeError, ObjectDoesNotExist):
            return usual(row)  # which knows what is to be shown then
        return usual(row) if callable(value) else value

    return read


def _way_to_show(field: Field) -> Callable[[Any], Any]:
    if type(field) is serializers.UUIDField and field.uuid_format == "hex_verbose":
        return str
    if type(field) in _INSTANT_FIELDS and getattr(field, "format", DISPLAY_FORMAT) == DISPLAY_FORMAT:
        return _instants(cast("serializers.DateTimeField", field))
    usual: Callable[[Any], Any] = field.to_representation
    return usual


def _instants(field: serializers.DateTimeField) -> Callable[[Any], Any]:
    """What `DISPLAY_FORMAT` gives, in the time zone of the request: `strftime` and asking for the zone take four times as long."""
    usual = field.to_representation
    zone = field.timezone if hasattr(field, "timezone") else field.default_timezone()

    def show(value: Any) -> Any:
        if type(value) is not datetime or value.tzinfo is None or zone is None:
            return usual(value)
        try:
            text = value.astimezone(zone).isoformat(" ", "seconds")
        except OverflowError:
            return usual(value)
        if len(text) != _ISO_CHARS or text[0] == "0":  # an offset with seconds, a year of less than four digits
            return usual(value)
        return f"{text[:4]}/{text[5:7]}/{text[8:19]} {text[19:22]}{text[23:]}"

    return show


def _shows_key(field: Field) -> bool:
    """Whether it shows the key of a foreign row as it is."""
    kind = type(field)
    return (
        isinstance(field, serializers.PrimaryKeyRelatedField)
        and kind.to_representation is serializers.PrimaryKeyRelatedField.to_representation
        and kind.get_attribute is serializers.RelatedField.get_attribute
        and field.pk_field is None
        and field.use_pk_only_optimization()
    )


def _same(value: Any) -> Any:
    return value


def _foreign_keys_of(model: type[models.Model]) -> dict[str, str]:
    """Foreign keys by name, each with the attribute that holds the key."""
    found = _own_foreign_keys.get(model)
    if found is None:
        concrete = model._meta.concrete_fields  # noqa: SLF001 - the documented model API
        found = {column.name: column.attname for column in concrete if isinstance(column, models.ForeignKey)}
        _own_foreign_keys[model] = found
    return found


_own_foreign_keys: dict[type[models.Model], dict[str, str]] = {}


def _columns_of(model: type[models.Model]) -> frozenset[str]:
    """Names under which a row holds a value of its own, not a relation."""
    found = _own_columns.get(model)
    if found is None:
        concrete = model._meta.concrete_fields  # noqa: SLF001 - the documented model API
        names = {column.attname for column in concrete}
        found = _own_columns[model] = frozenset(names)
    return found


_own_columns: dict[type[models.Model], frozenset[str]] = {}
