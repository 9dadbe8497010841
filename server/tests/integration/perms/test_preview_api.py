"""`POST perms/preview/`: figures and lists, bad input, other organizations, applications, and that nothing is written."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

import pytest
from rest_framework.test import APIClient

from factories.grants import (
    grant,
    grant_application,
    make_application,
    make_asset,
    make_group,
    make_node,
    make_system_user,
)
from postern.apps.audits.models import AuditEvent
from postern.apps.orgs.facade import create_organization
from postern.apps.perms.models import AssetPermission
from postern.apps.users.models import Membership, User
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.clock import now

pytestmark = pytest.mark.django_db

URL: Final = "/api/v1/perms/preview/"
NOTHING: Final = {"people": 0, "targets": 0, "pairs": 0}


def create(**values: Any) -> dict[str, Any]:
    lists = {
        name: [str(one.pk) for one in value] if isinstance(value, list) and name != "actions" else value
        for name, value in values.items()
    }
    return {"object": "asset_permission", "action": "create", "values": lists}


def ask(client: APIClient, *changes: dict[str, Any], query: str = "", **more: Any) -> Any:
    return client.post(f"{URL}{query}", {"changes": changes, **more}, format="json", headers={"Accept-Language": "en"})


def test_people_and_hosts_are_counted_once_and_listed(as_org_admin: APIClient, make_user: Callable[..., User]) -> None:
    ann, ben = make_user("ann"), make_user("ben")
    group, web = make_group(users=[ann, ben]), make_node("web")
    root, plain = make_system_user("root"), make_system_user("deploy", username="deploy")
    assets = [make_asset(f"a{number}", nodes=[web]) for number in range(3)]
    make_asset("off", nodes=[web], is_active=False)
    grant(users=[ann], assets=assets[:1], system_users=[plain])
    records = AuditEvent.objects.count()
    wish = create(users=[ann], user_groups=[group], assets=assets[:1], nodes=[web], system_users=[root, plain])
    told = ask(as_org_admin, wish).json()
    # Ann reaches a0 already, as deploy only. The switched-off host counts for nobody.
    assert told["assets"]["gained"] == {"people": 2, "targets": 3, "pairs": 5}
    assert told["assets"]["lost"] == NOTHING
    accounts = {row["name"]: (row["is_privileged"], row["gained"]["pairs"]) for row in told["assets"]["system_users"]}
    assert accounts == {"root": (True, 6), "deploy": (False, 5)}
    assert [(row["username"], row["gained_assets"]) for row in told["people"]["results"]] == [("ann", 2), ("ben", 3)]
    assert [row["name"] for row in told["asset_list"]["results"]] == ["a0", "a1", "a2"]
    page = ask(as_org_admin, wish, query=f"?limit=1&offset=1&user={ann.pk}").json()
    assert page["asset_list"]["count"] == 2
    assert [row["name"] for row in page["asset_list"]["results"]] == ["a2"]
    assert [row["username"] for row in page["people"]["results"]] == ["ben"]
    assert (AuditEvent.objects.count(), AssetPermission.objects.count()) == (records, 1)


def test_instant_decides_on_both_sides(as_org_admin: APIClient, make_user: Callable[..., User]) -> None:
    ann, asset, account = make_user("ann"), make_asset("a"), make_system_user()
    start = now() + timedelta(days=3)
    wish = create(users=[ann], assets=[asset], system_users=[account], date_start=start.isoformat())
    assert ask(as_org_admin, wish).json()["assets"]["gained"] == NOTHING
    assert ask(as_org_admin, wish, at=start.isoformat()).json()["assets"]["gained"]["pairs"] == 1


def test_applications_are_compared_too(as_org_admin: APIClient, make_user: Callable[..., User]) -> None:
    ann, account = make_user("ann"), make_system_user(protocol="mysql")
    orders, stock = make_application("orders"), make_application("stock")
    permission = grant_application(users=[ann], applications=[orders], system_users=[account])
    change = {
        "object": "application_permission",
        "action": "update",
        "id": str(permission.pk),
        "values": {"applications": [str(stock.pk)]},
    }
    told = ask(as_org_admin, change).json()
    one = {"people": 1, "targets": 1, "pairs": 1}
    assert (told["applications"]["gained"], told["applications"]["lost"]) == (one, one)
    marks = {row["name"]: (row["gained"], row["lost"]) for row in told["application_list"]["results"]}
    assert marks == {"orders": (False, True), "stock": (True, False)}
    assert {row["category"] for row in told["application_list"]["results"]} == {"db"}
    assert told["assets"]["gained"] == NOTHING


def test_bad_changes_get_the_errors_of_their_writes(as_org_admin: APIClient, make_user: Callable[..., User]) -> None:
    ann, asset, account, full = make_user("ann"), make_asset("a"), make_system_user(), make_node("full")
    make_node("below", parent=full)
    start = now()
    answer = ask(
        as_org_admin,
        create(users=[ann], assets=[asset], system_users=[]),
        create(users=[ann], assets=[asset], system_users=[account], date_start=start, date_expired=start),
        {"object": "node", "action": "delete", "id": str(full.pk)},
        {"object": "node", "action": "update", "id": str(full.pk), "values": {"parent": str(full.pk)}},
        {"object": "user_group", "action": "create", "values": {}},
        {"object": "tree", "action": "update"},
        {"object": "asset", "action": "update", "id": str(asset.pk), "values": {"nodes": [], "protocols": ["ssh"]}},
        {"object": "asset", "action": "create", "values": {"nodes_display": ["/Elsewhere/web"]}},
        {"object": "user", "action": "create", "values": {"groups": ["no such group"]}},
        create(users=[ann], assets=[asset], system_users=[account]),
    )
    assert answer.status_code == 400
    found = answer.json()["changes"]
    assert [sorted(one) for one in found] == [
        ["system_users"], ["date_expired"], ["error"], ["error"], ["action"], ["object"], ["nodes", "protocols"],
        ["nodes_display"], ["groups"], [],
    ]  # fmt: skip
    assert "not empty" in found[2]["error"]
    for body in ({}, {"changes": []}, {"changes": [{}] * 1_001}, {"changes": "all"}):
        assert as_org_admin.post(URL, body, format="json").status_code == 400
    for query in ("?limit=0", "?limit=x", "?offset=-1", "?user=nobody", "?limit=201"):
        assert ask(as_org_admin, create(system_users=[account]), query=query).status_code == 400


def test_objects_of_another_organization_are_not_found(as_org_admin: APIClient, make_user: Callable[..., User]) -> None:
    other = create_organization(actor=SYSTEM, name="Elsewhere").pk
    asset, account = make_asset("far", org_id=other), make_system_user(org_id=other)
    ann = make_user("ann")
    Membership.objects.create(user=ann, org_id=other)
    foreign = grant(org_id=other, users=[ann], assets=[asset], system_users=[account])
    change = {"object": "asset_permission", "action": "delete", "id": str(foreign.pk)}
    assert "Not found." in str(ask(as_org_admin, change).json())
    assert ask(as_org_admin, create(assets=[asset], system_users=[make_system_user()])).status_code == 400
    # A person of both organizations: what they lose elsewhere is not told.
    told = ask(as_org_admin, {"object": "user", "action": "delete", "id": str(ann.pk)}).json()
    assert told["assets"]["lost"] == NOTHING
    assert told["people"]["count"] == 0


def test_several_organizations_are_summed_in_the_global_one(
    as_admin: APIClient, make_user: Callable[..., User]
) -> None:
    other = create_organization(actor=SYSTEM, name="Elsewhere").pk
    ann = make_user("ann")
    Membership.objects.create(user=ann, org_id=other)
    grant(users=[ann], assets=[make_asset("near")], system_users=[make_system_user()])
    grant(
        org_id=other,
        users=[ann],
        assets=[make_asset("far", org_id=other)],
        system_users=[make_system_user(org_id=other)],
    )
    change = {"object": "user", "action": "update", "id": str(ann.pk), "values": {"is_active": False}}
    headers = {"X-JMS-ORG": "00000000-0000-0000-0000-000000000000"}
    told = as_admin.post(URL, {"changes": [change]}, format="json", headers=headers).json()
    assert told["assets"]["lost"] == {"people": 1, "targets": 2, "pairs": 2}
    assert sorted(row["name"] for row in told["asset_list"]["results"]) == ["far", "near"]


def test_what_the_check_of_an_import_answers_can_be_previewed(
    as_org_admin: APIClient, make_user: Callable[..., User]
) -> None:
    ann, ben = make_user("ann"), make_user("ben")
    account, asset = make_system_user("root"), make_asset("a")
    group = make_group("web", users=[ann])
    permission = grant("to a", users=[ann], user_groups=[group], assets=[asset], system_users=[account])

    def changes_of(path: str, item: dict[str, Any]) -> dict[str, Any]:
        (row,) = as_org_admin.put(f"/api/v1/{path}/?dry_run=1", [item], format="json").json()
        assert row["outcome"] == "update", row
        return {name: change["after"] for name, change in row["changes"].items()}

    def gained(kind: str, action: str = "update", **more: Any) -> Any:
        answer = ask(as_org_admin, {"object": kind, "action": action, **more})
        assert answer.status_code == 200, answer.json()
        return answer.json()["assets"]["gained"]["pairs"]

    file_row = {"id": str(permission.pk), "name": "to a", "users": ["ann", "ben"], "system_users": ["root"]}
    after = changes_of("perms/asset-permissions", file_row)
    assert gained("asset_permission", id=str(permission.pk), values={"users": after["users"]}) == 1
    new = {"name": "x", "users": ["ben"], "assets": ["a"], "system_users": ["root"], "actions": ["connect"]}
    assert gained("asset_permission", "create", values=new) == 1
    after = changes_of("users/groups", {"id": str(group.pk), "name": "web", "users": ["ann", "ben"]})
    assert gained("user_group", id=str(group.pk), values={"users": after["users"]}) == 1
    person = {"id": str(ben.pk), "name": "ben", "username": "ben", "email": ben.email, "groups": ["web"]}
    after = changes_of("users/users", person)
    assert after["groups"] == ["web"]
    assert gained("user", id=str(ben.pk), values={"groups": after["groups"]}) == 1
    assert gained("user", "create", values={"name": "Cai", "username": "cai", "groups": ["web"]}) == 1
    host = {"id": str(asset.pk), "hostname": "a", "ip": asset.ip, "platform": "Linux", "is_active": False}
    after = changes_of("assets/assets", host)
    off = {"object": "asset", "action": "update", "id": str(asset.pk), "values": {"is_active": after["is_active"]}}
    assert ask(as_org_admin, off).json()["assets"]["lost"]["pairs"] == 1


def test_new_people_and_hosts_count_and_come_first(as_org_admin: APIClient, make_user: Callable[..., User]) -> None:
    ann = make_user("ann")
    group, web = make_group("ops", users=[ann]), make_node("web")
    stored = make_asset("a", nodes=[web])
    grant(user_groups=[group], nodes=[web], system_users=[make_system_user("root")])
    cai = {"object": "user", "action": "create", "values": {"name": "Cai", "username": "cai", "groups": ["ops"]}}
    far = {"object": "user", "action": "create", "values": {"username": "far", "groups": []}}
    host = {
        "object": "asset",
        "action": "create",
        "values": {"hostname": "new", "nodes_display": ["/Default/web/not/yet"], "protocols": ["ssh/2222"]},
    }
    deaf = {
        "object": "asset",
        "action": "create",
        "values": {"hostname": "deaf", "nodes": [str(web.pk)], "protocols": ["rdp/1"]},
    }
    told = ask(as_org_admin, cai, far, host, deaf).json()
    # Cai reaches both hosts, and Ann the new one; "deaf" offers nothing that a system user speaks.
    assert told["assets"]["gained"] == {"people": 2, "targets": 2, "pairs": 3}
    people = [(row["id"], row["username"], row["gained_assets"]) for row in told["people"]["results"]]
    assert people == [(None, "cai", 2), (str(ann.pk), "ann", 1)]
    assert [(row["id"], row["name"]) for row in told["asset_list"]["results"]] == [(None, "new"), (str(stored.pk), "a")]
    second = ask(as_org_admin, cai, far, host, deaf, query="?limit=1&offset=1").json()
    assert [row["username"] for row in second["people"]["results"]] == ["ann"]
    assert [row["name"] for row in second["asset_list"]["results"]] == ["a"]
    over = {"object": "user", "action": "create", "values": {"groups": ["ops"], "date_expired": str(now())}}
    assert ask(as_org_admin, over).json()["assets"]["gained"] == NOTHING


def test_an_account_that_is_extended_gains_and_one_that_ends_loses(
    as_org_admin: APIClient, make_user: Callable[..., User]
) -> None:
    ann = make_user("ann", date_expired=now() - timedelta(days=1))
    grant(users=[ann], assets=[make_asset("a")], system_users=[make_system_user()])
    change = {"object": "user", "action": "update", "id": str(ann.pk)}
    later = str(now() + timedelta(days=9))
    assert ask(as_org_admin, {**change, "values": {"date_expired": later}}).json()["assets"]["gained"]["pairs"] == 1
    assert ask(as_org_admin, {**change, "values": {"is_active": True}}).json()["assets"]["gained"] == NOTHING
    User.objects.update(date_expired=None)
    over = str(now() - timedelta(minutes=1))
    assert ask(as_org_admin, {**change, "values": {"date_expired": over}}).json()["assets"]["lost"]["pairs"] == 1


def test_a_second_change_of_the_same_user_begins_with_the_groups_of_the_first(
    as_org_admin: APIClient, make_user: Callable[..., User]
) -> None:
    ann = make_user("ann")
    held, other = make_group("held", users=[ann]), make_group("other")
    account = make_system_user()
    grant(user_groups=[held], assets=[make_asset("a")], system_users=[account])
    grant(user_groups=[other], assets=[make_asset("b")], system_users=[account])

    def groups(*wanted: Any) -> dict[str, Any]:
        values = {"groups": [str(group.pk) for group in wanted]}
        return {"object": "user", "action": "update", "id": str(ann.pk), "values": values}

    there_and_back = ask(as_org_admin, groups(other), groups(held)).json()["assets"]
    assert (there_and_back["gained"], there_and_back["lost"]) == (NOTHING, NOTHING)
    out_and_over = ask(as_org_admin, groups(), groups(other)).json()["assets"]
    assert (out_and_over["gained"]["pairs"], out_and_over["lost"]["pairs"]) == (1, 1)
