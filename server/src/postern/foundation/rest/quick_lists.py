"""Rows shown without making their fields anew for each request.

A serializer's fields are the same for all requests of one kind: same class, language, time zone and choice of fields. Making them takes
longer than showing the fifteen rows of a page. So the serializer that has shown some is kept, without the request that it
served, and shows the next ones.
"""

import threading
from collections.abc import Hashable, Iterable
from typing import Any, Final

from django.db.models import Manager
from django.utils import timezone
from django.utils.translation import get_language
from rest_framework import serializers

#: Kept by each thread; with more kinds than these (somebody plays with `fields=`) it starts anew.
_MOST: Final = 64
_NAMES: Final = ("fields_size", "fields", "fields!")


class _Kept(threading.local):
    """One thread never shows two lists with one serializer at once: a serializer in use is not in here."""

    def __init__(self) -> None:
        self.free: dict[Hashable, serializers.BaseSerializer[Any]] = {}


_kept: Final = _Kept()


def shown(serializer: Any, rows: Iterable[Any]) -> list[Any] | None:
    """The rows as `serializer` (of one row, or the child of a list) shows them; None when that is not for a kept one to do."""
    kind: Any = type(serializer)
    request: Any = serializer.context.get("request")
    if request is None or not vars(kind).get("is_reusable", False):
        return None
    chosen = tuple(map(request.query_params.get, _NAMES)) if request.method == "GET" else None
    place = kind, get_language(), timezone.get_current_timezone(), chosen
    reader: Any = _kept.free.pop(place, None) or kind()
    reader._context = serializer.context  # noqa: SLF001 - what `context=` sets; its fields ask for it when they show a row
    found = [reader.to_representation(row) for row in rows]
    reader._context = {}  # noqa: SLF001 - nothing of the request stays
    if len(_kept.free) >= _MOST:
        _kept.free.clear()
    _kept.free[place] = reader
    return found


class QuickList(serializers.ListSerializer[Any]):
    """The list form of a serializer with `is_reusable`. What it shows is what its `child` would show."""

    def to_representation(self, data: Any) -> list[Any]:
        parent: Any = self.parent
        rows = data.all() if isinstance(data, Manager) else data
        found = shown(self.child, rows) if parent is None else None
        return super().to_representation(rows) if found is None else found
