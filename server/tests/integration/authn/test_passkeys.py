"""Passkeys: as second factor, as only factor, for confirmation, and their management.

The authenticator is in software. The checks are those of the product.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session

from factories.at_once import at_once
from factories.browser import PASSWORD, Browser
from factories.second_factor import App
from factories.soft_authenticator import ORIGIN, SoftKey, enrolled, stored
from factories.ssh_proof import PROXY_ID
from postern.apps.audits.models import AuditEvent, LoginLog
from postern.apps.authn import facade, housekeeping
from postern.apps.authn.models import LoginSession, Passkey, PasskeyRequest, PendingSignIn, RecoveryCode
from postern.apps.authn.passkeys.actions import requests
from postern.apps.notifications.models import SiteMessage
from postern.apps.preferences.models import PreferenceValue
from postern.apps.users.models import MfaLevel, User
from postern.contracts.enums import DenialCode, LoginFrom
from postern.foundation.bus import outbox
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock

API = "/api/v1/authentication/"
PROFILE = "/api/v1/users/profile/"
OTP = f"{API}otp/"
KEYS = f"{API}passkeys/"
PASSWORD_VERIFY = f"{API}password/verify/"
pytestmark = pytest.mark.django_db


def prefer(name: str, value: object) -> None:
    PreferenceValue.objects.update_or_create(name=name, defaults={"value": value})


@pytest.fixture(autouse=True)
def site() -> None:
    prefer("SITE_URL", ORIGIN)


@pytest.fixture
def passkey(ann: User) -> SoftKey:
    return enrolled(ann)


def started(browser: Browser, what: str) -> dict[str, Any]:
    if "csrftoken" not in browser.cookies:
        browser.get(f"{API}sign-in/")
    answer = browser.post(f"{KEYS}{what}/start/", format="json")
    assert answer.status_code == 200, answer.content
    options: dict[str, Any] = answer.json()
    return options


def shown(browser: Browser, what: str, credential: dict[str, Any], **more: Any) -> Any:
    return browser.post(f"{KEYS}{what}/", {"credential": credential, **more}, format="json")


def second_step(browser: Browser, key: SoftKey, **lies: Any) -> Any:
    return shown(browser, "challenge", key.show(started(browser, "challenge"), **lies))


def alone(browser: Browser, key: SoftKey, **lies: Any) -> Any:
    return shown(browser, "sign-in", key.show(started(browser, "sign-in"), **lies))


def make(browser: Browser, key: SoftKey, name: str = "desk", **lies: Any) -> Any:
    answer = key.make(started(browser, "enrol"), **lies)
    return browser.post(f"{KEYS}enrol/confirm/", {"credential": answer, "name": name}, format="json")


# --- the second factor ---


@pytest.mark.spec("S1-052")
def test_passkey_is_accepted_as_the_second_factor(browser: Browser, ann: User, passkey: SoftKey):
    challenge = browser.sign_in("ann", next="/ui/assets/assets").json()
    assert (challenge["error"], challenge["data"]["choices"]) == ("mfa_required", ["passkey", "recovery"])
    assert browser.get(PROFILE).status_code == 401
    answer = second_step(browser, passkey)
    assert (answer.status_code, answer.json()) == (
        200,
        {"msg": "ok", "next": "/ui/assets/assets", "must_change_password": False},
    )
    assert browser.get(PROFILE).status_code == 200
    login = LoginLog.objects.latest("datetime")
    assert (login.status, login.mfa, login.backend) == (True, 1, "password")
    row = stored(passkey)
    assert (row.sign_count, row.date_last_used is not None) == (1, True)


def test_app_passkey_and_recovery_code_are_choices_of_one_sign_in(browser: Browser, ann: User):
    app = App(ann)
    enrolled(ann)
    assert browser.sign_in("ann").json()["data"]["choices"] == ["passkey", "code", "recovery"]
    assert browser.post(f"{API}mfa/challenge/", {"code": app.code()}).status_code == 200


def test_user_without_an_app_signs_in_with_a_recovery_code(browser: Browser, ann: User):
    browser.sign_in("ann")
    browser.post(PASSWORD_VERIFY, {"password": PASSWORD})
    codes = make(browser, SoftKey()).json()["recovery_codes"]
    assert len(set(codes)) == 10
    other = Browser()
    other.sign_in("ann")
    refused = other.post(f"{API}mfa/challenge/", {"code": "123456"})
    assert (refused.status_code, refused.json()["error"]) == (400, "mfa_unset")
    assert other.post(f"{API}mfa/challenge/", {"code": codes[0], "type": "recovery"}).status_code == 200
    third = Browser()
    third.sign_in("ann")
    again = third.post(f"{API}mfa/challenge/", {"code": codes[0], "type": "recovery"})
    assert (again.status_code, again.json()["error"]) == (400, "mfa_failed")


@pytest.mark.parametrize(
    "lies",
    [
        {"origin": "https://localhost:8080"},
        {"origin": "http://localhost:8081"},
        {"origin": "http://localhost"},
        {"origin": "http://postern.example.com"},
        {"rp_id": "example.com"},
        {"challenge": "AAAA"},
        {"present": False},
        {"counter": 0},
        {"kind": "webauthn.create"},
    ],
    ids=lambda lies: "-".join(f"{key}-{value}" for key, value in lies.items()),
)
def test_wrong_answer_is_refused_and_counted(browser: Browser, ann: User, passkey: SoftKey, lies: dict[str, Any]):
    Passkey.objects.update(sign_count=5)
    passkey.counter = 5
    browser.sign_in("ann")
    answer = second_step(browser, passkey, **lies)
    assert (answer.status_code, answer.json()["error"]) == (400, "passkey_failed")
    assert "4" in answer.json()["msg"]
    assert browser.get(PROFILE).status_code == 401
    assert stored(passkey).sign_count == 5
    assert LoginLog.objects.latest("datetime").reason == "passkey_failed"


def test_second_factor_requires_touch_but_no_pin(browser: Browser, ann: User, passkey: SoftKey):
    browser.sign_in("ann")
    assert second_step(browser, passkey, verified=False).status_code == 200


def test_passkey_of_another_user_is_refused_as_second_factor(
    browser: Browser, ann: User, passkey: SoftKey, make_person: Callable[..., User]
):
    foreign = enrolled(make_person("bob"))
    browser.sign_in("ann")
    answer = second_step(browser, foreign)
    assert (answer.status_code, answer.json()["error"]) == (400, "passkey_failed")
    own = second_step(browser, passkey, user_handle=stored(foreign).user_id)
    assert (own.status_code, own.json()["error"]) == (400, "passkey_failed")


def test_unknown_passkey_is_refused_as_second_factor(browser: Browser, ann: User, passkey: SoftKey):
    browser.sign_in("ann")
    assert second_step(browser, SoftKey()).json()["error"] == "passkey_failed"


@pytest.mark.parametrize("body", [{}, {"credential": {}}, {"credential": {"id": 1, "rawId": [], "response": "x"}}])
def test_malformed_answers_are_refused(browser: Browser, ann: User, passkey: SoftKey, body: dict[str, Any]):
    browser.sign_in("ann")
    started(browser, "challenge")
    assert browser.post(f"{KEYS}challenge/", body, format="json").status_code == 400


def test_answer_is_accepted_for_one_request(browser: Browser, ann: User, passkey: SoftKey):
    browser.sign_in("ann")
    credential = passkey.show(started(browser, "challenge"))
    assert shown(browser, "challenge", credential).status_code == 200
    again = Browser()
    again.sign_in("ann")
    started(again, "challenge")
    assert shown(again, "challenge", credential).json()["error"] == "passkey_failed"
    once_more = shown(again, "challenge", credential)
    assert (once_more.status_code, once_more.json()["error"]) == (400, "passkey_lapsed")


def test_answer_is_accepted_only_in_the_browser_of_the_request(browser: Browser, ann: User, passkey: SoftKey):
    browser.sign_in("ann")
    credential = passkey.show(started(browser, "challenge"))
    other = Browser()
    other.sign_in("ann")
    assert shown(other, "challenge", credential).json()["error"] == "passkey_lapsed"


def test_answer_for_one_purpose_is_refused_for_another(browser: Browser, ann: User, passkey: SoftKey):
    browser.sign_in("ann")
    credential = passkey.show(started(browser, "sign-in"))
    assert shown(browser, "challenge", credential).json()["error"] == "passkey_lapsed"


def test_late_answer_is_refused_and_not_counted(browser: Browser, ann: User, passkey: SoftKey):
    browser.sign_in("ann")
    credential = passkey.show(started(browser, "challenge"))
    PasskeyRequest.objects.update(date_expired=clock.now())
    assert shown(browser, "challenge", credential).json()["error"] == "passkey_lapsed"
    housekeeping.forget_old(actor=SYSTEM)
    assert not PasskeyRequest.objects.exists()
    assert second_step(browser, passkey).status_code == 200


def test_passkey_with_a_constant_zero_counter_is_accepted(browser: Browser, ann: User):
    key = enrolled(ann, counts=False)
    for _ in range(3):
        each = Browser()
        each.sign_in("ann")
        assert second_step(each, key).status_code == 200
    assert stored(key).sign_count == 0


def test_counter_that_decreases_to_zero_is_refused(browser: Browser, ann: User, passkey: SoftKey):
    browser.sign_in("ann")
    assert second_step(browser, passkey).status_code == 200
    other = Browser()
    other.sign_in("ann")
    assert second_step(other, passkey, counter=0).json()["error"] == "passkey_failed"


def test_wrong_answers_lock_the_account_for_codes_too(browser: Browser, ann: User, passkey: SoftKey):
    app = App(ann)
    browser.sign_in("ann")
    answers = [second_step(browser, passkey, challenge="AAAA").json()["error"] for _ in range(5)]
    assert answers == ["passkey_failed"] * 4 + ["block_mfa"]
    other = Browser("198.51.100.9")
    refused = other.sign_in("ann")
    assert refused.json()["error"] == "block_login"
    assert AuditEvent.objects.filter(event="sign_in.locked").count() == 1
    del app


@pytest.mark.django_db(transaction=True)
def test_one_of_twenty_concurrent_equal_answers_signs_in(browser: Browser, ann: User, passkey: SoftKey):
    browser.sign_in("ann")
    credential = passkey.show(started(browser, "challenge"))
    cookies = {name: morsel.value for name, morsel in browser.cookies.items()}

    def send() -> int:
        twin = Browser()
        for name, value in cookies.items():
            twin.cookies[name] = value
        answer: int = shown(twin, "challenge", credential).status_code
        return answer

    assert sorted(at_once(*[send] * 20)) == [200] + [400] * 19
    assert LoginSession.objects.count() == 1
    assert PendingSignIn.objects.filter(date_used__isnull=False).count() == 1


def test_proxies_and_tokens_do_not_accept_passkeys(browser: Browser, ann: User, passkey: SoftKey):
    refused = browser.post(f"{API}auth/", {"username": "ann", "password": PASSWORD})
    assert (refused.status_code, refused.json()["error"]) == (400, "mfa_unset")
    answer = facade.check_password(
        username="ann", password=PASSWORD, remote_addr="192.0.2.3", login_from=LoginFrom.SSH_TERMINAL, proxy_id=PROXY_ID
    )
    assert answer.denial is not None
    assert answer.denial.code == DenialCode.MFA_UNSET


# --- the only factor ---


@pytest.mark.spec("S1-052")
def test_passkey_alone_signs_in_without_a_name(browser: Browser, ann: User, passkey: SoftKey):
    options = started(browser, "sign-in")
    assert options["publicKey"]["userVerification"] == "required"
    assert not options["publicKey"].get("allowCredentials")
    answer = shown(browser, "sign-in", passkey.show(options), next="/ui/users/profile")
    assert (answer.status_code, answer.json()["next"]) == (200, "/ui/users/profile")
    assert browser.get(PROFILE).json()["username"] == "ann"
    login = LoginLog.objects.latest("datetime")
    assert (login.username, login.status, login.mfa, login.backend) == ("ann", True, 1, "passkey")
    assert browser.get(f"{OTP}verify/").status_code == 200


@pytest.mark.parametrize(
    "lies", [{"verified": False}, {"origin": "http://localhost:1"}, {"rp_id": "example.com"}, {"challenge": "AAAA"}]
)
def test_wrong_answer_alone_is_refused(browser: Browser, ann: User, passkey: SoftKey, lies: dict[str, Any]):
    answer = alone(browser, passkey, **lies)
    assert (answer.status_code, answer.json()["error"]) == (400, "passkey_failed")
    assert browser.get(PROFILE).status_code == 401


def test_answer_alone_must_name_its_user(
    browser: Browser, ann: User, passkey: SoftKey, make_person: Callable[..., User]
):
    bob = make_person("bob")
    assert alone(browser, passkey, user_handle=bob.pk).json()["error"] == "passkey_failed"
    passkey.user_handle = None
    assert alone(browser, passkey).json()["error"] == "passkey_failed"


def test_unknown_passkey_alone_counts_for_the_address(browser: Browser, ann: User):
    answer = alone(browser, SoftKey())
    assert (answer.status_code, answer.json()["error"]) == (400, "passkey_unknown")
    refused = [alone(browser, SoftKey()).json()["error"] for _ in range(40)]
    assert "block_login" in refused
    assert LoginLog.objects.filter(status=False, username="").exists()


def test_directory_users_cannot_sign_in_with_a_passkey_alone(browser: Browser, ann: User, passkey: SoftKey):
    User.objects.filter(pk=ann.pk).update(source="ldap")
    answer = alone(browser, passkey)
    assert (answer.status_code, answer.json()["error"]) == (400, "only_local_users_are_allowed")
    assert not LoginSession.objects.exists()


@pytest.mark.parametrize(
    ("change", "slug"),
    [({"is_active": False}, "user_inactive"), ({"date_expired": clock.now() - timedelta(days=1)}, "user_expired")],
)
def test_disabled_or_expired_account_is_refused_with_a_passkey(
    browser: Browser, ann: User, passkey: SoftKey, change: dict[str, Any], slug: str
):
    User.objects.filter(pk=ann.pk).update(**change)
    assert alone(browser, passkey).json()["error"] == slug


@pytest.mark.usefixtures("without_waits")
def test_locked_account_is_refused_with_a_passkey(browser: Browser, ann: User, passkey: SoftKey):
    stranger = Browser("198.51.100.7")
    for _ in range(8):
        stranger.sign_in("ann", "wrong")
    assert alone(Browser("198.51.100.8"), passkey).json()["error"] == "block_mfa"


def test_another_site_cannot_sign_a_browser_in(ann: User, passkey: SoftKey):
    browser = Browser()
    credential = passkey.show(started(browser, "sign-in"))
    browser.cookies["csrftoken"] = ""
    assert shown(browser, "sign-in", credential).status_code == 403


def test_anonymous_requests_create_a_limited_number_of_rows(browser: Browser, ann: User):
    for _ in range(105):
        started(browser, "sign-in")
    assert PasskeyRequest.objects.count() == 100


# --- adding ---


def test_first_passkey_switches_mfa_on_and_ends_other_sign_ins(browser: Browser, ann: User):
    other = Browser()
    other.sign_in("ann")
    browser.sign_in("ann")
    refused = browser.post(f"{KEYS}enrol/start/")
    assert (refused.status_code, refused.json()["code"]) == (400, "password_verify_required")
    browser.post(PASSWORD_VERIFY, {"password": PASSWORD})
    answer = make(browser, SoftKey(), "work laptop")
    assert answer.status_code == 201
    body = answer.json()
    assert (body["passkey"]["name"], body["passkey"]["is_usable"], len(body["recovery_codes"])) == (
        "work laptop",
        True,
        10,
    )
    assert other.get(PROFILE).status_code == 401
    profile = browser.get(PROFILE).json()
    assert (profile["mfa_level"], profile["mfa_enabled"]) == (1, True)
    standing = browser.get(OTP).json()
    assert (standing["is_set"], standing["passkeys"], standing["recovery_codes_left"]) == (False, 1, 10)
    event = AuditEvent.objects.get(event="passkey.added")
    assert (event.user, event.resource) == (str(ann), "work laptop")
    assert browser.get(f"{OTP}verify/").status_code == 200
    assert [row["name"] for row in browser.get(KEYS).json()["results"]] == ["work laptop"]


def test_adding_another_passkey_requires_the_second_factor(browser: Browser, ann: User, passkey: SoftKey):
    browser.sign_in("ann")
    second_step(browser, passkey)
    browser.post(PASSWORD_VERIFY, {"password": PASSWORD})
    LoginSession.objects.update(date_mfa_verified=clock.now() - timedelta(seconds=301))
    refused = browser.post(f"{KEYS}enrol/start/")
    assert (refused.status_code, refused.json()["code"]) == (400, "mfa_verify_required")
    assert shown(browser, "verify", passkey.show(started(browser, "verify"))).json() == {"ok": "1"}
    answer = make(browser, SoftKey())
    assert (answer.status_code, answer.json()["recovery_codes"]) == (201, [])


def test_existing_passkeys_are_excluded_and_cannot_be_added_twice(
    browser: Browser, ann: User, passkey: SoftKey, make_person: Callable[..., User]
):
    browser.sign_in("ann")
    second_step(browser, passkey)
    browser.post(PASSWORD_VERIFY, {"password": PASSWORD})
    options = started(browser, "enrol")
    excluded = [credential["id"] for credential in options["publicKey"]["excludeCredentials"]]
    assert excluded == [passkey.show(options)["id"]]
    answer = browser.post(
        f"{KEYS}enrol/confirm/", {"credential": passkey.make(options), "name": "twice"}, format="json"
    )
    assert (answer.status_code, answer.json()["code"]) == (400, "passkey_taken")
    make_person("bob")
    bob = Browser()
    bob.sign_in("bob")
    bob.post(PASSWORD_VERIFY, {"password": PASSWORD})
    assert make(bob, passkey).json()["code"] == "passkey_taken"
    assert User.objects.get(username="bob").mfa_level == MfaLevel.DISABLED


@pytest.mark.parametrize("lies", [{"origin": "http://localhost:1"}, {"rp_id": "example.com"}])
def test_passkey_of_another_site_is_refused(browser: Browser, ann: User, lies: dict[str, str]):
    browser.sign_in("ann")
    browser.post(PASSWORD_VERIFY, {"password": PASSWORD})
    answer = make(browser, SoftKey(), **lies)
    assert (answer.status_code, answer.json()["code"]) == (400, "passkey_failed")
    assert not Passkey.objects.exists()
    assert not RecoveryCode.objects.exists()


def test_number_of_passkeys_is_limited_to_ten(browser: Browser, ann: User):
    for number in range(10):
        enrolled(ann, name=f"key {number}")
    passkey = SoftKey()
    browser.sign_in("ann")
    LoginSession.objects.all().delete()
    last = enrolled_key(ann)
    second_step(browser, last)
    browser.post(PASSWORD_VERIFY, {"password": PASSWORD})
    answer = make(browser, passkey)
    assert (answer.status_code, answer.json()["code"]) == (400, "too_many_passkeys")


def enrolled_key(user: User) -> SoftKey:
    """A new key that replaces the user's newest passkey."""
    Passkey.objects.filter(user=user).last().delete()  # type: ignore[union-attr]  # there are ten
    return enrolled(user)


