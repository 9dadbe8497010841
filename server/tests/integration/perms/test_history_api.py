"""Who could reach what on a day in the past: the API, the limits of what is known, and the triggers behind it."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, transaction
from rest_framework.test import APIClient

from factories.grants import grant, make_asset, make_group, make_node, make_system_user
from postern.apps.assets.assets.actions.assets import delete_assets
from postern.apps.assets.models import Asset
from postern.apps.assets.nodes.actions import replace_assets
from postern.apps.orgs.facade import create_organization
from postern.apps.perms.history import upkeep
from postern.apps.perms.history.models import OPEN, HistoryStart, PastLink, PastObject
from postern.apps.perms.history.statements import CLOCKS
from postern.apps.perms.models import AssetPermission, PermissionUser
from postern.apps.perms.permissions.actions import delete_permission, update_permission
from postern.apps.users.models import User, UserGroupMember
from postern.foundation import installation
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.clock import now

pytestmark = pytest.mark.django_db(transaction=True)

#: The clock of SQLite has milliseconds.
_TICK_S = 0.003


@pytest.fixture(autouse=True)
def _installed() -> None:
    installation.run()


def instant() -> datetime:
    """An instant between the changes before and after it."""
    time.sleep(_TICK_S)
    found = now()
    time.sleep(_TICK_S)
    return found


def ask(client: APIClient, path: str, at: datetime, **query: Any) -> dict[str, Any]:
    answer = client.get(f"/api/v1/perms/history/{path}/", {"at": at.isoformat(), **query})
    assert answer.status_code == 200, answer.content
    body: dict[str, Any] = answer.json()
    return body


def names(answer: dict[str, Any]) -> list[str]:
    return [row["name"].lower() for row in answer["results"]]


def test_answers_name_people_assets_and_ways_as_they_were(
    as_org_admin: APIClient, as_auditor: APIClient, as_user: APIClient, make_user: Callable[..., User]
) -> None:
    anna, ben = make_user("anna"), make_user("ben")
    group, web, other = make_group("web team", users=[ben]), make_node("web"), make_node("other")
    root, desktop = make_system_user("root"), make_system_user("desktop", protocol="rdp")
    host = make_asset("web-17", ip="192.0.2.17", nodes=[web])
    start = now() - timedelta(days=1)
    nightly = grant("nightly", users=[anna], assets=[host], system_users=[root, desktop], actions=7, date_start=start)
    grant("daily", user_groups=[group], nodes=[web], system_users=[root], date_start=start)
    first = instant()
    asset_path, anna_path = f"assets/{host.pk}", f"users/{anna.pk}/assets"
    answer = ask(as_auditor, asset_path, first)
    assert (answer["is_known"], answer["object"]["name"], names(answer)) == (True, "web-17", ["anna", "ben"])
    [way] = answer["results"][0]["ways"]
    assert way["permission"] == {"id": str(nightly.pk), "name": "nightly"}
    assert way["actions"] == ["connect", "upload_file", "download_file", "updownload"]
    # The asset does not offer RDP, so the permission gave no access as the other system user.
    assert [one["name"] for one in way["system_users"]] == ["root"]
    assert (way["names_user"], way["names_target"], way["user_groups"], way["nodes"]) == (True, True, [], [])
    [way] = answer["results"][1]["ways"]
    assert (way["names_user"], way["names_target"]) == (False, False)
    assert [one["name"] for one in way["user_groups"]] == ["web team"]
    assert [one["name"] for one in way["nodes"]] == [web.full_value]
    assert names(ask(as_org_admin, asset_path, first, search="BE")) == ["ben"]
    paged = ask(as_org_admin, asset_path, first, limit=1, offset=1)
    assert (paged["count"], names(paged)) == (2, ["ben"])
    answer = ask(as_org_admin, anna_path, first, search="192.0.2")
    assert [(row["name"], row["detail"]) for row in answer["results"]] == [("web-17", "192.0.2.17")]

    # Each of these takes the access away, and each is seen from its instant on.
    update_permission(actor=SYSTEM, permission=nightly, values={"actions": 0})
    second = instant()
    replace_assets(actor=SYSTEM, node=other, assets=[host])
    third = instant()
    assert names(ask(as_org_admin, asset_path, second)) == ["ben"]
    assert names(ask(as_org_admin, asset_path, third)) == []
    assert names(ask(as_org_admin, asset_path, first)) == ["anna", "ben"]
    compared = ask(as_org_admin, asset_path, second, compared_with=first.isoformat())
    assert [(row["detail"], row["change"], len(row["ways_before"]), row["ways"]) for row in compared["results"]] == [
        ("anna", "lost", 1, [])
    ]
    compared = ask(as_org_admin, f"users/{ben.pk}/assets", first, compared_with=third.isoformat())
    assert [(row["name"], row["change"], row["ways_before"]) for row in compared["results"]] == [
        ("web-17", "gained", [])
    ]
    # Names of what was deleted stay, and so do answers about it.
    delete_permission(actor=SYSTEM, permission=nightly)
    delete_assets(actor=SYSTEM, assets=[host])
    assert names(ask(as_org_admin, asset_path, first)) == ["anna", "ben"]
    gone = ask(as_org_admin, asset_path, instant())
    assert (gone["is_known"], gone["object"], gone["count"]) == (True, None, 0)
    assert as_user.get(f"/api/v1/perms/history/{asset_path}/").status_code == 403


def test_bad_times_and_strange_objects_are_refused(as_org_admin: APIClient, people: dict[str, User]) -> None:
    path = f"/api/v1/perms/history/users/{people['user'].pk}/assets/"
    assert as_org_admin.get(path).status_code == 200
    for query in ({"at": "yesterday"}, {"at": "0001-01-01T00:00:00Z"}, {"at": (now() + timedelta(days=1)).isoformat()}):
        assert list(as_org_admin.get(path, query).json()) == ["at"]
    assert list(as_org_admin.get(path, {"compared_with": "x"}).json()) == ["compared_with"]
    elsewhere = create_organization(actor=SYSTEM, name="Elsewhere")
    for path in (
        f"assets/{make_asset(org_id=elsewhere.pk).pk}/",
        f"assets/{uuid4()}/",
        f"applications/{uuid4()}/",
        f"users/{uuid4()}/applications/",
    ):
        assert as_org_admin.get(f"/api/v1/perms/history/{path}").status_code == 404, path


def test_nothing_is_known_before_the_history_begins(as_org_admin: APIClient) -> None:
    host = make_asset()
    start = ask(as_org_admin, f"assets/{host.pk}", now())["known_since"]
    before = datetime.fromisoformat(start) - timedelta(seconds=1)
    answer = ask(as_org_admin, f"assets/{host.pk}", before)
    assert (answer["is_known"], answer["object"], answer["results"]) == (False, None, [])
    # The same for a comparison that begins before.
    assert ask(as_org_admin, f"assets/{host.pk}", now(), compared_with=before.isoformat())["is_known"] is False


def test_rolled_back_changes_leave_no_history(make_user: Callable[..., User]) -> None:
    user, host = make_user("anna"), make_asset()
    count = PastLink.objects.count(), PastObject.objects.count()
    with transaction.atomic():
        grant(users=[user], assets=[host], system_users=[make_system_user()])
        transaction.set_rollback(True)
    assert (PastLink.objects.count(), PastObject.objects.count()) == count


def test_clock_that_was_set_back_hides_no_change(make_user: Callable[..., User]) -> None:
    user, host = make_user("anna"), make_asset()
    permission = grant(users=[user], assets=[host], system_users=[make_system_user()])
    # The rows look as if they were written when the clock was an hour ahead.
    hour = 3_600_000_000
    PastLink.objects.update(since=PastLink.objects.values_list("since", flat=True).order_by("-since")[:1][0] + hour)
    before = PastLink.objects.get(left_id=permission.pk, right_id=user.pk)
    PermissionUser.objects.filter(assetpermission=permission).delete()
    PermissionUser.objects.create(assetpermission=permission, user=user)
    ended, begun = PastLink.objects.filter(left_id=permission.pk, right_id=user.pk).order_by("pk")
    assert (ended.since, ended.until) == (before.since, before.since + 1)
    assert begun.since >= ended.until
    assert begun.until == OPEN


def test_writes_that_change_nothing_about_access_write_no_history(make_user: Callable[..., User]) -> None:
    user, host = make_user("anna"), make_asset()
    count = PastObject.objects.count()
    User.objects.filter(pk=user.pk).update(comment="seen", session_epoch=7)
    Asset.objects.filter(pk=host.pk).update(comment="seen", is_active=host.is_active)
    assert PastObject.objects.count() == count
    Asset.objects.filter(pk=host.pk).update(is_active=not host.is_active)
    assert PastObject.objects.count() == count + 1


@pytest.mark.parametrize("verb", ["insert", "update", "delete"])
def test_lost_trigger_is_found_and_mended(verb: str, make_user: Callable[..., User]) -> None:
    """As a migration that makes a table anew loses it on SQLite."""
    user = make_user("anna")
    permission = grant("kept", users=[user], system_users=[make_system_user()])
    [trigger] = [one for one in upkeep.all_triggers() if one.name.startswith(f"perms_past_permission_user_{verb}")]
    [other] = [one for one in upkeep.all_triggers() if one.name.startswith(f"perms_past_asset_permission_{verb}")]
    with connection.cursor() as cursor:
        for one in (trigger, other):
            on = f" ON {one.table}" if connection.vendor == "postgresql" else ""
            cursor.execute(f"DROP TRIGGER {one.name}{on}")
    if verb == "insert":
        PermissionUser.objects.create(assetpermission=permission, user=make_user("ben"))
        grant("new", system_users=[make_system_user()])
    elif verb == "update":
        PermissionUser.objects.update(user=make_user("ben"))
        AssetPermission.objects.update(is_active=False)
    else:
        UserGroupMember.objects.all().delete()
        permission.delete()
    found = list(upkeep.differences())
    assert f"history: the trigger {trigger.name} on {trigger.table} is missing" in found
    assert any(line.startswith("history: perms_permissionuser: ") for line in found)
    assert any(line.startswith("history: perms_assetpermission: ") for line in found)
    upkeep.ensure()
    assert list(upkeep.differences()) == []
    began = HistoryStart.objects.get().began
    upkeep.ensure()
    assert HistoryStart.objects.get().began == began


def test_clock_of_the_database_is_that_of_the_product() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {CLOCKS[connection.vendor]}")
        assert abs(cursor.fetchone()[0] / 1e6 - now().timestamp()) < 1
