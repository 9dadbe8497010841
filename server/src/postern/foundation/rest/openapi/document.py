"""The whole description: one OpenAPI document, made at the first call in a process."""

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
    """The description as JSON types, in English: it is for programmers and their tools."""
    with translation.override("en"):
        generator = SchemaGenerator()  # type: ignore[no-untyped-call]  # the library's are untyped
        made = generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]  # likewise
        # Titles are translated when they are written: here, and not in the language of whoever asks first.
        plain: dict[str, Any] = json.loads(json.dumps(made, default=str), object_hook=_without_empty_choice)
    refusals.add_to(plain)
    return plain


def _without_empty_choice(part: dict[str, Any]) -> dict[str, Any]:
    """Anything, or null: null would be two of the choices, of which `oneOf` wants exactly one. Anything is said by silence."""
    if part.get("oneOf") == [{}, {"type": "null"}]:
        del part["oneOf"]
    if {"type": "string", "maxLength": 0} in part.get("oneOf", ()):  # an empty text is one of the others, too
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
    """What programs of people may call: not what the parts of the product say to each other."""
    return [one for one in endpoints if one[0].startswith(API_PREFIX)]
