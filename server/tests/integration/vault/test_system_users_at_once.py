"""Concurrent bulk writes of system users wait for each other without a deadlock (PostgreSQL)."""

import pytest

from factories.browser import Browser
from factories.grants import make_asset, make_system_user
from factories.meetings import Meeting, statuses
from factories.two_administrators import ids, items
from postern.apps.assets.assets.actions import assets as asset_actions
from postern.apps.vault.models import SealedSecret, SystemUser
from postern.apps.vault.sealed_secrets.actions import rotation as vault_keys
from postern.apps.vault.system_users import actions as system_users
from postern.foundation.caller.actor import SYSTEM

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("row_locks")]
API = "/api/v1/"
SYSTEM_USERS = f"{API}assets/system-users/"
ASSETS = f"{API}assets/assets/"


def test_concurrent_changes_of_system_users_in_opposite_order_do_not_deadlock(
    first_admin: Browser, second_admin: Browser, meeting: Meeting
):
    rows = [make_system_user() for _ in range(3)]
    meeting(system_users, "update_system_user")
    assert statuses(
        lambda: first_admin.patch(SYSTEM_USERS, items(rows, password="one"), format="json"),
        lambda: second_admin.patch(SYSTEM_USERS, items(rows[::-1], password="other"), format="json"),
    ) == [200, 200]


def test_new_secrets_of_system_users_and_a_concurrent_key_rotation_do_not_deadlock(
    first_admin: Browser, meeting: Meeting
):
    rows = [make_system_user() for _ in range(3)]
    assert first_admin.patch(SYSTEM_USERS, items(rows, password="first"), format="json").status_code == 200
    vault_keys.keyring().add_version()
    meeting(system_users, "update_system_user")
    assert statuses(
        lambda: first_admin.patch(SYSTEM_USERS, items(rows[::-1], password="second"), format="json"),
        lambda: _Status(vault_keys.rewrap_all(actor=SYSTEM)),
    ) == [200, 200]


class _Status:
    status_code = 200

    def __init__(self, report: object) -> None:
        self.report = report


def test_deletion_of_a_system_user_deletes_a_secret_stored_concurrently(
    first_admin: Browser, second_admin: Browser, meeting: Meeting
):
    row = make_system_user()
    SealedSecret.objects.all().delete()
    meeting(system_users.secret_store, "put_all")
    meeting(system_users.secret_store, "drop_all")
    answered = statuses(
        lambda: first_admin.patch(f"{SYSTEM_USERS}{row.pk}/", {"password": "late"}, format="json"),
        lambda: second_admin.delete(f"{SYSTEM_USERS}{row.pk}/"),
    )
    assert answered in ([200, 204], [204, 404])
    assert not SystemUser.objects.exists()
    assert not SealedSecret.objects.exists()


def test_deletion_of_system_users_and_concurrent_changes_of_their_assets_do_not_deadlock(
    first_admin: Browser, second_admin: Browser, meeting: Meeting
):
    admins = [make_system_user(type="admin") for _ in range(3)]
    assets = [make_asset() for _admin in admins]
    meeting(system_users, "delete_system_user")
    meeting(asset_actions.belongings, "replace")
    assert statuses(
        lambda: first_admin.delete(f"{SYSTEM_USERS}?ids={ids(admins)}"),
        lambda: second_admin.patch(ASSETS, items(assets[::-1], comment="other"), format="json"),
    ) == [200, 204]
