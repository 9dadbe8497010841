from collections.abc import Callable
from datetime import timedelta
from typing import Any, NamedTuple

import pytest
from rest_framework.test import APIClient

from factories.grants import grant_application, make_application, make_asset, make_group, make_system_user
from postern.apps.applications.models import Application
from postern.apps.assets.tree.actions import ensure_root
from postern.apps.audits.models import AuditEvent
from postern.apps.orgs.models import Organization
from postern.apps.perms.models import ApplicationPermission
from postern.apps.users.memberships.actions import remove_from_org
from postern.apps.users.models import User, UserGroup
from postern.apps.vault.models import SystemUser
from postern.foundation import licensing
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.caller.scope import OrgScope
from postern.kernel.clock import now
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db

URL = "/api/v1/perms/application-permissions/"
RELATIONS = "/api/v1/perms/application-permissions-{}-relations/"


class World(NamedTuple):
    anna: User
    bert: User
    group: UserGroup
    orders: Application
    stock: Application
    root: SystemUser


@pytest.fixture
def world(make_user: Callable[..., User]) -> World:
    """Bert is in the group."""
    anna, bert = make_user("anna"), make_user("bert")
    return World(
        anna,
        bert,
        make_group("shop", users=[bert]),
        make_application("orders"),
        make_application("stock"),
        make_system_user("db root", protocol="mysql"),
    )


def body(world: World, **changes: Any) -> dict[str, Any]:
    return {
        "name": "night shift",
        "category": "db",
        "type": "mysql",
        "users": [str(world.anna.pk)],
        "user_groups": [str(world.group.pk)],
        "applications": [str(world.orders.pk)],
        "system_users": [str(world.root.pk)],
        **changes,
    }


def test_permission_is_made_read_changed_and_deleted(as_org_admin: APIClient, world: World) -> None:
    answer = as_org_admin.post(URL, body(world), format="json")
    assert answer.status_code == 201, answer.json()
    row = answer.json()
    amounts = {name: row[name] for name in row if name.endswith("_amount")}
    assert amounts == {"users_amount": 1, "user_groups_amount": 1, "applications_amount": 1, "system_users_amount": 1}
    names = {name: row[name] for name in row if name.endswith("s_display")}
    assert names == {
        "users_display": ["Anna(anna)"],
        "user_groups_display": ["shop"],
        "applications_display": ["orders"],
        "system_users_display": ["db root"],
    }
    assert (row["is_valid"], row["is_expired"], row["applications"]) == (True, False, [str(world.orders.pk)])
    url = f"{URL}{row['id']}/"
    changed = as_org_admin.patch(url, {"applications": [str(world.stock.pk)], "is_active": False}, format="json").json()
    assert (changed["applications"], changed["is_valid"]) == ([str(world.stock.pk)], False)
    put = as_org_admin.put(url, body(world, name="day shift", users=[]), format="json").json()
    assert (put["name"], put["users"]) == ("day shift", [])
    assert as_org_admin.delete(url).status_code == 204
    assert not ApplicationPermission.objects.exists()
    update = AuditEvent.objects.filter(event="applicationpermission.updated").order_by("sequence").first()
    assert update is not None
    assert (update.old, update.new) == (
        {"applications": ["orders"], "is_active": True},
        {"applications": ["stock"], "is_active": False},
    )


def test_bad_permissions_are_refused_by_name(as_org_admin: APIClient, world: World) -> None:
    ssh, oracle = make_system_user("ssh root"), make_application("ledger", kind="oracle")
    start, end = now(), now() - timedelta(days=1)
    for change, field in (
        ({"system_users": []}, "system_users"),
        ({"system_users": [str(ssh.pk)]}, "system_users"),
        ({"applications": [str(oracle.pk)]}, "applications"),
        ({"applications": "x"}, "applications"),
        ({"date_start": start.isoformat(), "date_expired": end.isoformat()}, "date_expired"),
        ({"category": "cloud"}, "type"),
        ({"type": "nothing"}, "type"),
        ({"name": ""}, "name"),
    ):
        answer = as_org_admin.post(URL, body(world, **change), format="json")
        assert (answer.status_code, list(answer.json())) == (400, [field]), change
    assert not ApplicationPermission.objects.exists()
    row = as_org_admin.post(URL, body(world), format="json").json()
    url = f"{URL}{row['id']}/"
    for change, field in (
        ({"type": "oracle"}, "type"),
        ({"system_users": []}, "system_users"),
        ({"applications": [str(oracle.pk)]}, "applications"),
        ({"date_expired": end.isoformat()}, "date_expired"),
    ):
        answer = as_org_admin.patch(url, change, format="json")
        assert (answer.status_code, list(answer.json())) == (400, [field]), change
    assert as_org_admin.get(url).json() == row


