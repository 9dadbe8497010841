"""Writes of signing in and out, of one's own profile, keys, second factor and tokens."""

from typing import Any

from factories.browser import PASSWORD
from writes.case import ADDRESS, ROOT, Again, Told, Write, created, deleted, silent, updated
from writes.preparations import MARK, PUBLIC_KEY
from writes.world import World

API = "/api/v1/authentication/"
PROFILE = "/api/v1/users/profile/"
ADAM = "Adam(adam)"
_KEY_SET: dict[str, Any] = {"old": {"public_key": None}, "new": {"public_key": "******"}}
COUNTED = frozenset({"authn_signinguard", "authn_knownplace"})
#: A browser's session is written with the answer, when the deed itself is done and told.
SESSION = frozenset({"django_session"})
_CREDENTIALS = {"username": "adam", "password": MARK}


def login(event: str = "sign_in.succeeded", *, user: str = ADAM, **new: Any) -> Told:
    shown = {"username": "adam", "ip": ADDRESS, **new}
    return Told(event=event, action="other", kind="LoginLog", name="adam", new=shown, org=ROOT, user=user)


def mine(event: str, action: str = "update", **more: Any) -> Told:
    return Told(event=event, action=action, kind="User", name=ADAM, org=ROOT, **more)


def _token(path: str) -> Write:
    return Write(
        method="POST",
        path=path,
        caller="stranger",
        prepare=World.with_marked_password,
        body=_CREDENTIALS,
        status=201,
        told=[
            login(status=True, type="W"),
            created("BearerToken", "{any}", {"user": ADAM}, event="bearer_token.issued", org=ROOT),
        ],
        again=Again.ACTS,
        marks=COUNTED,
        shown_once=["token"],
    )


def _sign_out(path: str, method: str = "POST", status: int = 200) -> Write:
    return Write(
        method=method,
        path=path,
        caller="browser",
        status=status,
        told=[
            Told(
                event="login_session.ended",
                action="other",
                kind="LoginSession",
                name=ADAM,
                new={"reason": "signed_out"},
                org=ROOT,
            )
        ],
        marks=SESSION,
    )


_SIGNING_IN = [
    Write(
        method="POST",
        path=f"{API}sign-in/",
        caller="stranger",
        prepare=World.with_marked_password,
        body=_CREDENTIALS,
        told=[login(status=True)],
        again=Again.ACTS,
        marks=COUNTED | SESSION,
    ),
    Write(
        method="POST",
        path=f"{API}sign-in/",
        caller="stranger",
        body=_CREDENTIALS,
        status=400,
        told=[login("sign_in.failed", user="Anonymous", status=False)],
        again=Again.ACTS,
        marks=COUNTED,
    ),
    _token(f"{API}auth/"),
    _token(f"{API}tokens/"),
    Write(
        method="POST",
        path=f"{API}mfa/challenge/",
        prepare=World.with_demand,
        caller="stranger",
        body={"code": "{code}"},
        told=[login(status=True, mfa=1)],
        again=Again.GONE,
        marks=COUNTED | SESSION | {"authn_pendingsignin", "authn_totpdevice"},
    ),
    Write(
        method="POST",
        path=f"{API}password/forgot/",
        prepare=World.with_mail,
        caller="stranger",
        body={"username": "one-person", "puzzle": {"token": "{token}", "number": "{number}"}},
        untold="the worker tells of it, for names with an account only",
        again=Again.GONE,
        marks=frozenset({"authn_signinguard", "authn_usedpuzzle", "foundation_outboxmessage"}),
    ),
    Write(
        method="POST",
        path=f"{API}set-password/",
        prepare=World.with_set_password_link,
        caller="stranger",
        body={"token": "{link}", "new_password": MARK},
        told=[
            Told(
                event="user.password_changed",
                action="other",
                kind="PasswordChangeLog",
                name="One-Person(one-person)",
                org=ROOT,
                user="Anonymous",
                new={"user": "One-Person(one-person)"},
            )
        ],
        again=Again.GONE,
        marks=COUNTED,
    ),
    Write(
        method="POST",
        path=f"{API}locked-addresses/unlock/",
        prepare=World.with_locked_address,
        body={"address": "198.51.100.2"},
        told=[Told(event="sign_in.address_unlocked", action="other", kind="Address", name="198.51.100.2", org=ROOT)],
        again=Again.GONE,
    ),
    _sign_out(f"{API}sign-out/"),
    _sign_out("/vue-admin-template/user/logout"),
    _sign_out("/core/auth/logout/", "GET", 302),
]