def test_passkey_can_be_set_up_during_a_sign_in_that_requires_mfa(browser: Browser, ann: User):
    prefer("SECURITY_MFA_AUTH", 1)
    assert browser.sign_in("ann").json()["error"] == "mfa_unset"
    answer = make(browser, SoftKey())
    assert answer.status_code == 201
    assert (answer.json()["next"], len(answer.json()["recovery_codes"])) == ("/ui/", 10)
    assert browser.get(PROFILE).status_code == 200


def test_password_alone_cannot_add_a_passkey_to_another_factor(browser: Browser, ann: User, passkey: SoftKey):
    browser.sign_in("ann")
    answer = browser.post(f"{KEYS}enrol/start/")
    assert (answer.status_code, answer.json()["error"]) == (400, "session_empty")
    app = browser.post(f"{OTP}enrol/start/")
    assert (app.status_code, app.json()["error"]) == (400, "session_empty")


# --- confirming, and changes ---


def test_passkey_gives_access_to_sensitive_views(browser: Browser, ann: User, passkey: SoftKey):
    browser.sign_in("ann")
    second_step(browser, passkey)
    LoginSession.objects.update(date_mfa_verified=None)
    assert browser.get(f"{OTP}verify/").status_code == 400
    wrong = shown(browser, "verify", passkey.show(started(browser, "verify"), origin="http://localhost:1"))
    assert (wrong.status_code, wrong.json()["code"]) == (400, "passkey_failed")
    assert AuditEvent.objects.filter(event="mfa.code_refused").count() == 1
    assert shown(browser, "verify", passkey.show(started(browser, "verify"))).status_code == 200
    assert browser.get(f"{OTP}verify/").status_code == 200
    assert AuditEvent.objects.filter(event="mfa.verified").count() == 1


