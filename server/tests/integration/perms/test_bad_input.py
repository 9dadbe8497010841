"""Bad input to the resources of assets, vault and permissions never causes a 5xx."""

import json
import random
from typing import Any, Final

import pytest
from rest_framework.test import APIClient

from factories.grants import grant, make_asset, make_node, make_system_user
from postern.apps.users.models import User

pytestmark = pytest.mark.django_db

_LISTS: Final = (
    "assets/assets/", "assets/nodes/", "assets/nodes/children/", "assets/labels/", "assets/platforms/",
    "assets/host-keys/", "assets/favorite-assets/", "assets/system-users/", "assets/admin-users/",
    "assets/system-users-assets-relations/", "assets/system-users-nodes-relations/",
    "assets/system-users-users-relations/", "perms/asset-permissions/", "perms/asset-permissions-users-relations/",
    "perms/asset-permissions-system-users-relations/",
)  # fmt: skip
_READS: Final = (
    "assets/nodes/tree/", "assets/nodes/children/tree/", "perms/asset-permissions/explain/",
    "perms/asset-permissions/user/validate/", "perms/asset-permissions/user/actions/", "perms/users/assets/",
    "perms/users/nodes/children/tree/", "perms/users/nodes/favorite/assets/", "perms/users/nodes/x/assets/",
    "perms/users/nodes-with-assets/tree/", "perms/system-users-permission/",
)  # fmt: skip
_NASTY: Final[tuple[Any, ...]] = (
    None, True, False, 0, -1, 1.5, 2**70, float("1e300"), "", " ", "x" * 5000, "\x00", "\U0001f600", "' OR 1=1 --", "{{7*7}}",
    "../../etc/passwd", "<script>", "1e999", "NaN", "00000000-0000-0000-0000-000000000000", "zz", "ssh/22", "9999-99-99",
    "0001-01-01T00:00:00Z", "9999-12-31T23:59:59+14:00", [], {}, [[]], [None], ["ssh/22", None], [{}], {"a": {"b": []}},
    ["00000000-0000-0000-0000-000000000001"], [2**70], "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----",
)  # fmt: skip
_FIELDS: Final = (
    "id", "pk", "name", "hostname", "ip", "platform", "protocols", "protocol", "port", "nodes", "nodes_display", "labels",
    "admin_user", "is_active", "cpu_count", "value", "key", "assets", "system_users", "users", "user_groups", "actions",
    "date_start", "date_expired", "username", "password", "private_key", "token", "priority", "sftp_root", "login_mode",
    "type", "username_same_with_user", "auto_generate_key", "asset", "systemuser", "node", "user", "assetpermission", "meta",
    "base", "comment", "users_display", "assets_display", "sudo",
)  # fmt: skip
_PARAMS: Final = (
    "limit", "offset", "search", "order", "ids", "spm", "fields", "fields_size", "node", "node_id", "show_current_asset",
    "label", "ips", "protocols__icontains", "system_users__id", "id", "key", "name", "user_id", "username", "user_group",
    "asset_id", "hostname", "ip", "is_valid", "is_effective", "all", "asset", "system_user_id", "user", "system_user",
    "protocol", "action_name", "port", "type__in",
)  # fmt: skip


def body(dice: random.Random, valid: dict[str, Any]) -> Any:
    made = {name: value for name, value in valid.items() if dice.random() < 0.8}
    for name in dice.sample(_FIELDS, dice.randint(0, 4)):
        made[name] = dice.choice(_NASTY)
    return dice.choice([made, made, made, [made], [made, made], dice.choice(_NASTY)])


@pytest.mark.parametrize("seed", range(3))
def test_k23_any_body_and_any_query_is_answered_without_a_5xx(
    as_admin: APIClient, people: dict[str, User], seed: int
) -> None:
    dice = random.Random(seed)
    as_admin.raise_request_exception = False
    asset, node, system_user = make_asset(), make_node(), make_system_user()
    permission = grant(users=[people["user"]], assets=[asset], nodes=[node], system_users=[system_user])
    valid = {
        "name": "n", "hostname": "h", "ip": "192.0.2.1", "platform": "Linux", "username": "u", "password": "p", "value": "v",
        "system_users": [str(system_user.pk)], "asset": str(asset.pk), "systemuser": str(system_user.pk),
        "node": str(node.pk), "user": str(people["user"].pk), "assetpermission": str(permission.pk), "base": "Linux",
    }  # fmt: skip
    details = [
        f"assets/assets/{asset.pk}/", f"assets/nodes/{node.pk}/", f"assets/nodes/{node.pk}/children/",
        f"assets/nodes/{node.pk}/children/add/", f"assets/nodes/{node.pk}/assets/add/", f"assets/system-users/{system_user.pk}/",
        f"perms/asset-permissions/{permission.pk}/", "assets/platforms/1/", "assets/assets/zz/", "assets/platforms/zz/",
        f"perms/asset-permissions-users-relations/{2**70}/",
    ]  # fmt: skip
    for _ in range(400):
        path = "/api/v1/" + dice.choice((*_LISTS, *_READS, *details))
        query = {name: str(dice.choice(_NASTY))[:300] for name in dice.sample(_PARAMS, dice.randint(0, 3))}
        method = dice.choice(["get", "get", "post", "put", "patch", "delete", "options"])
        if method == "get":
            answer = as_admin.get(path, query)
            sent: Any = query
        elif method == "delete" and path.removeprefix("/api/v1/") in details:
            continue
        else:
            sent = body(dice, valid)
            try:
                answer = as_admin.generic(method.upper(), path, json.dumps(sent), "application/json")
            except (ValueError, UnicodeEncodeError):  # the test client itself cannot send this value
                continue
        assert answer.status_code < 500, (method, path, sent, answer.content[:300])
        assert b"Traceback" not in answer.content
