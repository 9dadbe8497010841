"""Writes of people, their groups, and what administrators do to them."""

from writes.case import DEFAULT, ROOT, Again, Told, Write, updated
from writes.preparations import MARK, PUBLIC_KEY
from writes.standard import Relation, Resource
from writes.world import World

API = "/api/v1/users/"
ONE, TWO = "One-Person(one-person)", "Two-Person(two-person)"

_USERS = Resource(
    path=f"{API}users/",
    kind="User",
    it="users/users",
    name=ONE,
    second="2:users/users",
    second_name=TWO,
    make={
        "name": "Ann",
        "username": "ann",
        "email": "ann@example.test",
        "password_strategy": "custom",
        "password": MARK,
        "groups": ["{users/groups}"],
    },
    made_name="Ann(ann)",
    made={
        "username": "ann",
        "email": "ann@example.test",
        "role": "User",
        "groups": ["one group"],
        "org_roles": ["User"],
    },
    change={"comment": "changed", "is_active": False},
    before={"comment": None, "is_active": True},
    after={"comment": "changed", "is_active": False},
    put={"name": "One-Person", "username": "one-person", "email": "one-person@example.test"},
    put_second={"name": "Two-Person", "username": "two-person", "email": "two-person@example.test"},
    gone={"username": "one-person", "name": "One-Person", "email": "one-person@example.test", "role": "User"},
    columns="*Name,*Username,*Email",
    row="Bob,bob,bob@example.test",
)

_GROUPS = Resource(
    path=f"{API}groups/",
    kind="UserGroup",
    it="users/groups",
    name="one group",
    second="2:users/groups",
    second_name="two group",
    make={"name": "Operators", "comment": "night", "users": ["{users/users}"]},
    made_name="Operators",
    made={"name": "Operators", "comment": "night", "users": [ONE]},
    change={"comment": "changed", "users": ["{users/users}", "{2:users/users}"]},
    before={"comment": "", "users": [ONE]},
    before_second={"comment": "", "users": [TWO]},
    after={"comment": "changed", "users": [ONE, TWO]},
    put={"name": "one group"},
    put_second={"name": "two group"},
    gone={"name": "one group", "users": [ONE]},
    columns="*Name",
    row="Cooks",
)


def _seat(name: str, old: list[str], new: list[str]) -> Told:
    return updated("UserGroup", name, {"users": old}, {"users": new})


_SEATS = Relation(
    path=f"{API}users-groups-relations/",
    it="seat",
    second="2:seat",
    make={"user": "{2:users/users}", "usergroup": "{users/groups}"},
    joined=_seat("one group", [], [TWO]),
    parted=_seat("one group", [ONE], []),
    second_parted=_seat("two group", [TWO], []),
    columns="*User,*User group",
    row="{users/users},{users/groups}",
)


def _person(event: str, action: str = "update", **more: object) -> Told:
    return Told(**{"event": event, "action": action, "kind": "User", "name": ONE, "org": ROOT, **more})  # type: ignore[arg-type]  # a mapping has one type for all


_AT = {"pk": "{users/users}"}


def _both(verb: str, told: list[Told], **more: object) -> list[Write]:
    return [
        Write(**{"method": method, "path": f"{API}users/<pk>/{verb}/", "at": _AT, "told": told, **more})  # type: ignore[arg-type]  # a mapping has one type for all
        for method in ("PUT", "PATCH")
    ]


_PASSWORD = [
    Told(event="user.password_changed", action="other", kind="PasswordChangeLog", name=ONE, org=ROOT, new={"user": ONE})
]
_REMOVED = _person("membership.changed", old={"org_roles": ["User"]}, new={"org_roles": []}, org=DEFAULT)
_LEFT = [
    _REMOVED,
    Told(
        event="assetpermission.link_removed",
        action="update",
        kind="AssetPermission",
        name="one permission",
        old={"users": ONE},
    ),
    Told(
        event="applicationpermission.link_removed",
        action="update",
        kind="ApplicationPermission",
        name="one application permission",
        old={"users": ONE},
    ),
    Told(event="systemuser.unbound", action="update", kind="SystemUser", name="one same()", old={"user": ONE}),
]


def _invitation(verb: str, action: str, name: str, **more: object) -> Told:
    return Told(**{"event": f"invitation.{verb}", "action": action, "kind": "Invitation", "name": name, **more})  # type: ignore[arg-type]  # a mapping has one type for all


