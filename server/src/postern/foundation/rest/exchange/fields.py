"""Which fields of a resource stand in files: readable ones in exports, writable ones in templates and imports."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from rest_framework import serializers
from rest_framework.request import clone_request

from postern.foundation.rest.exchange.columns import Field, label_of, narrowed

#: The organization is that of the request; files do not move rows between organizations.
_NEVER: Final = frozenset({"org_id"})
_METHODS: Final = {"create": "POST", "update": "PUT"}


def for_export(view: Any, some: Sequence[Any] = ()) -> serializers.Serializer[Any]:
    """The serializer of the list, made for these rows."""
    found: Any = view.get_serializer(list(some), many=True)
    child: serializers.Serializer[Any] = found.child
    return child


def for_writing(view: Any, action: str, some: Sequence[Any] = ()) -> serializers.Serializer[Any]:
    """The serializer with which the view creates or updates, made for these rows."""
    with acting(view, action):
        found: Any = view.get_serializer(list(some), many=True)
        child: serializers.Serializer[Any] = found.child
        _ = child.fields  # made now: they may depend on the action and the method
    return child


@contextmanager
def acting(view: Any, action: str) -> Iterator[None]:
    request, own_action = view.request, view.action
    view.request, view.action = clone_request(request, _METHODS[action]), action
    try:
        yield
    finally:
        view.request, view.action = request, own_action


def readable(view: Any, serializer: serializers.Serializer[Any]) -> list[str]:
    """Names of the fields that an export shows, in their order."""
    names = [name for name, field in serializer.fields.items() if not field.write_only and name not in _NEVER]
    return narrowed(names, view.exchange_fields)


def writable(view: Any, serializer: serializers.Serializer[Any], *, with_id: bool) -> list[str]:
    """Names of the fields that an import may give; `id` first when rows are to be found by it."""
    names = [
        name
        for name, field in serializer.fields.items()
        if not field.read_only
        and name not in _NEVER
        and name != "id"
        and not isinstance(field, serializers.HiddenField)
    ]
    names = narrowed(names, view.exchange_fields)
    return ["id", *names] if with_id and "id" in serializer.fields else names


def of_import(view: Any) -> dict[str, Field]:
    """Every field that a row of an import may carry: those of create and of update, and `id`."""
    found: dict[str, Field] = {}
    for action in _METHODS:
        if hasattr(view, f"{action}_object"):
            serializer = for_writing(view, action)
            for name in writable(view, serializer, with_id=True):
                found.setdefault(name, serializer.fields[name])
    return found


def labels_of_import(view: Any) -> dict[str, str]:
    """Label → name of the field that an import takes a column of that title for."""
    if not view.importable:
        return {}
    found: dict[str, str] = {}
    for name, field in of_import(view).items():
        found.setdefault(label_of(name, field), name)
    return found
