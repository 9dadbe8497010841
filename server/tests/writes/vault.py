"""Writes of system users, admin users, gateways and what they are bound to."""

from writes.case import Again, Told, Write, updated
from writes.preparations import MARK, PRIVATE_KEY, Preparations
from writes.standard import Relation, Resource
from writes.world import World

API = "/api/v1/assets/"
_HIDDEN = "******"

_SYSTEM_USERS = Resource(
    path=f"{API}system-users/",
    kind="SystemUser",
    it="assets/system-users",
    name="one root(root)",
    second="2:assets/system-users",
    second_name="two root(root)",
    make={
        "name": "deploy",
        "username": "deploy",
        "protocol": "ssh",
        "password": MARK,
        "private_key": PRIVATE_KEY,
        "token": MARK,
    },
    made_name="deploy(deploy)",
    made={"name": "deploy", "protocol": "ssh", "private_key": _HIDDEN, "token": _HIDDEN},
    change={"comment": "changed", "priority": 7},
    before={"comment": "", "priority": 81},
    after={"comment": "changed", "priority": 7},
    put={"name": "one root", "username": "root", "protocol": "ssh"},
    put_second={"name": "two root", "username": "root", "protocol": "ssh"},
    gone={"name": "one root", "username": "root"},
    unused=Preparations.with_unused_system_users,
    columns="*Name,Username",
    row="cook,cook",
)

_ADMIN_USERS = Resource(
    path=f"{API}admin-users/",
    kind="SystemUser",
    it="assets/admin-users",
    name="one admin(root)",
    second="2:assets/admin-users",
    second_name="two admin(root)",
    make={"name": "keeper", "username": "keeper", "password": MARK},
    made_name="keeper(keeper)",
    made={"name": "keeper", "type": "admin", "password": _HIDDEN},
    change={"comment": "changed"},
    before={"comment": ""},
    after={"comment": "changed"},
    put={"name": "one admin", "username": "root"},
    put_second={"name": "two admin", "username": "root"},
    gone={"name": "one admin", "type": "admin"},
    unused=Preparations.with_unused_system_users,
    columns="*Name,Username",
    row="cook,cook",
)

_GATEWAYS = Resource(
    path=f"{API}gateways/",
    kind="Gateway",
    it="assets/gateways",
    name="one gateway",
    second="2:assets/gateways",
    second_name="two gateway",
    make={
        "name": "gate",
        "ip": "203.0.113.8",
        "port": 2222,
        "username": "forward",
        "password": MARK,
        "private_key": PRIVATE_KEY,
        "domain": "{assets/domains}",
    },
    made_name="gate",
    made={"name": "gate", "port": 2222, "domain": "one domain", "private_key": _HIDDEN},
    change={"comment": "changed", "port": 2222},
    before={"comment": "", "port": 22},
    after={"comment": "changed", "port": 2222},
    put={"name": "one gateway", "ip": "192.0.2.9", "domain": "{assets/domains}"},
    put_second={"name": "two gateway", "ip": "192.0.2.9", "domain": "{2:assets/domains}"},
    gone={"name": "one gateway", "username": "forward", "domain": "one domain"},
    columns="*Name,*IP,*Domain",
    row="gate,203.0.113.8,{assets/domains}",
)

_ACCOUNTS = Resource(
    path=f"{API}accounts/",
    kind="Account",
    it="assets/accounts",
    name="one-own@one-host",
    second="2:assets/accounts",
    second_name="two-own@two-host",
    make={"username": "cook", "asset": "{assets/assets}", "systemuser": None, "password": MARK},
    made_name="cook@one-host",
    made={"username": "cook", "asset": "one-host", "version": 1, "password": _HIDDEN},
    change={"comment": "changed"},
    before={"comment": ""},
    after={"comment": "changed"},
    put={"username": "one-own", "asset": "{assets/assets}", "systemuser": None},
    put_second={"username": "two-own", "asset": "{2:assets/assets}", "systemuser": None},
    gone={"username": "one-own", "asset": "one-host", "version": 1, "password": _HIDDEN},
    columns="*Username,*Asset,Password",
    row="cook,{assets/assets},secret",
)


def _written(kind: str) -> list[Write]:
    name = "one root(root)" if kind == "system-users" else "one admin(root)"
    told = updated("SystemUser", name, {"password": _HIDDEN}, {"password": _HIDDEN})
    path = f"{API}{kind}/<pk>/auth-info/"
    at = {"pk": f"{{assets/{kind}}}"}
    return [
        Write(method=method, path=path, at=at, body={"password": MARK}, told=[told], again=Again.ACTS)
        for method in ("PUT", "PATCH")
    ]


def _cleared(kind: str) -> list[Write]:
    told = updated(
        "SystemUser",
        "one root(root)" if kind == "system-users" else "one admin(root)",
        {"password": _HIDDEN},
        {"password": None},
        event="systemuser.secrets_cleared",
    )
    path = f"{API}{kind}/<pk>/auth-info/"
    return [Write(method="DELETE", path=path, at={"pk": f"{{assets/{kind}}}"}, status=204, told=[told])]


