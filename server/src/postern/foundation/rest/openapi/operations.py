"""Description of a single API operation: id, required right, list parameters and bulk forms."""

import re
from collections.abc import Mapping
from typing import Any, Final

from django.db import models
from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import build_array_type, build_basic_type, build_parameter_type
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import Direction, OpenApiParameter
from rest_framework import serializers

from postern.foundation.rest.exchange import checking
from postern.foundation.rest.exchange.checked_rows import CheckedRow
from postern.foundation.rest.filters import filter_lookups
from postern.foundation.rest.openapi.answers import Answer
from postern.foundation.rest.openapi.description import API_PREFIX
from postern.foundation.rest.rights import Right, RightsOf, declared

#: Authentication methods, by their names in `description`.
_SIGNED_IN: Final[list[dict[str, list[str]]]] = [{"session": [], "csrf": []}, {"bearer": []}, {"signature": []}]
_BULK_FORMS: Final = frozenset({"bulk_update", "partial_bulk_update", "bulk_destroy"})
#: Standard actions: their name identifies the operation. Other actions have their own path and may have several
#: methods.
_OF_THE_KIT: Final = _BULK_FORMS | {"list", "retrieve", "create", "update", "partial_update", "destroy"}
_WHO: Final[dict[Right, str]] = {
    Right.ANYONE: "anyone",
    Right.AUTHENTICATED: "anyone who has signed in, even before the sign-in is complete",
    Right.VALID_USER: "every active user",
    Right.ORG_MEMBER: "members of the organization",
    Right.ORG_AUDITOR: "auditors and administrators of the organization",
    Right.ORG_ADMIN: "administrators of the organization",
    Right.SUPER_AUDITOR: "system auditors and system administrators",
    Right.SUPER_USER: "system administrators",
    Right.TERMINAL: "registered components",
    Right.BOOTSTRAP: "holders of the bootstrap token",
}
#: Schema of bodies that no serializer describes.
_UNTYPED: Final[dict[str, Any]] = {"description": "Any JSON."}


