import json
from typing import Any, NamedTuple

import pytest
from django.db import connection
from rest_framework.test import APIClient

from factories.grants import grant_application, make_application, make_asset, make_system_user
from postern.apps.applications.models import Application, ApplicationAccount
from postern.apps.assets.tree.actions import ensure_root
from postern.apps.audits.models import AuditEvent
from postern.apps.orgs.models import Organization
from postern.apps.vault.models import SealedSecret, SystemUser
from postern.foundation import licensing
from postern.foundation.caller.actor import SYSTEM

pytestmark = pytest.mark.django_db

URL = "/api/v1/applications/accounts/"
SECRETS = "/api/v1/applications/account-secrets/"
PERMISSIONS = "/api/v1/perms/application-permissions/"
CANARY = "canary-9d2f-password"


class World(NamedTuple):
    orders: Application
    stock: Application
    root: SystemUser
    clerk: SystemUser


@pytest.fixture
def world(db: None) -> World:
    return World(
        make_application("orders"),
        make_application("stock"),
        make_system_user("db root", protocol="mysql", password=CANARY),
        make_system_user("clerk", username="clerk", protocol="mysql"),
    )


def uid(application: Application, system_user: SystemUser) -> str:
    return f"{application.pk}_{system_user.pk}"


def pairs() -> set[str]:
    return {f"{row.application.name} {row.systemuser.name}" for row in ApplicationAccount.objects.all()}


def test_accounts_follow_from_permissions(as_org_admin: APIClient, world: World) -> None:
    one = grant_application("one", applications=[world.orders, world.stock], system_users=[world.root])
    two = grant_application("two", applications=[world.orders], system_users=[world.root, world.clerk])
    assert pairs() == {"orders db root", "stock db root", "orders clerk"}
    as_org_admin.patch(f"{PERMISSIONS}{one.pk}/", {"applications": []}, format="json")
    assert pairs() == {"orders db root", "orders clerk"}  # the second permission grants the first of them, too
    relations = "/api/v1/perms/application-permissions-{}-relations/"
    link = {"applicationpermission": str(two.pk), "application": str(world.stock.pk)}
    as_org_admin.post(relations.format("applications"), link, format="json")
    assert pairs() == {"orders db root", "orders clerk", "stock db root", "stock clerk"}
    query = f"?applicationpermission={two.pk}&systemuser={world.root.pk}"
    as_org_admin.delete(relations.format("system-users") + query)
    assert pairs() == {"orders clerk", "stock clerk"}
    as_org_admin.delete(f"{PERMISSIONS}{two.pk}/")
    assert pairs() == set()


def test_list_shows_what_the_contract_names_and_no_secret(as_org_admin: APIClient, world: World) -> None:
    grant_application(applications=[world.orders, world.stock], system_users=[world.root, world.clerk])
    rows = as_org_admin.get(URL).json()
    assert len(rows) == 4
    key = uid(world.orders, world.root)
    row = as_org_admin.get(f"{URL}{key}/").json()
    assert (row["id"], row["uid"], row["username"], row["systemuser"]) == (key, key, "root", str(world.root.pk))
    assert (row["app"], row["app_name"], row["category"], row["type"]) == (
        str(world.orders.pk), "orders", "db", "mysql",
    )  # fmt: skip
    assert "password" not in row
    for query, count in (
        ({"username": "clerk"}, 2),
        ({"app": str(world.orders.pk)}, 2),
        ({"app_name": "stock"}, 2),
        ({"type": "mysql"}, 4),
        ({"category": "cloud"}, 0),
        ({"search": "stock"}, 2),
        ({"ids": key}, 1),
        ({"limit": "3"}, 3),
    ):
        answer = as_org_admin.get(URL, query).json()
        assert len(answer["results"] if "limit" in query else answer) == count, query
    assert as_org_admin.post(URL, {"password": "x"}, format="json").status_code == 405
    assert as_org_admin.delete(f"{URL}{key}/").status_code == 405