def test_k16_objects_of_another_organization_are_refused_everywhere(
    as_org_admin: APIClient, world: World, make_user: Callable[..., User]
) -> None:
    other = Organization.objects.create(name="Other").pk
    ensure_root(actor=SYSTEM, org_id=other, name="Other")
    foreign = {
        "users": make_user("eve", org_id=other),
        "user_groups": make_group("theirs", org_id=other),
        "applications": make_application("theirs", org_id=other),
        "system_users": make_system_user("theirs", protocol="mysql", org_id=other),
    }
    theirs = grant_application("theirs", org_id=other, **{name: [one] for name, one in foreign.items()})
    own = as_org_admin.post(URL, body(world), format="json").json()
    columns = {"users": "user", "user_groups": "usergroup", "applications": "application", "system_users": "systemuser"}
    for field, one in foreign.items():
        for answer in (
            as_org_admin.post(URL, body(world, name="x", **{field: [str(one.pk)]}), format="json"),
            as_org_admin.patch(f"{URL}{own['id']}/", {field: [str(one.pk)]}, format="json"),
        ):
            assert (answer.status_code, list(answer.json())) == (400, [field])
        answer = as_org_admin.patch(URL, [{"id": own["id"], field: [str(one.pk)]}], format="json")
        assert (answer.status_code, [list(item) for item in answer.json()]) == (400, [[field]])
        relation, column = RELATIONS.format(field.replace("_", "-")), columns[field]
        link = {column: str(one.pk), "applicationpermission": own["id"]}
        assert as_org_admin.post(relation, link, format="json").status_code == 400
        link = {column: own[field][0], "applicationpermission": str(theirs.pk)}
        assert as_org_admin.post(relation, link, format="json").status_code == 400
        assert {row["applicationpermission"] for row in as_org_admin.get(relation).json()} == {own["id"]}
        as_org_admin.delete(f"{relation}?applicationpermission={theirs.pk}&{column}={one.pk}")
    rows = [getattr(theirs, name) for name in ("user_rows", "user_group_rows", "application_rows", "system_user_rows")]
    assert [rows_of.count() for rows_of in rows] == [1, 1, 1, 1]
    for query in ({"user": str(foreign["users"].pk)}, {"application": str(foreign["applications"].pk)}):
        wanted = {
            "user": str(world.anna.pk), "application": str(world.orders.pk), "system_user": str(world.root.pk), **query,
        }  # fmt: skip
        assert as_org_admin.get(f"{URL}explain/", wanted).status_code == 404


def test_links_are_added_and_removed_but_not_the_last_system_user(as_org_admin: APIClient, world: World) -> None:
    row = as_org_admin.post(URL, body(world), format="json").json()
    relation = RELATIONS.format("applications")
    link = {"application": str(world.stock.pk), "applicationpermission": row["id"]}
    made = as_org_admin.post(relation, [link], format="json")
    assert made.status_code == 201, made.json()
    assert made.json()[0]["application_display"].startswith("stock(MySQL)[")
    assert as_org_admin.post(relation, link, format="json").json()["id"] == made.json()[0]["id"]
    gone = f"{relation}?applicationpermission={row['id']}&application={world.stock.pk}"
    assert as_org_admin.delete(gone).status_code == 204
    assert as_org_admin.get(f"{URL}{row['id']}/").json()["applications"] == [str(world.orders.pk)]
    wrong = {"application": str(make_application("x", kind="oracle").pk), "applicationpermission": row["id"]}
    assert list(as_org_admin.post(relation, wrong, format="json").json()) == ["applications"]
    system_users = RELATIONS.format("system-users")
    refused = as_org_admin.delete(f"{system_users}?applicationpermission={row['id']}&systemuser={world.root.pk}")
    assert (refused.status_code, list(refused.json())) == (400, ["system_users"])
    events = AuditEvent.objects.filter(event__startswith="applicationpermission.link").order_by("sequence")
    assert [(one.event, one.old, one.new) for one in events] == [
        ("applicationpermission.link_added", None, {"applications": "stock"}),
        ("applicationpermission.link_removed", {"applications": "stock"}, None),
    ]