_OWN_SECRETS = [
    Write(
        method="PATCH",
        path=f"{API}accounts/<pk>/",
        at={"pk": "{assets/accounts}"},
        body={"password": MARK, "private_key": PRIVATE_KEY},
        told=[
            updated(
                "Account",
                "one-own@one-host",
                {"version": 1, "password": _HIDDEN, "private_key": None},
                {"version": 2, "password": _HIDDEN, "private_key": _HIDDEN},
            )
        ],
        again=Again.ACTS,
    ),
    Write(
        method="POST",
        path=f"{API}accounts/<pk>/versions/<int:number>/restore/",
        prepare=World.with_second_version_of_account,
        at={"pk": "{assets/accounts}", "number": "1"},
        body={"current": 2},
        told=[
            updated(
                "Account",
                "one-own@one-host",
                {"version": 2, "password": _HIDDEN},
                {"version": 3, "restored_version": 1, "password": _HIDDEN},
                event="account.secret_restored",
            )
        ],
        again=Again.GONE,
    ),
    Write(
        method="DELETE",
        path=f"{API}accounts/<pk>/own-secret/",
        at={"pk": "{assets/accounts}"},
        status=204,
        told=[
            updated(
                "Account",
                "one-own@one-host",
                {"version": 1, "password": _HIDDEN},
                {"version": 2, "password": None},
                event="account.secret_removed",
            )
        ],
        again=Again.GONE,
    ),
]

#: A secret that is sent again is sealed again: what it was before, nobody compares.
_SECRETS = [
    Write(
        method="PATCH",
        path=f"{API}gateways/<pk>/",
        at={"pk": "{assets/gateways}"},
        body={"password": MARK},
        told=[updated("Gateway", "one gateway", {"password": _HIDDEN}, {"password": _HIDDEN})],
        again=Again.ACTS,
    ),
    Write(
        method="PATCH",
        path=f"{API}system-users/<pk>/",
        at={"pk": "{assets/system-users}"},
        body={"password": MARK},
        told=[updated("SystemUser", "one root(root)", {"password": _HIDDEN}, {"password": _HIDDEN})],
        again=Again.ACTS,
    ),
    Write(
        method="PATCH",
        path=f"{API}system-users/<pk>/",
        at={"pk": "{assets/system-users}"},
        body={"private_key": PRIVATE_KEY, "password": MARK},
        told=[
            updated(
                "SystemUser",
                "one root(root)",
                {"password": _HIDDEN, "private_key": None},
                {"password": _HIDDEN, "private_key": _HIDDEN},
            )
        ],
        again=Again.ACTS,
    ),
]


def _tie(event: str, name: str, other: dict[str, str]) -> Told:
    gone = event == "systemuser.unbound"
    return Told(
        event=event,
        action="update",
        kind="SystemUser",
        name=name,
        old=other if gone else None,
        new=None if gone else other,
        whole=True,
    )


def _relation(kind: str, field: str, it: str, *, owner: str, shown: str) -> Relation:
    """`it`: the path of the bound objects; `owner`: which system user has one; `shown`: how the record names it."""
    one = {"prefix": "", "name": "one", "title": "One"}
    two = {"prefix": "2:", "name": "two", "title": "Two"}
    return Relation(
        path=f"{API}system-users-{kind}-relations/",
        it=f"assets/system-users-{kind}-relations",
        second=f"2:assets/system-users-{kind}-relations",
        make={"systemuser": "{assets/system-users}", field: f"{{2:{it}}}"},
        joined=_tie("systemuser.bound", "one root(root)", {field: shown.format(**two)}),
        parted=_tie("systemuser.unbound", owner.format(**one), {field: shown.format(**one)}),
        second_parted=_tie("systemuser.unbound", owner.format(**two), {field: shown.format(**two)}),
        columns=f"*System user,*{field.title()}",
        row=f"{{assets/system-users}},{{2:{it}}}",
    )


_RELATIONS = [
    _relation("assets", "asset", "assets/assets", owner="{name} admin(root)", shown="{{{prefix}name:assets/assets}}"),
    _relation("nodes", "node", "assets/nodes", owner="{name} root(root)", shown="/Default/{name} node"),
    _relation("users", "user", "users/users", owner="{name} same()", shown="{title}-Person({name}-person)"),
]

WRITES = [
    *_SYSTEM_USERS.writes(),
    *_ADMIN_USERS.writes(),
    *_GATEWAYS.writes(),
    *_ACCOUNTS.writes(),
    *_OWN_SECRETS,
    *_written("system-users"),
    *_written("admin-users"),
    *_cleared("system-users"),
    *_cleared("admin-users"),
    *_SECRETS,
    *[write for relation in _RELATIONS for write in relation.writes()],
]
