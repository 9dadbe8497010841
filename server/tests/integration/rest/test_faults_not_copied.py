"""Faults of the original product that the contract marks are not copied: the API answers with a clear error instead.

The tests run over every list, so a new list is covered automatically.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.urls import URLPattern
from rest_framework.test import APIClient

from endpoints import HTTP, path_of
from factories.grants import make_asset
from postern.apps.assets.assets.api.views import AssetViewSet
from postern.apps.users.models import User
from postern.apps.users.people.api.views import UserViewSet
from postern.foundation.checks import view_of, walk
from postern.foundation.rest.viewsets import CreateMixin, DeleteMixin, UpdateMixin
from postern.kernel.ids import ROOT_ORG_ID, new_id

pytestmark = pytest.mark.django_db

#: Paths that the old console called and its server did not have (contract/urls.md, "DEAD").
DEAD = (
    "/api/v1/perms/database-app-permissions/",
    "/api/v1/perms/database-app-permissions/{id}/",
    "/api/v1/perms/k8s-app-permissions/",
    "/api/v1/perms/k8s-app-permissions/{id}/",
    "/api/v1/perms/remote-app-permissions/{id}/",
    "/api/v1/perms/users/{id}/database-apps/",
    "/api/v1/perms/users/{id}/k8s-apps/",
    "/api/v1/assets/admin-users/{id}/nodes/",
)


def _routes(kind: type[Any], action: str) -> list[str]:
    """Paths of the lists whose view is an instance of `kind` and has the action."""

    def fits(pattern: URLPattern) -> bool:
        view = view_of(pattern)
        actions: dict[str, str] = getattr(view, "action_map", None) or getattr(view, "actions", None) or {}
        return isinstance(view, kind) and action in actions.values()

    return sorted({path_of(route) for route, pattern in walk() if fits(pattern)})


LISTS_DELETED = [path for path in _routes(DeleteMixin, "bulk_destroy") if "<" not in path]
LISTS_CREATED = [path for path in _routes(CreateMixin, "create") if "<" not in path]
LISTS_CHANGED = [path for path in _routes(UpdateMixin, "bulk_update") if "<" not in path]


def _client(people: dict[str, User], client_of: Callable[[User | None], APIClient]) -> APIClient:
    client = client_of(people["admin"])
    client.raise_request_exception = False
    return client


def test_known_lists_are_covered() -> None:
    for paths in (LISTS_DELETED, LISTS_CREATED, LISTS_CHANGED):
        assert {"/api/v1/users/groups/", "/api/v1/assets/assets/", "/api/v1/assets/labels/"} <= set(paths)


@pytest.mark.spec("S8-053")
@pytest.mark.parametrize("path", DEAD)
@pytest.mark.parametrize("method", ["get", "post", "patch", "delete", "options"])
@pytest.mark.any_database
def test_dead_url_is_a_clear_404(
    path: str, method: str, people: dict[str, User], client_of: Callable[[User | None], APIClient]
) -> None:
    answer = getattr(_client(people, client_of), method)(path.format(id=new_id()))
    assert (answer.status_code, answer.headers["Content-Type"]) == (404, "application/json")
    assert re.search("not found", (answer.json().get("error") or answer.json().get("detail")), re.IGNORECASE)


@pytest.mark.spec("S8-052", "S7-063")
@pytest.mark.parametrize("path", LISTS_DELETED)
@pytest.mark.parametrize("query", ["", "?search=a", "?limit=1", "?spm=", "?ids=", "?order=id", "?fields=id&draw=1"])
@pytest.mark.any_database
def test_bulk_delete_without_a_filter_is_refused_with_a_reason(
    path: str, query: str, people: dict[str, User], client_of: Callable[[User | None], APIClient]
) -> None:
    client = _client(people, client_of)
    before = client.get(path, {"limit": "1"}).json()
    answer = client.delete(f"{path}{query}")
    assert (answer.status_code, answer.json()["code"]) in {(400, "selection_required"), (403, "licence_required")}
    assert answer.json()["detail"]
    assert client.get(path, {"limit": "1"}).json() == before


@pytest.mark.spec("S8-052")
def test_bulk_delete_without_a_filter_of_a_single_row_is_refused_too(as_org_admin: APIClient) -> None:
    """The original deleted the row when the list had only one row."""
    made = as_org_admin.post("/api/v1/users/groups/", {"name": "only"}).json()
    assert as_org_admin.get("/api/v1/users/groups/", {"limit": "5"}).json()["count"] == 1
    assert as_org_admin.delete("/api/v1/users/groups/").status_code == 400
    assert as_org_admin.get(f"/api/v1/users/groups/{made['id']}/").status_code == 200


@pytest.mark.spec("S8-051")
@pytest.mark.parametrize("path", LISTS_CREATED)
def test_create_in_the_root_organization_does_not_crash(
    path: str, people: dict[str, User], client_of: Callable[[User | None], APIClient]
) -> None:
    client = _client(people, client_of)
    for body in ({}, {"name": "x"}, [{"name": "x"}]):
        answer = client.post(path, body, headers={"X-JMS-ORG": str(ROOT_ORG_ID)})
        assert answer.status_code in {201, 400, 403}, answer.content  # objects without an organization can be created
        assert answer.json(), path


@pytest.mark.spec("S2-217", "S8-051")
@pytest.mark.parametrize(
    "path",
    [
        path
        for path in (
            "/api/v1/users/groups/",
            "/api/v1/assets/assets/",
            "/api/v1/assets/labels/",
            "/api/v1/assets/system-users/",
            "/api/v1/perms/asset-permissions/",
        )
        if path in LISTS_CREATED
    ],
)
def test_create_in_the_root_organization_is_refused_with_a_next_step(
    path: str, people: dict[str, User], client_of: Callable[[User | None], APIClient]
) -> None:
    answer = _client(people, client_of).post(path, {"name": "x"}, headers={"X-JMS-ORG": "root"})
    assert (answer.status_code, answer.json()["code"]) == (400, "root_org_read_only")
    assert len(answer.json()["detail"]) > 10


@pytest.mark.spec("S8-051")
@pytest.mark.parametrize(
    "path", sorted({endpoint.path for endpoint in HTTP if endpoint.method == "POST" and "<" not in endpoint.path})
)
def test_unexpected_bodies_do_not_crash_in_the_root_organization(
    path: str, people: dict[str, User], client_of: Callable[[User | None], APIClient]
) -> None:
    client = _client(people, client_of)
    for body in ("{", "[]", "null", '{"name": null}', '[{"id": 1}]'):
        answer = client.generic("POST", path, body, content_type="application/json", headers={"X-JMS-ORG": "root"})
        assert answer.status_code < 500, (body, answer.content)


_FILTERS = [
    *(("users/users", name) for name in UserViewSet.own_filters),
    *(("assets/assets", name) for name in AssetViewSet.own_filters),
]


@pytest.mark.parametrize("value", ["0", "false", "no", "~", " ", ",", "%"])
@pytest.mark.parametrize(("path", "name"), _FILTERS)
def test_filter_of_a_bulk_delete_always_narrows_the_rows(as_admin: APIClient, path: str, name: str, value: str) -> None:
    """A bulk delete needs a filter. A filter value that is not understood must not mean every object."""
    make_asset("web-1")
    url = f"/api/v1/{path}/"
    answer = as_admin.get(url, {name: value})
    named = answer.json() if answer.status_code == 200 else []
    if (name, value) not in {("login_blocked", "0"), ("login_blocked", "false")}:
        assert named == []