_WITHDRAWN = _invitation("withdrawn", "delete", "one-guest")
_INVITATIONS = [
    Write(
        method="DELETE",
        path=f"{API}invitations/<pk>/",
        at={"pk": "{users/invitations}"},
        status=204,
        told=[_WITHDRAWN],
        again=Again.GONE,
    ),
    Write(
        method="DELETE",
        path=f"{API}invitations/",
        query="ids={users/invitations}",
        status=204,
        told=[_WITHDRAWN],
    ),
    Write(
        method="POST",
        path=f"{API}profile/invitations/<pk>/accept/",
        at={"pk": "{invitation}"},
        prepare=World.invited,
        told=[
            _person(
                "membership.changed",
                name="Adam(adam)",
                old={"org_roles": []},
                new={"org_roles": ["User"]},
                org="{2:org}",
            ),
            _invitation("accepted", "update", "guest", new={"user": "Adam(adam)", "roles": ["User"]}, org="{2:org}"),
        ],
        again=Again.GONE,
    ),
    Write(
        method="POST",
        path=f"{API}profile/invitations/<pk>/decline/",
        at={"pk": "{invitation}"},
        prepare=World.invited,
        told=[_invitation("declined", "update", "guest", org=ROOT)],
        again=Again.GONE,
    ),
    Write(
        method="POST",
        path=f"{API}member-invitations/<pk>/accept/",
        at={"pk": "{invitation}"},
        prepare=World.with_invited_member,
        told=[
            _person("membership.changed", old={"org_roles": []}, new={"org_roles": ["User"]}, org="{2:org}"),
            _invitation("accepted", "update", "guest", new={"user": ONE, "roles": ["User"]}, org="{2:org}"),
        ],
        again=Again.GONE,
    ),
]

_DEEDS = [
    # Columns, roles and groups in one form are one record.
    Write(
        method="PATCH",
        path=f"{API}users/<pk>/",
        at=_AT,
        body={
            "wechat": "one",
            "groups": ["{2:users/groups}"],
            "org_roles": ["User", "Auditor"],
            "public_key": PUBLIC_KEY,
        },
        told=[
            updated(
                "User",
                ONE,
                {"wechat": "", "groups": ["one group"], "org_roles": ["User"], "public_key": None},
                {"wechat": "one", "groups": ["two group"], "org_roles": ["Auditor", "User"], "public_key": "******"},
            )
        ],
    ),
    Write(
        method="PATCH",
        path=f"{API}users/<pk>/",
        at=_AT,
        body={"password": MARK},
        told=[
            Told(
                event="user.password_changed",
                action="other",
                kind="PasswordChangeLog",
                name=ONE,
                org=ROOT,
                new={"user": ONE},
            )
        ],
        again=Again.GONE,
    ),
    # The same password twice: the rules refuse what was used before.
    *_both("password", _PASSWORD, body={"password": MARK}, again=Again.GONE),
    *_both(
        "password/reset",
        [_person("user.set_password_link_issued", "other")],
        again=Again.ACTS,
        shown_once=["set_password_link.url"],
    ),
    *_both(
        "pubkey/reset",
        [_person("user.public_keys_changed", old={"public_key": "******"}, new={"public_key": None})],
        prepare=World.with_public_key,
    ),
    Write(
        method="POST",
        path=f"{API}users/<pk>/access/reset/",
        at=_AT,
        prepare=World.with_public_key,
        told=[_person("user.access_reset", old={"public_keys": 1}, new={"public_keys": 0})],
        again=Again.ACTS,
        shown_once=["set_password_link.url"],
    ),
    *_both(
        "unblock",
        [Told(event="sign_in.unlocked", action="other", kind="User", name="one-person", org=ROOT)],
        prepare=World.locked_out,
    ),
    *[
        Write(
            method=method,
            path=f"{API}users/<pk>/otp/reset/",
            at=_AT,
            told=[_person("mfa.reset")],
            prepare=World.with_app,
        )
        for method in ("GET", "POST")
    ],
    Write(method="POST", path=f"{API}users/<pk>/remove/", at=_AT, status=204, told=_LEFT, again=Again.GONE),
    Write(method="POST", path=f"{API}users/remove/", query="ids={users/users}", status=204, told=_LEFT),
    Write(
        method="POST",
        path=f"{API}users/invite/",
        body=[{"user": "{outsider}", "role": "Auditor"}],
        status=201,
        told=[
            Told(
                event="membership.changed",
                action="update",
                kind="User",
                name="Out(one-outsider)",
                old={"org_roles": []},
                new={"org_roles": ["Auditor"]},
            )
        ],
    ),
]

WRITES = [*_USERS.writes(), *_GROUPS.writes(), *_SEATS.writes(), *_INVITATIONS, *_DEEDS]
