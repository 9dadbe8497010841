from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from factories.grants import grant, make_asset, make_group, make_node, make_system_user
from postern.apps.assets.nodes.actions import root_of
from postern.apps.assets.tree.actions import ensure_root
from postern.apps.audits.models import AuditEvent
from postern.apps.orgs.models import Organization
from postern.apps.perms.models import AssetPermission
from postern.apps.users.models import User
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.clock import now
from postern.kernel.ids import DEFAULT_ORG_ID, ROOT_ORG_ID

pytestmark = pytest.mark.django_db

URL = "/api/v1/perms/asset-permissions/"


def rows(client: APIClient, url: str) -> list[dict[str, Any]]:
    answer = client.get(url)
    assert answer.status_code == 200, answer.content
    body: list[dict[str, Any]] = answer.json()
    return body


def ids(*objects: Any) -> list[str]:
    return [str(row.pk) for row in objects]


@pytest.mark.spec("S6-061", "S6-062", "S6-063")
def test_create_permission_returns_all_its_fields(as_org_admin: APIClient, people: dict[str, User]) -> None:
    asset, node, group = (
        make_asset("web-1", ip="192.0.2.1"),
        make_node("web"),
        make_group("ops", users=[people["user"]]),
    )
    system_user = make_system_user("root on linux")
    sent = {
        "name": "ops to web",
        "users": ids(people["user"]),
        "user_groups": ids(group),
        "assets": ids(asset),
        "nodes": ids(node),
        "system_users": ids(system_user),
        "actions": ["connect", "updownload", "clipboard_copy_paste"],
        "date_start": "2026-01-01T00:00:00Z",
        "date_expired": "2096-01-01T00:00:00Z",
        "comment": "c",
    }
    answer = as_org_admin.post(URL, sent)
    assert answer.status_code == 201, answer.data
    made = answer.json()
    for name in ("name", "users", "user_groups", "assets", "nodes", "system_users", "comment"):
        assert made[name] == sent[name]
    assert made["actions"] == [
        "connect", "upload_file", "download_file", "updownload", "clipboard_copy", "clipboard_paste", "clipboard_copy_paste"
    ]  # fmt: skip
    assert (made["is_valid"], made["is_expired"], made["is_active"]) == (True, False, True)
    assert made["users_display"] == ["Uma(uma)"]
    assert made["user_groups_display"] == ["ops"]
    assert made["assets_display"] == ["web-1(192.0.2.1)"]
    assert made["nodes_display"] == ["/Default/web"]
    assert made["system_users_display"] == ["root on linux"]
    assert [made[f"{name}_amount"] for name in ("users", "user_groups", "assets", "nodes", "system_users")] == [1] * 5
    event = AuditEvent.objects.get(event="assetpermission.created")
    assert (event.new or {})["users"] == ["Uma(uma)"]


def test_new_permission_has_all_actions_and_lasts_70_years_by_default(as_org_admin: APIClient) -> None:
    made = as_org_admin.post(URL, {"name": "p", "system_users": ids(make_system_user())}).json()
    assert made["actions"][0] == "all"
    assert len(made["actions"]) == 8
    assert "forward" not in made["actions"]
    end = AssetPermission.objects.get().date_expired
    assert timedelta(days=69 * 365) < end - now() < timedelta(days=71 * 366)


def test_port_forwarding_is_given_by_its_own_name_only(as_org_admin: APIClient) -> None:
    sent = {"name": "p", "system_users": ids(make_system_user()), "actions": ["all", "forward"]}
    made = as_org_admin.post(URL, sent).json()
    assert (made["actions"][0], made["actions"][-1], len(made["actions"])) == ("all", "forward", 9)
    changed = as_org_admin.patch(f"{URL}{made['id']}/", {"actions": ["all"]}).json()
    assert "forward" not in changed["actions"]
    assert AssetPermission.objects.get().actions == 255
    event = AuditEvent.objects.get(event="assetpermission.updated")
    assert "forward" in (event.old or {})["actions"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "x" * 129}, "name"),
        ({"system_users": []}, "system_users"),
        ({"system_users": ["no id"]}, "system_users"),
        ({"system_users": "text"}, "system_users"),
        ({"actions": ["root"]}, "actions"),
        ({"actions": "connect"}, "actions"),
        ({"date_expired": "yesterday"}, "date_expired"),
        ({"date_start": "2026-02-02T00:00:00Z", "date_expired": "2026-02-01T00:00:00Z"}, "date_expired"),
        ({"assets": ["3f2c7a52-0000-4000-8000-000000000000"]}, "assets"),
        ({"users": [{"id": 1}]}, "users"),
    ],
)
def test_create_permission_with_a_bad_value_is_a_field_error(
    as_org_admin: APIClient, changes: dict[str, Any], field: str
) -> None:
    answer = as_org_admin.post(URL, {"name": "p", "system_users": ids(make_system_user()), **changes})
    assert answer.status_code == 400
    assert set(answer.json()) == {field}
    assert not AssetPermission.objects.exists()


