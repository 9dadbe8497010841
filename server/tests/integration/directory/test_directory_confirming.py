"""Users of a directory confirm their identity with its password, and then change their second factor on the profile
page.
"""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final

import pytest
from rest_framework.test import APIClient

from factories.browser import Browser
from factories.second_factor import FoundApp
from factories.soft_authenticator import ORIGIN, SoftKey
from peers.mail_server import misbehaving, silent
from peers.slapd import ROOT_DN, ROOT_PASSWORD, STAFF, Slapd, Someone, serving
from postern.apps.audits.models import AuditEvent
from postern.apps.authn.callers.policy import PASSWORD_VERIFIED_FOR
from postern.apps.authn.models import LoginSession, Passkey, SignInGuard
from postern.apps.directory import passwords
from postern.apps.preferences.actions import change_settings
from postern.apps.users.models import Source, User
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock

pytestmark = pytest.mark.django_db

API: Final = "/api/v1/authentication/"
VERIFY: Final = f"{API}password/verify/"
ENROL: Final = f"{API}otp/enrol/start/"
ANN: Final = Someone("ann", "Ann Lee")


@pytest.fixture(autouse=True)
def _end_pause_after_timeout() -> Iterator[None]:
    yield
    passwords.silence.end()


@pytest.fixture(scope="module")
def slapd() -> Iterator[Slapd]:
    with serving([ANN]) as server:
        yield server


def configure(**changes: Any) -> None:
    change_settings(actor=SYSTEM, changes=changes)


@pytest.fixture
def ann(slapd: Slapd) -> User:
    configure(
        AUTH_LDAP_SERVER_URI=slapd.uri,
        AUTH_LDAP_BIND_DN=ROOT_DN,
        AUTH_LDAP_BIND_PASSWORD=ROOT_PASSWORD,
        AUTH_LDAP_SEARCH_OU=STAFF,
        AUTH_LDAP_SEARCH_FILTER="(uid=%(user)s)",
        AUTH_LDAP_USER_ATTR_MAP=json.dumps({"username": "uid", "name": "sn", "email": "mail"}),
        AUTH_LDAP=True,
    )
    return User.objects.create(
        username="ann", name="Ann", email="ann@example.com", source=Source.LDAP, is_first_login=False, password="!",
    )  # fmt: skip


@pytest.fixture
def browser(ann: User) -> Browser:
    browser = Browser()
    answer = browser.sign_in("ann", ANN.password)
    assert answer.status_code == 200, answer.content
    return browser


def failures() -> int:
    return sum(SignInGuard.objects.filter(kind="account").values_list("failures", flat=True))


def test_directory_password_allows_second_factor_changes_for_five_minutes(
    browser: Browser, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    early = browser.post(ENROL, {}, format="json")
    assert (early.status_code, early.json()["code"]) == (400, "password_verify_required")
    assert browser.post(VERIFY, {"password": ANN.password}).status_code == 200
    begun = browser.post(ENROL, {}, format="json")
    assert begun.status_code == 200, begun.content
    confirmed = browser.post(
        f"{API}otp/enrol/confirm/", {"code": FoundApp(ann, begun.json()["secret"]).code()}, format="json"
    )
    assert len(confirmed.json()["recovery_codes"]) > 0, confirmed.content
    assert browser.get(f"{API}otp/").json()["is_set"] is True
    record = AuditEvent.objects.get(event="password.verified")
    assert record.actor_id == ann.pk
    assert ANN.password not in json.dumps(list(AuditEvent.objects.values("old", "new")), default=str)
    later = clock.now() + PASSWORD_VERIFIED_FOR + timedelta(seconds=1)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert browser.post(f"{API}passkeys/enrol/start/", {}, format="json").json()["code"] == "password_verify_required"


def test_passkey_is_added_and_removed_with_the_directory_password(browser: Browser, ann: User) -> None:
    configure(SITE_URL=ORIGIN)
    assert browser.post(VERIFY, {"password": ANN.password}).status_code == 200
    options = browser.post(f"{API}passkeys/enrol/start/", {}, format="json").json()
    made = {"name": "key", "credential": SoftKey().make(options)}
    assert browser.post(f"{API}passkeys/enrol/confirm/", made, format="json").status_code == 201
    row = Passkey.objects.get(user=ann)
    LoginSession.objects.update(date_mfa_verified=clock.now(), date_password_verified=None)
    refused = browser.delete(f"{API}passkeys/{row.pk}/")
    assert (refused.status_code, refused.json()["code"]) == (400, "password_verify_required")
    assert browser.post(VERIFY, {"password": ANN.password}).status_code == 200
    assert browser.delete(f"{API}passkeys/{row.pk}/").status_code == 204


@pytest.mark.usefixtures("without_waits")
def test_wrong_directory_password_counts_and_confirms_nothing(browser: Browser) -> None:
    before = failures()
    answer = browser.post(VERIFY, {"password": "of bob"})
    assert (answer.status_code, answer.json()["code"]) == (400, "passwd_invalid")
    assert failures() == before + 1
    assert AuditEvent.objects.filter(event="password.refused").count() == 1
    assert browser.post(ENROL, {}, format="json").json()["code"] == "password_verify_required"
    for _guess in range(9):
        answer = browser.post(VERIFY, {"password": "of bob"})
    assert answer.json()["error"] == "block_login"
    assert browser.post(VERIFY, {"password": ANN.password}).status_code == 400, "not even the right one"


def test_user_disabled_in_the_directory_confirms_nothing(browser: Browser, slapd: Slapd) -> None:
    slapd.delete(ANN)
    try:
        assert browser.post(VERIFY, {"password": ANN.password}).json()["code"] == "passwd_invalid"
    finally:
        slapd.add(ANN)


def test_unavailable_directory_is_reported_and_counts_nothing(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = failures()
    monkeypatch.setattr(passwords, "LIMIT_S", 0.5)
    with misbehaving(silent) as port:
        for at in (f"ldap://127.0.0.1:{port}", "ldap://127.0.0.1:1"):
            passwords.silence.end()
            configure(AUTH_LDAP_SERVER_URI=at, AUTH_LDAP_BIND_PASSWORD=ROOT_PASSWORD)
            answer = browser.post(VERIFY, {"password": ANN.password})
            assert (answer.status_code, answer.json()["code"]) == (503, "directory_silent")
            assert "目录没有响应" in answer.json()["detail"]
    assert failures() == before
    assert browser.get(f"{API}otp/").status_code == 200, "the sign-in stays"
    assert not LoginSession.objects.filter(date_password_verified__isnull=False).exists()


def test_password_is_not_compared_while_the_directory_is_off(browser: Browser) -> None:
    before = failures()
    configure(AUTH_LDAP=False)
    answer = browser.post(VERIFY, {"password": ANN.password})
    assert (answer.status_code, answer.json()["code"]) == (400, "directory_off")
    assert "目录已停用，未做任何更改" in answer.json()["detail"]
    assert failures() == before


def test_token_confirms_nothing(ann: User) -> None:
    issued = APIClient().post(f"{API}auth/", {"username": "ann", "password": ANN.password}, format="json")
    client = APIClient(HTTP_AUTHORIZATION=f"Bearer {issued.json()['token']}")
    assert client.post(VERIFY, {"password": ANN.password}).json()["code"] == "password_verify_required"
