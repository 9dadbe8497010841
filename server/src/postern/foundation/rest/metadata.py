"""The answer to OPTIONS, from which the console builds its tables and forms (contract: conventions section 6)."""

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from django.core.exceptions import PermissionDenied
from django.db import models
from django.http import Http404
from django.utils import translation
from django.utils.encoding import force_str
from rest_framework import exceptions, serializers
from rest_framework.fields import empty
from rest_framework.metadata import SimpleMetadata
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request, clone_request

from postern.foundation.caller.actor import Actor
from postern.foundation.rest.exchange.formats import PARSES, RENDERS
from postern.foundation.rest.filters import filter_lookups
from postern.foundation.rest.memo import Memo
from postern.kernel.errors import PosternError

#: The module that defines DRF's default `get_serializer`. Named as a string, because importing it would be a cycle.
_GENERIC: Final = "rest_framework.generics"
_METHODS: Final = ("GET", "POST", "PUT", "PATCH")
_REFUSALS: Final = (exceptions.APIException, PermissionDenied, Http404, PosternError)
_LIMITS: Final = ("label", "help_text", "min_length", "max_length", "min_value", "max_value")

#: Query parameters that no serializer reads; the console sends the first two with every call.
_IDLE_PARAMS: Final = frozenset({"draw", "display", "oid", "limit", "offset", "order", "search"})
_answers: Final[Memo[bytes]] = Memo(512)


class ContractMetadata(SimpleMetadata):
    """`{"name", "description", "renders", "parses", "actions": {"GET": {field: …}, …}}`."""

    def determine_metadata(self, request: Request, view: Any) -> dict[str, Any]:
        """The answer; without `actions` when the caller may use no method that has fields."""
        return self._described(request, view, tuple(_open_methods(request, view)))

    def rendered(self, request: Request, view: Any) -> bytes:
        """The answer as JSON.

        Rights and the existence of the object are checked for each request. The description of the fields is cached for
        all callers with the same rights, organization and language.
        """
        methods = tuple(_open_methods(request, view))
        key = _key(request, view, methods)
        body = None if key is None else _answers.find(key)
        if body is None:
            body = JSONRenderer().render(self._described(request, view, methods))
            if key is not None:
                _answers.keep(key, body)
        return body

    def _described(self, request: Request, view: Any, methods: tuple[str, ...]) -> dict[str, Any]:
        """The uncached answer. Export and import formats are added by hand, because DRF has no renderer or parser for
        them.
        """
        metadata: dict[str, Any] = {
            "name": view.get_view_name(),
            "description": view.get_view_description(),
            "renders": [handler.media_type for handler in view.renderer_classes],
            "parses": [handler.media_type for handler in view.parser_classes],
        }
        if getattr(view, "exportable", False):
            metadata["renders"] += RENDERS
        if getattr(view, "importable", False):
            metadata["parses"] += PARSES
        actions = {method: self._fields(request, view, method) for method in methods}
        if actions:
            metadata["actions"] = actions
        return metadata

    def _fields(self, request: Request, view: Any, method: str) -> dict[str, Any]:
        with _as_if(request, view, method):
            fields: dict[str, Any] = self.get_serializer_info(view.get_serializer())
        if method == "GET":
            self._mark_list_abilities(view, fields)
        return fields

    def _mark_list_abilities(self, view: Any, fields: dict[str, Any]) -> None:
        filters = {*filter_lookups(view), *getattr(view, "own_filters", ())}
        ordering = getattr(view, "ordering_fields", None) or ()
        for name, field in fields.items():
            if name in filters:
                field["filter"] = True
            if name in ordering:
                field["order"] = True

    def get_field_info(self, field: Any) -> dict[str, Any]:
        """One field. The default of a write-only text is never included, since it may be a secret."""
        info: dict[str, Any] = {
            "type": self._type(field),
            "required": bool(field.required),
            "read_only": bool(field.read_only),
            "write_only": bool(field.write_only),
        }
        for name in _LIMITS:
            value = getattr(field, name, None)
            if value is not None and value != "":
                info[name] = force_str(value, strings_only=True)
        hidden = field.write_only and not isinstance(field, serializers.ChoiceField)
        default = None if hidden else _default(field)
        if default is not None:
            info["default"] = default
        child = getattr(field, "child", None)
        if child is not None:
            info["child"] = self.get_field_info(child)
        elif getattr(field, "fields", None):
            info["children"] = self.get_serializer_info(field)
        if isinstance(field, serializers.ChoiceField):
            info["choices"] = [
                {"value": value, "display_name": force_str(label, strings_only=True)}
                for value, label in field.choices.items()
            ]
        return info

    def _type(self, field: Any) -> str:
        if isinstance(field, serializers.RelatedField | serializers.ManyRelatedField):
            return "field"
        if getattr(field, "refers_to_row", False):  # the id of a row in another app's table
            return "field"
        if isinstance(field, serializers.ListSerializer):
            return "list"
        return str(self.label_lookup[field])


