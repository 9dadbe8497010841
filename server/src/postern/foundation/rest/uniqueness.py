"""Whether values are still free that may be there once only: asked for one row, or for all rows of a call together."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from django.db import models

#: Where the context of a serializer has a list, it gathers there what is to be free, and whoever put the list there asks `all_free`.
GATHERED: Final = "wanted_values"


class Wanted(NamedTuple):
    """Values that only the row with the key `of` may have (None: no row at all); `names` are those that the caller chose."""

    model: type[models.Model]
    names: tuple[str, ...]
    lookup: Mapping[str, Any]
    of: Any


def wanted(
    model: type[models.Model], values: Mapping[str, Any], instance: models.Model | None, org_id: Any
) -> Iterator[Wanted]:
    """What a write of `values` needs to be free: one for each unique constraint that it touches. `org_id` is that of a new row."""
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


def is_free(one: Wanted) -> bool:
    """Whether no other row has these values."""
    rows = one.model._base_manager.all()  # noqa: SLF001 - the documented model API
    for name, value in one.lookup.items():
        rows = rows.filter(models.Q((name, value)))
    if one.of is not None:
        rows = rows.exclude(pk=one.of)
    return not rows.exists()


def all_free(several: Sequence[Wanted]) -> bool:
    """Whether each of them is free, with one query for each constraint."""
    groups: defaultdict[Any, list[Wanted]] = defaultdict(list)
    for one in several:
        groups[one.model, one.names, one.lookup.get("org_id", ...)].append(one)
    return all(_group_is_free(group) for group in groups.values())


def _group_is_free(group: Sequence[Wanted]) -> bool:
    model, names, lookup, _of = group[0]
    owners: defaultdict[tuple[Any, ...], set[Any]] = defaultdict(set)
    for one in group:
        owners[tuple(_key(one.lookup[name]) for name in names)].add(one.of)
    rows = model._base_manager.all()  # noqa: SLF001 - the documented model API
    if "org_id" in lookup:
        rows = rows.filter(org_id=lookup["org_id"])
    for name in names:
        rows = rows.filter(models.Q((f"{name}__in", {_key(one.lookup[name]) for one in group})))
    return not any(owners.get(tuple(values), set()) - {key} for key, *values in rows.values_list("pk", *names))


def _key(value: Any) -> Any:
    return value.pk if isinstance(value, models.Model) else value
