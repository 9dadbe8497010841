"""The contract has GETs that change data. The tests call every GET to detect them; each needs the right of its POST."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from endpoints import HTTP, PASSWORD, SIGN_IN, Endpoint
from factories.grants import make_asset
from postern.apps.jobs.connectivity.job import TEST_ASSETS, AssetsArgument
from postern.apps.jobs.job_center import actions as task_writes
from postern.apps.sessions.models import CommandStorage, ReplayStorage
from postern.apps.users.models import User
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.checks import view_of, walk
from postern.kernel.ids import DEFAULT_ORG_ID

READS = [
    endpoint
    for endpoint in HTTP
    if endpoint.method == "GET" and endpoint.right not in {"page", "terminal", "bootstrap"}
]
#: Functions that serve both methods and only read when the method is GET.
READ_OR_WRITE = {"NodeViewSet.children", "NodeViewSet.children_of", "NodeViewSet.children_tree"}
#: Traces of use that reads may write, and that an attacker gains nothing from forging.
MARKS = re.compile(r'(?:INTO|UPDATE|FROM) "(?:authn_loginsession|authn_signinguard|django_session)"')
#: Exports are on record. Other exports are lists in another format, which this test does not ask for.
EXPORTS = {"/api/v1/perms/export/"}
RECORDS = re.compile(r'(?:INSERT INTO|UPDATE) "audits_')


def _actions() -> list[tuple[Any, str, dict[str, str]]]:
    """The view, the action, and the actions by method of each GET route."""
    get_actions = []
    for _route, pattern in walk():
        view = view_of(pattern)
        actions: dict[str, str] = getattr(view, "action_map", None) or getattr(view, "actions", None) or {}
        get_actions += [(view, action, actions) for method, action in actions.items() if method == "get"]
    return get_actions


ACTING = [(view, action, actions) for view, action, actions in _actions() if action in view.acts_on_get]


@pytest.mark.spec("S7-019")
def test_get_that_acts_shares_its_right_with_a_post_of_the_same_action() -> None:
    assert ACTING
    for view, action, actions in ACTING:
        assert actions.get("post") == action, f"{type(view).__name__}.{action} has no POST twin"


def test_action_shared_by_get_and_an_unsafe_method_is_declared_as_acting() -> None:
    """A GET and an unsafe method with the same action do the same, unless a review found that the action checks the
    method.
    """
    silent = {
        f"{type(view).__name__}.{action}"
        for view, action, actions in _actions()
        if any(other == action for method, other in actions.items() if method not in {"get", "head"})
        and action not in view.acts_on_get
    }
    assert silent == READ_OR_WRITE


@pytest.mark.django_db
@pytest.mark.spec("S7-019", "S7-020")
def test_no_other_get_writes(people: dict[str, User], client_of: Callable[[User | None], APIClient]) -> None:
    client, writing = client_of(people["admin"]), []
    client.raise_request_exception = False
    acting = {endpoint.path for endpoint in _acting_endpoints()}
    for endpoint in READS:
        url = endpoint.url.replace("6f1c2b9e-6f58-4c0e-9d0c-2b7f6f0a4d11", str(people["user"].pk))
        with CaptureQueriesContext(connection) as queries:
            client.get(url)
        writes = [query["sql"] for query in queries if re.match(r"(INSERT|UPDATE|DELETE)", query["sql"])]
        if endpoint.path in EXPORTS:
            writes = [sql for sql in writes if not RECORDS.match(sql)]
        if endpoint.path not in acting and any(not MARKS.search(sql) for sql in writes):
            writing.append((endpoint.path, writes))
    assert writing == []


def _acting_endpoints() -> list[Endpoint]:
    routes = {route for route, pattern in walk() if _acts(view_of(pattern))}
    names = {re.sub(r"[^a-z/]", "", re.sub(r"\(\?P<(\w+)>[^)]*\)", r"\1", route)) for route in routes}
    return [endpoint for endpoint in READS if re.sub(r"[^a-z/]", "", endpoint.path) in names]


def _acts(view: Any) -> bool:
    actions: dict[str, str] = getattr(view, "action_map", None) or getattr(view, "actions", None) or {}
    return actions.get("get") in getattr(view, "acts_on_get", ())


@pytest.mark.django_db
@pytest.mark.spec("S7-020", "S7-019")
def test_acting_get_needs_the_csrf_token_and_the_right(people: dict[str, User]) -> None:
    endpoints = _acting_endpoints()
    assert len(endpoints) == len({(type(view), action) for view, action, _actions in ACTING})
    client = _signed_in(people["admin"])
    token = client.cookies["csrftoken"].value
    weak = _signed_in(people["user"])
    work = task_writes.work(TEST_ASSETS, AssetsArgument(assets=(make_asset().pk,)), "")
    task = task_writes.TASKS.create(actor=SYSTEM, org_id=DEFAULT_ORG_ID, values={"name": "task", **work})
    rows: dict[str, Any] = {
        "/api/v1/ops/tasks/": task,
        "/api/v1/terminal/replay-storages/": ReplayStorage.objects.get(name="default"),
        "/api/v1/terminal/command-storages/": CommandStorage.objects.get(name="default"),
    }
    for endpoint in endpoints:
        row = rows.get(endpoint.path.partition("<")[0], people["auditor"])
        url = endpoint.url.replace("6f1c2b9e-6f58-4c0e-9d0c-2b7f6f0a4d11", str(row.pk))
        for refused in (client.get(url), client.head(url), client.get(url, headers={"X-CSRFToken": "x" * 32})):
            assert refused.status_code == 403, endpoint
        assert client.get(url, headers={"X-CSRFToken": token}).status_code == 200, endpoint
        assert client.post(url, {}, headers={"X-CSRFToken": token}).status_code == 200, endpoint
        answer = weak.get(url, headers={"X-CSRFToken": weak.cookies["csrftoken"].value})
        assert answer.status_code in {403, 404}, endpoint


def _signed_in(user: User) -> APIClient:
    user.set_password(PASSWORD)
    user.save()
    client = APIClient(enforce_csrf_checks=True)
    client.get(SIGN_IN)
    token = client.cookies["csrftoken"].value
    body = {"username": user.username, "password": PASSWORD}
    assert client.post(SIGN_IN, body, format="json", headers={"X-CSRFToken": token}).status_code == 200
    return client
