"""Why a connection is not permitted: each role gets as much of the reason as it may know."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from rest_framework.test import APIClient

from factories.grants import grant, make_asset, make_system_user
from postern.apps.assets.tree.actions import ensure_root
from postern.apps.orgs.models import Organization
from postern.apps.users.models import Membership, User
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.clock import now

pytestmark = pytest.mark.django_db


def ask(client: APIClient, asset_id: object, query: str = "") -> dict[str, Any]:
    answer = client.get(f"/api/v1/perms/users/assets/{asset_id}/access/{query}")
    assert answer.status_code == 200, answer.content
    body: dict[str, Any] = answer.json()
    return body


@pytest.fixture
def asset() -> Any:
    return make_asset("vault-1")


@pytest.fixture
def deploy() -> Any:
    return make_system_user("deploy")


def test_user_without_a_grant_learns_nothing_about_the_asset_except_whom_to_ask(
    as_user: APIClient, people: dict[str, User], asset: Any
) -> None:
    granted_to_nobody, unknown = ask(as_user, asset.pk), ask(as_user, uuid4())
    assert granted_to_nobody == unknown
    assert granted_to_nobody["code"] == "no_grant"
    assert granted_to_nobody["asset"] is None
    assert "vault-1" not in str(granted_to_nobody)
    assert granted_to_nobody["may_grant"] is False
    assert granted_to_nobody["ask"] == [people["org_admin"].name]


def test_nobody_learns_the_administrators_of_an_organization_that_is_not_theirs(
    as_user: APIClient, people: dict[str, User], asset: Any
) -> None:
    Membership.objects.filter(user=people["user"]).delete()
    # Without a header the default organization is meant, whoever calls.
    assert ask(as_user, asset.pk)["ask"] == [people["admin"].name]


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"date_expired": now() - timedelta(days=1)}, "grant_expired"),
        ({"date_start": now() + timedelta(days=1)}, "grant_not_started"),
        ({"is_active": False}, "grant_inactive"),
        ({"actions": 2}, "grant_without_connect"),
    ],
)
def test_user_gets_the_main_reason_of_a_permission_that_names_them(
    as_user: APIClient, people: dict[str, User], asset: Any, wrong: dict[str, Any], code: str
) -> None:
    deploy = make_system_user("deploy")
    values = {"date_start": now() - timedelta(days=9), **wrong}
    grant("nightly", users=[people["user"]], assets=[asset], system_users=[deploy], **values)
    access = ask(as_user, asset.pk)
    assert (access["allowed"], access["code"], access["asset"]["name"]) == (False, code, "vault-1")
    assert access["reasons"] == [{"code": code, "message": access["message"], "permission": None}]
    assert access["ask"] == [people["org_admin"].name]
    assert access["system_user"] is None


def test_permission_without_an_account_for_the_protocol_is_the_reason(
    as_user: APIClient, people: dict[str, User], asset: Any
) -> None:
    desktop = make_system_user("desktop", protocol="rdp")
    grant("desktops", users=[people["user"]], assets=[asset], system_users=[desktop])
    assert ask(as_user, asset.pk)["code"] == "grant_without_system_user"
    assert ask(as_user, asset.pk, "?protocol=rdp")["code"] == "protocol_not_offered"


def test_inactive_asset_is_the_reason(as_user: APIClient, people: dict[str, User], deploy: Any) -> None:
    asset = make_asset("off-1", is_active=False)
    grant("all", users=[people["user"]], assets=[asset], system_users=[deploy])
    assert ask(as_user, asset.pk)["code"] == "asset_inactive"


def test_administrator_gets_every_reason_and_an_offer_to_create_the_permission(
    as_org_admin: APIClient, people: dict[str, User], asset: Any, deploy: Any
) -> None:
    me = people["org_admin"]
    access = ask(as_org_admin, asset.pk)
    assert (access["code"], access["may_grant"], access["ask"]) == ("no_grant_for_user", True, [])
    assert (access["asset"]["name"], access["user"]) == ("vault-1", str(me.pk))
    ended = grant(
        "ended", users=[me], assets=[asset], system_users=[deploy],
        date_start=now() - timedelta(days=9), date_expired=now() - timedelta(days=1),
    )  # fmt: skip
    off = grant("off", users=[me], assets=[asset], system_users=[deploy], is_active=False)
    access = ask(as_org_admin, asset.pk)
    assert {reason["permission"]["id"] for reason in access["reasons"]} == {str(ended.pk), str(off.pk)}


def test_account_is_offered_only_when_it_is_unambiguous(as_org_admin: APIClient, asset: Any, deploy: Any) -> None:
    relations = "/api/v1/assets/system-users-assets-relations/"

    def place(system_user: Any) -> None:
        body = {"asset": str(asset.pk), "systemuser": str(system_user.pk)}
        assert as_org_admin.post(relations, body, format="json").status_code == 201

    only = {"id": str(deploy.pk), "name": "deploy"}
    make_system_user("desktop", protocol="rdp")
    assert ask(as_org_admin, asset.pk)["system_user"] == only
    root = make_system_user("root-on-linux")
    assert ask(as_org_admin, asset.pk)["system_user"] is None
    place(deploy)
    assert ask(as_org_admin, asset.pk)["system_user"] == only
    place(root)
    assert ask(as_org_admin, asset.pk)["system_user"] is None


def test_administrator_of_another_organization_gets_no_reason(as_org_admin: APIClient) -> None:
    elsewhere = Organization.objects.create(name="Other")
    ensure_root(actor=SYSTEM, org_id=elsewhere.pk, name="Other")
    access = ask(as_org_admin, make_asset("theirs-1", org_id=elsewhere.pk).pk)
    assert (access["code"], access["asset"], access["may_grant"]) == ("no_grant", None, False)


def test_granted_asset_needs_no_help(as_user: APIClient, people: dict[str, User], asset: Any, deploy: Any) -> None:
    grant("now", users=[people["user"]], assets=[asset], system_users=[deploy])
    access = ask(as_user, asset.pk)
    assert (access["allowed"], access["code"], access["ask"]) == (True, "granted", [])


def test_unknown_protocol_is_named(as_user: APIClient, asset: Any) -> None:
    answer = as_user.get(f"/api/v1/perms/users/assets/{asset.pk}/access/?protocol=telepathy")
    assert answer.status_code == 400
    assert "protocol" in answer.json()