def test_members_are_shown_by_name(as_org_admin: APIClient, world: World) -> None:
    row = as_org_admin.post(URL, body(world), format="json").json()
    people = as_org_admin.get(f"{URL}{row['id']}/users/all/").json()
    assert [(one["user_display"], one["direct"]) for one in people] == [("Anna(anna)", True), ("Bert(bert)", False)]
    assert as_org_admin.get(f"{URL}{row['id']}/users/all/", {"search": "bert", "limit": 5}).json()["count"] == 1
    (shown,) = as_org_admin.get(f"{URL}{row['id']}/applications/all/").json()
    assert shown["application"] == str(world.orders.pk)
    assert as_org_admin.get(f"{URL}{row['id']}/applications/all/", {"search": "nothing"}).json() == []


def test_filters_find_permissions_by_what_they_name(as_org_admin: APIClient, world: World) -> None:
    past = {"date_start": now() - timedelta(days=2), "date_expired": now() - timedelta(days=1)}
    grant_application("direct", users=[world.anna], applications=[world.orders], system_users=[world.root])
    grant_application("grouped", user_groups=[world.group], applications=[world.stock], system_users=[world.root])
    grant_application("past", users=[world.bert], applications=[world.stock], system_users=[world.root], **past)
    grant_application("empty", system_users=[world.root])
    grant_application("cluster", kind="k8s", system_users=[make_system_user(protocol="k8s", token="t")])
    for query, names in (
        ({"user_id": str(world.bert.pk)}, ["grouped", "past"]),
        ({"user_id": str(world.bert.pk), "all": "0"}, ["past"]),
        ({"username": "anna"}, ["direct"]),
        ({"user_group": "shop"}, ["grouped"]),
        ({"user_group_id": str(world.group.pk)}, ["grouped"]),
        ({"application_id": str(world.stock.pk)}, ["grouped", "past"]),
        ({"app": str(world.orders.pk)}, ["direct"]),
        ({"app_name": "orders"}, ["direct"]),
        ({"application": "stock"}, ["grouped", "past"]),
        ({"system_user": "db root", "is_valid": "0"}, ["past"]),
        ({"is_effective": "1"}, ["direct", "grouped"]),
        ({"category": "cloud"}, ["cluster"]),
        ({"type__in": "k8s,oracle"}, ["cluster"]),
        ({"username": "nobody"}, []),
        ({"user_id": "not an id"}, []),
        ({"search": "gro"}, ["grouped"]),
    ):
        assert [row["name"] for row in as_org_admin.get(URL, query).json()] == names, query


def test_system_users_and_applications_of_permissions_are_kept(as_org_admin: APIClient, world: World) -> None:
    row = as_org_admin.post(URL, body(world), format="json").json()
    for path in (f"assets/system-users/{world.root.pk}", f"applications/applications/{world.orders.pk}"):
        refused = as_org_admin.delete(f"/api/v1/{path}/")
        assert (refused.status_code, "night shift" in refused.json()["detail"]) == (400, True), path
    as_org_admin.delete(f"{URL}{row['id']}/")
    assert as_org_admin.delete(f"/api/v1/applications/applications/{world.orders.pk}/").status_code == 204


def test_who_leaves_the_organization_leaves_its_permissions(world: World) -> None:
    row = grant_application(users=[world.anna, world.bert], applications=[world.orders], system_users=[world.root])
    remove_from_org(actor=SYSTEM, scope=OrgScope(DEFAULT_ORG_ID), user=world.anna)
    assert [link.user for link in row.user_rows.all()] == [world.bert]
    told = AuditEvent.objects.get(event="applicationpermission.link_removed")
    assert told.old == {"users": "Anna(anna)"}


def test_validate_and_explain_answer_as_the_decision_does(as_org_admin: APIClient, world: World) -> None:
    grant_application("shift", user_groups=[world.group], applications=[world.orders], system_users=[world.root])
    ids = {"user_id": str(world.bert.pk), "application_id": str(world.orders.pk), "system_user_id": str(world.root.pk)}
    allowed = as_org_admin.get(f"{URL}user/validate/", ids)
    assert (allowed.status_code, allowed.json()["has_permission"]) == (200, True)
    assert allowed.json()["expire_at"] > now().timestamp()
    for change in ({"user_id": str(world.anna.pk)}, {"application_id": str(world.stock.pk)}, {"action_name": "fly"}):
        refused = as_org_admin.get(f"{URL}user/validate/", {**ids, **change})
        assert (refused.status_code, refused.json()["has_permission"]) == (403, False), change
    assert as_org_admin.get(f"{URL}user/validate/", {"user_id": ids["user_id"]}).json() is False
    query = {"user": ids["user_id"], "application": ids["application_id"], "system_user": ids["system_user_id"]}
    told = as_org_admin.get(f"{URL}explain/", query).json()
    assert (told["allowed"], [reason["code"] for reason in told["reasons"]]) == (True, ["granted"])
    via = told["reasons"][0]["via"]
    assert (via["user_group"]["name"], via["application"]["name"]) == ("shop", "orders")
    assert (told["nearest"], as_org_admin.get(f"{URL}explain/", {"user": "x"}).status_code) == (None, 400)


