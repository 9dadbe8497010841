"""Writes of asset permissions and their links; and of what once refreshed a cache."""

from typing import Any

from writes.case import Again, Told, Write, created, silent
from writes.preparations import MARK
from writes.standard import Relation, Resource
from writes.world import World

API = "/api/v1/perms/"
ONE, TWO = "One-Person(one-person)", "Two-Person(two-person)"

_PERMISSIONS = Resource(
    path=f"{API}asset-permissions/",
    kind="AssetPermission",
    it="perms/asset-permissions",
    name="one permission",
    second="2:perms/asset-permissions",
    second_name="two permission",
    make={
        "name": "night shift",
        "users": ["{users/users}"],
        "assets": ["{assets/assets}"],
        "system_users": ["{assets/system-users}"],
        "actions": ["connect"],
    },
    made_name="night shift",
    made={
        "name": "night shift",
        "users": [ONE],
        "assets": ["{name:assets/assets}"],
        "system_users": ["one root(root)"],
        "actions": ["connect"],
    },
    change={"comment": "changed", "users": ["{users/users}", "{2:users/users}"]},
    before={"comment": "", "users": [ONE]},
    before_second={"comment": "", "users": [TWO]},
    after={"comment": "changed", "users": [ONE, TWO]},
    put={"name": "one permission", "system_users": ["{assets/system-users}"]},
    put_second={"name": "two permission", "system_users": ["{2:assets/system-users}"]},
    gone={"name": "one permission", "users": [ONE], "nodes": ["/Default/one node"]},
    columns="*Name,*System user",
    row="cooks,\"['{assets/system-users}']\"",
)


def _link(event: str, name: str, **values: Any) -> Told:
    return Told(
        event=f"assetpermission.link_{event}", action="update", kind="AssetPermission", name=name, whole=True, **values
    )


def _relation(kind: str, column: str, field: str, target: str, *, one: str, two: str) -> Relation:
    """`kind`: the link; `field`: how records name its list; `one`, `two`: how they name the objects of the two permissions."""
    return Relation(
        path=f"{API}asset-permissions-{kind}-relations/",
        it=f"perms/asset-permissions-{kind}-relations",
        second=f"2:perms/asset-permissions-{kind}-relations",
        make={"assetpermission": "{perms/asset-permissions}", column: f"{{2:{target}}}"},
        joined=_link("added", "one permission", new={field: two}),
        parted=_link("removed", "one permission", old={field: one}),
        second_parted=_link("removed", "two permission", old={field: two}),
        columns="*Asset permission",
        row="{perms/asset-permissions}",
    )


_RELATIONS = [
    _relation("users", "user", "users", "users/users", one=ONE, two=TWO),
    _relation("user-groups", "usergroup", "user_groups", "users/groups", one="one group", two="two group"),
    _relation("assets", "asset", "assets", "assets/assets", one="{name:assets/assets}", two="{2:name:assets/assets}"),
    _relation("nodes", "node", "nodes", "assets/nodes", one="/Default/one node", two="/Default/two node"),
]

_SYSTEM_USERS = _relation(
    "system-users", "systemuser", "system_users", "assets/system-users", one="one root(root)", two="two root(root)"
)


def _last_system_user_stays() -> list[Write]:
    """Of this link the last row stays, so each permission gets a second one before the first is taken away."""
    made, one, two, parsed = _SYSTEM_USERS.writes()
    spare = {"prepare": World.with_spare_system_users}
    return [made, *[Write(**{**vars(write), **spare}) for write in (one, two)], parsed]


_NOTHING_CACHED = [
    silent(f"{API}asset-permissions/cache/refresh/"),
    silent(f"{API}asset-permissions/cache/refresh/", method="GET"),
    silent(f"{API}users/asset-permissions/cache/", method="DELETE", status=204),
    silent(
        f"{API}users/<user_id>/asset-permissions/cache/", method="DELETE", at={"user_id": "{users/users}"}, status=204
    ),
]

_NEW_HOSTS = [
    silent(
        f"{API}preview/",
        body={"changes": [{"object": "user_group", "action": "delete", "id": "{users/groups}"}]},
    ),
    Write(
        method="POST",
        path=f"{API}new-hosts/",
        body={
            "asset": {"hostname": "shop-1", "ip": "192.0.2.77", "platform": "Linux"},
            "account": {"name": "shop", "username": "shop", "protocol": "ssh", "password": MARK},
            "users": ["{users/users}"],
        },
        status=201,
        told=[
            created("Asset", "shop-1(192.0.2.77)", {"hostname": "shop-1", "protocols": ["ssh/22"]}),
            created("SystemUser", "shop(shop)", {"name": "shop", "password": "******"}),
            created("AssetPermission", "shop-1", {"users": [ONE], "system_users": ["shop(shop)"]}),
        ],
        again=Again.ACTS,
    ),
]

_FILE = "version: 1\norganization: Default\nuser_groups: [{name: planned, comment: by a file}]\n"
_PLANS = [
    silent(f"{API}plan/", body={"file": _FILE}),
    Write(
        method="POST",
        path=f"{API}apply/",
        body={"file": _FILE},
        told=[
            created("UserGroup", "planned", {"name": "planned", "comment": "by a file"}),
            Told(
                event="plan.applied",
                action="update",
                kind="AccessPlan",
                name="Default",
                new={"changes": {"user_groups.create": 1}},
            ),
        ],
    ),
]

WRITES = [
    *_NEW_HOSTS,
    *_PLANS,
    *_PERMISSIONS.writes(),
    *[write for relation in _RELATIONS for write in relation.writes()],
    *_last_system_user_stays(),
    *_NOTHING_CACHED,
]
