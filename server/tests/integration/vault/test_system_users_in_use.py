"""What is still used is not deleted: a sentence says by what and how much it is used, and nothing is written."""

import threading
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from factories.at_once import at_once
from factories.browser import Browser
from factories.grants import grant, make_asset, make_domain, make_gateway, make_node, make_system_user
from postern.apps.assets.models import Asset, Domain
from postern.apps.audits.models import AuditEvent
from postern.apps.jobs.host_tasks.models import HostTask
from postern.apps.perms.models import AssetPermission
from postern.apps.vault.models import SealedSecret, SystemUser
from postern.apps.vault.system_users import actions
from postern.apps.vault.system_users.actions import bind
from postern.apps.vault.system_users.models import SystemUserAsset, SystemUserNode
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.database.uses import require_unused

API = "/api/v1/"
SYSTEM_USERS, ADMIN_USERS = f"{API}assets/system-users/", f"{API}assets/admin-users/"
ASSETS, TASKS, PERMISSIONS = f"{API}assets/assets/", f"{API}ops/tasks/", f"{API}perms/asset-permissions/"
#: Seconds for which the deletion waits for a use that must not happen.
_MEET_S = 1.0
_PATIENCE_S = 60
pytestmark = pytest.mark.django_db


@pytest.fixture
def client(as_org_admin: APIClient) -> APIClient:
    as_org_admin.credentials(HTTP_ACCEPT_LANGUAGE="en")
    return as_org_admin


def refused(answer: Any) -> str:
    assert (answer.status_code, answer.json()["code"]) == (400, "referenced_by_others"), answer.content
    return str(answer.json()["detail"])


def periodic(client: APIClient, system_user: SystemUser, name: str = "nightly", **values: Any) -> Any:
    body = {"name": name, "kind": "accounts.test", "system_users": [str(system_user.pk)], "is_periodic": True, **values}
    return client.post(TASKS, body, format="json")


def test_refusal_names_each_kind_of_use_with_its_number(client: APIClient) -> None:
    row = make_system_user("deploy", username="deploy")
    for number in range(5):
        grant(f"p{number}", assets=[make_asset(f"web-{number}")], system_users=[row])
    bind(actor=SYSTEM, row=SystemUserNode(systemuser=row, node=make_node("north")))
    bind(actor=SYSTEM, row=SystemUserAsset(systemuser=row, asset=make_asset("db-1")))
    assert periodic(client, row).status_code == 201
    events, secrets = AuditEvent.objects.count(), SealedSecret.objects.count()
    assert refused(client.delete(f"{SYSTEM_USERS}{row.pk}/")) == (
        "deploy(deploy) cannot be deleted, because it is still used. Asset permissions: 5 (p0, p1, p2 and 2 more); "
        "Periodic tasks: 1 (nightly); Nodes that it is on: 1 (/Default/north); Accounts on assets: 1 (db-1). "
        "Remove it there first."
    )
    assert (AuditEvent.objects.count(), SealedSecret.objects.count()) == (events, secrets)
    client.credentials(HTTP_ACCEPT_LANGUAGE="zh-hans")
    assert "资产授权: 5 (p0, p1, p2 等，另有 2 个)" in refused(client.delete(f"{SYSTEM_USERS}{row.pk}/"))


def test_admin_user_of_assets_is_not_deleted_until_they_have_another(client: APIClient) -> None:
    row = make_system_user("root", type="admin")
    assets = [make_asset(f"web-{number}", admin_user_id=row.pk) for number in range(4)]
    assert "Assets whose admin user it is: 4 (web-0, web-1, web-2 and 1 more)" in refused(
        client.delete(f"{ADMIN_USERS}{row.pk}/")
    )
    body = [{"id": str(asset.pk), "admin_user": None} for asset in assets]
    assert client.patch(ASSETS, body, format="json").status_code == 200
    assert client.delete(f"{ADMIN_USERS}{row.pk}/").status_code == 204
    assert not SealedSecret.objects.exists()


def test_bulk_delete_refuses_all_when_one_is_used(client: APIClient) -> None:
    free, used = make_system_user("free"), make_system_user("used")
    grant("ops", assets=[make_asset()], system_users=[used])
    assert "used(" in refused(client.delete(f"{SYSTEM_USERS}?ids={free.pk},{used.pk}"))
    assert SystemUser.objects.count() == 2
    AssetPermission.objects.all().delete()
    assert client.delete(f"{SYSTEM_USERS}?ids={free.pk},{used.pk}").status_code == 204
    assert not SealedSecret.objects.exists()


def test_account_with_a_secret_of_its_own_is_not_lost_with_its_system_user(client: APIClient) -> None:
    row = make_system_user()
    account = bind(actor=SYSTEM, row=SystemUserAsset(systemuser=row, asset=make_asset("db-1")))
    account_url = f"{API}assets/accounts/{account.pk}/"
    assert client.patch(account_url, {"password": "Own-5ecret!"}, format="json").status_code == 200
    assert "db-1" in refused(client.delete(f"{SYSTEM_USERS}{row.pk}/"))
    assert SealedSecret.objects.filter(table="vault_accountversion").exists()
    assert client.delete(account_url).status_code == 204
    assert client.delete(f"{SYSTEM_USERS}{row.pk}/").status_code == 204