def _imported(client: APIClient, **texts: list[str]) -> Any:
    make_system_user("root on linux")
    return client.post(URL, {"name": "imported", "system_users_display": ["root on linux"], **texts}, format="json")


def test_user_name_in_an_import_does_not_match_the_display_name_of_another_user(
    as_org_admin: APIClient, people: dict[str, User]
) -> None:
    User.objects.filter(pk=people["auditor"].pk).update(name="user")
    User.objects.filter(pk=people["user"].pk).update(username="user", username_key="user")
    assert _imported(as_org_admin, users_display=["user"]).json()["users"] == ids(people["user"])


def test_ambiguous_user_name_in_an_import_is_refused(as_org_admin: APIClient, people: dict[str, User]) -> None:
    User.objects.filter(pk__in=[people["user"].pk, people["org_admin"].pk]).update(name="Li Wei")
    answer = _imported(as_org_admin, users_display=["Li Wei"])
    assert answer.status_code == 400
    assert list(answer.json()) == ["users_display"]
    assert not AssetPermission.objects.exists()


def test_ambiguous_address_in_an_import_is_refused(as_org_admin: APIClient) -> None:
    named = make_asset("192.0.2.8", ip="192.0.2.9")
    for number in range(2):
        make_asset(f"web-{number}", ip="192.0.2.8")
    assert _imported(as_org_admin, assets_display=["192.0.2.8"]).json()["assets"] == ids(named)
    AssetPermission.objects.all().delete()
    for number in range(2):
        make_asset(f"db-{number}", ip="192.0.2.10")
    assert (
        as_org_admin.post(
            URL,
            {"name": "more", "system_users_display": ["root on linux"], "assets_display": ["192.0.2.10"]},
            format="json",
        ).status_code
        == 400
    )


def test_permission_is_created_from_names_as_in_an_import(as_org_admin: APIClient, people: dict[str, User]) -> None:
    asset, group = make_asset("web-1", ip="192.0.2.1"), make_group("ops")
    system_user = make_system_user("root on linux")
    answer = as_org_admin.post(
        URL,
        {
            "name": "imported",
            "users_display": ["uma", "nobody"],
            "user_groups_display": ["ops"],
            "assets_display": ["192.0.2.1"],
            "nodes_display": ["/Default"],
            "system_users_display": ["root on linux"],
        },
    )
    assert answer.status_code == 201, answer.data
    made = answer.json()
    assert made["users"] == ids(people["user"])
    assert (made["user_groups"], made["assets"], made["system_users"]) == (ids(group), ids(asset), ids(system_user))
    assert made["nodes"] == ids(root_of(DEFAULT_ORG_ID))
    rows_of_import = [{"name": f"row {number}", "system_users_display": ["root on linux"]} for number in range(2)]
    many = as_org_admin.post(URL, rows_of_import)
    assert (many.status_code, [permission["system_users"] for permission in many.json()]) == (
        201,
        [ids(system_user)] * 2,
    )
    broken = as_org_admin.post(URL, [{"name": "good", "system_users_display": ["root on linux"]}, {"name": "bad"}])
    assert (broken.status_code, [list(errors) for errors in broken.json()]) == (400, [[], ["system_users"]])