_SECOND_FACTOR = [
    Write(
        method="POST",
        path=f"{API}password/verify/",
        prepare=World.with_browser_and_marked_password,
        body={"password": MARK},
        told=[mine("password.verified", "other")],
        again=Again.ACTS,
        marks=COUNTED,
    ),
    Write(
        method="POST",
        path=f"{API}otp/enrol/start/",
        prepare=World.with_verified_password,
        told=[mine("mfa.enrolment_begun")],
        again=Again.ACTS,
        shown_once=["secret", "uri"],
    ),
    Write(
        method="POST",
        path=f"{API}otp/enrol/confirm/",
        prepare=World.with_begun_enrolment,
        body={"code": "{code}"},
        told=[mine("mfa.enabled", old={"mfa_level": 0}, new={"mfa_level": 1})],
        again=Again.GONE,
        shown_once=["recovery_codes.*"],
    ),
    Write(
        method="POST",
        path=f"{API}otp/verify/",
        prepare=World.with_own_app,
        body={"code": "{code}"},
        told=[mine("mfa.verified", "other")],
        again=Again.GONE,
        marks=COUNTED | {"authn_totpdevice"},
    ),
    Write(
        method="POST",
        path=f"{API}otp/recovery-codes/",
        prepare=World.with_own_app,
        body={"code": "{recovery}", "type": "recovery"},
        told=[mine("mfa.recovery_codes_renewed")],
        again=Again.GONE,
        marks=COUNTED | {"authn_recoverycode"},
        shown_once=["recovery_codes.*"],
    ),
    Write(
        method="POST",
        path=f"{API}otp/disable/",
        prepare=World.with_own_app,
        body={"code": "{code}"},
        told=[mine("mfa.disabled", old={"mfa_level": 1}, new={"mfa_level": 0})],
        again=Again.GONE,
        marks=COUNTED | {"authn_totpdevice"},
    ),
]

_PROFILE = [
    *[
        Write(
            method=method,
            path=PROFILE,
            body={"phone": "555", "comment": "me"},
            told=[
                mine(
                    "user.profile_updated",
                    old={"phone": None, "comment": None},
                    new={"phone": "555", "comment": "me"},
                    whole=True,
                )
            ],
        )
        for method in ("PUT", "PATCH")
    ],
    *[
        Write(
            method=method,
            path=f"{PROFILE}password/",
            prepare=World.with_password,
            body={"old_password": PASSWORD, "new_password": MARK, "new_password_again": MARK},
            told=[
                Told(
                    event="user.password_changed",
                    action="other",
                    kind="PasswordChangeLog",
                    name=ADAM,
                    org=ROOT,
                    new={"user": ADAM},
                )
            ],
            again=Again.GONE,
            marks=COUNTED,
        )
        for method in ("PUT", "PATCH")
    ],
    *[
        Write(
            method=method,
            path=f"{PROFILE}public-key/",
            body={"public_key": PUBLIC_KEY},
            told=[mine("user.public_keys_changed", **_KEY_SET)],
        )
        for method in ("PUT", "PATCH")
    ],
    *[
        Write(
            method=method,
            path="/api/v1/users/users/<pk>/pubkey/update/",
            at={"pk": "{admin}"},
            body={"public_key": PUBLIC_KEY},
            told=[mine("user.public_keys_changed", **_KEY_SET)],
        )
        for method in ("PUT", "PATCH")
    ],
    Write(
        method="POST",
        path=f"{PROFILE}public-key/generate/",
        told=[mine("user.public_keys_changed", **_KEY_SET)],
        again=Again.ACTS,
        shown_once=["*pem"],
    ),
]

_KEY: dict[str, Any] = {"kind": "AccessKey", "name": "access key {key}", "org": ROOT}
_SWITCHED = updated(old={"is_active": True}, new={"is_active": False}, **_KEY)
_ENDED = Told(
    event="login_session.ended",
    action="other",
    kind="LoginSession",
    name=ADAM,
    new={"reason": "ended_by_self"},
    org=ROOT,
)

