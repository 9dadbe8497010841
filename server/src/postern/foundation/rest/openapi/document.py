"""The complete OpenAPI document, generated on the first call in a process."""

import json
from functools import cache
from typing import Any

import yaml
from django.utils import translation
from drf_spectacular.generators import SchemaGenerator

from postern.foundation.rest.openapi import refusals
from postern.foundation.rest.openapi.description import API_PREFIX

_Endpoint = tuple[str, str, str, Any]


@cache
def document() -> dict[str, Any]:
    """The document as JSON types. It is in English, because its readers are programmers and tools."""
    with translation.override("en"):
        generator = SchemaGenerator()  # type: ignore[no-untyped-call]  # the library's are untyped
        schema = generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]  # likewise
        # Lazy titles are translated when they are serialized: do it here, not in the language of the first caller.
        plain: dict[str, Any] = json.loads(json.dumps(schema, default=str), object_hook=_without_empty_choice)
    refusals.add_to(plain)
    return plain


def _without_empty_choice(part: dict[str, Any]) -> dict[str, Any]:
    """Correct `oneOf` schemas whose alternatives overlap, since `oneOf` requires exactly one match.

    "Anything or null" matches null twice; without a schema, anything is allowed.
    """
    if part.get("oneOf") == [{}, {"type": "null"}]:
        del part["oneOf"]
    if {"type": "string", "maxLength": 0} in part.get("oneOf", ()):  # an empty string also matches another alternative
        part["anyOf"] = part.pop("oneOf")
    return part


@cache
def as_json() -> bytes:
    """The document as JSON."""
    return json.dumps(document(), ensure_ascii=False, indent=1).encode()


@cache
def as_yaml() -> bytes:
    """The document as YAML."""
    return yaml.safe_dump(document(), allow_unicode=True, sort_keys=False, width=120).encode()


def public_endpoints(endpoints: list[_Endpoint]) -> list[_Endpoint]:
    """The endpoints under the public API prefix, without those for communication between Postern's own processes."""
    return [endpoint for endpoint in endpoints if endpoint[0].startswith(API_PREFIX)]