def test_k68_permission_accepts_only_objects_of_its_organization(
    as_org_admin: APIClient, as_admin: APIClient, make_user: Any
) -> None:
    org = Organization.objects.create(name="Other")
    root = ensure_root(actor=SYSTEM, org_id=org.pk, name="Other")
    foreign_asset, foreign_su = make_asset(org_id=org.pk), make_system_user(org_id=org.pk)
    stranger = make_user("stranger", org_role=None)
    own = make_system_user()
    for changes in (
        {"assets": ids(foreign_asset)}, {"nodes": ids(root)}, {"system_users": ids(foreign_su)}, {"users": ids(stranger)}
    ):  # fmt: skip
        answer = as_org_admin.post(URL, {"name": "p", "system_users": ids(own), **changes})
        assert answer.status_code == 400, changes
        assert set(answer.json()) == set(changes)
    # Not through the root organization either, where ids of all organizations are visible.
    permission = grant(system_users=[own])
    refused = as_admin.patch(
        f"{URL}{permission.pk}/", {"assets": ids(foreign_asset)}, headers={"X-JMS-ORG": str(ROOT_ORG_ID)}
    )
    assert refused.status_code == 400
    link = {"assetpermission": str(permission.pk), "asset": str(foreign_asset.pk)}
    refused = as_admin.post(
        "/api/v1/perms/asset-permissions-assets-relations/", link, headers={"X-JMS-ORG": str(ROOT_ORG_ID)}
    )
    assert refused.status_code == 400
    assert not permission.assets.exists()


def test_update_permission_replaces_lists_and_audits_the_difference(
    as_org_admin: APIClient, people: dict[str, User]
) -> None:
    first, second = make_asset("a"), make_asset("b")
    permission = grant("p", assets=[first], users=[people["user"]], system_users=[make_system_user()])
    answer = as_org_admin.patch(f"{URL}{permission.pk}/", {"assets": ids(second), "is_active": False})
    assert (answer.json()["assets"], answer.json()["users"]) == (ids(second), ids(people["user"]))
    event = AuditEvent.objects.filter(event="assetpermission.updated").latest("sequence")
    assert (event.old["assets"], event.new["assets"]) == ([str(first)], [str(second)])
    assert event.new["is_active"] is False
    assert "users" not in event.new


def test_list_permissions_filters_by_the_objects_that_they_name(
    as_org_admin: APIClient, people: dict[str, User]
) -> None:
    user, group = people["user"], make_group("ops", users=[people["user"]])
    web = make_node("web")
    asset = make_asset("web-1", ip="192.0.2.1", nodes=[web])
    linux, windows = make_system_user("linux"), make_system_user("windows", protocol="rdp")
    grant("direct", users=[user], assets=[asset], system_users=[linux])
    grant("inherited", user_groups=[group], nodes=[root_of(DEFAULT_ORG_ID)], system_users=[linux, windows])
    past: dict[str, Any] = {
        "date_start": datetime(2020, 1, 1, tzinfo=UTC),
        "date_expired": datetime(2021, 1, 1, tzinfo=UTC),
    }
    grant("over", system_users=[windows], **past)
    grant("idle", system_users=[windows])

    def names(query: str) -> list[str]:
        return [row["name"] for row in rows(as_org_admin, f"{URL}?{query}")]

    assert names("") == ["direct", "idle", "inherited", "over"]
    for who in (f"user_id={user.pk}", "username=uma"):
        assert names(who) == ["direct", "inherited"]
        assert names(f"{who}&all=0") == ["direct"]
    for filter_query in (f"asset_id={asset.pk}", "hostname=web-1", "ip=192.0.2.1"):
        assert names(filter_query) == ["direct", "inherited"]
        assert names(f"{filter_query}&all=0") == ["direct"]
    assert names(f"node_id={web.pk}") == ["inherited"]
    assert names(f"node_id={web.pk}&all=0") == []
    assert names("node=Default") == ["inherited"]
    assert names(f"user_group_id={group.pk}") == names("user_group=ops") == ["inherited"]
    assert names(f"system_user_id={windows.pk}") == names("system_user=windows") == ["idle", "inherited", "over"]
    assert names("is_valid=1") == ["direct", "idle", "inherited"]
    assert names("is_valid=0") == ["over"]
    assert names("is_effective=1") == ["direct", "inherited"]
    assert names("is_effective=0") == ["idle", "over"]
    assert names("username=nobody") == names("hostname=nothing") == names("user_id=garbage") == []
    assert names(f"user_id={user.pk}&system_user=windows") == ["inherited"]
    assert names("search=inh") == names("name=inherited") == ["inherited"]
    assert names("order=-name")[0] == "over"


@pytest.mark.parametrize("count", [1, 7])
def test_list_permissions_takes_a_fixed_number_of_queries(
    as_org_admin: APIClient, people: dict[str, User], count: int, django_assert_num_queries: Any
) -> None:
    for _ in range(count):
        grant(users=[people["user"]], assets=[make_asset()], nodes=[make_node()], system_users=[make_system_user()])
    with django_assert_num_queries(9):
        as_org_admin.get(f"{URL}?limit=20")


