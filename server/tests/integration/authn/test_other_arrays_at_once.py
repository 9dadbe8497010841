"""Array writes of permissions, system users, labels and nodes wait for each other instead of in a circle (PostgreSQL)."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction

from factories.browser import Browser
from factories.grants import grant, make_asset, make_group, make_node, make_system_user
from factories.meetings import Meeting, statuses
from postern.apps.assets.actions import assets as asset_actions
from postern.apps.assets.actions import catalogue, tree
from postern.apps.assets.models import Asset, Label
from postern.apps.audits import facade as audits
from postern.apps.authn.models import LoginSession
from postern.apps.perms import actions as permissions
from postern.apps.perms import holding
from postern.apps.perms.links import USERS
from postern.apps.perms.models import AssetPermission, PermissionAsset, PermissionUser
from postern.apps.users.actions import groups, invitations, memberships, people, trail
from postern.apps.users.models import Invitation, Membership, User
from postern.apps.vault.actions import keys as vault_keys
from postern.apps.vault.actions import system_users
from postern.apps.vault.models import SealedSecret, SystemUser
from postern.foundation.actor import SYSTEM
from postern.foundation.scope import DEFAULT
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("row_locks")]
API = "/api/v1/"
PERMISSIONS, SYSTEM_USERS = f"{API}perms/asset-permissions/", f"{API}assets/system-users/"
ASSETS, LABELS, NODES = f"{API}assets/assets/", f"{API}assets/labels/", f"{API}assets/nodes/"
NEW = "emerald harbour twenty"


@pytest.fixture
def one(make_person: Callable[..., User]) -> Browser:
    return _signed_in(make_person, 1)


@pytest.fixture
def other(make_person: Callable[..., User]) -> Browser:
    return _signed_in(make_person, 2)


def _signed_in(make_person: Callable[..., User], number: int) -> Browser:
    make_person(f"admin-{number}", role="Admin")
    browser = Browser(f"192.0.2.{number}")
    assert browser.sign_in(f"admin-{number}").status_code == 200
    LoginSession.objects.update(date_password_verified=clock.now(), date_mfa_verified=clock.now())
    return browser


def permission(**names: Any) -> AssetPermission:
    return grant(system_users=[make_system_user()], **names)


def items(rows: list[Any], **values: Any) -> list[dict[str, Any]]:
    return [{"id": str(row.pk), **values} for row in rows]


def ids(rows: list[Any]) -> str:
    return ",".join(str(row.pk) for row in rows)


def test_two_changes_of_the_same_permissions_in_opposite_order(one: Browser, other: Browser, meeting: Meeting):
    rows = [permission() for _ in range(3)]
    meeting(permissions, "update_permission")
    assert statuses(
        lambda: one.patch(PERMISSIONS, items(rows, comment="one"), format="json"),
        lambda: other.patch(PERMISSIONS, items(rows[::-1], comment="other"), format="json"),
    ) == [200, 200]


def test_change_of_many_permissions_beside_a_change_of_one_of_them(one: Browser, other: Browser, meeting: Meeting):
    rows = [permission() for _ in range(3)]
    meeting(permissions, "update_permission")
    assert statuses(
        lambda: one.patch(PERMISSIONS, items(rows, comment="one"), format="json"),
        lambda: other.patch(f"{PERMISSIONS}{rows[-1].pk}/", {"comment": "other"}, format="json"),
    ) == [200, 200]


def test_permissions_that_name_assets_beside_the_deletion_of_these_assets(
    one: Browser, other: Browser, meeting: Meeting
):
    assets = [make_asset() for _ in range(3)]
    rows = [permission(assets=[asset]) for asset in assets]
    meeting(permissions, "update_permission")
    changes = [{"id": str(row.pk), "assets": [str(assets[2 - n].pk)]} for n, row in enumerate(rows)]
    answered = statuses(
        lambda: one.patch(PERMISSIONS, changes, format="json"),
        lambda: other.delete(f"{ASSETS}?ids={ids(assets)}"),
    )
    assert answered in ([200, 204], [204, 400])
    assert not Asset.objects.filter(pk__in=[asset.pk for asset in assets]).exists()
    assert not PermissionAsset.objects.exists()


def test_permissions_that_name_people_beside_their_removal_from_the_organization(
    one: Browser, other: Browser, meeting: Meeting, make_person: Callable[..., User]
):
    named = [make_person(f"person{number}") for number in range(3)]
    rows = [permission(users=[person]) for person in named]
    meeting(permissions, "update_permission")
    meeting(memberships, "remove_from_org")
    changes = [{"id": str(row.pk), "users": [str(named[2 - n].pk)]} for n, row in enumerate(rows)]
    answered = statuses(
        lambda: one.patch(PERMISSIONS, changes, format="json"),
        lambda: other.post(f"{API}users/users/remove/?ids={ids(named)}"),
    )
    assert answered in ([200, 204], [204, 400])
    assert not PermissionUser.objects.exists()


def test_links_of_permissions_in_opposite_order(
    one: Browser, other: Browser, meeting: Meeting, make_person: Callable[..., User]
):
    named = [make_person(f"person{number}") for number in range(3)]
    rows = [permission() for _ in named]
    meeting(permissions, "add_link")
    links = [{"assetpermission": str(row.pk), "user": str(person.pk)} for row, person in zip(rows, named, strict=True)]
    url = f"{API}perms/asset-permissions-users-relations/"
    assert statuses(
        lambda: one.post(url, links, format="json"), lambda: other.post(url, links[::-1], format="json")
    ) == [201, 201]
    assert PermissionUser.objects.count() == 3


def test_two_deletions_of_the_same_permissions_are_in_the_log_once(one: Browser, other: Browser, meeting: Meeting):
    rows = [permission() for _ in range(3)]
    meeting(permissions, "delete_permission")
    assert statuses(
        lambda: one.delete(f"{PERMISSIONS}?ids={ids(rows)}"),
        lambda: other.delete(f"{PERMISSIONS}?ids={ids(rows[::-1])}"),
    ) == [204, 204]
    deleted = audits.operate_events(SYSTEM, DEFAULT).filter(event="assetpermission.deleted")
    assert sorted(deleted.values_list("resource_id", flat=True)) == sorted(str(row.pk) for row in rows)


def test_one_asset_that_two_delete_is_in_the_log_once(one: Browser, other: Browser, meeting: Meeting):
    row = make_asset()
    meeting(asset_actions, "delete_asset")
    url = f"{ASSETS}{row.pk}/"
    assert statuses(lambda: one.delete(url), lambda: other.delete(url)) == [204, 404]
    assert audits.operate_events(SYSTEM, DEFAULT).filter(event="asset.deleted").count() == 1


@pytest.mark.usefixtures("licensed")
def test_two_organizations_that_are_founded_at_once(one: Browser, other: Browser, meeting: Meeting):
    meeting(tree, "_next_root_key")
    url = f"{API}orgs/orgs/"
    assert statuses(
        lambda: one.post(url, {"name": "North"}, format="json"),
        lambda: other.post(url, {"name": "South"}, format="json"),
    ) == [201, 201]


def test_two_people_whose_user_names_differ_in_case_only(one: Browser, other: Browser, meeting: Meeting):
    """The one that comes second is told which field is taken."""
    meeting(people, "prepare_creation")
    answers: list[Any] = []

    def make(browser: Browser, name: str) -> Any:
        body = {"name": name, "username": name, "email": f"{name}@example.org", "password_strategy": "email"}
        answers.append(browser.post(f"{API}users/users/", body, format="json"))
        return answers[-1]

    assert statuses(lambda: make(one, "zoe"), lambda: make(other, "ZOE")) == [201, 400]
    assert [list(answer.json()) for answer in answers if answer.status_code == 400] == [["username"]]


def test_one_object_that_two_delete_is_in_the_log_once(one: Browser, other: Browser, meeting: Meeting):
    row = permission()
    meeting(permissions, "delete_permission")
    url = f"{PERMISSIONS}{row.pk}/"
    assert statuses(lambda: one.delete(url), lambda: other.delete(url)) == [204, 404]
    assert audits.operate_events(SYSTEM, DEFAULT).filter(event="assetpermission.deleted").count() == 1


def test_two_changes_of_the_same_system_users_in_opposite_order(one: Browser, other: Browser, meeting: Meeting):
    rows = [make_system_user() for _ in range(3)]
    meeting(system_users, "update_system_user")
    assert statuses(
        lambda: one.patch(SYSTEM_USERS, items(rows, password="one"), format="json"),
        lambda: other.patch(SYSTEM_USERS, items(rows[::-1], password="other"), format="json"),
    ) == [200, 200]


def test_new_secrets_of_many_system_users_beside_the_rotation_of_the_key(one: Browser, meeting: Meeting):
    rows = [make_system_user() for _ in range(3)]
    assert one.patch(SYSTEM_USERS, items(rows, password="first"), format="json").status_code == 200
    vault_keys.keyring().add_version()
    meeting(system_users, "update_system_user")
    assert statuses(
        lambda: one.patch(SYSTEM_USERS, items(rows[::-1], password="second"), format="json"),
        lambda: _Status(vault_keys.rewrap_all(actor=SYSTEM)),
    ) == [200, 200]


class _Status:
    status_code = 200

    def __init__(self, report: object) -> None:
        self.report = report


def test_deletion_of_a_system_user_takes_a_secret_along_that_is_stored_at_this_moment(
    one: Browser, other: Browser, meeting: Meeting
):
    row = make_system_user()
    SealedSecret.objects.all().delete()
    meeting(system_users, "_store")
    meeting(system_users.secret_store, "drop_all")
    answered = statuses(
        lambda: one.patch(f"{SYSTEM_USERS}{row.pk}/", {"password": "late"}, format="json"),
        lambda: other.delete(f"{SYSTEM_USERS}{row.pk}/"),
    )
    assert answered in ([200, 204], [204, 404])
    assert not SystemUser.objects.exists()
    assert not SealedSecret.objects.exists()


def test_deletion_of_system_users_beside_changes_of_assets_that_they_administer(
    one: Browser, other: Browser, meeting: Meeting
):
    admins = [make_system_user(type="admin") for _ in range(3)]
    assets = [make_asset(admin_user_id=admin.pk) for admin in admins]
    meeting(system_users, "delete_system_user")
    meeting(asset_actions.belongings, "replace")
    assert statuses(
        lambda: one.delete(f"{SYSTEM_USERS}?ids={ids(admins)}"),
        lambda: other.patch(ASSETS, items(assets[::-1], comment="other"), format="json"),
    ) == [200, 204]


def test_two_changes_of_the_same_labels_in_opposite_order(one: Browser, other: Browser, meeting: Meeting):
    rows = [Label.objects.create(org_id=DEFAULT_ORG_ID, name="role", value=str(number)) for number in range(3)]
    meeting(catalogue, "update_label")
    assert statuses(
        lambda: one.patch(LABELS, items(rows, comment="one"), format="json"),
        lambda: other.patch(LABELS, items(rows[::-1], comment="other"), format="json"),
    ) == [200, 200]


def test_deletion_of_labels_beside_assets_that_take_them(one: Browser, other: Browser, meeting: Meeting):
    labels = [Label.objects.create(org_id=DEFAULT_ORG_ID, name="role", value=str(number)) for number in range(2)]
    assets = [make_asset(), make_asset()]
    for asset, label in zip(assets, labels, strict=True):
        asset.labels.add(label)
    meeting(catalogue, "delete_label")
    meeting(asset_actions.belongings, "replace")
    changes = [
        {"id": str(asset.pk), "labels": [str(label.pk)]} for asset, label in zip(assets, labels[::-1], strict=True)
    ]
    answered = statuses(
        lambda: one.delete(f"{LABELS}?ids={ids(labels)}"),
        lambda: other.patch(ASSETS, changes, format="json"),
    )
    assert answered in ([200, 204], [204, 400], [204, 404])


def test_two_changes_of_the_same_nodes_in_opposite_order(one: Browser, other: Browser, meeting: Meeting):
    rows = [make_node(f"node{number}") for number in range(3)]
    meeting(tree, "rename_node")
    changes = [{"id": str(row.pk), "value": f"new{number}"} for number, row in enumerate(rows)]
    assert statuses(
        lambda: one.patch(NODES, changes, format="json"), lambda: other.patch(NODES, changes[::-1], format="json")
    ) == [200, 200]


def test_deletion_of_groups_beside_the_removal_of_their_members(
    one: Browser, other: Browser, meeting: Meeting, make_person: Callable[..., User]
):
    named = [make_person(f"person{number}") for number in range(2)]
    rows = [make_group(f"group{number}", users=named) for number in range(2)]
    meeting(groups, "delete_group")
    meeting(memberships, "_leave_groups")
    assert statuses(
        lambda: one.delete(f"{API}users/groups/?ids={ids(rows)}"),
        lambda: other.post(f"{API}users/users/remove/?ids={ids(named)}"),
    ) == [204, 204]


def test_writes_whose_records_belong_to_two_chains_in_opposite_order(
    one: Browser, other: Browser, meeting: Meeting, make_person: Callable[..., User]
):
    """A password is told to the whole installation first, another change to the organization first."""
    first, second, third = make_person("first"), make_person("second"), make_person("third")
    meeting(trail, "record_password_change")
    meeting(trail, "record")
    assert statuses(
        lambda: one.patch(f"{API}users/users/{first.pk}/", {"password": NEW, "comment": "one"}, format="json"),
        lambda: other.patch(
            f"{API}users/users/",
            [{"id": str(second.pk), "comment": "other"}, {"id": str(third.pk), "password": NEW}],
            format="json",
        ),
    ) == [200, 200]


@pytest.mark.usefixtures("licensed")
def test_invitations_are_limited_however_many_calls_come_statuses(
    make_person: Callable[..., User], meeting: Meeting, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(invitations, "MAX_AN_HOUR", 3)
    meeting(invitations, "_refuse_too_many")
    Membership.objects.create(org_id=DEFAULT_ORG_ID, user=make_person("olga"), role="Admin")
    browser = Browser()
    assert browser.sign_in("olga").status_code == 200
    wishes = [[{"user": f"{name}{number}", "role": "User"} for number in range(3)] for name in ("a", "b")]
    assert statuses(
        lambda: browser.post(f"{API}users/users/invite/", wishes[0], format="json"),
        lambda: browser.post(f"{API}users/users/invite/", wishes[1], format="json"),
    ) == [201, 429]
    assert Invitation.objects.count() == 3


def test_sign_in_does_not_wait_for_a_permission_that_names_the_person(make_person: Callable[..., User]):
    row = permission(users=[make_person("ann")])
    with transaction.atomic():
        holding.hold([row.pk], [DEFAULT_ORG_ID], named={}, links=[USERS])
        assert statuses(lambda: Browser().sign_in("ann")) == [200]