class OperationDescription(AutoSchema):
    """Describes the behaviour of the kit's viewsets, so that views need no annotations."""

    view: Any
    method: str

    def get_operation_id(self) -> str:
        """`assets_assets_bulk_update`, `users_users_id_unblock_put`: the words of the path plus the action or the
        method. Unique.
        """
        words = re.sub(r"\{(\w+)\}", r"\1", self.path.removeprefix(API_PREFIX)).strip("/").replace("-", "_").split("/")
        if self._action not in _OF_THE_KIT:
            return "_".join([*words, self.method.lower()])
        if self.path.endswith("}/"):
            words.pop()
        return "_".join([*words, self._action])

    def get_tags(self) -> list[str]:
        """The area: the first segment of the path."""
        return [self.path.removeprefix(API_PREFIX).split("/")[0]]

    def get_description(self) -> str:  # type: ignore[override]  # the library narrows DRF's signature so
        """Who may call the operation."""
        right = declared(self.view, self.method, self._action)
        return f"For {_who(right)}." if right is not None else ""

    def get_auth(self) -> list[dict[str, list[str]]]:
        """The authentication methods; none for operations that are open to anyone."""
        return [] if declared(self.view, self.method, self._action) == Right.ANYONE else _SIGNED_IN

    def get_filter_backends(self) -> list[Any]:
        """No backends: `_get_filter_parameters` describes the filters."""
        return []

    def _get_filter_parameters(self) -> list[dict[str, Any]]:
        """The parameters that filter a list, or select the rows of a bulk call."""
        lists = self._action == "list"
        tried = [_DRY_RUN] if self._can_be_tried else []
        if not lists and self._action not in _BULK_FORMS:
            return tried
        own = (*getattr(self.view, "own_filters", ()), *getattr(self.view, "described_filters", ()))
        names = list(dict.fromkeys((*filter_lookups(self.view), *own)))
        parameters = tried + [_query(name, f"Only objects whose `{name}` has this value.") for name in names]
        parameters.append(_query("ids", "Only the objects with these ids, separated by commas."))
        parameters.append(_query("spm", "Only the objects of a selection stored with POST common/resources/cache/."))
        if getattr(self.view, "date_range_field", None):
            parameters += [
                _query(name, f"Limit of `{self.view.date_range_field}`.", OpenApiTypes.DATETIME)
                for name in ("date_from", "date_to")
            ]
        if getattr(self.view, "search_fields", ()):
            parameters.append(_query("search", "Terms, separated by blanks; each must occur."))
        if lists:
            parameters.append(_query("order", "Names of fields, separated by commas; `-name` for descending order."))
            parameters.append(
                _query("fields_size", "Which fields of each object: mini or small.", enum=["mini", "small"])
            )
        return parameters

    def _get_paginator(self) -> Any:
        """No paginator: `_listed` describes the envelope beside the bare array, because the client chooses between
        them.
        """
        return None

    def _get_pagination_parameters(self) -> list[dict[str, Any]]:
        if self._action != "list":
            return []
        return [
            _query("limit", "Length of the page; without it the answer is a bare array.", OpenApiTypes.INT),
            _query("offset", "Number of rows before the page.", OpenApiTypes.INT),
        ]

    def _get_serializer(self) -> Any:
        """The view's serializer; None when the view has none."""
        view = self.view
        if callable(getattr(view, "get_serializer_class", None)):
            serializer_class = view.get_serializer_class() if self._declares_serializer() else None
            return serializer_class(context={"view": view}) if serializer_class is not None else None
        if callable(getattr(view, "get_serializer", None)):
            return view.get_serializer()
        return None

    def _declares_serializer(self) -> bool:
        return getattr(self.view, "serializer_class", None) is not None or self._action in getattr(
            self.view, "serializer_classes", ()
        )

    def get_request_serializer(self) -> Any:
        """One object, or an array of objects where the viewset accepts both."""
        serializer = self._get_serializer()
        if serializer is None:
            return {"application/json": _UNTYPED}
        if self._action == "create":
            schema = self._one(serializer, "request")
            return {"application/json": {"oneOf": [schema, build_array_type(schema)]}}
        if self._action in _BULK_FORMS:
            return {
                "application/json": build_array_type(self._one(serializer, "request", partial=self.method == "PATCH"))
            }
        return serializer

    def get_response_serializers(self) -> Any:
        """The successful answers; `refusals` describes the errors."""
        answers = self._with_others(self._answers_of_write())
        if not self._can_be_tried:
            return answers
        checked = build_array_type(self._one(CheckedRow(), "response"))
        return {**answers, 200: {"anyOf": [answers[200], checked]} if 200 in answers else checked}

    @property
    def _can_be_tried(self) -> bool:
        """Whether `dry_run=1` asks for a check (see `exchange.checking`)."""
        return checking.can_be_asked(self.view)

    def _with_others(self, answers: Any) -> Any:
        """The answers with those that the view declares for further statuses of this action."""
        declared_answers: Mapping[str, Answer] = getattr(self.view, "answers", {})
        name = self._action or self.method.lower()
        others = [answer for key, answer in declared_answers.items() if key == f"{name}:{answer.status}"]
        return {**answers, **{answer.status: self._described(answer) for answer in others}} if others else answers

    def _answers_of_write(self) -> Any:
        answers: Mapping[str, Answer] = getattr(self.view, "answers", {})
        name = self._action or self.method.lower()
        answer = answers.get(f"{name}:{self.method.lower()}") or answers.get(name)
        if answer is not None:
            return {answer.status: self._described(answer)}
        if self.method == "DELETE":
            return {204: None}
        serializer = self._get_serializer()
        if serializer is None:
            return {200: _UNTYPED}
        if self._action == "list":
            return {200: self._listed(serializer) if getattr(self.view, "lists_rows", True) else _UNTYPED}
        if self._action == "create":
            schema = self._one(serializer, "response")
            return {201: {"oneOf": [schema, build_array_type(schema)]}}
        if self._action in _BULK_FORMS:
            return {200: build_array_type(self._one(serializer, "response"))}
        return {200: serializer}

    def _described(self, answer: Answer) -> Any:
        if answer.serializer is None:
            return answer.schema
        schema = self._one(answer.serializer(context={"view": self.view}), "response")
        return build_array_type(schema) if answer.many else schema

    def _is_list_view(self, serializer: Any = None) -> bool:
        """Always False: `get_response_serializers` describes lists completely."""
        del serializer
        return False

    def _listed(self, serializer: serializers.BaseSerializer[Any]) -> dict[str, Any]:
        rows = build_array_type(self._one(serializer, "response"))
        link = {"type": ["string", "null"], "format": "uri"}
        is_searched_log = self.view.date_range_field and self.view.search_fields
        border = {"type": "string", "format": "date-time", "description": "The search covered the rows since then."}
        page = {
            "type": "object",
            "properties": {
                "count": {"type": "integer", "description": "Exact up to 10,000 rows, or 1,000 over several tables."},
                "count_is_minimum": {"type": "boolean", "description": "There are more rows than `count`."},
                "next": link,
                "previous": link,
                "results": rows,
                **({"searched_from": border} if is_searched_log else {}),
            },
            "required": ["count", "next", "previous", "results"],
        }
        return {"oneOf": [page, rows]}

    def _one(self, serializer: Any, direction: Direction, *, partial: bool = False) -> Any:
        serializer.partial = partial
        return self.resolve_serializer(serializer, direction).ref

    def _postprocess_serializer_schema(
        self, schema: dict[str, Any], serializer: Any, direction: Direction
    ) -> dict[str, Any]:
        """Remove fields that exist only to describe filters in OPTIONS, and mark all fields of an answer as present."""
        processed: dict[str, Any] = super()._postprocess_serializer_schema(  # type: ignore[no-untyped-call]  # the library's is untyped
            schema, serializer, direction
        )
        for name in [name for name, field in serializer.fields.items() if getattr(field, "filter_only", False)]:
            processed["properties"].pop(name, None)
        if direction == "response" and isinstance(serializer, serializers.ModelSerializer):
            for name, field in serializer.fields.items():
                _allow_empty_choice(processed["properties"].get(name, {}), serializer.Meta.model, field)
            processed["required"] = sorted(processed["properties"])
        if direction == "response" and getattr(serializer, "answers_vary", False):
            processed.pop("required", None)
        return processed

    @property
    def _action(self) -> str | None:
        return getattr(self.view, "action", None)