def test_users_and_assets_of_a_permission_with_groups_and_nodes(
    as_org_admin: APIClient, people: dict[str, User]
) -> None:
    web = make_node("web")
    direct, below = (
        make_asset("direct", ip="192.0.2.1"),
        make_asset("below", ip="192.0.2.2", nodes=[make_node("deep", parent=web)]),
    )
    group = make_group(users=[people["user"], people["auditor"]])
    permission = grant(
        users=[people["user"]], user_groups=[group], assets=[direct], nodes=[web], system_users=[make_system_user()]
    )
    users = rows(as_org_admin, f"{URL}{permission.pk}/users/all/")
    assert [(row["user_display"], row["direct"]) for row in users] == [("Audra(audra)", False), ("Uma(uma)", True)]
    assets = rows(as_org_admin, f"{URL}{permission.pk}/assets/all/")
    assert [(row["asset"], row["asset_display"], row["direct"]) for row in assets] == [
        (str(below.pk), "below(192.0.2.2)", False), (str(direct.pk), "direct(192.0.2.1)", True)
    ]  # fmt: skip
    assert len(rows(as_org_admin, f"{URL}{permission.pk}/assets/all/?search=192.0.2.2")) == 1
    page = as_org_admin.get(f"{URL}{permission.pk}/users/all/?limit=1").json()
    assert (page["count"], len(page["results"])) == (2, 1)


@pytest.mark.parametrize(
    ("path", "column", "list_name"),
    [
        ("users", "user", "users"),
        ("user-groups", "usergroup", "user_groups"),
        ("assets", "asset", "assets"),
        ("nodes", "node", "nodes"),
        ("system-users", "systemuser", "system_users"),
    ],
)
def test_relations_have_integer_ids_and_are_deleted_by_filter(
    as_org_admin: APIClient, people: dict[str, User], path: str, column: str, list_name: str
) -> None:
    target = {
        "user": people["user"], "usergroup": make_group(), "asset": make_asset(), "node": make_node(), "systemuser": make_system_user()
    }[column]  # fmt: skip
    permission = grant("p", system_users=[make_system_user()])
    url = f"/api/v1/perms/asset-permissions-{path}-relations/"
    sent = {"assetpermission": str(permission.pk), column: str(target.pk)}
    made = as_org_admin.post(url, [sent])
    assert made.status_code == 201, made.data
    [row] = made.json()
    assert isinstance(row["id"], int)
    assert (row[column], row["assetpermission_display"]) == (str(target.pk), "p")
    assert row[f"{column}_display"]
    assert as_org_admin.post(url, sent).status_code == 201
    query = f"?assetpermission={permission.pk}&{column}={target.pk}"
    assert [row["id"] for row in rows(as_org_admin, url + query)] == [row["id"]]
    assert as_org_admin.delete(url).status_code == 400
    assert as_org_admin.delete(url + query).status_code == 204
    assert rows(as_org_admin, url + query) == []
    assert not getattr(permission, list_name).filter(pk=target.pk).exists()


@pytest.mark.spec("S5-038")
def test_last_system_user_of_a_permission_cannot_be_removed(as_org_admin: APIClient) -> None:
    first, last = make_system_user("root"), make_system_user("deploy")
    permission = grant(system_users=[first, last])
    url = f"/api/v1/perms/asset-permissions-system-users-relations/?assetpermission={permission.pk}"
    assert as_org_admin.delete(f"{url}&systemuser={first.pk}").status_code == 204
    refused = as_org_admin.delete(f"{url}&systemuser={last.pk}", headers={"Accept-Language": "en"})
    assert (refused.status_code, refused.json()) == (
        400,
        {
            "system_users": [
                "The last system user of a permission cannot be removed. Add another one first, or delete the permission."
            ]
        },
    )
    assert list(permission.system_users.all()) == [last]


