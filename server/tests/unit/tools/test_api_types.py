"""The console's types of lists are generated from the API description: rows, writes and filters by path."""

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "tools"))

import api_types  # noqa: E402 - the tools folder must be on the path first


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": schema}}}


def _reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _list(name: str, *filters: str) -> dict[str, Any]:
    rows = {"type": "array", "items": _reference(name)}
    page = {"type": "object", "properties": {"results": rows}}
    parameters = [{"name": name, "in": "query"} for name in filters] + [{"name": "X-JMS-ORG", "in": "header"}]
    return {"responses": {"200": _json({"oneOf": [page, rows]})}, "parameters": parameters}


def test_list_has_its_row_its_write_and_its_filters() -> None:
    post = {"requestBody": _json({"oneOf": [_reference("SiteRequest"), {"type": "array"}]})}
    made = api_types.lists_of({"/api/v1/assets/sites/": {"get": _list("Site", "name", "city"), "post": post}})
    assert "readonly 'assets/sites/': {" in made
    assert "readonly row: components['schemas']['Site'];" in made
    assert "readonly request: components['schemas']['SiteRequest'];" in made
    assert "readonly filter: 'city' | 'name';" in made


def test_list_without_create_uses_the_write_type_of_a_single_object() -> None:
    paths = {
        "/api/v1/terminals/": {"get": _list("Terminal")},
        "/api/v1/terminals/{id}/": {"patch": {"requestBody": _json(_reference("PatchedTerminalRequest"))}},
    }
    assert "readonly request: components['schemas']['PatchedTerminalRequest'];" in api_types.lists_of(paths)


def test_list_without_writes_has_no_write_fields_and_a_single_object_is_no_list() -> None:
    operation = {"responses": {"200": _json(_reference("Profile"))}}
    made = api_types.lists_of({"/api/v1/logs/": {"get": _list("Log")}, "/api/v1/profile/": {"get": operation}})
    assert "readonly request: Record<never, never>;" in made
    assert "readonly filter: never;" in made
    assert "profile" not in made
