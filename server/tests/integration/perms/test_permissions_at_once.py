"""Concurrent bulk writes of permissions wait for each other without a deadlock (PostgreSQL)."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction

from factories.browser import Browser
from factories.grants import grant, make_asset, make_system_user
from factories.meetings import Meeting, statuses
from factories.two_administrators import ids, items
from postern.apps.assets.models import Asset
from postern.apps.audits import facade as audits
from postern.apps.perms.granting import actions as permissions
from postern.apps.perms.grants.links import USERS
from postern.apps.perms.models import AssetPermission, PermissionAsset, PermissionUser
from postern.apps.perms.permissions import holding
from postern.apps.users.memberships import actions as memberships
from postern.apps.users.models import User
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.caller.scope import DEFAULT
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("row_locks")]
API = "/api/v1/"
PERMISSIONS = f"{API}perms/asset-permissions/"
ASSETS = f"{API}assets/assets/"


def permission(**names: Any) -> AssetPermission:
    return grant(system_users=[make_system_user()], **names)


def test_concurrent_changes_of_permissions_in_opposite_order_do_not_deadlock(
    first_admin: Browser, second_admin: Browser, meeting: Meeting
):
    rows = [permission() for _ in range(3)]
    meeting(permissions, "update_permissions")
    assert statuses(
        lambda: first_admin.patch(PERMISSIONS, items(rows, comment="one"), format="json"),
        lambda: second_admin.patch(PERMISSIONS, items(rows[::-1], comment="other"), format="json"),
    ) == [200, 200]


def test_bulk_change_and_concurrent_change_of_one_permission_do_not_deadlock(
    first_admin: Browser, second_admin: Browser, meeting: Meeting
):
    rows = [permission() for _ in range(3)]
    meeting(permissions, "update_permissions")
    assert statuses(
        lambda: first_admin.patch(PERMISSIONS, items(rows, comment="one"), format="json"),
        lambda: second_admin.patch(f"{PERMISSIONS}{rows[-1].pk}/", {"comment": "other"}, format="json"),
    ) == [200, 200]


def test_permissions_and_concurrent_deletion_of_their_assets_do_not_deadlock(
    first_admin: Browser, second_admin: Browser, meeting: Meeting
):
    assets = [make_asset() for _ in range(3)]
    rows = [permission(assets=[asset]) for asset in assets]
    meeting(permissions, "update_permissions")
    changes = [{"id": str(row.pk), "assets": [str(assets[2 - n].pk)]} for n, row in enumerate(rows)]
    answered = statuses(
        lambda: first_admin.patch(PERMISSIONS, changes, format="json"),
        lambda: second_admin.delete(f"{ASSETS}?ids={ids(assets)}"),
    )
    assert answered in ([200, 204], [204, 400])
    assert not Asset.objects.filter(pk__in=[asset.pk for asset in assets]).exists()
    assert not PermissionAsset.objects.exists()


def test_permissions_and_concurrent_removal_of_their_users_do_not_deadlock(
    first_admin: Browser, second_admin: Browser, meeting: Meeting, make_person: Callable[..., User]
):
    named = [make_person(f"person{number}") for number in range(3)]
    rows = [permission(users=[person]) for person in named]
    meeting(permissions, "update_permissions")
    meeting(memberships, "remove_from_org")
    changes = [{"id": str(row.pk), "users": [str(named[2 - n].pk)]} for n, row in enumerate(rows)]
    answered = statuses(
        lambda: first_admin.patch(PERMISSIONS, changes, format="json"),
        lambda: second_admin.post(f"{API}users/users/remove/?ids={ids(named)}"),
    )
    assert answered in ([200, 204], [204, 400])
    assert not PermissionUser.objects.exists()


def test_concurrent_link_changes_in_opposite_order_do_not_deadlock(
    first_admin: Browser, second_admin: Browser, meeting: Meeting, make_person: Callable[..., User]
):
    named = [make_person(f"person{number}") for number in range(3)]
    rows = [permission() for _ in named]
    meeting(permissions, "add_link")
    links = [{"assetpermission": str(row.pk), "user": str(person.pk)} for row, person in zip(rows, named, strict=True)]
    url = f"{API}perms/asset-permissions-users-relations/"
    assert statuses(
        lambda: first_admin.post(url, links, format="json"), lambda: second_admin.post(url, links[::-1], format="json")
    ) == [201, 201]
    assert PermissionUser.objects.count() == 3


def test_permissions_deleted_concurrently_are_audited_once(
    first_admin: Browser, second_admin: Browser, meeting: Meeting
):
    rows = [permission() for _ in range(3)]
    meeting(permissions, "delete_permission")
    assert statuses(
        lambda: first_admin.delete(f"{PERMISSIONS}?ids={ids(rows)}"),
        lambda: second_admin.delete(f"{PERMISSIONS}?ids={ids(rows[::-1])}"),
    ) == [204, 204]
    deleted = audits.operate_events(SYSTEM, DEFAULT).filter(event="assetpermission.deleted")
    assert sorted(deleted.values_list("resource_id", flat=True)) == sorted(str(row.pk) for row in rows)


def test_object_deleted_concurrently_is_audited_once(first_admin: Browser, second_admin: Browser, meeting: Meeting):
    row = permission()
    meeting(permissions, "delete_permission")
    url = f"{PERMISSIONS}{row.pk}/"
    assert statuses(lambda: first_admin.delete(url), lambda: second_admin.delete(url)) == [204, 404]
    assert audits.operate_events(SYSTEM, DEFAULT).filter(event="assetpermission.deleted").count() == 1


def test_sign_in_does_not_wait_for_a_write_of_a_permission_that_names_the_user(make_person: Callable[..., User]):
    row = permission(users=[make_person("ann")])
    with transaction.atomic():
        holding.hold([row.pk], [DEFAULT_ORG_ID], named={}, links=[USERS])
        assert statuses(lambda: Browser().sign_in("ann")) == [200]