def test_explain_returns_the_verdict_and_every_reason(as_org_admin: APIClient, people: dict[str, User]) -> None:
    user, asset, system_user = people["user"], make_asset("web-1"), make_system_user("root")
    group = make_group("ops", users=[user])
    query = f"{URL}explain/?user={user.pk}&asset={asset.pk}&system_user={system_user.pk}"

    def explain() -> dict[str, Any]:
        answer = as_org_admin.get(query, headers={"Accept-Language": "en"})
        assert answer.status_code == 200, answer.content
        body: dict[str, Any] = answer.json()
        return body

    said = explain()
    assert (said["allowed"], said["verdict"], said["actions"], said["expires_at"]) == (False, "deny", [], None)
    assert [reason["code"] for reason in said["reasons"]] == ["no_grant_for_user"]
    past: dict[str, Any] = {
        "date_start": datetime(2020, 1, 1, tzinfo=UTC),
        "date_expired": datetime(2021, 1, 1, tzinfo=UTC),
    }
    grant("over", users=[user], assets=[asset], system_users=[system_user], **past)
    assert [reason["code"] for reason in explain()["reasons"]] == ["grant_expired"]
    permission = grant(
        "ops", user_groups=[group], nodes=[root_of(DEFAULT_ORG_ID)], system_users=[system_user], actions=3
    )
    said = explain()
    assert (said["allowed"], said["actions"]) == (True, ["connect", "upload_file"])
    [reason] = said["reasons"]
    assert reason["permission"] == {"id": str(permission.pk), "name": "ops"}
    assert reason["via"] == {
        "user_group": {"id": str(group.pk), "name": "ops"},
        "node": {"id": str(root_of(DEFAULT_ORG_ID).pk), "name": "/Default"},
    }
    assert said["expires_at"]
    assert as_org_admin.get(f"{URL}explain/?user=x").status_code == 400
    assert as_org_admin.get(f"{query}&protocol=gopher").status_code == 400
    assert as_org_admin.get(f"{query}&protocol=rdp").json()["reasons"][0]["code"] in {
        "protocol_not_offered",
        "system_user_protocol",
    }


def test_k16_explain_about_another_organization_is_not_found(as_org_admin: APIClient, make_user: Any) -> None:
    stranger, asset, system_user = make_user("stranger", org_role=None), make_asset(), make_system_user()
    answer = as_org_admin.get(f"{URL}explain/?user={stranger.pk}&asset={asset.pk}&system_user={system_user.pk}")
    assert answer.status_code == 404


def test_validate_and_actions_answer_as_the_contract_says(as_org_admin: APIClient, people: dict[str, User]) -> None:
    user, asset, system_user = people["user"], make_asset(), make_system_user()
    query = f"?user_id={user.pk}&asset_id={asset.pk}&system_user_id={system_user.pk}"
    denied = as_org_admin.get(f"{URL}user/validate/{query}")
    assert (denied.status_code, denied.json()) == (403, {"has_permission": False, "expire_at": 0})
    permission = grant(users=[user], assets=[asset], system_users=[system_user], actions=3)
    allowed = as_org_admin.get(f"{URL}user/validate/{query}&action_name=connect")
    expiry = AssetPermission.objects.get(pk=permission.pk).date_expired
    # The account ends before the permission.
    assert allowed.json() == {
        "has_permission": True,
        "expire_at": int(min(expiry, user.date_expired or expiry).timestamp()),
    }
    assert as_org_admin.get(f"{URL}user/validate/{query}&action_name=download_file").status_code == 403
    assert as_org_admin.get(f"{URL}user/actions/{query}").json() == {"actions": ["connect", "upload_file"]}
    assert as_org_admin.get(f"{URL}user/validate/").json() is False
    assert as_org_admin.get(f"{URL}cache/refresh/").json() == {"msg": True}


@pytest.mark.parametrize("role", ["as_anonymous", "as_user", "as_auditor"])
def test_permissions_are_for_administrators(role: str, request: pytest.FixtureRequest) -> None:
    client: APIClient = request.getfixturevalue(role)
    expected = 401 if role == "as_anonymous" else 403
    for path in ("", "explain/", "user/validate/", "user/actions/"):
        assert client.get(URL + path).status_code == expected
    assert client.post(URL, {}).status_code == expected
    assert client.get("/api/v1/perms/asset-permissions-users-relations/").status_code == expected


def _array(count: int, prefix: str, **named: list[str]) -> list[dict[str, Any]]:
    return [{"name": f"{prefix} {number}", **named} for number in range(count)]


def test_array_of_permissions_takes_as_many_queries_as_a_short_one(
    as_org_admin: APIClient, people: dict[str, User]
) -> None:
    named = {
        "users": ids(people["user"]),
        "assets": ids(make_asset("web-1", ip="192.0.2.1")),
        "system_users": ids(make_system_user("root on linux")),
    }
    counts = []
    for count in (2, 2, 20):
        with CaptureQueriesContext(connection) as queries:
            answer = as_org_admin.post(URL, _array(count, f"set {len(counts)}", **named))
        assert answer.status_code == 201, answer.content
        counts.append(len(queries))
    assert counts[2] <= counts[1]
    records = AuditEvent.objects.filter(org_id=DEFAULT_ORG_ID).order_by("-sequence")[:20]
    assert [row.resource for row in reversed(records)] == [f"set 2 {number}" for number in range(20)]
    assert all(row.new["users"] == [str(people["user"])] and "user_groups" not in row.new for row in records)
    assert {tuple(row[name][0] for name in named) for row in answer.json()} == {
        tuple(keys[0] for keys in named.values())
    }