def test_shown_passkey_allows_changes_without_an_app(browser: Browser, ann: User, passkey: SoftKey):
    browser.sign_in("ann")
    second_step(browser, passkey)
    LoginSession.objects.update(date_mfa_verified=clock.now() - timedelta(seconds=301))
    for path in ("recovery-codes/", "disable/"):
        assert browser.post(f"{OTP}{path}").json()["code"] == "mfa_verify_required"
    browser.post(PASSWORD_VERIFY, {"password": PASSWORD})
    assert browser.post(f"{OTP}enrol/start/").json()["code"] == "mfa_verify_required"
    shown(browser, "verify", passkey.show(started(browser, "verify")))
    assert len(browser.post(f"{OTP}recovery-codes/").json()["recovery_codes"]) == 10
    assert browser.post(f"{OTP}enrol/start/").status_code == 200
    assert browser.post(f"{OTP}disable/").status_code == 200
    assert not Passkey.objects.exists()
    assert browser.get(PROFILE).json()["mfa_level"] == 0


@pytest.mark.parametrize(
    ("source", "words"), [("openid", "登录源"), ("saml", "登录源"), ("ldap", "输入密码"), ("radius", "")]
)
def test_removing_a_passkey_requires_confirmation_from_users_of_other_sources(
    browser: Browser, ann: User, passkey: SoftKey, source: str, words: str
):
    browser.sign_in("ann")
    second_step(browser, passkey)
    User.objects.filter(pk=ann.pk).update(source=source)
    path = f"{KEYS}{stored(passkey).pk}/"
    answer = browser.delete(path)
    assert answer.status_code == (400 if words else 204)
    if words:
        assert answer.json()["code"] == "password_verify_required"
        assert words in answer.json()["detail"]
        LoginSession.objects.update(date_password_verified=clock.now())
        assert browser.delete(path).status_code == 204