@pytest.mark.usefixtures("secrets_need_no_code")
def test_k73_own_secret_replaces_that_of_the_system_user(as_org_admin: APIClient, world: World) -> None:
    permission = grant_application(applications=[world.orders], system_users=[world.root])
    key = uid(world.orders, world.root)
    shown = as_org_admin.get(f"{SECRETS}{key}/").json()
    assert (shown["password"], shown["secret_source"]) == (CANARY, "system_user")
    changed = as_org_admin.put(f"{URL}{key}/", {"password": CANARY + "-own"}, format="json")
    assert (changed.status_code, changed.json()["has_own_secret"]) == (200, True)
    (listed,) = as_org_admin.get(SECRETS).json()
    assert (listed["password"], listed["secret_source"]) == (CANARY + "-own", "account")
    for answer in (changed, as_org_admin.get(URL), as_org_admin.options(URL), as_org_admin.options(f"{URL}{key}/")):
        assert CANARY not in answer.content.decode()
    records = AuditEvent.objects.filter(event__startswith="applicationaccount")
    assert CANARY not in json.dumps([[one.old, one.new] for one in records])
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM applications_applicationaccount")
        assert CANARY not in str(cursor.fetchall())
    looks = records.filter(event="applicationaccountsecret.viewed").order_by("sequence")
    assert [(one.resource, one.new) for one in looks] == [
        ("root@orders", {"via": "item"}),
        ("root@orders", {"via": "list"}),
    ]
    # It stays when no permission includes the pair any more, and so does what it refers to.
    as_org_admin.delete(f"{PERMISSIONS}{permission.pk}/")
    assert as_org_admin.get(f"{URL}{key}/").json()["is_granted"] is False
    for path in (f"assets/system-users/{world.root.pk}", f"applications/applications/{world.orders.pk}"):
        assert as_org_admin.delete(f"/api/v1/{path}/").status_code == 400
    assert as_org_admin.delete(f"{URL}{key}/own-secret/").status_code == 204
    assert as_org_admin.get(f"{URL}{key}/").status_code == 404
    assert not SealedSecret.objects.filter(table="applications_applicationaccount").exists()
    assert as_org_admin.delete(f"/api/v1/applications/applications/{world.orders.pk}/").status_code == 204


@pytest.mark.usefixtures("secrets_need_no_code")
def test_granted_account_returns_to_the_secret_of_its_system_user(as_org_admin: APIClient, world: World) -> None:
    grant_application(applications=[world.orders], system_users=[world.root])
    key = uid(world.orders, world.root)
    as_org_admin.patch(f"{URL}{key}/", {"password": "own"}, format="json")
    assert as_org_admin.delete(f"{URL}{key}/own-secret/").status_code == 204
    assert as_org_admin.get(f"{SECRETS}{key}/").json()["password"] == CANARY
    again = as_org_admin.delete(f"{URL}{key}/own-secret/")
    assert (again.status_code, again.json()["code"]) == (400, "no_own_secret")


def test_secrets_need_a_recent_code_and_the_right(
    as_org_admin: APIClient, as_auditor: APIClient, as_user: APIClient, world: World
) -> None:
    grant_application(applications=[world.orders], system_users=[world.root])
    key = uid(world.orders, world.root)
    for path in (SECRETS, f"{SECRETS}{key}/", f"{SECRETS}?format=csv"):
        answer = as_org_admin.get(path)
        assert (answer.status_code, answer.json()["code"]) == (400, "mfa_verify_required"), path
        for client in (as_auditor, as_user):
            assert client.get(path).status_code == 403
    assert as_user.get(URL).status_code == 403
    assert as_auditor.patch(f"{URL}{key}/", {"password": "x"}, format="json").status_code == 403
    assert not AuditEvent.objects.filter(event="applicationaccountsecret.viewed").exists()


@pytest.mark.usefixtures("secrets_need_no_code")
def test_auth_info_of_an_application_is_the_secret_of_the_account(as_org_admin: APIClient, world: World) -> None:
    grant_application(applications=[world.orders, world.stock], system_users=[world.root])
    path = f"/api/v1/assets/system-users/{world.root.pk}/applications/{{}}/auth-info/"
    as_org_admin.patch(f"{URL}{uid(world.stock, world.root)}/", {"password": CANARY + "-own"}, format="json")
    shown = [as_org_admin.get(path.format(one.pk)) for one in (world.orders, world.stock)]
    assert [one.status_code for one in shown] == [200, 200]
    assert [one.json()["password"] for one in shown] == [CANARY, CANARY + "-own"]
    assert (shown[0].json()["username"], shown[0].json()["token"]) == ("root", "")
    looks = AuditEvent.objects.filter(event="applicationaccountsecret.viewed").order_by("sequence")
    assert [(one.resource, one.new) for one in looks] == [
        ("root@orders", {"via": "item"}),
        ("root@stock", {"via": "item"}),
    ]
    not_granted = path.replace(str(world.root.pk), str(world.clerk.pk)).format(world.orders.pk)
    assert as_org_admin.get(not_granted).status_code == 404
    assert as_org_admin.get(path.format(world.root.pk)).status_code == 404
    assert looks.count() == 2


def test_auth_info_of_an_application_needs_a_recent_code(as_org_admin: APIClient, world: World) -> None:
    grant_application(applications=[world.orders], system_users=[world.root])
    answer = as_org_admin.get(f"/api/v1/assets/system-users/{world.root.pk}/applications/{world.orders.pk}/auth-info/")
    assert (answer.status_code, answer.json()["code"]) == (400, "mfa_verify_required")
    assert not AuditEvent.objects.filter(event="applicationaccountsecret.viewed").exists()


