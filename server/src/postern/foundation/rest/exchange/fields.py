"""Fields of a resource that appear in files: readable fields in exports, writable fields in templates and imports."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from rest_framework import serializers
from rest_framework.request import clone_request

from postern.foundation.rest.exchange.columns import Field, label_of, narrowed
from postern.foundation.rest.relations import OrgOwnedField, OrgOwnedList

#: The request determines the organization; files cannot move rows between organizations.
_NEVER: Final = frozenset({"org_id"})
_METHODS: Final = {"create": "POST", "update": "PUT"}


def for_export(view: Any, rows: Sequence[Any] = ()) -> serializers.Serializer[Any]:
    """The serializer of the list, created for these rows."""
    list_serializer: Any = view.get_serializer(list(rows), many=True)
    child: serializers.Serializer[Any] = list_serializer.child
    return child


def for_writing(view: Any, action: str, rows: Sequence[Any] = ()) -> serializers.Serializer[Any]:
    """The serializer with which the view creates or updates, created for these rows."""
    with acting(view, action):
        list_serializer: Any = view.get_serializer(list(rows), many=True)
        child: serializers.Serializer[Any] = list_serializer.child
        _ = child.fields  # built now, because the fields may depend on the action and the method
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
    """Names of the fields in an export, in order."""
    names = [name for name, field in serializer.fields.items() if not field.write_only and name not in _NEVER]
    return narrowed(names, view.exchange_fields)


def writable(view: Any, serializer: serializers.Serializer[Any], *, with_id: bool) -> list[str]:
    """Names of the fields that an import may contain; with `with_id`, `id` comes first to identify the rows."""
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


def put_names(field: Field, name: str, shown: Sequence[dict[str, Any]]) -> None:
    """Replace the ids of other objects in the shown values by names, where an import accepts the names."""
    if not isinstance(field, OrgOwnedField | OrgOwnedList):
        return
    ids_by_row = [_ids_of(values.get(name)) for values in shown]
    texts = {str(key): text for key, text in field.texts_of({key for ids in ids_by_row for key in ids}).items()}
    for values, ids in zip(shown, ids_by_row, strict=True):
        named = [texts.get(str(key), key) for key in ids]
        if named:
            values[name] = named if isinstance(values[name], list) else named[0]


def _ids_of(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def of_import(view: Any) -> dict[str, Field]:
    """All fields that a row of an import may contain: those of create and update, and `id`."""
    fields_by_name: dict[str, Field] = {}
    for action in _METHODS:
        if hasattr(view, f"{action}_object"):
            serializer = for_writing(view, action)
            for name in writable(view, serializer, with_id=True):
                fields_by_name.setdefault(name, serializer.fields[name])
    return fields_by_name


def labels_of_import(view: Any) -> dict[str, str]:
    """Column title → name of the field that an import stores the column in."""
    if not view.importable:
        return {}
    names_by_label: dict[str, str] = {}
    for name, field in of_import(view).items():
        names_by_label.setdefault(label_of(name, field), name)
    return names_by_label
