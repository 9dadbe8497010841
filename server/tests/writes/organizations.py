"""Writes of organizations, of who belongs to them, of settings, of the licence, and of messages."""

from typing import Any

from factories import licences
from writes.case import DEFAULT, ROOT, Again, Told, Write, created, deleted, parsing, silent, updated
from writes.world import World

API = "/api/v1/orgs/"
ONE, TWO = "One-Person(one-person)", "Two-Person(two-person)"
_OF_ORG = "{org}"


def _changed(name: str, old: list[str], new: list[str], org: str = _OF_ORG) -> Told:
    return updated("User", name, {"org_roles": old}, {"org_roles": new}, event="membership.changed", org=org)


def _organizations(path: str) -> list[Write]:
    """`orgs/orgs/` and its alias in the licensed extension."""
    one = updated("Organization", "one firm", {"comment": ""}, {"comment": "changed"}, org=ROOT)
    two = updated("Organization", "two firm", {"comment": ""}, {"comment": "changed"}, org=ROOT)
    items = [{"id": "{org}", "comment": "changed"}, {"id": "{2:org}", "comment": "changed"}]
    whole = [{**items[0], "name": "one firm"}, {**items[1], "name": "two firm"}]
    at = {"pk": "{org}"}
    made = created("Organization", "three firm", {"name": "three firm", "comment": "new"}, org=ROOT)
    return [
        Write(
            method="POST",
            path=path,
            body={"name": "three firm", "comment": "new"},
            status=201,
            told=[made],
            again=Again.ACTS,
        ),
        Write(method="PATCH", path=f"{path}<pk>/", at=at, body={"comment": "changed"}, told=[one]),
        Write(method="PUT", path=f"{path}<pk>/", at=at, body={"name": "one firm", "comment": "changed"}, told=[one]),
        # People of an organization have records of their own, each in that organization's chain.
        Write(
            method="PATCH",
            path=f"{path}<pk>/",
            at=at,
            body={"admins": ["{users/users}", "{2:users/users}"]},
            told=[_changed(TWO, [], ["Admin"])],
        ),
        Write(method="PATCH", path=path, body=items, told=[one, two]),
        Write(method="PUT", path=path, body=whole, told=[one, two]),
        Write(
            method="DELETE",
            path=f"{path}<pk>/",
            at={"pk": "{deserted}"},
            prepare=World.deserted_organization,
            status=204,
            told=[deleted("Organization", "deserted", {"name": "deserted", "comment": ""}, org=ROOT)],
            again=Again.GONE,
        ),
        # Organizations are deleted one by one: the bulk form is there, and refused.
        silent(path, method="DELETE", query="ids={org},{2:org}", status=400),
    ]


_MEMBERS = [
    Write(
        method="POST",
        path=f"{API}org-member-relation/",
        body={"org": "{org}", "user": "{outsider}", "role": "Auditor"},
        status=201,
        told=[_changed("Out(one-outsider)", [], ["Auditor"])],
    ),
    *[
        Write(
            method=method,
            path=f"{API}org-member-relation/<pk>/",
            at={"pk": "{membership}"},
            body={"org": "{org}", "user": "{users/users}", "role": "Auditor"},
            told=[_changed(ONE, ["User"], ["Auditor"])],
        )
        for method in ("PUT", "PATCH")
    ],
    *[
        Write(
            method=method,
            path=f"{API}org-member-relation/",
            body=[
                {"id": "{membership}", "org": "{org}", "user": "{users/users}", "role": "Auditor"},
                {"id": "{2:membership}", "org": "{2:org}", "user": "{2:users/users}", "role": "Auditor"},
            ],
            told=[_changed(ONE, ["User"], ["Auditor"]), _changed(TWO, ["User"], ["Auditor"], "{2:org}")],
        )
        for method in ("PUT", "PATCH")
    ],
    Write(
        method="DELETE",
        path=f"{API}org-member-relation/<pk>/",
        at={"pk": "{membership}"},
        status=204,
        told=[_changed(ONE, ["Admin", "User"], ["Admin"])],
        again=Again.GONE,
    ),
    Write(
        method="DELETE",
        path=f"{API}org-member-relation/",
        query="ids={membership},{2:membership}",
        status=204,
        told=[_changed(ONE, ["Admin", "User"], ["Admin"]), _changed(TWO, ["Admin", "User"], ["Admin"], "{2:org}")],
    ),
    parsing(f"{API}org-member-relation/", "*Organization,*User,Role", "{org},{outsider},User"),
]