def test_passkey_is_renamed_and_removed(browser: Browser, ann: User, passkey: SoftKey):
    other = Browser()
    other.sign_in("ann")
    second_step(other, passkey)
    browser.sign_in("ann")
    second_step(browser, passkey)
    path = f"{KEYS}{stored(passkey).pk}/"
    assert browser.patch(path, {"name": "green key"}).json()["name"] == "green key"
    assert AuditEvent.objects.get(event="passkey.renamed").resource == "green key"
    refused = browser.delete(path)
    assert (refused.status_code, refused.json()["code"]) == (400, "password_verify_required")
    browser.post(PASSWORD_VERIFY, {"password": PASSWORD})
    LoginSession.objects.update(date_mfa_verified=None)  # as in a trusted browser, which showed no factor
    refused = browser.delete(path)
    assert (refused.status_code, refused.json()["code"]) == (400, "mfa_verify_required")
    LoginSession.objects.update(date_mfa_verified=clock.now())
    assert browser.delete(path).status_code == 204
    assert browser.delete(path).status_code == 404
    assert other.get(PROFILE).status_code == 401
    assert browser.get(PROFILE).json()["mfa_level"] == 0
    assert (AuditEvent.objects.filter(event="passkey.removed").count(), RecoveryCode.objects.count()) == (1, 0)
    assert alone(Browser(), passkey).json()["error"] == "passkey_unknown"