class DescribedInstant(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]  # the library's base is untyped
    """Datetimes are sent as `2026/11/22 08:00:00 +0000`, which is not the JSON schema format `date-time`. Both are
    accepted.
    """

    target_class = "rest_framework.serializers.DateTimeField"
    match_subclasses = True

    def map_serializer_field(self, auto_schema: AutoSchema, direction: str) -> dict[str, Any]:
        """A string, with a pattern in answers."""
        del auto_schema
        if direction == "request":
            return {"type": "string", "format": "date-time"}
        pattern = r"^\d{4}/\d{2}/\d{2} \d{2}:\d{2}:\d{2} [+-]\d{4}$"
        return {"type": "string", "pattern": pattern, "examples": ["2026/11/22 08:00:00 +0000"]}


class DescribedOrgName(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]  # the library's base is untyped
    """The name of an object's organization is a string."""

    target_class = "postern.foundation.rest.serializers.OrgNameField"

    def map_serializer_field(self, auto_schema: AutoSchema, direction: str) -> dict[str, Any]:
        """A string."""
        del auto_schema, direction
        return {"type": "string"}


def _allow_empty_choice(schema: dict[str, Any], model: type[models.Model], field: Any) -> None:
    """Allow the empty string for a choice column that may be blank: DRF leaves it out for read-only fields."""
    columns = {column.name: column for column in model._meta.concrete_fields}  # noqa: SLF001 - the documented model API
    column = columns.get(field.source) if isinstance(field.source, str) else None
    if column is not None and column.blank and "" not in schema.get("enum", [""]):
        schema["enum"] = [*schema["enum"], ""]


def _query(name: str, description: str, kind: Any = OpenApiTypes.STR, enum: list[str] | None = None) -> dict[str, Any]:
    schema = build_basic_type(kind) or {}
    parameter: dict[str, Any] = build_parameter_type(
        name=name, schema=schema, location=OpenApiParameter.QUERY, description=description, enum=enum
    )
    return parameter


_DRY_RUN: Final = _query(
    checking.PARAMETER,
    "`1`: write nothing. For an array of rows, the answer (status 200) says for each row what the write would do.",
    enum=["1"],
)


def _who(right: RightsOf) -> str:
    return " or ".join(_WHO[single_right] for single_right in (right if isinstance(right, tuple) else (right,)))
