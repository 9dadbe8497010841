from typing import Any

import pytest
from rest_framework.test import APIClient

from factories.grants import grant, make_asset, make_group, make_node, make_system_user
from postern.apps.assets.favorites.actions import add_favorite
from postern.apps.assets.nodes.actions import root_of
from postern.apps.perms.granted.api import tree_limits
from postern.apps.users.models import User
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("answered_by")]

ME = "/api/v1/perms/users/"


def get(client: APIClient, url: str) -> Any:
    answer = client.get(url)
    assert answer.status_code == 200, answer.content
    return answer.json()


@pytest.fixture
def world(people: dict[str, User]) -> dict[str, Any]:
    """web (granted by node) contains deep. Of two assets in db one is granted, and other is out of reach."""
    user = people["user"]
    web, db, other = make_node("web"), make_node("db"), make_node("other")
    deep = make_node("deep", parent=web)
    empty = make_node("empty", parent=web)
    linux, low = make_system_user("linux", priority=90), make_system_user("low", username="guest", priority=10)
    made = {
        "user": user, "web": web, "db": db, "deep": deep, "empty": empty, "other": other, "linux": linux, "low": low,
        "w1": make_asset("w1", ip="192.0.2.1", nodes=[web]),
        "w2": make_asset("w2", ip="192.0.2.2", nodes=[deep]),
        "rdp": make_asset("rdp", nodes=[web], protocols=["rdp/3389"]),
        "off": make_asset("off", nodes=[web], is_active=False),
        "d1": make_asset("d1", ip="192.0.2.3", nodes=[db], comment="the database"),
        "d2": make_asset("d2", nodes=[db]),
        "o1": make_asset("o1", nodes=[other]),
    }  # fmt: skip
    group = make_group(users=[user])
    grant("web", user_groups=[group], nodes=[web], system_users=[low], actions=1)
    grant("db", users=[user], assets=[made["d1"], made["w1"]], system_users=[linux], actions=7)
    return made


def test_lists_and_trees_are_limited_to_one_system_user(as_user: APIClient, world: dict[str, Any]) -> None:
    low, linux = world["low"].pk, world["linux"].pk
    assert [row["hostname"] for row in get(as_user, f"{ME}assets/?order=hostname&system_user={linux}")] == ["d1", "w1"]
    assert [row["hostname"] for row in get(as_user, f"{ME}assets/?order=hostname&system_user={low}")] == [
        "off",
        "w1",
        "w2",
    ]
    tree = get(as_user, f"{ME}nodes-with-assets/tree/?cache_policy=1&system_user={linux}")
    assert {row["name"] for row in tree if row["meta"]["type"] == "asset"} == {"d1", "w1"}
    assert not [row for row in tree if row["name"].startswith("deep")]
    unknown = "11111111-1111-4111-8111-111111111111"
    assert get(as_user, f"{ME}assets/?system_user={unknown}") == []
    assert as_user.get(f"{ME}assets/?system_user=x").status_code == 400


def test_my_assets_are_the_assets_in_reach(as_user: APIClient, world: dict[str, Any]) -> None:
    rows = get(as_user, f"{ME}assets/?order=hostname")
    assert [(row["hostname"], row["is_active"]) for row in rows] == [
        ("d1", True),
        ("off", False),
        ("w1", True),
        ("w2", True),
    ]
    assert rows[0] == {
        "id": str(world["d1"].pk), "hostname": "d1", "ip": "192.0.2.3", "protocols": ["ssh/22"], "os": None, "domain": None,
        "platform": "Linux", "comment": "the database", "org_id": str(DEFAULT_ORG_ID), "is_active": True, "org_name": "Default",
    }  # fmt: skip
    assert [row["hostname"] for row in get(as_user, f"{ME}assets/?search=database")] == ["d1"]
    page = get(as_user, f"{ME}assets/?limit=2&offset=1&order=-hostname")
    assert (page["count"], [row["hostname"] for row in page["results"]]) == (4, ["w1", "off"])
    assert get(as_user, f"{ME}assets/?ip=192.0.2.2")[0]["hostname"] == "w2"


