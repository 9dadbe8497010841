"""The answer to OPTIONS, from which the console builds its tables and forms (contract: conventions section 6)."""

from typing import Any, Final

from django.core.exceptions import PermissionDenied
from django.db import models
from django.http import Http404
from django.utils.encoding import force_str
from rest_framework import exceptions, serializers
from rest_framework.fields import empty
from rest_framework.metadata import SimpleMetadata
from rest_framework.request import Request, clone_request

from postern.foundation.rest.exchange.formats import PARSES, RENDERS
from postern.foundation.rest.filters import filter_lookups
from postern.kernel.errors import PosternError

_METHODS: Final = ("GET", "POST", "PUT", "PATCH")
_REFUSALS: Final = (exceptions.APIException, PermissionDenied, Http404, PosternError)
_LIMITS: Final = ("label", "help_text", "min_length", "max_length", "min_value", "max_value")


class ContractMetadata(SimpleMetadata):
    """`{"name", "description", "renders", "parses", "actions": {"GET": {field: …}, …}}`."""

    def determine_metadata(self, request: Request, view: Any) -> dict[str, Any]:
        """Files are had through `format=` and sent to `render-to-json/`, so no renderer and no parser of DRF names them."""
        metadata: dict[str, Any] = super().determine_metadata(request, view)
        if getattr(view, "exportable", False):
            metadata["renders"] = [*metadata["renders"], *RENDERS]
        if getattr(view, "importable", False):
            metadata["parses"] = [*metadata["parses"], *PARSES]
        return metadata

    def determine_actions(self, request: Request, view: Any) -> dict[str, Any]:
        """One entry for each method that the caller may use."""
        found: dict[str, Any] = {}
        lookup = getattr(view, "lookup_url_kwarg", None) or getattr(view, "lookup_field", None)
        detail = lookup in view.kwargs and hasattr(view, "get_object")
        action, view_request = getattr(view, "action", None), view.request
        for method in _METHODS:
            if method not in view.allowed_methods:
                continue
            view.request = clone_request(request, method)
            view.action = (getattr(view, "action_map", None) or {}).get(method.lower(), action)
            try:
                view.check_permissions(view.request)
                if detail and method in {"PUT", "PATCH"}:
                    view.get_object()
                serializer = view.get_serializer()
            except _REFUSALS:
                continue
            finally:
                view.request, view.action = view_request, action
            fields = self.get_serializer_info(serializer)
            if method == "GET":
                self._mark_list_abilities(view, fields)
            found[method] = fields
        return found

    def _mark_list_abilities(self, view: Any, fields: dict[str, Any]) -> None:
        filters = {*filter_lookups(view), *getattr(view, "own_filters", ())}
        ordering = getattr(view, "ordering_fields", None) or ()
        for name, field in fields.items():
            if name in filters:
                field["filter"] = True
            if name in ordering:
                field["order"] = True

    def get_field_info(self, field: Any) -> dict[str, Any]:
        """One field. A write-only text never shows a default (K73)."""
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
        if isinstance(field, serializers.ListSerializer):
            return "list"
        return str(self.label_lookup[field])


def _default(field: Any) -> Any:
    """The default that the form shows: only plain values."""
    default = field.default
    if default is empty and not field.required and not field.read_only:
        default = _model_default(field)
    if callable(default):
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
