"""Writes of applications, of their accounts, of their permissions and of the links of these."""

from typing import Any

from writes.case import Again, Told, Write, parsing, updated
from writes.preparations import MARK, Preparations
from writes.standard import Relation, Resource
from writes.world import World

API = "/api/v1/applications/"

_APPLICATIONS = Resource(
    path=f"{API}applications/",
    kind="Application",
    it="applications/applications",
    name="one database",
    second="2:applications/applications",
    second_name="two database",
    make={
        "name": "orders",
        "category": "db",
        "type": "oracle",
        "domain": "{assets/domains}",
        "attrs": {"host": "203.0.113.8", "database": "ORCL"},
    },
    made_name="orders",
    made={"name": "orders", "domain": "one domain", "host": "203.0.113.8", "port": 1521},
    change={"comment": "changed", "attrs": {"port": 3307}},
    before={"comment": "", "port": 3306},
    after={"comment": "changed", "port": 3307},
    put={"name": "one database", "category": "db", "type": "mysql"},
    put_second={"name": "two database", "category": "db", "type": "mysql"},
    unused=Preparations.with_unused_applications,
    gone={"name": "one database", "host": "192.0.2.20", "database": "orders"},
    columns="*Name,*Category,*Type",
    row="orders,db,mysql",
)

PERMS = "/api/v1/perms/application-permissions"
_ONE, _TWO = "one application permission", "two application permission"
_PERSON, _OTHER = "One-Person(one-person)", "Two-Person(two-person)"

_PERMISSIONS = Resource(
    path=f"{PERMS}/",
    kind="ApplicationPermission",
    it="perms/application-permissions",
    name=_ONE,
    second="2:perms/application-permissions",
    second_name=_TWO,
    make={
        "name": "night shift",
        "category": "db",
        "type": "mysql",
        "users": ["{users/users}"],
        "applications": ["{applications/applications}"],
        "system_users": ["one database user"],
    },
    made_name="night shift",
    made={
        "name": "night shift",
        "type": "mysql",
        "users": [_PERSON],
        "applications": ["one database"],
        "system_users": ["one database user(root)"],
    },
    change={"comment": "changed", "users": ["{users/users}", "{2:users/users}"]},
    before={"comment": "", "users": [_PERSON]},
    before_second={"comment": "", "users": [_OTHER]},
    after={"comment": "changed", "users": [_PERSON, _OTHER]},
    put={"name": _ONE, "category": "db", "type": "mysql", "system_users": ["one database user"]},
    put_second={"name": _TWO, "category": "db", "type": "mysql", "system_users": ["two database user"]},
    gone={"name": _ONE, "users": [_PERSON], "applications": ["one database"]},
    columns="*Name,*Category,*Type,*System user",
    row="cooks,db,mysql,one database user",
)


def _link(event: str, name: str, **values: Any) -> Told:
    return Told(
        event=f"applicationpermission.link_{event}",
        action="update",
        kind="ApplicationPermission",
        name=name,
        whole=True,
        **values,
    )


def _relation(kind: str, column: str, target: str, *, one: str, two: str) -> Relation:
    """`one`, `two`: how records name the objects of the two permissions."""
    field = kind.replace("-", "_")
    return Relation(
        path=f"{PERMS}-{kind}-relations/",
        it=f"perms/application-permissions-{kind}-relations",
        second=f"2:perms/application-permissions-{kind}-relations",
        make={"applicationpermission": "{perms/application-permissions}", column: target},
        joined=_link("added", _ONE, new={field: two}),
        parted=_link("removed", _ONE, old={field: one}),
        second_parted=_link("removed", _TWO, old={field: two}),
        columns="*Application permission",
        row="{perms/application-permissions}",
    )


_RELATIONS = [
    _relation("users", "user", "{2:users/users}", one=_PERSON, two=_OTHER),
    _relation("user-groups", "usergroup", "{2:users/groups}", one="one group", two="two group"),
    _relation("applications", "application", "{2:applications/applications}", one="one database", two="two database"),
]
_SYSTEM_USERS = _relation(
    "system-users",
    "systemuser",
    "two database user",
    one="one database user(root)",
    two="two database user(root)",
)


def _last_system_user_stays() -> list[Write]:
    """Of this link the last row stays, so each permission gets a second one before the first is taken away."""
    made, one, two, parsed = _SYSTEM_USERS.writes()
    spare = {"prepare": World.with_spare_system_users_of_applications}
    return [made, *[Write(**{**vars(write), **spare}) for write in (one, two)], parsed]


_HIDDEN = "******"
_ACCOUNT = "root@one database"
_AT = {"pk": "{applications/accounts}"}
_STORED = updated("ApplicationAccount", _ACCOUNT, {"password": None}, {"password": _HIDDEN})
_SECOND_STORED = updated("ApplicationAccount", "root@two database", {"password": None}, {"password": _HIDDEN})

_ACCOUNTS = [
    *[
        Write(
            method=method,
            path=f"{API}accounts/<pk>/",
            at=_AT,
            body={"password": MARK},
            told=[_STORED],
            again=Again.ACTS,
        )
        for method in ("PUT", "PATCH")
    ],
    *[
        Write(
            method=method,
            path=f"{API}accounts/",
            body=[
                {"id": "{applications/accounts}", "password": MARK},
                {"id": "{2:applications/accounts}", "password": MARK},
            ],
            told=[_STORED, _SECOND_STORED],
            again=Again.ACTS,
        )
        for method in ("PUT", "PATCH")
    ],
    Write(
        method="DELETE",
        path=f"{API}accounts/<pk>/own-secret/",
        prepare=World.with_own_secret_of_application_account,
        at=_AT,
        status=204,
        told=[updated("ApplicationAccount", _ACCOUNT, {"password": _HIDDEN}, {"password": None})],
        again=Again.GONE,
    ),
    parsing(f"{API}accounts/", "ID,*Password", "{applications/accounts},secret"),
]

WRITES = [
    *_ACCOUNTS,
    *_APPLICATIONS.writes(),
    *_PERMISSIONS.writes(),
    *[write for relation in _RELATIONS for write in relation.writes()],
    *_last_system_user_stays(),
]
