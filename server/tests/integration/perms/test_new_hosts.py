"""Adding a host in one call creates asset, account and permission, or nothing."""

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from factories.settlements import settle
from postern.apps.assets.facade import ensure_root_node as ensure_root
from postern.apps.assets.models import Asset
from postern.apps.audits.models import AuditEvent
from postern.apps.orgs.models import Organization
from postern.apps.perms.models import AssetPermission
from postern.apps.users.models import User
from postern.apps.vault import facade as vault
from postern.apps.vault.models import SystemUser
from postern.apps.vault.system_users.places import place_of
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db

URL = "/api/v1/perms/new-hosts/"
SECRET = "korrekt-horse-7"


@pytest.fixture
def settled(make_user: Callable[..., User]) -> dict[str, Any]:
    return settle(DEFAULT_ORG_ID, "one", make_user, dynamic="ssh")


def body(**changes: Any) -> dict[str, Any]:
    wish = {
        "asset": {"hostname": "web-01", "ip": "192.0.2.10", "platform": "Linux"},
        "account": {"name": "deploy", "username": "deploy", "protocol": "ssh", "password": SECRET},
    }
    return {key: value for key, value in {**wish, **changes}.items() if value is not None}


def counts() -> tuple[int, ...]:
    return tuple(model.objects.count() for model in (Asset, SystemUser, AssetPermission, AuditEvent))


def test_host_account_and_permission_are_created_together(as_org_admin: APIClient, settled: dict[str, Any]) -> None:
    person, group = settled["users/users"], settled["users/groups"]
    made = as_org_admin.post(URL, body(users=[str(person.pk)], user_groups=[str(group.pk)]), format="json")
    assert made.status_code == 201, made.json()
    permission = AssetPermission.objects.get(pk=made.json()["permission"])
    assert permission.name == "web-01"
    assert permission.is_valid
    assert list(permission.users.all()) == [person]
    assert list(permission.user_groups.all()) == [group]
    assert [str(asset.pk) for asset in permission.assets.all()] == [made.json()["asset"]]
    (system_user,) = permission.system_users.all()
    assert str(system_user.pk) == made.json()["system_user"]
    stored = vault.get_secret(place_of(system_user, "password"))
    assert stored is not None
    assert stored.reveal() == SECRET


def test_existing_account_is_used_and_without_users_no_permission_is_created(
    as_org_admin: APIClient, settled: dict[str, Any]
) -> None:
    before = counts()
    existing = settled["assets/system-users"]
    made = as_org_admin.post(URL, body(account=None, system_user=str(existing.pk)), format="json")
    assert made.status_code == 201, made.json()
    assert made.json()["permission"] is None
    assert made.json()["system_user"] == str(existing.pk)
    assert counts()[:3] == (before[0] + 1, before[1], before[2])


def test_taken_permission_name_gets_a_number(as_org_admin: APIClient, settled: dict[str, Any]) -> None:
    AssetPermission.objects.filter(pk=settled["perms/asset-permissions"].pk).update(name="web-01")
    made = as_org_admin.post(URL, body(users=[str(settled["users/users"].pk)]), format="json")
    assert AssetPermission.objects.get(pk=made.json()["permission"]).name == "web-01 (2)"


@pytest.mark.parametrize(
    ("changes", "part", "field"),
    [
        ({"asset": {"hostname": "web-01", "ip": "300.1.1.1", "platform": "Linux"}}, "asset", "ip"),
        ({"asset": {"hostname": "web-01", "ip": "192.0.2.10", "platform": "Linnux"}}, "asset", "platform"),
        ({"account": {"name": "deploy", "username": "a b", "protocol": "ssh"}}, "account", "username"),
        (
            {"account": {"name": "deploy", "username": "deploy", "protocol": "ssh", "password": ""}},
            "account",
            "password",
        ),
        (
            {"account": {"name": "one root", "username": "root", "protocol": "ssh", "password": SECRET}},
            "account",
            "name",
        ),
    ],
)
def test_refusal_names_the_field_and_creates_nothing(
    as_org_admin: APIClient, settled: dict[str, Any], changes: dict[str, Any], part: str, field: str
) -> None:
    before = counts()
    answer = as_org_admin.post(URL, body(**changes), format="json")
    assert answer.status_code == 400, answer.json()
    assert list(answer.json()[part]) == [field]
    assert counts() == before


@pytest.mark.parametrize("both", [True, False])
def test_exactly_one_account_is_required(as_org_admin: APIClient, settled: dict[str, Any], *, both: bool) -> None:
    existing = str(settled["assets/system-users"].pk)
    wish = body(system_user=existing) if both else body(account=None)
    answer = as_org_admin.post(URL, wish, format="json")
    assert answer.status_code == 400
    assert set(answer.json()) == {"system_user"}


def test_account_of_a_protocol_that_the_host_lacks_is_refused(as_org_admin: APIClient, settled: dict[str, Any]) -> None:
    asset = {"hostname": "web-01", "ip": "192.0.2.10", "platform": "Linux", "protocols": ["vnc/5901"]}
    wish = body(asset=asset, account=None, system_user=str(settled["assets/system-users"].pk))
    answer = as_org_admin.post(URL, wish, format="json")
    assert answer.status_code == 400
    assert "vnc" not in answer.json()["system_user"][0]
    assert "ssh" in answer.json()["system_user"][0]


def test_k68_objects_of_another_organization_are_refused(
    as_org_admin: APIClient, make_user: Callable[..., User], settled: dict[str, Any]
) -> None:
    org = Organization.objects.create(name="Other")
    ensure_root(actor=SYSTEM, org_id=org.pk, name="Other")
    foreign = settle(org.pk, "two", make_user, dynamic="telnet")
    for changes in (
        {"account": None, "system_user": str(foreign["assets/system-users"].pk)},
        {"users": [str(foreign["users/users"].pk)]},
        {"user_groups": [str(foreign["users/groups"].pk)]},
    ):
        answer = as_org_admin.post(URL, body(**changes), format="json")
        assert answer.status_code == 400, answer.json()
    assert not Asset.objects.filter(hostname="web-01").exists()
