"""Checks of unique constraints before a write, for one row or for all rows of a call together."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from django.db import DEFAULT_DB_ALIAS, DataError, connections, models
from rest_framework import serializers, validators

from postern.foundation.database.prepared import as_stored

#: Key in the serializer context. If the context has a list there, the serializer appends its checks, and the caller
#: runs `all_free`.
GATHERED: Final = "wanted_values"


class Wanted(NamedTuple):
    """Values that must be unique. Only the row with the key `of` may have them (None: no row); `names` are the fields
    that the caller set.
    """

    model: type[models.Model]
    names: tuple[str, ...]
    lookup: Mapping[str, Any]
    of: Any


def wanted(
    model: type[models.Model], values: Mapping[str, Any], instance: models.Model | None, org_id: Any
) -> Iterator[Wanted]:
    """The unique checks that a write of `values` needs, one for each constraint. `org_id` is for new rows."""
    for constraint in model._meta.total_unique_constraints:  # noqa: SLF001 - the documented model API
        names = tuple(name for name in constraint.fields if name != "org_id")
        if not any(name in values for name in names):
            continue
        lookup = {name: values[name] if name in values else getattr(instance, name, None) for name in names}
        if any(value is None for value in lookup.values()):
            continue
        if "org_id" in constraint.fields:
            lookup["org_id"] = getattr(instance, "org_id", None) or org_id
        yield Wanted(model, names, lookup, None if instance is None else instance.pk)


def is_free(values: Wanted) -> bool:
    """Whether no other row has these values."""
    database = connections[DEFAULT_DB_ALIAS]
    statement, fields = _owner(values.model, tuple(values.lookup), database.vendor)
    params = [field.get_db_prep_value(_key(values.lookup[field.name]), database) for field in fields]
    try:
        with database.cursor() as cursor:
            cursor.execute(statement, params)
            owners = cursor.fetchall()  # one row at most: the values are unique
    except (TypeError, ValueError, DataError):  # a value that no row can have; another validator refuses it
        return True
    return all(owner == as_stored(values.of, database) for (owner,) in owners)


@cache
def _owner(model: type[models.Model], names: tuple[str, ...], vendor: str) -> tuple[str, tuple[Any, ...]]:
    """The statement that selects the key of the row with such values, and its parameters' columns."""
    del vendor  # part of the cache key: each database quotes names differently
    meta = model._meta  # noqa: SLF001 - the documented model API
    fields: tuple[Any, ...] = tuple(meta.get_field(name) for name in names)
    quote = connections[DEFAULT_DB_ALIAS].ops.quote_name
    conditions = " AND ".join(f"{quote(str(field.column))} = %s" for field in fields)
    return f"SELECT {quote(str(meta.pk.column))} FROM {quote(meta.db_table)} WHERE {conditions}", fields  # noqa: S608 - names of our models


def require_free(serializer: serializers.BaseSerializer[Any], values: Wanted, message: Any) -> None:
    """Raise ValidationError when another row has these values; in an array, all items are checked together later."""
    gathered: list[Wanted] | None = serializer.context.get(GATHERED)
    if gathered is not None:
        gathered.append(values)
    elif not is_free(values):
        raise serializers.ValidationError(message, code="unique")


class FreeValidator(validators.UniqueValidator):
    """`UniqueValidator` with a query that is compiled once, and with one query for all items of an array."""

    def __call__(self, value: Any, serializer_field: serializers.Field[Any, Any, Any, Any]) -> None:
        serializer: Any = serializer_field.parent
        name = serializer_field.source_attrs[-1]
        of = getattr(serializer.instance, "pk", None)
        require_free(serializer, Wanted(self.queryset.model, (name,), {name: value}, of), self.message)


def all_free(wanted_values: Sequence[Wanted]) -> bool:
    """Whether all of these values are free, with one query for each constraint."""
    groups: defaultdict[Any, list[Wanted]] = defaultdict(list)
    for values in wanted_values:
        groups[values.model, values.names, values.lookup.get("org_id", ...)].append(values)
    return all(_group_is_free(group) for group in groups.values())


def _group_is_free(group: Sequence[Wanted]) -> bool:
    model, names, lookup, _of = group[0]
    owners: defaultdict[tuple[Any, ...], set[Any]] = defaultdict(set)
    for wanted_values in group:
        owners[tuple(_key(wanted_values.lookup[name]) for name in names)].add(wanted_values.of)
    rows = model._base_manager.all()  # noqa: SLF001 - the documented model API
    if "org_id" in lookup:
        rows = rows.filter(org_id=lookup["org_id"])
    for name in names:
        rows = rows.filter(models.Q((f"{name}__in", {_key(wanted_values.lookup[name]) for wanted_values in group})))
    return not any(owners.get(tuple(values), set()) - {key} for key, *values in rows.values_list("pk", *names))


def _key(value: Any) -> Any:
    return value.pk if isinstance(value, models.Model) else value
