import dataclasses
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.sessions.models import Session
from django.test import override_settings

from factories.browser import PASSWORD, Browser
from postern.apps.audits.models import LoginLog
from postern.apps.authn.credentials.actions import login_sessions
from postern.apps.authn.models import LoginEnd, LoginSession
from postern.apps.authn.sign_in.actions import sign_in
from postern.apps.users.models import MfaLevel, User
from postern.kernel import clock

PROFILE = "/api/v1/users/profile/"
SIGN_OUT = "/api/v1/authentication/sign-out/"
pytestmark = pytest.mark.django_db


@pytest.mark.spec("S1-046")
def test_sign_in_with_right_password_opens_a_session(browser: Browser, ann: User):
    answer = browser.sign_in("ann")
    assert (answer.status_code, answer.json()) == (200, {"next": "/ui/", "must_change_password": False})
    profile = browser.get(PROFILE)
    assert profile.status_code == 200
    assert profile.json()["username"] == "ann"


def test_sign_in_name_is_compared_without_case(browser: Browser, ann: User):
    assert browser.sign_in("ANN").status_code == 200


def test_sign_in_cookie_is_http_only_and_same_site(browser: Browser, ann: User):
    answer = browser.sign_in("ann")
    cookie = answer.cookies["sessionid"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert cookie["max-age"] == ""  # a session cookie, which ends with the browser


def test_k46_sign_in_cookie_is_secure_on_https(browser: Browser, ann: User):
    with override_settings(SESSION_COOKIE_SECURE=True, CSRF_COOKIE_SECURE=True):
        answer = browser.sign_in("ann")
    assert answer.cookies["sessionid"]["secure"]
    assert answer.cookies["csrftoken"]["secure"]


def test_sign_in_changes_the_session_key(browser: Browser, ann: User):
    session = browser.session
    session["planted"] = "by the attacker"
    session.save()
    planted = session.session_key
    browser.cookies["sessionid"] = planted
    browser.sign_in("ann")
    assert browser.cookies["sessionid"].value != planted
    assert "planted" not in browser.session
    attacker = Browser()
    attacker.cookies["sessionid"] = planted
    assert attacker.get(PROFILE).status_code == 401


def test_session_table_does_not_contain_the_session_key(browser: Browser, ann: User):
    browser.sign_in("ann")
    key = browser.cookies["sessionid"].value
    assert Session.objects.count() == 1
    assert not Session.objects.filter(session_key=key).exists()


def test_k64_sign_in_without_csrf_token_is_refused(ann: User):
    answer = Browser().post("/api/v1/authentication/sign-in/", {"username": "ann", "password": PASSWORD})
    assert answer.status_code == 403
    assert answer.json()["code"] == "permission_denied"


def test_k64_unsafe_call_is_refused_without_the_csrf_header_and_accepted_with_it(browser: Browser, ann: User):
    browser.sign_in("ann")
    without = browser.patch(PROFILE, {"phone": "1"}, HTTP_X_CSRFTOKEN="")
    assert without.status_code == 403
    assert browser.patch(PROFILE, {"phone": "1"}).status_code == 200


def test_unknown_name_and_wrong_password_get_the_same_response(ann: User):
    known = Browser().sign_in("ann", "wrong")
    unknown = Browser().sign_in("bob", "wrong")
    assert known.status_code == unknown.status_code == 400
    assert known.json() == unknown.json()
    assert known.json()["error"] == "password_failed"


def test_sign_in_with_an_unknown_name_takes_as_long_as_with_a_known_one(ann: User, monkeypatch: pytest.MonkeyPatch):
    seen: list[str] = []
    real = sign_in.check_password

    def counted(password: str, encoded: str) -> bool:
        seen.append(encoded.split("$", 2)[1])
        return real(password, encoded)

    monkeypatch.setattr(sign_in, "check_password", counted)
    for name in ("ann", "bob"):
        Browser().sign_in(name, "wrong")
    assert seen == ["argon2id", "argon2id"]


@pytest.mark.usefixtures("product_hash_cost")
def test_dummy_hash_has_the_parameters_of_the_current_hasher():
    assert sign_in.STAND_IN_HASH.rsplit("$", 2)[0] == make_password("x").rsplit("$", 2)[0]


@pytest.mark.parametrize(
    ("columns", "slug"),
    [
        ({"is_active": False}, "user_inactive"),
        ({"date_expired": clock.now() - timedelta(seconds=1)}, "user_expired"),
    ],
)
def test_reason_of_a_refused_account_is_given_only_after_the_right_password(
    make_person: Callable[..., User], columns: dict[str, Any], slug: str
):
    make_person("ann", **columns)
    assert Browser().sign_in("ann", "wrong").json()["error"] == "password_failed"
    refused = Browser().sign_in("ann")
    assert refused.status_code == 400
    assert refused.json()["error"] == slug


def test_sign_in_outcomes_are_in_the_login_log(browser: Browser, ann: User):
    browser.sign_in("ann", "wrong")
    browser.sign_in("ann")
    rows = list(LoginLog.objects.order_by("datetime").values_list("username", "status", "reason", "ip"))
    assert rows == [("ann", False, "password_failed", "192.0.2.10"), ("ann", True, "", "192.0.2.10")]


def test_sign_in_messages_exist_in_both_languages(ann: User):
    browser = Browser()
    browser.cookies["django_language"] = "en"
    assert browser.sign_in("ann", "wrong").json()["msg"].startswith("The username or password")
    browser.cookies["django_language"] = "zh-hans"
    assert "密码" in browser.sign_in("ann", "wrong").json()["msg"]


@pytest.mark.spec("S7-084")
@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"]
)
def test_k12_next_never_redirects_off_site(browser: Browser, ann: User, target: str):
    assert browser.sign_in("ann", next=target).json()["next"] == "/ui/"
    assert browser.get("/core/auth/login/", {"next": target})["Location"] == "/ui/"
    left = browser.get("/core/auth/logout/", {"next": target}, HTTP_SEC_FETCH_SITE="same-origin")
    assert left["Location"] == "/core/auth/login/"