@pytest.mark.usefixtures("secrets_need_no_code", "licensed")
def test_auth_info_of_a_remote_app_needs_a_licence(as_org_admin: APIClient) -> None:
    host = make_asset(platform="Windows", protocols=["rdp/3389"])
    chrome, desk = make_application("web", kind="chrome", asset=host), make_system_user("desk", protocol="rdp")
    grant_application(kind="chrome", applications=[chrome], system_users=[desk])
    path = f"/api/v1/assets/system-users/{desk.pk}/applications/{chrome.pk}/auth-info/"
    assert as_org_admin.get(path).status_code == 200
    with licensing.LICENCE.replaced(lambda: False):
        assert (as_org_admin.get(path).status_code, as_org_admin.get(path).json()["code"]) == (403, "licence_required")


@pytest.mark.parametrize(
    "sent", [{}, {"password": ""}, {"password": None}, {"password": ["x"]}, {"password": "x" * 16385}]
)
def test_bad_secrets_are_refused(as_org_admin: APIClient, world: World, sent: dict[str, Any]) -> None:
    grant_application(applications=[world.orders], system_users=[world.root])
    answer = as_org_admin.put(f"{URL}{uid(world.orders, world.root)}/", sent, format="json")
    assert (answer.status_code, list(answer.json())) == (400, ["password"])
    assert not ApplicationAccount.objects.get().has_own_secret


def test_nothing_is_stored_for_who_enters_the_credential(as_org_admin: APIClient, world: World) -> None:
    manual = make_system_user("manual", protocol="mysql", login_mode="manual")
    grant_application(applications=[world.orders], system_users=[manual])
    answer = as_org_admin.put(f"{URL}{uid(world.orders, manual)}/", {"password": "x"}, format="json")
    assert (answer.status_code, list(answer.json())) == (400, ["password"])


@pytest.mark.usefixtures("secrets_need_no_code")
def test_secret_of_a_cluster_is_the_token(as_org_admin: APIClient) -> None:
    robot = make_system_user("robot", protocol="k8s", token=CANARY)
    cluster = make_application("cluster", kind="k8s", cluster="https://192.0.2.30")
    grant_application(kind="k8s", applications=[cluster], system_users=[robot])
    assert as_org_admin.get(f"{SECRETS}{uid(cluster, robot)}/").json()["password"] == CANARY


@pytest.mark.usefixtures("secrets_need_no_code", "licensed")
def test_accounts_of_remote_apps_need_a_licence(as_org_admin: APIClient) -> None:
    host = make_asset(platform="Windows", protocols=["rdp/3389"])
    chrome, desk = make_application("web", kind="chrome", asset=host), make_system_user("desk", protocol="rdp")
    grant_application(kind="chrome", applications=[chrome], system_users=[desk])
    key = uid(chrome, desk)
    assert as_org_admin.get(f"{URL}{key}/").status_code == 200
    with licensing.LICENCE.replaced(lambda: False):
        for path in (URL, SECRETS):
            assert as_org_admin.get(path).json() == []
            assert as_org_admin.get(f"{path}{key}/").status_code == 404
            assert as_org_admin.get(path, {"category": "remote_app"}).status_code == 403
        assert as_org_admin.patch(f"{URL}{key}/", {"password": "x"}, format="json").status_code == 404


@pytest.mark.usefixtures("secrets_need_no_code")
def test_k16_accounts_of_another_organization_do_not_exist(as_org_admin: APIClient, world: World) -> None:
    other = Organization.objects.create(name="Other").pk
    ensure_root(actor=SYSTEM, org_id=other, name="Other")
    theirs = make_application("theirs", org_id=other)
    root = make_system_user("theirs", protocol="mysql", org_id=other)
    grant_application(applications=[theirs], system_users=[root], org_id=other)
    grant_application(applications=[world.orders], system_users=[world.root])
    key, own = uid(theirs, root), uid(world.orders, world.root)
    for path in (URL, SECRETS):
        assert [row["id"] for row in as_org_admin.get(path).json()] == [own]
        assert as_org_admin.get(path, {"ids": key}).json() == []
        assert as_org_admin.get(path, {"app": str(theirs.pk)}).json() == []
        for wrong in (key, uid(world.orders, root), "x", f"{world.orders.pk}_x", str(world.orders.pk)):
            assert as_org_admin.get(f"{path}{wrong}/").status_code == 404, wrong
    items = [{"id": own, "password": "x"}, {"id": key, "password": "x"}]
    assert as_org_admin.patch(URL, items, format="json").status_code == 400
    assert not ApplicationAccount.objects.filter(has_own_secret=True).exists()
