"""Secrets of system users, as administrators see, change and clear them."""

from datetime import timedelta

import asyncssh
import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from factories.grants import make_asset, make_system_user
from postern.apps.assets.nodes.actions import root_of
from postern.apps.audits.models import AuditEvent
from postern.apps.authn.credentials.models import BearerToken
from postern.apps.users.models import User
from postern.apps.vault import facade
from postern.apps.vault.models import SystemUser, SystemUserAsset, SystemUserNode
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db
URL = "/api/v1/assets/system-users/"
SECRET = "canary-auth-info"


@pytest.fixture
def deploy() -> SystemUser:
    return make_system_user("deploy", username="deploy", password=SECRET)


@pytest.fixture
def verified(people: dict[str, User]) -> APIClient:
    """The administrator, shortly after they entered a code of their second factor."""
    client = APIClient()
    client.force_authenticate(people["org_admin"], token=BearerToken(date_mfa_verified=timezone.now()))
    return client


def test_secrets_are_shown_on_record_after_a_fresh_code_only(
    as_org_admin: APIClient, verified: APIClient, deploy: SystemUser, people: dict[str, User]
) -> None:
    path = f"{URL}{deploy.pk}/auth-info/"
    refused = as_org_admin.get(path)
    assert (refused.status_code, refused.json()["code"]) == (400, "mfa_verify_required")
    stale = APIClient()
    stale.force_authenticate(
        people["org_admin"],
        token=BearerToken(date_mfa_verified=timezone.now() - timedelta(days=1)),
    )
    assert stale.get(path).status_code == 400
    assert not AuditEvent.objects.filter(event="systemuser.secrets_viewed").exists()
    answer = verified.get(path)
    assert answer.status_code == 200
    assert (answer.json()["username"], answer.json()["password"], answer.json()["private_key"]) == (
        "deploy",
        SECRET,
        "",
    )
    look = AuditEvent.objects.get(event="systemuser.secrets_viewed")
    assert (look.resource_id, look.new) == (str(deploy.pk), {"password": "******"})
    assert look.actor_id == people["org_admin"].pk


def test_auth_info_changes_only_given_secrets_and_answers_without_them(
    as_org_admin: APIClient, deploy: SystemUser
) -> None:
    path = f"{URL}{deploy.pk}/auth-info/"
    key = asyncssh.generate_private_key("ssh-ed25519").export_private_key("openssh").decode()
    answer = as_org_admin.patch(path, {"private_key": key, "password": ""}, format="json")
    assert (answer.status_code, "password" in answer.json()) == (200, False)
    assert SECRET not in answer.content.decode()
    assert facade.open_credential(system_user_id=deploy.pk, asset_id=None, username="").password == SECRET
    answer = as_org_admin.put(path, {"password": "another"}, format="json")
    assert answer.status_code == 200
    opened = facade.open_credential(system_user_id=deploy.pk, asset_id=None, username="")
    assert (opened.password, bool(opened.private_key)) == ("another", True)
    assert as_org_admin.patch(path, {"password": "a {{ b"}, format="json").status_code == 400


def test_auth_info_of_an_asset_needs_a_binding_to_it(verified: APIClient, deploy: SystemUser) -> None:
    bound, other = make_asset("web-1"), make_asset("web-2")
    SystemUserAsset.objects.create(org_id=DEFAULT_ORG_ID, systemuser=deploy, asset=bound)
    assert verified.get(f"{URL}{deploy.pk}/assets/{other.pk}/auth-info/").status_code == 404
    answer = verified.get(f"{URL}{deploy.pk}/assets/{bound.pk}/auth-info/")
    assert (answer.status_code, answer.json()["password"]) == (200, SECRET)
    assert AuditEvent.objects.get(event="systemuser.secrets_viewed").new == {"asset": "web-1", "password": "******"}


def test_auth_info_of_an_asset_shows_the_own_secret_of_the_account(
    verified: APIClient, as_org_admin: APIClient, deploy: SystemUser
) -> None:
    bound, other = make_asset("web-1"), make_asset("web-2")
    for asset in (bound, other):
        body = {"asset": str(asset.pk), "systemuser": str(deploy.pk)}
        as_org_admin.post("/api/v1/assets/system-users-assets-relations/", body, format="json")
    account = SystemUserAsset.objects.get(systemuser=deploy, asset=bound)
    path = f"/api/v1/assets/accounts/{account.pk}/"
    assert as_org_admin.patch(path, {"password": "own-canary"}, format="json").status_code == 200
    shown = [verified.get(f"{URL}{deploy.pk}/assets/{asset.pk}/auth-info/").json() for asset in (bound, other)]
    assert [one["password"] for one in shown] == ["own-canary", SECRET]


