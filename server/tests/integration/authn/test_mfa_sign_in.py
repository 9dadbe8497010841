"""Sign-in with a second factor in a browser, for an API token and at a proxy."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pyotp
import pytest
from rest_framework.test import APIClient

from factories.browser import PASSWORD, Browser
from factories.second_factor import App
from factories.ssh_proof import PROXY_ID
from postern.apps.audits.models import LoginLog
from postern.apps.authn import facade, housekeeping
from postern.apps.authn.models import BearerToken, LoginSession, PendingSignIn
from postern.apps.preferences.models import PreferenceValue
from postern.apps.users.models import User
from postern.contracts.access import SignInAnswer
from postern.contracts.enums import DenialCode, LoginFrom
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock

PROFILE = "/api/v1/users/profile/"
CHALLENGE = "/api/v1/authentication/mfa/challenge/"
START = "/api/v1/authentication/otp/enrol/start/"
CONFIRM = "/api/v1/authentication/otp/enrol/confirm/"
TOKENS = "/api/v1/authentication/auth/"
pytestmark = pytest.mark.django_db


@pytest.fixture
def app(ann: User) -> App:
    return App(ann)


def force_for(value: int) -> None:
    PreferenceValue.objects.update_or_create(name="SECURITY_MFA_AUTH", defaults={"value": value})


# --- browser ---


@pytest.mark.spec("S1-051")
def test_only_users_with_mfa_are_asked_for_a_code(browser: Browser, app: App, make_person: Callable[..., User]):
    make_person("bob")
    other = Browser()
    assert other.sign_in("bob").json()["next"] == "/ui/"
    assert other.get(PROFILE).status_code == 200
    answer = browser.sign_in("ann")
    assert answer.status_code == 200
    body = answer.json()
    assert (body["error"], body["data"]["url"]) == ("mfa_required", CHALLENGE)
    assert "code" in body["data"]["choices"]
    assert browser.get(PROFILE).status_code == 401


def test_code_completes_the_sign_in_and_redirects_to_next(browser: Browser, app: App):
    browser.sign_in("ann", next="/ui/users/profile")
    answer = browser.post(CHALLENGE, {"code": app.code()})
    assert answer.status_code == 200
    assert answer.json() == {"msg": "ok", "next": "/ui/users/profile", "must_change_password": False}
    assert browser.get(PROFILE).json()["username"] == "ann"
    assert LoginSession.objects.get().mfa


def test_session_key_changes_at_each_step(browser: Browser, app: App):
    browser.get("/api/v1/authentication/sign-in/")
    browser.sign_in("ann")
    half = browser.cookies["sessionid"].value
    browser.post(CHALLENGE, {"code": app.code()})
    assert browser.cookies["sessionid"].value != half
    stale = Browser()
    stale.cookies["sessionid"] = half
    assert stale.get(PROFILE).status_code == 401


@pytest.mark.spec("S5-011", "S5-012", "S8-020", "S9-044")
@pytest.mark.parametrize("code", ["", "1", "12345", "1234567", "abcdef", "１２３４５６", "12 456"])
def test_code_that_is_not_six_digits_is_an_mfa_error(browser: Browser, app: App, code: str):
    browser.sign_in("ann")
    answer = browser.post(CHALLENGE, {"code": code}, HTTP_ACCEPT_LANGUAGE="en")
    assert answer.status_code == 400
    assert answer.json() == {"error": "mfa_failed", "msg": "MFA Error, please check"}
    assert browser.get(PROFILE).status_code == 401


@pytest.mark.spec("S5-013")
def test_code_is_accepted_once(browser: Browser, app: App):
    code = app.code()
    browser.sign_in("ann")
    assert browser.post(CHALLENGE, {"code": code}).status_code == 200
    other = Browser("192.0.2.77")
    other.sign_in("ann")
    answer = other.post(CHALLENGE, {"code": code})
    assert (answer.status_code, answer.json()["error"]) == (400, "mfa_failed")


@pytest.mark.spec("S5-013")
def test_code_of_an_earlier_time_step_is_refused_after_a_later_one(browser: Browser, app: App):
    browser.sign_in("ann")
    assert browser.post(CHALLENGE, {"code": app.code(steps=1)}).status_code == 200
    other = Browser()
    other.sign_in("ann")
    assert other.post(CHALLENGE, {"code": app.code()}).status_code == 400


@pytest.mark.parametrize(("steps", "status"), [(-3, 400), (0, 200), (3, 400)])
def test_code_of_one_time_step_earlier_or_later_is_accepted(browser: Browser, app: App, steps: int, status: int):
    browser.sign_in("ann")
    assert browser.post(CHALLENGE, {"code": app.code(steps=steps)}).status_code == status


def test_recovery_code_is_accepted_once_instead_of_a_code(browser: Browser, app: App):
    browser.sign_in("ann")
    typed = app.recovery[3].upper().replace("-", " ")
    assert browser.post(CHALLENGE, {"code": typed, "type": "recovery"}).status_code == 200
    other = Browser()
    other.sign_in("ann")
    assert other.post(CHALLENGE, {"code": typed, "type": "recovery"}).status_code == 400
    assert other.post(CHALLENGE, {"code": app.recovery[4], "type": "recovery"}).status_code == 200


def test_challenge_without_a_pending_sign_in_is_refused(browser: Browser, app: App):
    browser.get("/api/v1/authentication/sign-in/")
    answer = browser.post(CHALLENGE, {"code": app.code()})
    assert (answer.status_code, answer.json()["error"]) == (400, "session_empty")


def test_k27_pending_sign_in_belongs_to_one_user(browser: Browser, app: App, make_person: Callable[..., User]):
    bob = make_person("bob")
    his = App(bob)
    browser.sign_in("ann")
    browser.sign_in("bob")
    assert browser.post(CHALLENGE, {"code": app.code()}).status_code == 400
    assert browser.post(CHALLENGE, {"code": his.code()}).status_code == 200
    assert browser.get(PROFILE).json()["username"] == "bob"


def test_k27_pending_sign_in_ends_with_the_password_and_with_time(browser: Browser, app: App, ann: User):
    browser.sign_in("ann")
    User.objects.filter(pk=ann.pk).update(session_epoch=9)
    assert browser.post(CHALLENGE, {"code": app.code()}).json()["error"] == "session_empty"
    browser.sign_in("ann")
    PendingSignIn.objects.update(date_expired=clock.now())
    assert browser.post(CHALLENGE, {"code": app.code()}).json()["error"] == "session_empty"


def test_account_disabled_between_the_factors_is_refused(browser: Browser, app: App, ann: User):
    browser.sign_in("ann")
    User.objects.filter(pk=ann.pk).update(date_expired=clock.now())
    assert browser.post(CHALLENGE, {"code": app.code()}).json()["error"] == "user_expired"
    assert browser.get(PROFILE).status_code == 401


def test_k64_challenge_of_a_browser_needs_the_csrf_token(browser: Browser, app: App):
    browser.sign_in("ann")
    answer = browser.post(CHALLENGE, {"code": app.code()}, HTTP_X_CSRFTOKEN="")
    assert answer.status_code == 403
    assert browser.get(PROFILE).status_code == 401


def test_login_log_records_the_second_factor(browser: Browser, app: App, make_person: Callable[..., User]):
    make_person("bob")
    Browser().sign_in("bob")
    browser.sign_in("ann")
    browser.post(CHALLENGE, {"code": app.wrong()})
    browser.post(CHALLENGE, {"code": app.code()})
    rows = sorted(LoginLog.objects.values_list("username", "status", "mfa", "reason"))
    assert rows == [("ann", False, 1, "mfa_failed"), ("ann", True, 1, ""), ("bob", True, 0, "")]


# --- forced, and not set up yet ---


def _enrol(browser: Browser) -> dict[str, Any]:
    started = browser.post(START).json()
    answer = browser.post(CONFIRM, {"code": pyotp.TOTP(started["secret"]).now()})
    assert answer.status_code == 200, answer.content
    body: dict[str, Any] = answer.json()
    return body


@pytest.mark.parametrize("level", [1, 2])
def test_user_who_needs_an_app_sets_it_up_while_signing_in(browser: Browser, ann: User, level: int):
    User.objects.filter(pk=ann.pk).update(mfa_level=level)
    body = browser.sign_in("ann", next="/ui/assets").json()
    assert (body["error"], body["data"]["url"]) == ("mfa_unset", START)
    assert browser.get(PROFILE).status_code == 401
    done = _enrol(browser)
    assert (len(done["recovery_codes"]), done["next"], done["msg"]) == (10, "/ui/assets", "ok")
    assert browser.get(PROFILE).json()["username"] == "ann"
    assert Browser().sign_in("ann").json()["error"] == "mfa_required"


def test_password_alone_does_not_replace_an_app(browser: Browser, app: App):
    browser.sign_in("ann")
    assert browser.post(START).json()["error"] == "session_empty"
    assert browser.post(CONFIRM, {"code": app.code()}).json()["error"] == "session_empty"
    assert browser.get(PROFILE).status_code == 401


@pytest.mark.parametrize(("setting", "expected"), [(0, set()), (1, {"adm", "org", "use"}), (2, {"adm", "org"})])
def test_setting_requires_mfa_of_everybody_or_of_administrators(
    make_person: Callable[..., User], setting: int, expected: set[str]
):
    make_person("adm", role="Admin")
    make_person("org", org_role="Admin")
    make_person("use")
    force_for(setting)
    forced = {name for name in ("adm", "org", "use") if Browser().sign_in(name).json().get("error") == "mfa_unset"}
    assert forced == expected


@pytest.mark.parametrize("value", [2, "2"])
def test_setting_is_changed_over_the_settings_api(make_person: Callable[..., User], value: object):
    App(make_person("root", role="Admin"))
    make_person("chief", role="Admin")
    admin = Browser()
    admin.sign_in("chief")
    answer = admin.patch("/api/v1/settings/setting/?category=security", {"SECURITY_MFA_AUTH": value})
    assert answer.status_code == 200
    assert admin.get(PROFILE).status_code == 401, "made without a second factor"
    assert Browser().sign_in("chief").json()["error"] == "mfa_unset"
    assert Browser().sign_in("root").json()["error"] == "mfa_required"


def test_k51_requiring_mfa_ends_sign_ins_without_it(browser: Browser, ann: User):
    browser.sign_in("ann")
    token = APIClient().post(TOKENS, {"username": "ann", "password": PASSWORD}).json()["token"]
    bearer = APIClient(HTTP_AUTHORIZATION=f"Bearer {token}")
    assert (browser.get(PROFILE).status_code, bearer.get(PROFILE).status_code) == (200, 200)
    force_for(1)
    assert (browser.get(PROFILE).status_code, bearer.get(PROFILE).status_code) == (401, 401)
    # A redirect to `next` would loop, because the browser no longer has a session.
    assert "Location" not in browser.get("/core/auth/login/"), "the sign-in page, because nobody is signed in"


# --- tokens ---


def test_token_needs_the_code_in_the_same_session(app: App):
    client = APIClient()
    wanted = {"username": "ann", "password": PASSWORD}
    first = client.post(TOKENS, wanted)
    assert (first.status_code, first.json()["error"]) == (200, "mfa_required")
    assert client.post(TOKENS, wanted).status_code == 200, "no token before the code"
    assert client.post(CHALLENGE, {"code": app.code()}).json() == {"msg": "ok"}
    stranger = APIClient()
    assert stranger.post(TOKENS, wanted).json()["error"] == "mfa_required"
    done = client.post(TOKENS, wanted)
    assert done.status_code == 201
    assert BearerToken.objects.get().mfa
    assert client.post(TOKENS, wanted).json()["error"] == "mfa_required", "one code, one token"


def test_token_still_needs_the_password_after_the_code(app: App, make_person: Callable[..., User]):
    make_person("bob")
    client = APIClient()
    client.post(TOKENS, {"username": "ann", "password": PASSWORD})
    client.post(CHALLENGE, {"code": app.code()})
    assert client.post(TOKENS, {"username": "ann", "password": "wrong"}).status_code == 400
    User.objects.filter(username="bob").update(mfa_level=2)
    assert client.post(TOKENS, {"username": "bob", "password": PASSWORD}).json()["error"] == "mfa_unset"
    assert not BearerToken.objects.exists()


# --- proxies ---


def _ssh(password: str = PASSWORD) -> SignInAnswer:
    return facade.check_password(
        username="ann", password=password, remote_addr="192.0.2.9", login_from=LoginFrom.SSH_TERMINAL, proxy_id=PROXY_ID
    )


def test_proxy_gets_no_user_before_the_code(app: App):
    first = _ssh()
    assert first.user is None
    assert first.second_factor is not None
    token = first.second_factor.token
    elsewhere = facade.sign_in_with_code(token=token, code=app.code(), remote_addr="198.51.100.1", proxy_id=PROXY_ID)
    assert elsewhere.user is None
    wrong = facade.sign_in_with_code(token=token, code=app.wrong(), remote_addr="192.0.2.9", proxy_id=PROXY_ID)
    assert wrong.denial is not None
    assert wrong.denial.code is DenialCode.MFA_FAILED
    right = facade.sign_in_with_code(token=token, code=app.code(), remote_addr="192.0.2.9", proxy_id=PROXY_ID)
    assert right.user is not None
    assert right.user.username == "ann"
    app.forget_used()
    again = facade.sign_in_with_code(token=token, code=app.code(), remote_addr="192.0.2.9", proxy_id=PROXY_ID)
    assert again.user is None, "one first factor, one sign-in"


def test_proxy_accepts_a_recovery_code(app: App):
    first = _ssh()
    assert first.second_factor is not None
    answer = facade.sign_in_with_code(
        token=first.second_factor.token, code=app.recovery[0], remote_addr="192.0.2.9", proxy_id=PROXY_ID
    )
    assert answer.user is not None


def test_proxy_token_is_not_stored_and_is_invalid_in_a_browser(browser: Browser, app: App):
    first = _ssh()
    assert first.second_factor is not None
    assert not PendingSignIn.objects.filter(token_hash=first.second_factor.token).exists()
    assert first.second_factor.token not in repr(first)
    browser.get("/api/v1/authentication/sign-in/")
    assert browser.post(CHALLENGE, {"code": app.code()}).json()["error"] == "session_empty"


def test_proxy_gets_the_denial_that_an_app_must_be_set_up(ann: User):
    User.objects.filter(pk=ann.pk).update(mfa_level=2, language="en")
    answer = _ssh()
    assert answer.denial is not None
    assert answer.denial.code is DenialCode.MFA_UNSET
    assert "Sign in to the console" in answer.denial.message


def test_expired_pending_sign_ins_are_deleted(app: App):
    _ssh()
    PendingSignIn.objects.update(date_expired=clock.now() - timedelta(seconds=1))
    housekeeping.forget_old(actor=SYSTEM)
    assert not PendingSignIn.objects.exists()