def test_passkey_of_another_user_cannot_be_seen_or_removed(
    browser: Browser, ann: User, passkey: SoftKey, make_person: Callable[..., User]
):
    make_person("bob")
    browser.sign_in("bob")
    browser.post(PASSWORD_VERIFY, {"password": PASSWORD})
    assert browser.get(KEYS).json()["results"] == []
    path = f"{KEYS}{stored(passkey).pk}/"
    assert browser.patch(path, {"name": "mine"}).status_code == 404
    assert browser.delete(path).status_code == 404
    assert stored(passkey).name == "key"


def test_last_factor_cannot_be_removed_while_mfa_is_mandatory(browser: Browser, ann: User, passkey: SoftKey):
    prefer("SECURITY_MFA_AUTH", 1)
    browser.sign_in("ann")
    second_step(browser, passkey)
    browser.post(PASSWORD_VERIFY, {"password": PASSWORD})
    refused = browser.delete(f"{KEYS}{stored(passkey).pk}/")
    assert (refused.status_code, refused.json()["code"]) == (400, "last_factor")
    assert browser.get(PROFILE).status_code == 200


def test_reset_by_an_administrator_removes_passkeys(
    browser: Browser, ann: User, passkey: SoftKey, make_person: Callable[..., User]
):
    make_person("root", role="Admin")
    browser.sign_in("root")
    assert browser.post(f"/api/v1/users/users/{ann.pk}/otp/reset/").status_code == 200
    assert not Passkey.objects.exists()
    assert alone(Browser(), passkey).json()["error"] == "passkey_unknown"
    assert AuditEvent.objects.filter(event="mfa.reset").count() == 1


