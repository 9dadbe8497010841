"""Concurrent writes of accounts."""

import pytest
from django.db import transaction

from factories.at_once import at_once
from factories.browser import Browser
from factories.grants import make_asset, make_node, make_system_user
from factories.meetings import Meeting, statuses
from factories.two_administrators import items
from postern.apps.assets.assets.actions import assets as asset_actions
from postern.apps.assets.models import Asset
from postern.apps.vault import facade
from postern.apps.vault.accounts import actions, of_nodes
from postern.apps.vault.models import (
    Account,
    AccountVersion,
    SealedSecret,
    SystemUser,
    SystemUserAsset,
    SystemUserNode,
)
from postern.apps.vault.system_users.actions import bind, delete_system_user
from postern.foundation import installation
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.database.uses import StillUsed
from postern.kernel import clock

pytestmark = pytest.mark.django_db(transaction=True)
URL = "/api/v1/assets/accounts/"
RELATIONS = "/api/v1/assets/system-users-assets-relations/"


@pytest.fixture
def accounts(transactional_db: None) -> list[Account]:
    """Three accounts of one system user."""
    installation.run()
    system_user = make_system_user(password="shared")
    for _ in range(3):
        bind(actor=SYSTEM, row=SystemUserAsset(systemuser=system_user, asset=make_asset()))
    return list(Account.objects.select_related("systemuser", "asset"))


def test_two_changes_at_once_give_two_versions(
    accounts: list[Account], first_admin: Browser, second_admin: Browser
) -> None:
    url = f"{URL}{accounts[0].pk}/"
    calls = [
        lambda admin=admin, number=number: admin.patch(url, {"password": f"own-{number}"}, format="json")
        for number, admin in enumerate((first_admin, second_admin) * 3)
    ]
    answers = at_once(*calls)
    assert {answer.status_code for answer in answers} == {200}
    assert sorted(AccountVersion.objects.values_list("number", flat=True)) == [2, 3, 4, 5, 6, 7]
    assert SealedSecret.objects.filter(table="vault_accountversion").count() == 6
    row = Account.objects.get(pk=accounts[0].pk)
    newest = AccountVersion.objects.get(number=7)
    password = facade.open_credential(system_user_id=row.systemuser_id, asset_id=row.asset_id, username="").password
    writer = {"own-" + str(number): f"Admin-{number % 2 + 1}(admin-{number % 2 + 1})" for number in range(6)}
    assert (row.version, newest.created_by) == (7, writer[password])


def test_same_account_created_twenty_times_at_once_exists_once(
    accounts: list[Account], first_admin: Browser, second_admin: Browser
) -> None:
    asset = accounts[0].asset
    body = {"username": "oracle", "asset": str(asset.pk), "systemuser": None, "password": "own"}
    answers = at_once(
        *[lambda admin=admin: admin.post(URL, body, format="json") for admin in (first_admin, second_admin) * 10]
    )
    codes = sorted(answer.status_code for answer in answers)
    assert codes == [201] + [400] * 19
    assert AccountVersion.objects.filter(account__username="oracle").count() == 1


@pytest.mark.usefixtures("row_locks")
def test_bulk_changes_in_opposite_order_do_not_deadlock(
    accounts: list[Account], first_admin: Browser, second_admin: Browser, meeting: Meeting
) -> None:
    meeting(actions, "update_account")
    assert statuses(
        lambda: first_admin.patch(URL, items(accounts, password="one"), format="json"),
        lambda: second_admin.patch(URL, items(accounts[::-1], password="two"), format="json"),
    ) == [200, 200]
    assert set(Account.objects.values_list("version", flat=True)) == {3}


@pytest.mark.usefixtures("row_locks")
@pytest.mark.parametrize("ending", ["account", "relation", "asset", "system_user"])
def test_deletion_takes_a_secret_that_is_stored_at_this_moment(
    ending: str, accounts: list[Account], first_admin: Browser, second_admin: Browser, meeting: Meeting
) -> None:
    account = accounts[0]
    meeting(actions.secret_store, "put_all")
    meeting(actions.secret_store, "lock_all")
    deletions = {
        "account": f"{URL}{account.pk}/",
        "relation": f"{RELATIONS}{account.pk}/",
        "asset": f"/api/v1/assets/assets/{account.asset_id}/",
        "system_user": f"/api/v1/assets/system-users/{account.systemuser_id}/",
    }
    stored, deleted = at_once(
        lambda: first_admin.patch(f"{URL}{account.pk}/", {"password": "late"}, format="json"),
        lambda: second_admin.delete(deletions[ending]),
    )
    assert stored.status_code in {200, 400, 404, 409}, stored.content
    assert deleted.status_code in {204, 400, 409}, deleted.content  # 400: the account has a secret now
    kept = AccountVersion.objects.count()
    assert SealedSecret.objects.filter(table="vault_accountversion").count() == kept
    assert AccountVersion.objects.filter(account__isnull=False).count() == kept
    if deleted.status_code == 204:
        assert not AccountVersion.objects.filter(account_id=account.pk).exists()


def test_two_workers_that_compare_at_once_add_each_account_once(accounts: list[Account]) -> None:
    node, system_user = make_node("north"), make_system_user()
    for _ in range(6):
        make_asset(nodes=[node])
    bind(actor=SYSTEM, row=SystemUserNode(systemuser=system_user, node=node))
    at_once(of_nodes.keep_up, of_nodes.keep_up)
    assert Account.objects.filter(systemuser=system_user).count() == 6
    assert of_nodes.due() == []


@pytest.mark.usefixtures("row_locks")
def test_comparison_and_deletions_of_what_it_works_on_do_not_fail(accounts: list[Account]) -> None:
    node, system_user = make_node("north"), make_system_user()
    assets = [make_asset(nodes=[node]) for _ in range(6)]
    bind(actor=SYSTEM, row=SystemUserNode(systemuser=system_user, node=node))
    at_once(
        of_nodes.keep_up,
        lambda: asset_actions.delete_assets(actor=SYSTEM, assets=assets[:3]),
        lambda: _refused(system_user),
    )
    of_nodes.keep_up()
    assert SystemUser.objects.filter(pk=system_user.pk).exists()
    assert Asset.objects.filter(pk__in=[asset.pk for asset in assets]).count() == 3
    assert Account.objects.filter(systemuser_id=system_user.pk).count() == 3


def _refused(system_user: SystemUser) -> None:
    with pytest.raises(StillUsed):
        delete_system_user(actor=SYSTEM, system_user=system_user)


@pytest.mark.usefixtures("row_locks")
def test_verification_and_change_of_a_system_user_at_once(accounts: list[Account], first_admin: Browser) -> None:
    """Both write the same accounts, in the same order."""
    results = [
        facade.AccountResult(
            asset_id=row.asset_id, system_user_id=row.systemuser_id, username="root", works=True, started=clock.now()
        )
        for row in accounts[::-1]
    ]
    system_user = accounts[0].systemuser
    assert system_user is not None
    url = f"/api/v1/assets/system-users/{system_user.pk}/"
    answers = at_once(
        *[lambda: _note(results) for _ in range(3)],
        *[lambda: first_admin.patch(url, {"password": "new"}, format="json") for _ in range(3)],
    )
    assert [answer.status_code for answer in answers if answer is not None] == [200] * 3


@transaction.atomic
def _note(results: list[facade.AccountResult]) -> None:
    facade.note_accounts(results)