def test_auth_info_of_an_asset_names_the_user_of_a_dynamic_system_user(
    verified: APIClient, as_org_admin: APIClient, people: dict[str, User]
) -> None:
    same = make_system_user("same", username="", username_same_with_user=True, password=SECRET)
    asset = make_asset("web-1")
    SystemUserAsset.objects.create(org_id=DEFAULT_ORG_ID, systemuser=same, asset=asset)
    path = f"{URL}{same.pk}/assets/{asset.pk}/auth-info/"
    user = people["user"]
    assert verified.get(f"{path}?user_id={user.pk}").json()["username"] == ""
    body = {"systemuser": str(same.pk), "user": str(user.pk)}
    as_org_admin.post("/api/v1/assets/system-users-users-relations/", body, format="json")
    assert verified.get(f"{path}?user_id={user.pk}").json()["username"] == user.username
    assert verified.get(f"{path}?username=ann").json()["username"] == "ann"
    looks = AuditEvent.objects.filter(event="systemuser.secrets_viewed").order_by("sequence")
    assert [(look.new or {}).get("username") for look in looks] == ["", user.username, "ann"]


def test_auth_info_of_another_organization_is_not_found(verified: APIClient, deploy: SystemUser) -> None:
    SystemUser.objects.filter(pk=deploy.pk).update(org_id="00000000-0000-0000-0000-00000000abcd")
    for method in ("get", "put", "patch", "delete"):
        assert getattr(verified, method)(f"{URL}{deploy.pk}/auth-info/", {}, format="json").status_code == 404


def test_assets_of_a_system_user_are_those_bound_directly_and_through_nodes(
    as_org_admin: APIClient, deploy: SystemUser
) -> None:
    direct = make_asset("direct")
    make_asset("below")
    SystemUserAsset.objects.create(org_id=DEFAULT_ORG_ID, systemuser=deploy, asset=direct, connectivity="ok")
    path = f"{URL}{deploy.pk}/assets/"
    assert [(row["hostname"], row["connectivity"]) for row in as_org_admin.get(path).json()] == [("direct", "ok")]
    SystemUserNode.objects.create(systemuser=deploy, node=root_of(DEFAULT_ORG_ID))
    rows = as_org_admin.get(path).json()
    assert [(row["hostname"], row["connectivity"]) for row in rows] == [("below", "unknown"), ("direct", "ok")]
    assert [row["hostname"] for row in as_org_admin.get(f"{path}?search=bel").json()] == ["below"]
    assert [row["hostname"] for row in as_org_admin.get(f"{path}?hostname=direct").json()] == ["direct"]


@pytest.mark.parametrize("kind", ["system-users", "admin-users"])
def test_k73_object_names_its_stored_secrets_and_null_removes_one(as_org_admin: APIClient, kind: str) -> None:
    values = {"type": "admin"} if kind == "admin-users" else {}
    row = make_system_user("deploy", username="deploy", password=SECRET, **values)
    path = f"/api/v1/assets/{kind}/{row.pk}/"
    key = asyncssh.generate_private_key("ssh-ed25519").export_private_key("openssh").decode()
    as_org_admin.patch(path, {"private_key": key}, format="json")
    assert as_org_admin.get(path).json()["stored_secrets"] == ["password", "private_key"]
    for kept in ({"password": ""}, {"comment": "x"}):
        as_org_admin.patch(path, kept, format="json")
        assert len(as_org_admin.get(path).json()["stored_secrets"]) == 2
    assert as_org_admin.patch(path, {"private_key": None}, format="json").status_code == 200
    after = as_org_admin.get(path).json()
    assert (after["stored_secrets"], after["ssh_key_fingerprint"]) == (["password"], "")
    record = AuditEvent.objects.filter(event="systemuser.updated").order_by("sequence").last()
    assert record is not None
    assert (record.old, record.new) == ({"private_key": "******"}, {"private_key": None})
    assert "stored_secrets" not in as_org_admin.get(f"/api/v1/assets/{kind}/").json()[0]
