"""The API of access plans: who may, in which organization, errors, sizes, and one recheck for many permissions."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from rest_framework.test import APIClient

from factories.access_plans import HEAD, PlannedWorld, planned_world
from factories.grants import make_group
from postern.apps.audits.models import AuditEvent
from postern.apps.orgs.facade import create_organization
from postern.apps.perms.models import AssetPermission
from postern.apps.plans import facade as plans
from postern.apps.plans.applying import actions
from postern.apps.plans.files.items import MAX_BYTES
from postern.apps.sessions import subscriptions
from postern.apps.users.models import User, UserGroup
from postern.foundation.bus.gathered import Gathered
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.requests.middleware import body_limit_bytes
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db

API = "/api/v1/perms/"


@pytest.fixture
def world(make_user: Callable[..., User]) -> PlannedWorld:
    return planned_world(make_user)


def test_an_administrator_exports_plans_and_applies(as_org_admin: APIClient, world: PlannedWorld) -> None:
    answer = as_org_admin.get(f"{API}export/")
    assert answer["Content-Type"] == "application/yaml; charset=utf-8"
    assert AuditEvent.objects.filter(event="accessplan.exported", new__rows=6).exists()
    text = answer.content.decode() + "\nprune: {asset_permissions: true}\n"
    assert text.startswith("# Access plan of Postern")
    text = text.replace("  - name: db for bert\n", "  - name: db for anna\n")
    plan = as_org_admin.post(f"{API}plan/", {"file": text}, format="json").json()
    assert [(one["verb"], one["name"]) for one in plan["changes"]] == [
        ("create", "db for anna"),
        ("delete", "db for bert"),
    ]
    assert plan["access"]["gained"]["pairs"] == plan["access"]["lost"]["pairs"] == 0
    body = {"file": text, "plan": plan["digest"]}
    assert as_org_admin.post(f"{API}apply/", body, format="json").json() == plan
    outdated = as_org_admin.post(f"{API}apply/", body, format="json")
    assert (outdated.status_code, outdated.json()["code"]) == (409, "plan_outdated")
    assert as_org_admin.post(f"{API}apply/", {"file": text}, format="json").json()["changes"] == []
    schema = as_org_admin.get(f"{API}plan/").json()
    assert schema["properties"]["version"]["const"] == 1


def test_errors_name_line_and_column(as_org_admin: APIClient, world: PlannedWorld) -> None:
    bad = HEAD + "asset_permissions:\n  - nam: x\n    users: [nobody]\n"
    for path in ("plan/", "apply/"):
        answer = as_org_admin.post(API + path, {"file": bad}, format="json")
        assert answer.status_code == 400
        lines = answer.json()["file"]
        assert len(lines) == 2
        assert "4" in lines[0]
        assert "name" in lines[0]
    for body in ({}, {"file": ""}, {"file": ["x"]}, {"file": "a: [", "plan": "x"}):
        assert as_org_admin.post(f"{API}apply/", body, format="json").status_code == 400
    large = as_org_admin.post(f"{API}plan/", {"file": "#" * (MAX_BYTES + 1)}, format="json")
    assert "4194304" in large.json()["file"][0]
    fitting = HEAD + "#" * (MAX_BYTES - len(HEAD))
    assert as_org_admin.post(f"{API}plan/", {"file": fitting}, format="json").json()["changes"] == []
    assert body_limit_bytes(f"{API}plan/") > MAX_BYTES > body_limit_bytes("/api/v1/perms/new-hosts/")


def test_api_refuses_a_file_that_changes_too_many_objects(
    as_org_admin: APIClient, world: PlannedWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actions, "MOST_CHANGED", 3)
    groups = HEAD + "user_groups: [{name: a}, {name: b}, {name: c}%s]\n"
    rules = HEAD + "command_filters: [{name: f, rules: [{content: a}, {content: b}%s]}]\n"
    for text, more in ((groups, ", {name: d}"), (rules, ", {content: c}")):
        for path in ("plan/", "apply/"):
            refused = as_org_admin.post(API + path, {"file": text % more}, format="json")
            assert refused.status_code == 400
            assert "“postern apply”" in refused.json()["file"][0]
        fitting = as_org_admin.post(f"{API}plan/", {"file": text % ""}, format="json")
        assert fitting.status_code == 200, fitting.json()
    assert not UserGroup.objects.filter(name="a").exists()
    # Operators on the machine have no limit: they decide how long others wait.
    made = plans.apply(actor=SYSTEM, org_id=DEFAULT_ORG_ID, checker=plans.read_wish(groups % ", {name: d}"))
    assert len(made.changes) == 4


def test_names_of_another_organization_stand_for_nothing(
    as_org_admin: APIClient, world: PlannedWorld, make_user: Callable[..., User]
) -> None:
    other = create_organization(actor=SYSTEM, name="Other").pk
    make_group("theirs", org_id=other)
    text = HEAD + "asset_permissions: [{name: x, user_groups: [theirs], system_users: [root]}]\n"
    assert as_org_admin.post(f"{API}apply/", {"file": text}, format="json").status_code == 400
    text = "version: 1\norganization: Other\nuser_groups: [{name: ours}]\n"
    assert as_org_admin.post(f"{API}apply/", {"file": text}, format="json").status_code == 400
    assert "theirs" not in as_org_admin.get(f"{API}export/").content.decode()
    assert not UserGroup.objects.filter(name="ours").exists()


def test_many_permissions_are_one_call_with_few_queries_and_one_recheck(
    as_org_admin: APIClient,
    world: PlannedWorld,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
    django_assert_max_num_queries: Any,
) -> None:
    lines = [
        f"  - {{name: p{number}, users: [anna], nodes: [/Default], system_users: [root]}}" for number in range(200)
    ]
    text = HEAD + "asset_permissions:\n" + "\n".join(lines) + "\n"
    with django_assert_max_num_queries(150), django_capture_on_commit_callbacks(execute=False):
        made = as_org_admin.post(f"{API}apply/", {"file": text}, format="json")
    assert made.status_code == 200, made.json()
    assert AssetPermission.objects.filter(name__startswith="p").count() == 200
    # As in the product: what many events ask for is gathered, and carried out once for the organization.
    asked: list[frozenset[tuple[str, UUID]]] = []
    gathered = Gathered[tuple[str, UUID]]("rechecks", asked.append)
    monkeypatch.undo()
    monkeypatch.setattr(subscriptions, "RECHECKS", gathered)
    changed = text.replace("[root]}", "[root], comment: again}")
    with django_capture_on_commit_callbacks(execute=True):
        assert as_org_admin.post(f"{API}apply/", {"file": changed}, format="json").status_code == 200
    gathered.wait()
    assert asked == [frozenset({("organization", DEFAULT_ORG_ID)})]