def test_tasks_that_do_not_run_by_themselves_do_not_keep_a_system_user(client: APIClient) -> None:
    row = make_system_user()
    task = periodic(client, row, is_periodic=False).json()
    other = periodic(client, make_system_user("other"), "other").json()
    assert client.patch(f"{TASKS}{task['id']}/", {"is_periodic": True}, format="json").status_code == 200
    assert "nightly" in refused(client.delete(f"{SYSTEM_USERS}{row.pk}/"))
    assert client.patch(f"{TASKS}{task['id']}/", {"is_periodic": False}, format="json").status_code == 200
    assert client.delete(f"{SYSTEM_USERS}{row.pk}/").status_code == 204
    assert {str(key) for key in HostTask.objects.values_list("pk", flat=True)} == {task["id"], other["id"]}


def test_domain_in_use_is_refused_without_loading_its_assets(client: APIClient) -> None:
    outer = make_domain("outer")
    make_domain("inner", through=outer)
    make_gateway("gate-1", outer)
    for number in range(5):
        make_asset(f"web-{number}", domain=outer)
    with CaptureQueriesContext(connection) as queries:
        told = refused(client.delete(f"{API}assets/domains/{outer.pk}/"))
    assert told == (
        "outer cannot be deleted, because it is still used. Assets: 5 (web-0, web-1, web-2 and 2 more); "
        "Gateways: 1 (gate-1); Domains behind it: 1 (inner). Remove it there first."
    )
    assert not [query for query in queries if "web-4" in str(query)]
    assert Domain.objects.filter(pk=outer.pk).exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("row_locks")
class TestAtOnce:
    """A use and the deletion at once: the object is gone and unused, or used and there. Never used and gone."""

    def uses(self, client: Browser, row: SystemUser, kind: str) -> Any:
        asset = Asset.objects.get()
        match kind:
            case "permission":
                body = {"name": "ops", "assets": [str(asset.pk)], "system_users": [str(row.pk)]}
                return client.post(PERMISSIONS, body, format="json")
            case "admin_user":
                return client.patch(f"{ASSETS}{asset.pk}/", {"admin_user": str(row.pk)}, format="json")
            case "new_asset":
                body = {"hostname": "new", "ip": "192.0.2.9", "platform": "Linux", "admin_user": str(row.pk)}
                return client.post(ASSETS, body, format="json")
            case "account":
                body = {"asset": str(asset.pk), "systemuser": str(row.pk)}
                return client.post(f"{API}assets/system-users-assets-relations/", body, format="json")
        return periodic(client, row)

    @pytest.mark.parametrize("kind", ["permission", "admin_user", "new_asset", "account", "task"])
    def test_use_that_begins_after_the_deletion_has_counted_is_refused(
        self, first_admin: Browser, second_admin: Browser, monkeypatch: pytest.MonkeyPatch, kind: str
    ) -> None:
        make_asset("web-1")
        row = make_system_user(type="admin" if kind in {"admin_user", "new_asset"} else "common")
        counted, was_used = threading.Event(), threading.Event()

        def count_and_wait(*values: Any) -> None:
            require_unused(*values)
            counted.set()
            was_used.wait(_MEET_S)  # it is not, as long as the lock holds

        def use() -> Any:
            assert counted.wait(_PATIENCE_S)
            answer = self.uses(first_admin, row, kind)
            was_used.set()
            return answer

        monkeypatch.setattr(actions, "require_unused", count_and_wait)
        used, deleted = at_once(use, lambda: second_admin.delete(f"{SYSTEM_USERS}{row.pk}/"))
        assert deleted.status_code == 204, deleted.content
        assert used.status_code in {400, 404, 409}, used.content
        assert not Asset.objects.filter(admin_user_id=row.pk).exists()
        assert (AssetPermission.objects.count(), HostTask.objects.count()) == (0, 0)

    @pytest.mark.parametrize("kind", ["permission", "admin_user", "new_asset", "account", "task"])
    def test_use_and_deletion_at_once(self, first_admin: Browser, second_admin: Browser, kind: str) -> None:
        make_asset("web-1")
        row = make_system_user(type="admin" if kind in {"admin_user", "new_asset"} else "common")
        used, deleted = at_once(
            lambda: self.uses(first_admin, row, kind), lambda: second_admin.delete(f"{SYSTEM_USERS}{row.pk}/")
        )
        assert (used.status_code < 300) != (deleted.status_code == 204), (used.content, deleted.content)
        assert SystemUser.objects.filter(pk=row.pk).exists() is (deleted.status_code == 400)