def test_k63_user_sees_nothing_that_only_others_may_reach(as_auditor: APIClient, world: dict[str, Any]) -> None:
    assert get(as_auditor, f"{ME}assets/") == []
    assert as_auditor.get(f"{ME}assets/{world['w1'].pk}/system-users/").status_code == 404
    assert as_auditor.get(f"{ME}nodes/{world['web'].pk}/assets/").status_code == 404
    assert [row["id"] for row in get(as_auditor, f"{ME}nodes/children/tree/")] == ["favorite"]


@pytest.mark.spec("S5-026")
def test_my_system_users_are_ordered_by_priority(as_user: APIClient, world: dict[str, Any]) -> None:
    rows = get(as_user, f"{ME}assets/{world['w1'].pk}/system-users/?cache_policy=1")
    assert [(row["name"], row["priority"], row["actions"]) for row in rows] == [
        ("linux", 90, ["connect", "upload_file", "download_file", "updownload"]),
        ("low", 10, ["connect"]),
    ]
    assert set(rows[0]) == {
        "id", "name", "username", "priority", "protocol", "login_mode", "sftp_root", "username_same_with_user", "actions"
    }  # fmt: skip
    for name in ("o1", "off", "rdp"):
        assert as_user.get(f"{ME}assets/{world[name].pk}/system-users/").status_code == 404


def test_my_tree_opens_level_by_level_with_counts_of_my_assets(as_user: APIClient, world: dict[str, Any]) -> None:
    root = root_of(DEFAULT_ORG_ID)
    top = get(as_user, f"{ME}nodes/children/tree/?cache_policy=2")
    assert [(row["id"], row["name"]) for row in top] == [("favorite", top[0]["name"]), (root.key, "Default (4)")]
    level = get(as_user, f"{ME}nodes/children/tree/?key={root.key}")
    assert [row["name"] for row in level] == ["web (3)", "db (1)"]
    assert [row["name"] for row in get(as_user, f"{ME}nodes/children/tree/?key={world['web'].key}")] == [
        "deep (1)",
        "empty (0)",
    ]
    whole = get(as_user, f"{ME}nodes/tree/")
    assert [row["name"] for row in whole[1:]] == ["Default (4)", "web (3)", "deep (1)", "empty (0)", "db (1)"]
    flat = get(as_user, f"{ME}nodes/")
    assert {row["value"]: row["assets_amount"] for row in flat[1:]} == {
        "Default": 4,
        "web": 3,
        "deep": 1,
        "empty": 0,
        "db": 1,
    }
    with_assets = get(as_user, f"{ME}nodes/children-with-assets/tree/?key={world['web'].key}")
    assert [row["name"] for row in with_assets] == ["deep (1)", "empty (0)", "off", "w1"]
    everything = get(as_user, f"{ME}nodes-with-assets/tree/")
    assert sorted(row["name"] for row in everything if row["meta"]["type"] == "asset") == ["d1", "off", "w1", "w2"]
    assert as_user.get(f"{ME}nodes/children/tree/?key=nonsense").status_code == 404
    assert get(as_user, f"{ME}nodes/children/tree/?key={world['other'].key}") == []


def test_assets_of_my_node_are_those_in_reach_in_its_subtree(as_user: APIClient, world: dict[str, Any]) -> None:
    def names(node: object) -> list[str]:
        return [row["hostname"] for row in get(as_user, f"{ME}nodes/{node}/assets/?order=hostname")]

    assert names(world["web"].pk) == ["off", "w1", "w2"]
    assert names(world["deep"].pk) == ["w2"]
    assert names(world["db"].pk) == ["d1"]
    assert names(root_of(DEFAULT_ORG_ID).pk) == ["d1", "off", "w1", "w2"]
    assert names("ungrouped") == ["d1", "w1"]
    tree = get(as_user, f"{ME}ungroup/assets/tree/")
    assert [(row["id"], row["pId"]) for row in tree[:1]] == [("ungrouped", "")]
    assert [(row["name"], row["pId"]) for row in tree[1:]] == [("d1", "ungrouped"), ("w1", "ungrouped")]
    assert as_user.get(f"{ME}nodes/{world['other'].pk}/assets/").status_code == 404