def test_ending_all_access_of_an_account_removes_its_passkeys(
    browser: Browser, ann: User, passkey: SoftKey, make_person: Callable[..., User]
):
    make_person("root", role="Admin")
    browser.sign_in("root")
    listed = browser.get(f"/api/v1/users/users/{ann.pk}/credentials/")
    assert [row["name"] for row in listed.json()["passkeys"]] == ["key"]
    answer = browser.post(f"/api/v1/users/users/{ann.pk}/access/reset/")
    assert answer.status_code == 200, answer.content
    assert alone(Browser(), passkey).json()["error"] == "passkey_unknown"
    assert not RecoveryCode.objects.exists()


def test_anonymous_passkey_requests_create_no_sessions_and_few_rows(browser: Browser, passkey: SoftKey):
    for _ in range(requests.MOST_WAITING + 20):
        started(browser, "sign-in")
    assert not Session.objects.exists()
    assert PasskeyRequest.objects.count() == requests.MOST_WAITING
    answer = alone(browser, passkey)
    assert answer.status_code == 200
    assert not browser.cookies["postern_passkey"].value


def test_forged_request_cookie_is_refused(browser: Browser, passkey: SoftKey):
    credential = passkey.show(started(browser, "sign-in"))
    signed = browser.cookies["postern_passkey"].value
    for forged in ("", "x", signed.partition(":")[0], signed[:-1] + ("A" if signed[-1] != "A" else "B")):
        browser.cookies["postern_passkey"] = forged
        assert shown(browser, "sign-in", credential).json()["error"] == "passkey_lapsed"
    browser.cookies["postern_passkey"] = signed
    twin = Browser()
    twin.get(f"{API}sign-in/")
    twin.cookies["postern_passkey"] = signed
    assert shown(browser, "sign-in", credential).status_code == 200
    assert shown(twin, "sign-in", credential).json()["error"] == "passkey_lapsed", "one answer"