@pytest.mark.spec("S2-010")
@pytest.mark.parametrize("path", ["/login", "/login/", "/core/auth/login/"])
def test_login_page_is_the_sign_in_page_itself_and_sets_the_csrf_cookie(db: None, path: str, tmp_path: Path):
    """A console at another address redirects its users here. `next` redirects them back."""
    (tmp_path / "index.html").write_text("<!doctype html><title>sign in here</title>")
    with mock.patch.object(settings, "POSTERN", replace(settings.POSTERN, console_dist=tmp_path)):
        answer = Browser().get(path, {"next": "/elsewhere/console/"})
    assert answer.status_code == 200
    assert b"sign in here" in answer.content
    assert answer.cookies["csrftoken"].value
    assert "max-age" not in answer["Cache-Control"]


def test_login_page_redirects_a_signed_in_user(browser: Browser, ann: User):
    browser.sign_in("ann")
    for path in ("/core/auth/login/", "/login"):
        assert browser.get(path, {"next": "/ui/users/users"})["Location"] == "/ui/users/users"


@pytest.mark.parametrize(
    ("path", "tab", "dialog"),
    [
        ("otp/enable/start/", "info", "mfa-enable"),
        ("otp/disable/authentication/", "info", "mfa-disable"),
        ("otp/update/", "info", "mfa-update"),
        ("pubkey/generate/", "ssh-key", "key-generate"),
    ],
)
def test_older_pages_of_the_own_account_redirect_to_the_dialogs_of_the_profile(
    db: None, path: str, tab: str, dialog: str
):
    page = f"/core/auth/profile/{path}"
    to = f"/ui/users/profile?activeTab={tab}&dialog={dialog}"
    assert Browser().get(page)["Location"] == to
    assert Browser().get(page, {"next": "/ui/users/users"})["Location"] == f"{to}&next=%2Fui%2Fusers%2Fusers"
    assert Browser().get(page, {"next": "//evil.example"})["Location"] == to
    assert Browser().post(page).status_code in {403, 405}, "nothing is changed by it"


@pytest.mark.parametrize("path", ["/api/v1/authentication/sign-out/", "/vue-admin-template/user/logout"])
@pytest.mark.spec("S7-006")
def test_k40_sign_out_ends_the_session_at_once(browser: Browser, ann: User, path: str):
    browser.sign_in("ann")
    stolen = Browser()
    stolen.cookies["sessionid"] = browser.cookies["sessionid"].value
    assert stolen.get(PROFILE).status_code == 200
    assert browser.post(path).status_code == 200
    assert browser.get(PROFILE).status_code == 401
    assert stolen.get(PROFILE).status_code == 401


def test_sign_out_twice_is_accepted(browser: Browser, ann: User):
    browser.sign_in("ann")
    assert browser.post("/api/v1/authentication/sign-out/").status_code == 200
    assert browser.post("/api/v1/authentication/sign-out/").status_code == 200