def test_denial_names_the_nearest_permission_of_the_type_and_what_it_lacks(
    as_org_admin: APIClient, world: World
) -> None:
    cluster = make_application("cluster", kind="k8s", cluster="https://192.0.2.9:6443")
    token = make_system_user("deploy", protocol="k8s")
    grant_application("a of another type", kind="k8s", users=[world.anna], applications=[cluster], system_users=[token])
    grant_application("b far", applications=[world.orders], system_users=[make_system_user(protocol="mysql")])
    near = grant_application("c near", users=[world.bert], applications=[world.orders], system_users=[world.root])
    query = {"user": str(world.anna.pk), "application": str(world.orders.pk), "system_user": str(world.root.pk)}

    def lacks() -> tuple[str, list[tuple[str, str]]]:
        nearest = as_org_admin.get(f"{URL}explain/", query, headers={"Accept-Language": "en"}).json()["nearest"]
        return nearest["permission"]["name"], [(one["code"], one["message"]) for one in nearest["lacks"]]

    unnamed = "It includes neither the user Anna nor any of their groups."
    assert lacks() == ("c near", [("user", unnamed)])
    ApplicationPermission.objects.filter(pk=near.pk).update(is_active=False, date_expired=now())
    assert lacks() == ("b far", [("user", unnamed), ("system_user", "It does not include the system user db root.")])
    near.user_rows.all().delete()
    near.application_rows.all().delete()
    ApplicationPermission.objects.filter(name="b far").delete()
    assert as_org_admin.get(f"{URL}explain/", query).json()["nearest"] is None
    query["application"] = str(world.stock.pk)
    grant_application("d", users=[world.anna], applications=[world.orders], system_users=[world.root], is_active=False)
    switched_off = [("application", "It does not name the application stock."), ("inactive", "It is switched off.")]
    assert lacks() == ("d", switched_off)


@pytest.mark.spec("S6-033")
def test_permissions_for_remote_apps_need_a_licence(as_org_admin: APIClient, world: World, licensed: None) -> None:
    host = make_asset(platform="Windows", protocols=["rdp/3389"])
    chrome = make_application("browser", kind="chrome", asset=host)
    desk = make_system_user("desk", protocol="rdp")
    row = grant_application("web", kind="chrome", users=[world.anna], applications=[chrome], system_users=[desk])
    link = row.user_rows.get()
    query = {"user": str(world.anna.pk), "application": str(chrome.pk), "system_user": str(desk.pk)}
    assert as_org_admin.get(f"{URL}explain/", query).json()["allowed"] is True
    mine = f"/api/v1/perms/users/{world.anna.pk}/applications/"
    assert [one["name"] for one in as_org_admin.get(mine).json()] == ["browser"]
    with licensing.LICENCE.replaced(lambda: False):
        assert as_org_admin.get(URL).json() == []
        fields = {"category": "remote_app", "type": "chrome", "applications": [], "system_users": [str(desk.pk)]}
        relation = RELATIONS.format("users")
        new_link = {"user": str(world.bert.pk), "applicationpermission": str(row.pk)}
        for answer in (
            as_org_admin.get(URL, {"category": "remote_app"}),
            as_org_admin.post(URL, body(world, **fields), format="json"),
            as_org_admin.get(f"{URL}{row.pk}/"),
            as_org_admin.patch(f"{URL}{row.pk}/", {"comment": "x"}),
            as_org_admin.delete(f"{URL}{row.pk}/"),
            as_org_admin.get(f"{URL}{row.pk}/users/all/"),
            as_org_admin.post(relation, new_link, format="json"),
            as_org_admin.get(mine, {"type": "chrome"}),
        ):
            assert (answer.status_code, answer.json()["code"]) == (403, "licence_required")
        assert as_org_admin.delete(f"{relation}{link.pk}/").status_code == 404
        told = as_org_admin.get(f"{URL}explain/", query).json()
        assert (told["allowed"], told["reasons"][0]["code"]) == (False, "licence_missing")
        assert as_org_admin.get(mine).json() == []