@contextmanager
def _as_if(request: Request, view: Any, method: str) -> Iterator[None]:
    """Let the view behave as if the request had this method."""
    action, view_request = getattr(view, "action", None), view.request
    view.request = clone_request(request, method)
    view.action = (getattr(view, "action_map", None) or {}).get(method.lower(), action)
    try:
        yield
    finally:
        view.request, view.action = view_request, action


def _open_methods(request: Request, view: Any) -> Iterator[str]:
    """The methods that have fields and that the caller may use here; with an object id in the URL, on that object."""
    if not _has_fields(view):
        return
    lookup = getattr(view, "lookup_url_kwarg", None) or getattr(view, "lookup_field", None)
    detail = lookup in view.kwargs and hasattr(view, "get_object")
    for method in _METHODS:
        if method not in view.allowed_methods:
            continue
        try:
            with _as_if(request, view, method):
                view.check_permissions(view.request)
                if detail and method in {"PUT", "PATCH"}:
                    view.get_object()
        except _REFUSALS:
            continue
        yield method


def _has_fields(view: Any) -> bool:
    """Whether the view has a serializer. DRF's default methods would fail on a view without a serializer class."""
    names = ("get_serializer", "get_serializer_class")
    own = any(getattr(getattr(view, name, None), "__module__", _GENERIC) != _GENERIC for name in names)
    return own or getattr(view, "serializer_class", None) is not None


def _key(request: Request, view: Any, methods: tuple[str, ...]) -> Hashable | None:
    """Everything that the description of the fields depends on; None when that is unknown."""
    route = getattr(request._request, "resolver_match", None)  # noqa: SLF001 - the URL pattern that led here
    actor: Actor | None = getattr(view, "actor", None)
    if route is None or actor is None:
        return None
    lookup = getattr(view, "lookup_url_kwarg", None) or getattr(view, "lookup_field", None)
    place = tuple(sorted((name, str(value)) for name, value in view.kwargs.items() if name != lookup))
    params = tuple(sorted((name, value) for name, value in request.query_params.items() if name not in _IDLE_PARAMS))
    return (
        *(type(view), route.route, place, params, methods),
        *(actor.kind, actor.bits, view.scope.org_id, translation.get_language(), view.metadata_version()),
    )


def _default(field: Any) -> Any:
    """The default that a form shows: plain values only."""
    default = field.default
    if default is empty and not field.required and not field.read_only:
        default = _model_default(field)
    if callable(default):
        shown = getattr(default, "shown", None)  # a default that depends on the object declares what forms show
        if shown is not None:
            return list(shown)
        if getattr(default, "requires_context", False):
            return None
        default = default()
    if isinstance(default, models.Choices):
        return default.value
    return default if isinstance(default, str | int | bool | list) else None


def _model_default(field: Any) -> Any:
    model = getattr(getattr(field.parent, "Meta", None), "model", None)
    if model is None or not isinstance(field.source, str):
        return None
    columns = {column.name: column for column in model._meta.concrete_fields}  # noqa: SLF001 - the documented model API
    column = columns.get(field.source)
    if column is None or not column.has_default() or column.primary_key:
        return None
    return column.default