def _of_one(kind: str, role: str) -> list[Write]:
    path = f"{API}orgs/<org_id>/membership/{kind}/"
    left = {"Admin": ["User"], "User": ["Admin"]}[role]
    gone = _changed(ONE, ["Admin", "User"], left)
    return [
        Write(
            method="POST",
            path=path,
            at={"org_id": _OF_ORG},
            body={"user": "{outsider}"},
            status=201,
            told=[_changed("Out(one-outsider)", [], [role])],
        ),
        Write(
            method="DELETE",
            path=f"{path}<user_id>/",
            at={"org_id": _OF_ORG, "user_id": "{users/users}"},
            status=204,
            told=[gone],
            again=Again.GONE,
        ),
        Write(method="DELETE", path=path, at={"org_id": _OF_ORG}, query="user={users/users}", status=204, told=[gone]),
        parsing(path, "*User", "{outsider}", at={"org_id": _OF_ORG}),
    ]


def _undo_of_setting() -> Write:
    told = Told(
        event="settings.updated",
        action="update",
        kind="PreferenceValue",
        name="SITE_URL",
        old={"SITE_URL": "https://gate.example.test"},
        new={"SITE_URL": "http://localhost:8080"},
        org=ROOT,
        whole=True,
    )
    return Write(
        method="POST",
        path="/api/v1/settings/setting/undo/",
        body={"record": "{record}"},
        prepare=World.with_changed_setting,
        told=[told],
        again=Again.GONE,
    )


_METADATA = "https://169.254.169.254/api"


def _mail_test() -> Write:
    """A test that reaches no server: the address is never dialled."""
    host = "169.254.169.254"
    told = Told(
        event="settings.mail_tested",
        action="other",
        kind="PreferenceValue",
        name=f"{host}:465",
        new={
            "EMAIL_HOST": host,
            "EMAIL_HOST_USER": "gate@example.com",
            "accepted": False,
            "reason": "dialling.metadata",
        },
        org=ROOT,
    )
    return Write(
        method="POST",
        path="/api/v1/settings/mail/testing/",
        body={
            "EMAIL_HOST": host,
            "EMAIL_PORT": "465",
            "EMAIL_HOST_USER": "gate@example.com",
            "EMAIL_HOST_PASSWORD": "{mark}",
        },
        status=400,
        told=[told],
        again=Again.ACTS,
    )


def _provider_test(name: str, host: str, body: dict[str, Any]) -> Write:
    """A test that reaches no service: the address is never dialled."""
    told = Told(
        event="settings.provider_tested",
        action="other",
        kind="PreferenceValue",
        name=name,
        new={"accepted": False, "reason": "dialling.metadata"},
        org=ROOT,
    )
    return Write(
        method="POST",
        path=f"/api/v1/settings/{name}/testing/",
        body={f"{name.upper()}_API_URL": host, **body},
        status=400,
        told=[told],
        again=Again.ACTS,
    )


def _ldap() -> list[Write]:
    """Tests that reach no server, requests of a reading, and an import from the list that was read before."""
    uri, path = "ldaps://169.254.169.254", "/api/v1/settings/ldap/"
    tested = Told(
        event="settings.ldap_tested",
        action="other",
        kind="PreferenceValue",
        name=uri,
        new={"AUTH_LDAP_BIND_DN": "cn=reader", "accepted": False, "reason": "dialling.metadata"},
        org=ROOT,
    )
    body = {
        "AUTH_LDAP_SERVER_URI": uri,
        "AUTH_LDAP_BIND_DN": "cn=reader",
        "AUTH_LDAP_BIND_PASSWORD": "{mark}",
        "AUTH_LDAP_SEARCH_OU": "dc=example",
    }
    tried = Told(
        event="settings.ldap_sign_in_tested",
        action="other",
        kind="PreferenceValue",
        name="AUTH_LDAP",
        new={"accepted": False, "reason": "directory.base_wanted"},
        org=ROOT,
    )

    def asked(*, with_users: bool) -> Told:
        return Told(
            event="directory.reading_requested",
            action="other",
            kind="DirectoryState",
            name="LDAP",
            new={"with_users": with_users, "accepts_fall": False},
            org=ROOT,
        )

    created = Told(
        event="user.created",
        action="create",
        kind="User",
        name="Dana(dana)",
        new={"username": "dana", "source": "ldap"},
    )
    imported = Told(event="directory.imported", action="other", kind="DirectoryEntry", name="LDAP", new={"created": 1})
    return [
        Write(method="POST", path=f"{path}testing/config/", body=body, status=400, told=[tested], again=Again.ACTS),
        Write(
            method="POST",
            path=f"{path}testing/login/",
            body={"username": "dana", "password": "{mark}"},
            status=400,
            told=[tried],
            again=Again.ACTS,
        ),
        Write(method="POST", path=f"{path}cache/refresh/", told=[asked(with_users=False)], again=Again.ACTS),
        Write(method="POST", path=f"{path}sync/", body={}, told=[asked(with_users=True)], again=Again.ACTS),
        Write(
            method="POST",
            path=f"{path}users/import/",
            body={"username_list": ["dana"], "org_id": DEFAULT},
            prepare=World.with_directory_entry,
            told=[created, imported],
        ),
    ]


