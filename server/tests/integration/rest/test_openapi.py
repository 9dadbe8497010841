"""The API description is complete, has no guessed types, matches the answers, and is only for signed-in users."""

import json
from typing import Any

import jsonschema
import pytest
import yaml
from django.utils import translation
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.settings import patched_settings
from drf_spectacular.validation import validate_schema
from rest_framework.test import APIClient

from postern.foundation.checks import methods_of, view_of, walk
from postern.foundation.rest.openapi import document
from postern.foundation.rest.views import PosternView

METHODS = {"get", "post", "put", "patch", "delete"}
ASSET = {"hostname": "web-1", "ip": "192.0.2.1", "platform": "Linux", "protocols": ["ssh/22"]}

pytestmark = pytest.mark.any_database


def operations() -> list[tuple[str, str, dict[str, Any]]]:
    paths = document.document()["paths"]
    return [
        (path, method, operation)
        for path, item in paths.items()
        for method, operation in item.items()
        if method in METHODS
    ]


def test_description_is_valid_and_nothing_in_it_was_guessed() -> None:
    document.document.cache_clear()
    with patched_settings({"DISABLE_ERRORS_AND_WARNINGS": False}), GENERATOR_STATS.silence():
        GENERATOR_STATS.reset()
        made = document.document()
    assert not GENERATOR_STATS, "the generator had to guess"
    validate_schema(made)


def test_every_method_of_every_public_route_is_described_under_a_unique_name() -> None:
    routes = [
        (path, method.lower())
        for path, pattern in walk()
        if path.startswith("/api/v1/") and isinstance(view := view_of(pattern), PosternView)
        for method in methods_of(view)
    ]
    described = operations()
    assert len(described) == len({(path, method) for path, method, _ in described}) == len(set(routes))
    names = [operation["operationId"] for _, _, operation in described]
    assert len(names) == len(set(names))
    assert not [path for path in document.document()["paths"] if "internal" in path]


def test_description_says_who_may_call_and_how_to_sign_in() -> None:
    operation = {(path, method): operation for path, method, operation in operations()}
    users = operation["/api/v1/users/users/", "post"]
    assert users["description"] == "For administrators of the organization."
    assert {name for way in users["security"] for name in way} == {"session", "csrf", "bearer", "signature"}
    assert operation["/api/v1/authentication/auth/", "post"].get("security", []) == []


def test_secrets_are_only_in_request_bodies() -> None:
    schemas = document.document()["components"]["schemas"]
    assert "password" in schemas["SystemUserRequest"]["properties"]
    assert "password" not in schemas["SystemUser"]["properties"]


def test_texts_do_not_depend_on_the_language_of_the_first_reader() -> None:
    document.document.cache_clear()
    with translation.override("zh-hans"):
        chinese = document.document()
    document.document.cache_clear()
    with translation.override("en"):
        assert document.document() == chinese


def test_lists_answer_as_described(as_admin: APIClient, licensed: None) -> None:
    made: dict[str, str] = {}
    for path, body in (
        ("assets/assets/", ASSET),
        ("assets/labels/", {"name": "env", "value": "prod"}),
        ("users/groups/", {"name": "ops"}),
        ("assets/system-users/", {"name": "root", "username": "root", "protocol": "ssh", "login_mode": "auto"}),
        ("authentication/access-keys/", {}),
    ):
        answer = as_admin.post(f"/api/v1/{path}", body, format="json")
        assert answer.status_code == 201, (path, answer.content)
        made[path] = answer.json()["id"]
    permission = {"name": "all", "assets": [made["assets/assets/"]], "system_users": [made["assets/system-users/"]]}
    assert as_admin.post("/api/v1/perms/asset-permissions/", permission, format="json").status_code == 201
    names = {
        path: operation
        for path, _, operation in operations()
        if operation["operationId"].endswith("_list") and "{" not in path
    }
    names = {path: operation for path, operation in names.items() if "oneOf" in str(operation["responses"]["200"])}
    del names["/api/v1/terminal/commands/"]  # needs a session
    del names["/api/v1/acls/login-acls/"]  # needs a person
    del names["/api/v1/settings/ldap/users/"]  # no directory has been read
    del names["/api/v1/assets/account-secrets/"]  # needs a recent code of the second factor
    del names["/api/v1/applications/account-secrets/"]  # needs one, too
    assert len(names) > 20
    wrong: list[str] = []
    filled = 0
    for path, operation in names.items():
        page, rows = operation["responses"]["200"]["content"]["application/json"]["schema"]["oneOf"]
        for query, schema in (({}, rows), ({"limit": "5"}, page)):
            answer = as_admin.get(path, query).json()
            rules = jsonschema.Draft202012Validator({**schema, "components": document.document()["components"]})
            wrong += [f"{path}: {error.json_path}: {error.message}" for error in rules.iter_errors(answer)]
            filled += bool(answer)
    assert wrong == []
    assert filled > 20


def test_description_is_only_for_signed_in_users(as_anonymous: APIClient, as_user: APIClient) -> None:
    for form in ("json", "yaml"):
        assert as_anonymous.get(f"/api/swagger.{form}").status_code == 401
    assert as_user.get("/api/swagger.json").json() == yaml.safe_load(as_user.get("/api/swagger.yaml").content)


@pytest.mark.parametrize("viewer", ["docs", "redoc"])
def test_viewers_redirect_to_the_sign_in_and_back(as_anonymous: APIClient, as_user: APIClient, viewer: str) -> None:
    answer = as_anonymous.get(f"/api/{viewer}/")
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/core/auth/login/?next=%2Fapi%2F{viewer}%2F")
    page = as_user.get(f"/api/{viewer}/")
    policy = page.headers["Content-Security-Policy"]
    assert "script-src 'self';" in policy
    assert "default-src 'none'" in policy
    for name in ("swagger-ui-bundle.js", "swagger-ui.css", "redoc.standalone.js", "open-swagger.js", "open-redoc.js"):
        assert as_user.get(f"/api/docs/files/{name}").status_code == 200
    for name in ("..%2Fpages.py", "swagger-ui-bundle.js.map", "pages.py"):
        assert as_user.get(f"/api/docs/files/{name}").status_code == 404


def test_one_resource_is_described_with_its_schemas(as_user: APIClient) -> None:
    whole = document.document()
    resources = document.resources()
    assert sum(resources.values()) == len(operations())
    part = as_user.get("/api/swagger.json?of=assets/labels").json()
    assert set(part["paths"]) == {path for path in whole["paths"] if path.startswith("/api/v1/assets/labels/")}
    assert part["components"]["schemas"]["Label"] == whole["components"]["schemas"]["Label"]
    assert "SystemUser" not in part["components"]["schemas"]
    for resource in resources:
        validate_schema(json.loads(document.part_as_json(resource)))
    assert as_user.get("/api/swagger.json?of=assets/nothing").status_code == 404


def test_reference_lists_all_resources(as_user: APIClient) -> None:
    page = as_user.get("/api/redoc/").content.decode()
    assert all(f">{resource}</a>" in page for resource in document.resources())
    one = as_user.get("/api/redoc/?of=assets/labels").content.decode()
    assert "redoc.standalone.js" in one
    assert as_user.get("/api/redoc/?of=<script>").status_code == 404