# --- the address of the console ---


def test_changed_host_name_voids_passkeys_and_still_requires_a_factor(browser: Browser, ann: User, passkey: SoftKey):
    prefer("SITE_URL", "https://bastion.example.com")
    challenge = browser.sign_in("ann").json()
    assert (challenge["error"], challenge["data"]["choices"]) == ("mfa_required", ["recovery"])
    assert "恢复码" in challenge["msg"]
    codes = list(RecoveryCode.objects.filter(user=ann))
    RecoveryCode.objects.all().delete()
    without_choices = Browser().sign_in("ann").json()
    assert (without_choices["error"], without_choices["data"]["choices"]) == ("mfa_required", [])
    assert "管理员重置" in without_choices["msg"]
    RecoveryCode.objects.bulk_create(codes)
    refused = browser.post(f"{KEYS}challenge/start/")
    assert (refused.status_code, refused.json()["code"]) == (400, "no_passkey_here")
    assert browser.post(f"{OTP}enrol/start/").status_code == 400  # the password alone cannot set up a factor
    moved = alone(Browser(), passkey, origin="https://bastion.example.com", rp_id="bastion.example.com")
    assert moved.json()["error"] == "passkey_failed"
    prefer("SITE_URL", ORIGIN)
    browser.sign_in("ann")
    assert second_step(browser, passkey).status_code == 200