_KEYS = [
    Write(
        method="POST",
        path=f"{API}ssh-codes/",
        caller="browser",
        status=201,
        told=[Told(event="ssh_code.issued", action="other", kind="SshCode", name=ADAM, org=ROOT, user=ADAM)],
        again=Again.ACTS,
        shown_once=["code"],
    ),
    Write(
        method="POST",
        path=f"{API}access-keys/",
        status=201,
        told=[created("AccessKey", "access key {any}", {"user": ADAM}, org=ROOT)],
        again=Again.ACTS,
        shown_once=["secret"],
    ),
    *[
        Write(
            method=method,
            path=f"{API}access-keys/<pk>/",
            at={"pk": "{key}"},
            body={"is_active": False},
            told=[_SWITCHED],
        )
        for method in ("PUT", "PATCH")
    ],
    *[
        Write(method=method, path=f"{API}access-keys/", body=[{"id": "{key}", "is_active": False}], told=[_SWITCHED])
        for method in ("PUT", "PATCH")
    ],
    Write(
        method="DELETE",
        path=f"{API}access-keys/<pk>/",
        at={"pk": "{key}"},
        status=204,
        told=[deleted(old={"user": ADAM, "is_active": True}, **_KEY)],
        again=Again.GONE,
    ),
    Write(
        method="DELETE",
        path=f"{API}access-keys/",
        query="ids={key}",
        status=204,
        told=[deleted(old={"user": ADAM}, **_KEY)],
    ),
    Write(
        method="DELETE",
        path=f"{API}login-sessions/<pk>/",
        prepare=World.with_login_session,
        at={"pk": "{login_session}"},
        status=204,
        told=[_ENDED],
        again=Again.GONE,
    ),
    Write(
        method="DELETE",
        path=f"{API}login-sessions/",
        prepare=World.with_login_session,
        query="ids={login_session}",
        status=204,
        told=[_ENDED],
    ),
    silent("/api/v1/common/resources/cache/", body={"resources": ["{assets/assets}"]}),
]

_ACCOUNT: dict[str, Any] = {"provider": "wecom", "tenant": "corp-1", "subject": "s-adam"}
_UNBOUND = "external_account.unbound"

_EXTERNAL = [
    Write(
        method="POST",
        path=f"{API}external/sign-in/",
        prepare=World.with_external_visit,
        caller="stranger",
        body={"id": "{visit}"},
        told=[login(status=True, backend="wecom")],
        again=Again.GONE,
        marks=COUNTED | SESSION | {"authn_externalrequest", "authn_externalaccount"},
    ),
    Write(
        method="POST",
        path=f"{API}openid/sign-in/",
        prepare=World.with_openid_visit,
        caller="stranger",
        body={"id": "{visit}"},
        told=[login(status=True, backend="openid:one-provider")],
        again=Again.GONE,
        marks=COUNTED | SESSION | {"authn_externalrequest", "authn_federatedidentity"},
    ),
    Write(
        method="POST",
        path=f"{API}saml/sign-in/",
        prepare=World.with_saml_visit,
        caller="stranger",
        body={"id": "{visit}"},
        told=[login(status=True, backend="saml:one-saml")],
        again=Again.GONE,
        marks=COUNTED | SESSION | {"authn_externalrequest", "authn_federatedidentity"},
    ),
    Write(
        method="POST",
        path=f"{API}confirmation/",
        prepare=World.with_visit_to_confirm,
        body={"id": "{visit}"},
        told=[
            mine(
                "identity.confirmed", "other", new={"provider": "openid:one-provider", "subject": "s-adam"}, whole=True
            )
        ],
        again=Again.GONE,
        marks=frozenset({"authn_externalrequest", "authn_loginsession"}),
    ),
    Write(
        method="POST",
        path=f"{API}external/bind/",
        prepare=World.with_external_visit_to_bind,
        body={"id": "{visit}"},
        told=[mine("external_account.bound", new={**_ACCOUNT, "name": "Adam"}, whole=True)],
        again=Again.GONE,
        marks=frozenset({"authn_externalrequest"}),
    ),
    *[
        Write(
            method="POST",
            path=f"{API}{provider}/qr/unbind/",
            prepare=World.with_external_accounts,
            told=[mine(_UNBOUND, old={"provider": provider, "tenant": "corp-1", "subject": "s-adam"})],
            again=Again.GONE,
        )
        for provider in ("wecom", "dingtalk", "feishu")
    ],
    *[
        Write(
            method="POST",
            path=f"{API}{provider}/qr/unbind/<user_id>/",
            prepare=World.with_external_accounts,
            at={"user_id": "{users/users}"},
            told=[
                Told(
                    event=_UNBOUND,
                    action="update",
                    kind="User",
                    name="One-Person(one-person)",
                    old={"provider": provider, "tenant": "corp-1"},
                    org=ROOT,
                )
            ],
            again=Again.GONE,
        )
        for provider in ("wecom", "dingtalk", "feishu")
    ],
    Write(
        method="POST",
        path=f"{API}feishu/event/subscription/callback/",
        caller="stranger",
        body={"type": "url_verification", "token": "{mark}", "challenge": "c"},
        status=403,
    ),
]

WRITES = [*_SIGNING_IN, *_EXTERNAL, *_SECOND_FACTOR, *_PROFILE, *_KEYS]
