"""Writes of passkeys and of trusted browsers."""

from typing import Any

from factories.browser import Browser
from factories.soft_authenticator import ORIGIN, SoftKey, enrolled, stored
from postern.apps.authn.known_places import trust
from postern.apps.authn.models import LoginSession, TrustedBrowser
from postern.apps.preferences.models import PreferenceValue
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock
from writes.case import ROOT, Again, Told, Values, Write, created, deleted, updated
from writes.preparations import MARK
from writes.signing_in import API, COUNTED, SESSION, login, mine
from writes.world import World

_KEYS = f"{API}passkeys/"
_BROWSERS = f"{API}trusted-browsers/"
_REQUESTS = frozenset({"authn_passkeyrequest"})
_USED = COUNTED | _REQUESTS | {"authn_passkey"}
_ASKED = "a question to the browser: only its answer is a deed"
OWNER = {"user": "Adam(adam)"}


def _at_home() -> None:
    PreferenceValue.objects.update_or_create(name="SITE_URL", defaults={"value": ORIGIN, "date_updated": clock.now()})


def _started(browser: Any, what: str) -> Any:
    answer = browser.post(f"{_KEYS}{what}/start/", format="json")
    assert answer.status_code == 200, answer.content
    return answer.json()


def _with_key(world: World) -> tuple[Any, SoftKey]:
    """Adam's browser, in which he has entered his password just now, and a passkey of his."""
    _at_home()
    browser = world.with_verified_password()["client"]
    key = enrolled(world.admin)
    LoginSession.objects.filter(user=world.admin).update(
        date_ended=None, end_reason="", mfa=True, date_mfa_verified=clock.now()
    )
    return browser, key


def _at_the_start(world: World) -> Values:
    _at_home()
    return world.with_verified_password()


def _asked_to_make(world: World) -> Values:
    browser = _at_the_start(world)["client"]
    return {"client": browser, "credential": SoftKey().make(_started(browser, "enrol"))}


def _with_own(world: World) -> Values:
    browser, key = _with_key(world)
    return {"client": browser, "passkey": str(stored(key).pk)}


def _asked_to_verify(world: World) -> Values:
    browser, key = _with_key(world)
    return {"client": browser, "credential": key.show(_started(browser, "verify"))}


def _stranger(world: World) -> Values:
    _at_home()
    return {"client": world.client("stranger")}


def _asked_to_sign_in(world: World) -> Values:
    browser = _stranger(world)["client"]
    key = enrolled(world.admin)
    browser.get(f"{API}sign-in/")
    return {"client": browser, "credential": key.show(_started(browser, "sign-in"))}


def _demanded(world: World) -> tuple[Browser, SoftKey]:
    _at_home()
    world.with_marked_password()
    key = enrolled(world.admin)
    browser = world.client("stranger")
    assert isinstance(browser, Browser)
    assert browser.sign_in("adam", MARK).json()["error"] == "mfa_required"
    return browser, key


def _with_demand(world: World) -> Values:
    return {"client": _demanded(world)[0]}


def _asked_for_factor(world: World) -> Values:
    browser, key = _demanded(world)
    return {"client": browser, "credential": key.show(_started(browser, "challenge"))}


def _with_trust(world: World) -> Values:
    PreferenceValue.objects.create(name="SECURITY_TRUSTED_BROWSER_DAYS", value=7, date_updated=clock.now())
    for _ in range(2):
        trust.begin(actor=SYSTEM, user=world.admin, remote_addr="", user_agent="")
    first, second = TrustedBrowser.objects.filter(user=world.admin)
    return {"trusted": str(first.pk), "other": str(second.pk)}


_ADDED = created("Passkey", "desk", {**OWNER, "mfa_level": 1}, old={"mfa_level": 0}, event="passkey.added", org=ROOT)
_TRUST_ENDED = Told(
    event="browser.trust_ended",
    action="other",
    kind="TrustedBrowser",
    name="Adam(adam)",
    new={"remote_addr": ""},
    org=ROOT,
)

WRITES: list[Write] = [
    Write(
        method="POST",
        path=f"{_KEYS}enrol/start/",
        prepare=_at_the_start,
        untold=_ASKED,
        again=Again.ACTS,
        marks=_REQUESTS | SESSION,
    ),
    Write(
        method="POST",
        path=f"{_KEYS}enrol/confirm/",
        prepare=_asked_to_make,
        body={"credential": "{credential}", "name": "desk"},
        status=201,
        told=[_ADDED],
        again=Again.GONE,
        marks=_REQUESTS | SESSION,
        shown_once=["recovery_codes.*"],
    ),
    Write(
        method="POST",
        path=f"{_KEYS}verify/start/",
        prepare=_with_own,
        untold=_ASKED,
        again=Again.ACTS,
        marks=_REQUESTS | SESSION,
    ),
    Write(
        method="POST",
        path=f"{_KEYS}verify/",
        prepare=_asked_to_verify,
        body={"credential": "{credential}"},
        told=[mine("mfa.verified", "other")],
        again=Again.GONE,
        marks=_USED | SESSION,
    ),
    Write(
        method="POST",
        path=f"{_KEYS}sign-in/start/",
        prepare=_stranger,
        caller="stranger",
        untold=_ASKED,
        again=Again.ACTS,
        marks=_REQUESTS,
    ),
    Write(
        method="POST",
        path=f"{_KEYS}sign-in/",
        prepare=_asked_to_sign_in,
        caller="stranger",
        body={"credential": "{credential}"},
        told=[login(status=True, mfa=1, backend="passkey")],
        again=Again.GONE,
        marks=_USED | SESSION,
    ),
    Write(
        method="POST",
        path=f"{_KEYS}challenge/start/",
        prepare=_with_demand,
        caller="stranger",
        untold=_ASKED,
        again=Again.ACTS,
        marks=_REQUESTS | SESSION,
    ),
    Write(
        method="POST",
        path=f"{_KEYS}challenge/",
        prepare=_asked_for_factor,
        caller="stranger",
        body={"credential": "{credential}"},
        told=[login(status=True, mfa=1)],
        again=Again.GONE,
        marks=_USED | SESSION | {"authn_pendingsignin"},
    ),
    Write(
        method="PATCH",
        path=f"{_KEYS}<passkey_id>/",
        at={"passkey_id": "{passkey}"},
        prepare=_with_own,
        body={"name": "green key"},
        told=[
            updated("Passkey", "green key", {"name": "key"}, {"name": "green key"}, event="passkey.renamed", org=ROOT)
        ],
    ),
    Write(
        method="DELETE",
        path=f"{_KEYS}<passkey_id>/",
        at={"passkey_id": "{passkey}"},
        prepare=_with_own,
        status=204,
        told=[
            deleted(
                "Passkey",
                "key",
                {**OWNER, "mfa_level": 1},
                new={"mfa_level": 0},
                event="passkey.removed",
                org=ROOT,
            )
        ],
        again=Again.GONE,
    ),
    Write(
        method="DELETE",
        path=f"{_BROWSERS}<pk>/",
        at={"pk": "{trusted}"},
        prepare=_with_trust,
        status=204,
        told=[_TRUST_ENDED],
        again=Again.GONE,
    ),
    Write(
        method="DELETE",
        path=_BROWSERS,
        query="ids={other}",
        prepare=_with_trust,
        status=204,
        told=[_TRUST_ENDED],
    ),
]