@pytest.mark.parametrize(
    ("url", "word"),
    [("https://192.0.2.7", "host name"), ("http://[::1]:8080", "host name"), ("http://bastion.example.com", "https")],
)
def test_address_without_support_for_passkeys_is_reported(browser: Browser, ann: User, url: str, word: str):
    prefer("SITE_URL", url)
    browser.sign_in("ann")
    state = browser.get(KEYS, HTTP_ACCEPT_LANGUAGE="en").json()
    assert (state["origin"], word in state["problem"]) == (url, True)
    browser.post(PASSWORD_VERIFY, {"password": PASSWORD})
    refused = browser.post(f"{KEYS}enrol/start/", HTTP_HOST="localhost")
    assert (refused.status_code, refused.json()["code"]) == (400, "passkeys_unusable")
    assert Browser().post(f"{KEYS}sign-in/start/").status_code in {400, 403}


def test_host_header_is_ignored(browser: Browser, ann: User, passkey: SoftKey):
    browser.get(f"{API}sign-in/")
    answer = browser.post(f"{KEYS}sign-in/start/", HTTP_HOST="127.0.0.1")
    assert answer.json()["publicKey"]["rpId"] == "localhost"


def test_administrators_see_how_many_passkeys_a_new_host_name_voids(
    browser: Browser, ann: User, passkey: SoftKey, make_person: Callable[..., User]
):
    make_person("root", role="Admin")
    browser.sign_in("root")
    assert browser.get(f"{KEYS}in-use/").json() == {"host": "localhost", "number": 1}


# --- messages ---


@pytest.mark.parametrize(
    ("language", "added", "removed"),
    [
        ("en", "A passkey was added to your account", "A passkey was removed from your account"),
        ("zh-hans", "你的账号添加了通行密钥", "你的账号移除了通行密钥"),
    ],
)
def test_owner_gets_a_message_about_each_change(browser: Browser, ann: User, language: str, added: str, removed: str):
    User.objects.filter(pk=ann.pk).update(language=language)
    browser.sign_in("ann")
    browser.post(PASSWORD_VERIFY, {"password": PASSWORD})
    key = SoftKey()
    make(browser, key, "<b>desk</b>")
    outbox.drain()
    first = SiteMessage.objects.get()
    assert (first.subject, "&lt;b&gt;desk&lt;/b&gt;" in first.message, "192.0.2.10" in first.message) == (
        added,
        True,
        True,
    )
    assert browser.delete(f"{KEYS}{stored(key).pk}/").status_code == 204
    outbox.drain()
    assert SiteMessage.objects.latest("date_created").subject == removed