def _setting(method: str) -> Write:
    basic: dict[str, Any] = {"SITE_URL": "https://gate.example.test"}
    told = Told(
        event="settings.updated",
        action="update",
        kind="PreferenceValue",
        name="SITE_URL",
        old={"SITE_URL": "http://localhost:8080"},
        new=basic,
        org=ROOT,
        whole=True,
    )
    return Write(method=method, path="/api/v1/settings/setting/", body=basic, told=[told])


_LICENCE = Write(
    method="POST",
    path="/api/v1/xpack/license/import",
    prepare=World.with_licence_file,
    body={"file": "{file}"},
    format="multipart",
    told=[
        Told(
            event="licence.installed",
            action="update",
            kind="Licence",
            name="Example & Sons",
            old={"date_expired": str(licences.licence_of(365).date_expired)},
            new={"date_expired": str(licences.licence_of(500).date_expired)},
            org=ROOT,
        )
    ],
)

_SUBSCRIPTION = [
    Write(
        method=method,
        path="/api/v1/notifications/system-msg-subscription/<message_type>/",
        at={"message_type": "AccountLockedMessage"},
        body={"users": ["{users/users}"]},
        told=[
            Told(
                event="subscription.updated",
                action="update",
                kind="SystemMessageSubscription",
                name="AccountLockedMessage",
                old={},
                new={"users": ["{users/users}"]},
                org=ROOT,
            )
        ],
    )
    for method in ("PUT", "PATCH")
]

_MESSAGES = [
    Write(
        method="POST",
        path="/api/v1/notifications/deliveries/<pk>/retry/",
        at={"pk": "{delivery}"},
        prepare=World.with_failed_delivery,
        told=[
            updated(
                "MessageDelivery",
                "one subject",
                {"state": "failed"},
                {"user": "Adam(adam)", "channel": "email", "state": "waiting"},
                event="delivery.retried",
                org=ROOT,
            )
        ],
        again=Again.GONE,
    ),
    Write(
        method="PATCH",
        path="/api/v1/notifications/site-message/mark-as-read/",
        body={"ids": ["{message}"]},
        told=[
            Told(
                event="site_message.read",
                action="other",
                kind="SiteMessage",
                name="one subject",
                new={"ids": ["{message}"], "count": 1},
                org=ROOT,
            )
        ],
    ),
    Write(
        method="POST",
        path="/api/v1/notifications/site-message/send/",
        body={"user_ids": ["{users/users}"], "subject": "Tonight", "message": "<p>The gate is closed.</p>"},
        told=[
            created(
                "SiteMessage", "Tonight", {"receivers": 1, "addressed_to": [ONE]}, event="site_message.sent", org=ROOT
            )
        ],
        again=Again.ACTS,
    ),
]

WRITES = [
    *_organizations(f"{API}orgs/"),
    *_organizations("/api/v1/xpack/orgs/"),
    *_MEMBERS,
    *_of_one("users", "User"),
    *_of_one("admins", "Admin"),
    _setting("PUT"),
    _setting("PATCH"),
    _undo_of_setting(),
    _mail_test(),
    _provider_test("wecom", _METADATA, {"WECOM_CORPID": "c", "WECOM_AGENTID": "1", "WECOM_SECRET": "{mark}"}),
    _provider_test(
        "dingtalk", _METADATA, {"DINGTALK_AGENTID": "1", "DINGTALK_APPKEY": "k", "DINGTALK_APPSECRET": "{mark}"}
    ),
    _provider_test("feishu", _METADATA, {"FEISHU_APP_ID": "a", "FEISHU_APP_SECRET": "{mark}"}),
    *_ldap(),
    _LICENCE,
    *_SUBSCRIPTION,
    *_MESSAGES,
]
