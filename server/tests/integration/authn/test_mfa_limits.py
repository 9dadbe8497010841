"""Wrong codes from all sources count for the account and for all accounts together.

K6: guesses are counted wherever they come from.
"""

from collections.abc import Callable

import pytest

from factories.browser import PASSWORD, Browser
from factories.second_factor import App
from factories.ssh_proof import PROXY_ID
from postern.apps.authn import facade
from postern.apps.authn.lock_out import mfa_guard
from postern.apps.authn.models import GuardKind, SignInGuard
from postern.apps.users.models import User
from postern.contracts.enums import DenialCode, LoginFrom
from postern.kernel import clock

CHALLENGE = "/api/v1/authentication/mfa/challenge/"
VERIFY = "/api/v1/authentication/otp/verify/"
pytestmark = pytest.mark.django_db


@pytest.fixture
def app(ann: User) -> App:
    return App(ann)


def guess(address: str, code: str, username: str = "ann") -> str:
    """Sign in with a wrong code from the given address. Returns the error code of the response."""
    browser = Browser(address)
    browser.sign_in(username)
    return str(browser.post(CHALLENGE, {"code": code}).json().get("error"))


@pytest.mark.spec("S5-014")
def test_k6_wrong_codes_from_all_addresses_lock_the_account(browser: Browser, app: App):
    under_way = Browser("192.0.2.77")
    under_way.sign_in("ann")
    ssh = facade.check_password(
        username="ann", password=PASSWORD, remote_addr="192.0.2.9", login_from=LoginFrom.SSH_TERMINAL, proxy_id=PROXY_ID
    )
    assert ssh.second_factor is not None
    slugs = [guess(f"192.0.2.{number}", app.wrong()) for number in range(1, 6)]
    assert slugs == ["mfa_failed"] * 4 + ["block_mfa"]
    for code in ({"code": app.code()}, {"code": "12345"}, {"code": app.recovery[0], "type": "recovery"}):
        assert under_way.post(CHALLENGE, code).json()["error"] == "block_mfa", "not even the right one"
    answer = facade.sign_in_with_code(
        token=ssh.second_factor.token, code=app.code(), remote_addr="192.0.2.9", proxy_id=PROXY_ID
    )
    assert answer.denial is not None
    assert answer.denial.code is DenialCode.LOCKED


@pytest.mark.spec("S5-014")
def test_lock_by_wrong_codes_refuses_before_the_password_is_checked(app: App):
    for number in range(1, 6):
        guess(f"192.0.2.{number}", app.wrong())
    right, wrong = Browser("192.0.2.8").sign_in("ann"), Browser("192.0.2.9").sign_in("ann", "wrong")
    assert right.json() == wrong.json()
    assert right.json()["error"] == "block_login"
    by_ssh = [
        facade.check_password(
            username="ann",
            password=password,
            remote_addr="192.0.2.9",
            login_from=LoginFrom.SSH_TERMINAL,
            proxy_id=PROXY_ID,
        )
        for password in (PASSWORD, "wrong")
    ]
    assert by_ssh[0] == by_ssh[1]
    assert by_ssh[0].denial is not None
    assert by_ssh[0].denial.code is DenialCode.LOCKED


@pytest.mark.spec("S5-014")
def test_wrong_codes_in_a_session_count_and_the_session_continues(browser: Browser, app: App):
    browser.sign_in("ann")
    browser.post(CHALLENGE, {"code": app.code()})
    answers = [browser.post(VERIFY, {"code": app.wrong()}).json()["code"] for _ in range(6)]
    assert answers == ["mfa_failed"] * 4 + ["block_mfa"] * 2
    assert browser.get("/api/v1/users/profile/").status_code == 200


def test_wrong_recovery_codes_count_like_wrong_codes(app: App):
    browser = Browser()
    browser.sign_in("ann")
    body = {"code": "aaaa-bbbb-cccc-dddd", "type": "recovery"}
    slugs = [browser.post(CHALLENGE, body).json()["error"] for _ in range(5)]
    assert slugs == ["mfa_failed"] * 4 + ["block_mfa"]


def test_sign_in_accepts_at_most_five_codes(app: App):
    browser = Browser()
    browser.sign_in("ann")
    slugs = []
    for _ in range(6):
        SignInGuard.objects.all().delete()
        slugs.append(browser.post(CHALLENGE, {"code": app.wrong()}).json()["error"])
    assert slugs == ["mfa_failed"] * 5 + ["session_empty"]
    assert browser.post(CHALLENGE, {"code": app.code()}).json()["error"] == "session_empty"


def test_lock_ends_the_sign_in_that_caused_it(app: App):
    browser = Browser()
    browser.sign_in("ann")
    for _ in range(5):
        browser.post(CHALLENGE, {"code": app.wrong()})
    SignInGuard.objects.all().delete()
    assert browser.post(CHALLENGE, {"code": app.code()}).json()["error"] == "session_empty"


def test_malformed_codes_do_not_count(app: App):
    browser = Browser()
    browser.sign_in("ann")
    for code in ("", "12345", "abcdef"):
        browser.post(CHALLENGE, {"code": code})
    assert not SignInGuard.objects.filter(kind=GuardKind.MFA).exists()


def test_right_code_resets_the_count_and_consecutive_locks_are_longer(app: App, ann: User):
    guess("192.0.2.1", app.wrong())
    browser = Browser()
    browser.sign_in("ann")
    browser.post(CHALLENGE, {"code": app.code()})
    row = SignInGuard.objects.get(kind=GuardKind.MFA)
    assert (row.failures, row.locks) == (0, 0)
    minutes = []
    for _ in range(2):
        for number in range(5):
            guess(f"192.0.2.{number}", app.wrong())
        row.refresh_from_db()
        assert row.date_locked_until is not None
        minutes.append(round((row.date_locked_until - clock.now()).total_seconds() / 60))
        SignInGuard.objects.filter(pk=row.pk).update(date_locked_until=clock.now())
    assert minutes == [30, 60]


@pytest.mark.spec("S5-014")
def test_k6_wrong_codes_of_all_accounts_together_are_limited(
    app: App, make_person: Callable[..., User], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(mfa_guard, "ALL_LIMIT", 6)
    wrong = app.wrong()
    for name in ("bob", "cat", "dan"):
        App(make_person(name))
        for number in range(2):
            guess(f"192.0.2.{number}", wrong, name)
    browser = Browser()
    browser.sign_in("ann")
    assert browser.post(CHALLENGE, {"code": app.code()}).json()["error"] == "block_mfa"
    SignInGuard.objects.filter(kind=GuardKind.MFA_ALL).update(date_locked_until=clock.now())
    assert browser.post(CHALLENGE, {"code": app.code()}).status_code == 200


def test_administrator_unlocks_the_codes_together_with_the_account(
    app: App, ann: User, make_person: Callable[..., User]
):
    for number in range(5):
        guess(f"192.0.2.{number}", app.wrong())
    make_person("root", role="Admin")
    admin = Browser()
    admin.sign_in("root")
    path = f"/api/v1/users/users/{ann.pk}/"
    assert admin.get(path).json()["login_blocked"] is True
    assert admin.patch(f"{path}unblock/").status_code == 200
    assert admin.get(path).json()["login_blocked"] is False
    browser = Browser()
    browser.sign_in("ann")
    assert browser.post(CHALLENGE, {"code": app.code()}).status_code == 200
