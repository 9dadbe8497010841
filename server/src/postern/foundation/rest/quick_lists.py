"""Rows shown without making their fields anew for each request.

A serializer's fields are the same for all requests of one kind: same class, language, time zone and choice of fields. Making them takes
longer than showing the fifteen rows of a page. So the serializer that has shown some is kept, without the request that it
served, and shows the next ones.

Which serializers can be kept is not declared but found out. One that makes its fields in a way of its own is made anew each time. Any other
shows each row as it would show that row alone; when it, or one of its fields, remembers anything meanwhile, what it showed is thrown away
and its class is not kept from then on.
"""

import threading
from collections.abc import Hashable, Iterable, Iterator
from typing import Any, Final

from django.db.models import Manager
from django.utils import timezone
from django.utils.translation import get_language
from rest_framework import serializers

#: Kept by each thread; with more kinds than these (somebody plays with `fields=`) it starts anew.
_MOST: Final = 64
_NAMES: Final = ("fields_size", "fields", "fields!")
#: What a class defines that has a say in which fields there are, or shows a whole row by itself.
_OWN_WAYS: Final = frozenset({"__init__", "get_fields", "fields", "_readable_fields", "to_representation", "data"})
#: What changes from request to request, and is taken away afterwards.
_OF_REQUEST: Final = frozenset({"_context", "instance"})
_CONTAINERS: Final = frozenset({dict, list, set})


class _Kept(threading.local):
    """One thread never shows two lists with one serializer at once: a serializer in use is not in here."""

    def __init__(self) -> None:
        self.free: dict[Hashable, serializers.BaseSerializer[Any]] = {}


_kept: Final = _Kept()
#: Whether serializers of a class can be kept.
_can_keep: Final[dict[type, bool]] = {}


def shown(serializer: Any, rows: Iterable[Any]) -> list[Any] | None:
    """The rows as `serializer` (of one row, or the child of a list) shows them; None when that is not for a kept one to do."""
    kind: Any = type(serializer)
    request: Any = serializer.context.get("request")
    if kind not in _can_keep:
        _can_keep[kind] = not any(_OWN_WAYS.intersection(vars(one)) for one in _own_classes(kind))
    if request is None or not _can_keep[kind]:
        return None
    chosen = tuple(map(request.query_params.get, _NAMES)) if request.method == "GET" else None
    place = kind, get_language(), timezone.get_current_timezone(), chosen
    reader: Any = _kept.free.pop(place, None) or kind()
    reader._context = serializer.context  # noqa: SLF001 - what `context=` sets; its fields ask for it when they show a row
    before, found = _remembered(reader), []
    for row in rows:
        reader.instance = row
        found.append(reader.to_representation(row))
        if len(found) == 1 and _remembered(reader) != before:
            break
    if _remembered(reader) != before:
        _can_keep[kind] = False
        return None
    reader._context, reader.instance = {}, None  # noqa: SLF001 - nothing of the request stays
    if len(_kept.free) >= _MOST:
        _kept.free.clear()
    _kept.free[place] = reader
    return found


def _own_classes(kind: type) -> Iterator[type]:
    """The class and those that it is derived from, up to the base of all resources."""
    for one in kind.__mro__:
        if one.__module__.startswith(("postern.foundation.", "rest_framework.")):
            return
        yield one


def _remembered(reader: Any) -> list[Any]:
    """What serializer and fields hold: by identity, containers also by their size."""
    reader.prepare()
    found: list[Any] = []
    for one in _all_fields(reader):
        for name, value in vars(one).items():
            if name not in _OF_REQUEST:
                found.append((id(value), len(value)) if type(value) in _CONTAINERS else id(value))
    return found


def _all_fields(holder: Any) -> list[Any]:
    """The serializer and all fields in it, however deep."""
    kept: list[Any] | None = vars(holder).get("_all_fields")
    if kept is None:
        kept = [holder]
        for field in holder.fields.values():
            parts = [field, *(part for name in ("child", "child_relation") if (part := getattr(field, name, None)))]
            for part in parts:
                kept += _all_fields(part) if isinstance(part, serializers.Serializer) else [part]
        holder._all_fields = kept  # noqa: SLF001 - asked for at each use
    return kept


class QuickList(serializers.ListSerializer[Any]):
    """The list form of all resources. What it shows is what its `child` would show."""

    def to_representation(self, data: Any) -> list[Any]:
        parent: Any = self.parent
        rows = data.all() if isinstance(data, Manager) else data
        found = shown(self.child, rows) if parent is None else None
        return super().to_representation(rows) if found is None else found