def _leave_by_page(browser: Browser) -> None:
    browser.get("/core/auth/logout/", HTTP_SEC_FETCH_SITE="same-origin")


def _leave_by_api(browser: Browser) -> None:
    assert browser.post(SIGN_OUT).status_code == 200


def _sign_in_again(browser: Browser) -> None:
    assert browser.sign_in("ann").json()["error"] == "mfa_unset"


@pytest.mark.parametrize("leave", [_leave_by_page, _leave_by_api, _sign_in_again])
def test_k40_sign_out_ends_a_session_that_the_second_factor_suspends(
    browser: Browser, ann: User, leave: Callable[[Browser], None]
):
    browser.sign_in("ann")
    stolen = Browser()
    stolen.cookies["sessionid"] = browser.cookies["sessionid"].value
    User.objects.filter(pk=ann.pk).update(mfa_level=MfaLevel.FORCED)
    assert browser.get(PROFILE).status_code == 401, "suspended while the factor is mandatory"
    leave(browser)
    User.objects.filter(pk=ann.pk).update(mfa_level=MfaLevel.DISABLED)
    assert (browser.get(PROFILE).status_code, stolen.get(PROFILE).status_code) == (401, 401)
    assert LoginSession.objects.get().end_reason == LoginEnd.SIGNED_OUT


def test_k64_suspended_session_is_not_ended_without_the_csrf_token(browser: Browser, ann: User):
    browser.sign_in("ann")
    User.objects.filter(pk=ann.pk).update(mfa_level=MfaLevel.FORCED)
    assert browser.post(SIGN_OUT, HTTP_X_CSRFTOKEN="").status_code == 403
    assert LoginSession.objects.get().date_ended is None


def test_k64_logout_link_of_another_site_does_not_sign_out(browser: Browser, ann: User):
    browser.sign_in("ann")
    browser.get("/core/auth/logout/", HTTP_SEC_FETCH_SITE="cross-site")
    with override_settings(POSTERN=dataclasses.replace(settings.POSTERN, https=True)):
        browser.get("/core/auth/logout/")
    assert browser.get(PROFILE).status_code == 200
    answer = browser.get("/core/auth/logout/?next=/ui/users/users", HTTP_SEC_FETCH_SITE="same-origin")
    assert answer["Location"] == "/core/auth/login/?next=%2Fui%2Fusers%2Fusers"
    assert browser.get(PROFILE).status_code == 401


def test_k27_signing_in_as_another_user_clears_the_session_of_the_first(
    browser: Browser, ann: User, make_person: Callable[..., User]
):
    make_person("bob")
    browser.sign_in("ann")
    first = browser.cookies["sessionid"].value
    session = browser.session
    session["pending"] = "half a sign-in of ann"
    session.save()
    browser.sign_in("bob")
    assert browser.get(PROFILE).json()["username"] == "bob"
    assert "pending" not in browser.session
    assert LoginSession.objects.get(user=ann).end_reason == "signed_out"
    old = Browser()
    old.cookies["sessionid"] = first
    assert old.get(PROFILE).status_code == 401


def test_session_idle_for_a_day_has_ended(browser: Browser, ann: User):
    browser.sign_in("ann")
    LoginSession.objects.update(date_expired=clock.now())
    assert browser.get(PROFILE).status_code == 401


def test_session_in_use_is_extended_up_to_a_maximum(browser: Browser, ann: User):
    browser.sign_in("ann")
    row = LoginSession.objects.get()
    seen = clock.now() - timedelta(minutes=2)
    LoginSession.objects.update(date_last_seen=seen, date_expired=clock.now() + timedelta(minutes=1))
    browser.get(PROFILE)
    row.refresh_from_db()
    assert row.date_last_seen > seen
    assert row.date_expired > clock.now() + timedelta(hours=23)
    LoginSession.objects.update(date_last_seen=seen, date_created=clock.now() - timedelta(days=7, seconds=-30))
    browser.get(PROFILE)
    row.refresh_from_db()
    assert row.date_expired <= clock.now() + timedelta(seconds=30)


def test_session_row_lasts_as_long_as_the_longest_sign_in(browser: Browser, ann: User):
    browser.sign_in("ann")
    assert Session.objects.get().expire_date > clock.now() + login_sessions.TOTAL_LIMIT - timedelta(minutes=1)


def test_anonymous_request_gets_401_with_code_and_challenge(db: None):
    answer = Browser().get(PROFILE)
    assert answer.status_code == 401
    assert answer.json()["code"] == "not_authenticated"
    assert answer["WWW-Authenticate"]
