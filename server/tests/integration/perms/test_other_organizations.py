"""Objects of another organization are not found in any resource of assets, vault and permissions (K16, K63)."""

from collections.abc import Callable
from typing import Any

import asyncssh
import pytest
from rest_framework.test import APIClient

from factories.grants import grant, make_asset, make_group, make_node, make_system_user
from postern.apps.assets import facade
from postern.apps.assets.labels.actions import LABELS
from postern.apps.assets.models import HostKey
from postern.apps.assets.tree.actions import ensure_root
from postern.apps.orgs.models import Organization
from postern.apps.users.models import User
from postern.apps.vault.models import SystemUserAsset, SystemUserNode
from postern.apps.vault.system_users.actions import bind
from postern.foundation.caller.actor import SYSTEM

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("answered_by")]


@pytest.fixture
def foreign(make_user: Callable[..., User]) -> dict[str, Any]:
    """An object of each kind in another organization, by the path of its resource."""
    org = Organization.objects.create(name="Other")
    ensure_root(actor=SYSTEM, org_id=org.pk, name="Other")
    node, asset = make_node("n", org_id=org.pk), make_asset("a", org_id=org.pk)
    system_user, admin = make_system_user("s", org_id=org.pk), make_system_user("adm", type="admin", org_id=org.pk)
    user, group = make_user("stranger", org_id=org.pk), make_group("g", org_id=org.pk)
    permission = grant(
        "p", users=[user], user_groups=[group], assets=[asset], nodes=[node], system_users=[system_user], org_id=org.pk
    )
    line = asyncssh.generate_private_key("ssh-ed25519").export_public_key("openssh").decode()
    facade.check_host_key(actor=SYSTEM, asset_id=asset.pk, host="h", port=22, via="", public_key=line)
    return {
        "assets/assets": asset,
        "assets/nodes": node,
        "assets/labels": LABELS.create(actor=SYSTEM, org_id=org.pk, values={"name": "k", "value": "v"}),
        "assets/host-keys": HostKey.objects.get(),
        "assets/system-users": system_user,
        "assets/admin-users": admin,
        "assets/system-users-assets-relations": bind(
            actor=SYSTEM, row=SystemUserAsset(systemuser=system_user, asset=asset)
        ),
        "assets/system-users-nodes-relations": bind(
            actor=SYSTEM, row=SystemUserNode(systemuser=system_user, node=node)
        ),
        "perms/asset-permissions": permission,
        "perms/asset-permissions-users-relations": permission.user_rows.get(),
        "perms/asset-permissions-user-groups-relations": permission.user_group_rows.get(),
        "perms/asset-permissions-assets-relations": permission.asset_rows.get(),
        "perms/asset-permissions-nodes-relations": permission.node_rows.get(),
        "perms/asset-permissions-system-users-relations": permission.system_user_rows.get(),
        "group": group,
        "user": user,
    }


def test_k16_objects_of_another_organization_are_not_found_and_stay_unchanged(
    as_org_admin: APIClient, foreign: dict[str, Any]
) -> None:
    for path, row in foreign.items():
        if "/" not in path:
            continue
        url = f"/api/v1/{path}/"
        answer = as_org_admin.get(url)
        assert answer.status_code == 200, path
        assert str(row.pk) not in [str(row["id"]) for row in answer.json()], path
        for call in (as_org_admin.get, as_org_admin.patch, as_org_admin.put, as_org_admin.delete):
            assert call(f"{url}{row.pk}/").status_code in {404, 405}, path
        as_org_admin.delete(f"{url}?ids={row.pk}")
        assert type(row).objects.filter(pk=row.pk).exists(), path


def test_k63_actions_on_objects_of_another_organization_are_not_found(
    as_org_admin: APIClient, foreign: dict[str, Any]
) -> None:
    node, permission = foreign["assets/nodes"], foreign["perms/asset-permissions"]
    system_user, user, group = foreign["assets/system-users"], foreign["user"], foreign["group"]
    reads = [
        f"assets/nodes/{node.pk}/children/",
        f"assets/nodes/{node.pk}/assets/",
        f"assets/nodes/children/tree/?key={node.key}",
        f"assets/assets/{foreign['assets/assets'].pk}/platform/",
        f"assets/system-users/{system_user.pk}/assets/",
        f"perms/asset-permissions/{permission.pk}/users/all/",
        f"perms/asset-permissions/{permission.pk}/assets/all/",
        f"perms/users/{user.pk}/assets/",
        f"perms/users/{user.pk}/nodes/",
        f"perms/user-groups/{group.pk}/assets/",
    ]
    for path in reads:
        assert as_org_admin.get(f"/api/v1/{path}").status_code == 404, path
    for path in ("children/add", "assets/add", "assets/remove", "assets/replace"):
        assert as_org_admin.put(f"/api/v1/assets/nodes/{node.pk}/{path}/", {}).status_code == 404, path
    assert as_org_admin.post(f"/api/v1/assets/nodes/{node.pk}/children/", {}).status_code == 404
    assert as_org_admin.delete(f"/api/v1/assets/system-users/{system_user.pk}/auth-info/").status_code == 404


def test_k16_ids_of_another_organization_in_bodies_are_refused(
    as_org_admin: APIClient, foreign: dict[str, Any]
) -> None:
    mine, own_node = grant("mine", system_users=[make_system_user()]), make_node("own")
    sent: list[tuple[str, dict[str, Any]]] = [
        (
            "assets/system-users-assets-relations/",
            {"asset": foreign["assets/assets"], "systemuser": make_system_user()},
        ),
        ("assets/system-users-nodes-relations/", {"node": own_node, "systemuser": foreign["assets/system-users"]}),
        ("assets/system-users-users-relations/", {"user": foreign["user"], "systemuser": make_system_user()}),
        ("assets/labels/", {"name": "k", "value": "v", "assets": [foreign["assets/assets"]]}),
        ("perms/asset-permissions-users-relations/", {"user": foreign["user"], "assetpermission": mine}),
        ("perms/asset-permissions-assets-relations/", {"asset": foreign["assets/assets"], "assetpermission": mine}),
        (
            "perms/asset-permissions-nodes-relations/",
            {"node": own_node, "assetpermission": foreign["perms/asset-permissions"]},
        ),
    ]
    for path, body in sent:
        wire = {
            name: [str(element.pk) for element in value]
            if isinstance(value, list)
            else str(getattr(value, "pk", value))
            for name, value in body.items()
        }
        assert as_org_admin.post(f"/api/v1/{path}", wire).status_code == 400, path
    moved = as_org_admin.put(
        f"/api/v1/assets/nodes/{own_node.pk}/children/add/", {"nodes": [str(foreign["assets/nodes"].pk)]}
    )
    assert moved.status_code == 400