@pytest.mark.parametrize(
    ("path", "parent"),
    [
        ("nodes-with-assets/tree/", ""),
        ("assets/tree/", ""),
        ("ungroup/assets/tree/", "ungrouped"),
        ("nodes/children-with-assets/tree/?key={web}", "{web}"),
    ],
)
def test_tree_that_does_not_hold_all_assets_says_so_in_its_last_leaf(
    as_user: APIClient, world: dict[str, Any], monkeypatch: pytest.MonkeyPatch, path: str, parent: str
) -> None:
    key = world["web"].key
    whole = get(as_user, f"{ME}{path.format(web=key)}")
    assert {row["meta"]["type"] for row in whole} <= {"node", "asset"}
    monkeypatch.setattr(tree_limits, "MAX_TREE_ASSETS", 1)
    *rest, last = get(as_user, f"{ME}{path.format(web=key)}")
    assert len({row["id"] for row in rest if row["meta"]["type"] == "asset"}) == 1
    assert (last["meta"]["type"], last["pId"], last["chkDisabled"]) == ("note", parent.format(web=key), True)
    assert "1" in last["name"]


def test_my_favorites_have_only_granted_assets(as_user: APIClient, world: dict[str, Any]) -> None:
    for name in ("d1", "o1"):
        add_favorite(actor=SYSTEM, user_id=world["user"].pk, asset=world[name])
    assert [row["hostname"] for row in get(as_user, f"{ME}nodes/favorite/assets/")] == ["d1"]
    [favorite, _root] = get(as_user, f"{ME}nodes/children/tree/")
    assert favorite["name"].endswith("(1)")
    assert [row["name"] for row in get(as_user, f"{ME}nodes/children-with-assets/tree/?key=favorite")] == ["d1"]


def test_administrator_sees_what_a_user_or_a_group_may_reach(
    as_org_admin: APIClient, as_user: APIClient, world: dict[str, Any]
) -> None:
    base = f"{ME}{world['user'].pk}/"
    assert [row["hostname"] for row in get(as_org_admin, f"{base}assets/?order=hostname")] == ["d1", "off", "w1", "w2"]
    assert [row["name"] for row in get(as_org_admin, f"{base}nodes/children/tree/")] == ["Default (4)"]
    assert len(get(as_org_admin, f"{base}assets/{world['w1'].pk}/system-users/")) == 2
    assert len(get(as_org_admin, f"{base}nodes/{world['web'].pk}/assets/")) == 3
    assert len(get(as_org_admin, f"{base}assets/tree/")) == 4
    group = world["user"].groups.get()
    base_group = f"/api/v1/perms/user-groups/{group.pk}/"
    assert [row["hostname"] for row in get(as_org_admin, f"{base_group}assets/?order=hostname")] == ["off", "w1", "w2"]
    assert [row["name"] for row in get(as_org_admin, f"{base_group}nodes/children/tree/")] == ["Default (3)"]
    for path in (f"{base}assets/", f"{base}nodes/tree/", f"{base_group}assets/"):
        assert as_user.get(path).status_code == 403
    assert as_org_admin.get(f"{ME}3f2c7a52-0000-4000-8000-000000000000/assets/").status_code == 404
    assert as_org_admin.delete(f"{base}asset-permissions/cache/").status_code == 204


def test_system_users_permission_lists_all_system_users_that_i_may_use(
    as_user: APIClient, world: dict[str, Any]
) -> None:
    rows = get(as_user, "/api/v1/perms/system-users-permission/")
    assert [row["name"] for row in rows] == ["linux", "low"]
    assert not {"password", "private_key"} & set(rows[0])


@pytest.mark.parametrize("count", [1, 9])
def test_my_assets_take_a_fixed_number_of_queries(
    as_user: APIClient, people: dict[str, User], count: int, django_assert_num_queries: Any
) -> None:
    for _ in range(count):
        grant(users=[people["user"]], assets=[make_asset()], system_users=[make_system_user()])
    as_user.get(f"{ME}assets/?limit=20")  # reads the index
    with django_assert_num_queries(8):
        as_user.get(f"{ME}assets/?limit=20")