def test_array_of_changes_takes_as_many_queries_as_a_short_one(
    as_org_admin: APIClient, people: dict[str, User]
) -> None:
    old, new = make_system_user("old"), make_system_user("new")
    rows = [grant(f"p {number:02}", users=[people["user"]], system_users=[old]) for number in range(20)]
    counts = []
    for count, comment in ((2, "a"), (2, "b"), (20, "c")):
        accounts = (old, new) if comment == "b" else (new,)
        changes = [{"id": str(row.pk), "comment": comment, "system_users": ids(*accounts)} for row in rows[:count]]
        changes[0] |= {"users": [], "comment": "first"}
        with CaptureQueriesContext(connection) as queries:
            answer = as_org_admin.patch(URL, changes)
        assert answer.status_code == 200, answer.content
        counts.append(len(queries))
    assert counts[2] <= counts[0]
    assert [row["comment"] for row in answer.json()] == ["first", *["c"] * 19]
    assert [row["users"] for row in answer.json()] == [[], *[ids(people["user"])] * 19]
    assert all(row["system_users"] == ids(new) for row in answer.json())
    records = AuditEvent.objects.filter(event="assetpermission.updated").order_by("sequence")
    told = {row.resource: row for row in records}
    assert told["p 00"].old == {"system_users": sorted(map(str, (new, old)))}
    assert told["p 00"].new == {"system_users": [str(new)]}
    assert told["p 19"].old == {"comment": "", "system_users": [str(old)]}
    assert told["p 19"].new == {"comment": "c", "system_users": [str(new)]}


def test_bad_change_in_an_array_is_refused_at_its_item_and_nothing_is_written(as_org_admin: APIClient) -> None:
    accounts = [make_system_user()]
    early, late = grant("early", system_users=accounts), grant("late", system_users=accounts)
    changes = [{"id": str(early.pk), "comment": "x"}, {"id": str(late.pk), "system_users": []}]
    answer = as_org_admin.patch(URL, changes)
    assert (answer.status_code, [*map(list, answer.json())]) == (400, [[], ["system_users"]])
    assert AssetPermission.objects.get(pk=early.pk).comment == ""


def test_name_used_twice_in_an_array_is_refused_at_its_second_item(as_org_admin: APIClient) -> None:
    system_users = ids(make_system_user("root on linux"))
    items = [*_array(2, "set", system_users=system_users), *_array(1, "set", system_users=system_users)]
    answer = as_org_admin.post(URL, items, HTTP_ACCEPT_LANGUAGE="en")
    assert answer.status_code == 400
    assert answer.json() == [{}, {}, {"name": ["This field must be unique."]}]
    assert not AssetPermission.objects.exists()


def test_denial_names_the_permission_that_lacks_least(as_org_admin: APIClient, make_user: Callable[..., User]) -> None:
    ann, ben = make_user("ann"), make_user("ben")
    asset, other, account = make_asset("web"), make_asset("other"), make_system_user()
    ended = {"date_start": now() - timedelta(days=2), "date_expired": now() - timedelta(days=1)}
    grant("a far one", users=[ann], assets=[other], system_users=[make_system_user()], **ended)
    near = grant("b near one", users=[ben], assets=[asset], system_users=[account])
    query = {"user": str(ann.pk), "asset": str(asset.pk), "system_user": str(account.pk)}
    answer = as_org_admin.get(f"{URL}explain/", query, headers={"Accept-Language": "en"}).json()
    assert answer["nearest"]["permission"] == {"id": str(near.pk), "name": "b near one"}
    [lack] = answer["nearest"]["lacks"]
    assert (lack["code"], lack["object"]["id"]) == ("user", str(ann.pk))
    assert ann.name in lack["message"]
    add = as_org_admin.patch(f"{URL}{near.pk}/", {"users": [str(ann.pk)]}, format="json")
    assert add.status_code == 200
    allowed = as_org_admin.get(f"{URL}explain/", query).json()
    assert (allowed["allowed"], allowed["nearest"]) == (True, None)
