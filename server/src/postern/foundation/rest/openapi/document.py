"""The complete OpenAPI document, generated on the first call in a process."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final

import yaml
from django.utils import translation
from drf_spectacular.generators import SchemaGenerator

from postern.foundation.rest.openapi import refusals
from postern.foundation.rest.openapi.description import API_PREFIX

_Endpoint = tuple[str, str, str, Any]
_METHODS: Final = frozenset({"get", "post", "put", "patch", "delete"})
_REFERENCE: Final = re.compile(r'"#/components/schemas/([^"]+)"')


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
    return _encoded(document())


@cache
def resources() -> Mapping[str, int]:
    """The resources of the API, such as `assets/labels`, in order, with their numbers of operations."""
    amounts: Counter[str] = Counter()
    for path, item in document()["paths"].items():
        amounts[resource_of(path)] += len(_METHODS.intersection(item))
    return dict(sorted(amounts.items()))


def resource_of(path: str) -> str:
    """The resource of a path of the API: the two segments behind the prefix."""
    return "/".join(path.removeprefix(API_PREFIX).strip("/").split("/")[:2])


def part_as_json(resource: str) -> bytes:
    """The document of one resource as JSON: its paths, and the schemas that they refer to."""
    whole = document()
    paths = {path: item for path, item in whole["paths"].items() if resource_of(path) == resource}
    components = {**whole["components"], "schemas": _schemas_for(paths, whole["components"]["schemas"])}
    return _encoded({**whole, "paths": paths, "components": components})


def _schemas_for(paths: Mapping[str, Any], schemas: Mapping[str, Any]) -> dict[str, Any]:
    reached: dict[str, Any] = {}
    names: Iterable[str] = _REFERENCE.findall(json.dumps(paths))
    while new := {name: schemas[name] for name in names if name not in reached}:
        reached |= new
        names = _REFERENCE.findall(json.dumps(new))
    return dict(sorted(reached.items()))


def _encoded(part: Mapping[str, Any]) -> bytes:
    return json.dumps(part, ensure_ascii=False, indent=1).encode()


@cache
def as_yaml() -> bytes:
    """The document as YAML."""
    return yaml.safe_dump(document(), allow_unicode=True, sort_keys=False, width=120).encode()


def public_endpoints(endpoints: list[_Endpoint]) -> list[_Endpoint]:
    """The endpoints under the public API prefix, without those for communication between Postern's own processes."""
    return [endpoint for endpoint in endpoints if endpoint[0].startswith(API_PREFIX)]
