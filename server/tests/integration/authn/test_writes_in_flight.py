"""A write is not stored when the account was reset, or its sign-in ended, after the request began."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from rest_framework.request import Request
from rest_framework.test import APIClient

from factories.browser import PASSWORD, Browser
from factories.second_factor import App
from factories.signed_request import PROFILE, signed
from postern.apps.authn.models import AccessKey, LoginSession, RecoveryCode, TotpDevice
from postern.apps.authn.sign_in.actions import present_password
from postern.apps.users.credentials import kinds as credentials
from postern.apps.users.credentials.actions import passwords
from postern.apps.users.models import SetPasswordLink, User
from postern.foundation import installation
from postern.foundation.rest.views import PosternView
from postern.kernel import clock

pytestmark = pytest.mark.django_db(transaction=True)

USERS = "/api/v1/users/users/"
KEYS = "/api/v1/authentication/access-keys/"
OTP = "/api/v1/authentication/otp/"
SET = "/api/v1/authentication/set-password/"
OWN_PASSWORD = "/api/v1/users/profile/password/"
NEW = "emerald harbour twenty"
SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDwUdw3+KEWMpiB7RLPzuLsRM8ZaEIGDTIcDYIYz1v9p laptop"


@pytest.fixture(autouse=True)
def _installed(transactional_db: None) -> None:
    """Restore the rows of a new installation, because tests with real transactions empty the tables."""
    installation.run()


@dataclass
class Interruption:
    """Runs another request in another thread after the next request to `path` was authenticated."""

    path: str = ""
    act: Callable[[], Any] | None = None
    answers: list[Any] = field(default_factory=list)

    def during(self, path: str, act: Callable[[], Any]) -> None:
        self.path, self.act = path, act

    def come(self, path: str) -> None:
        act = self.act
        if act is None or path != self.path:
            return
        self.act = None
        in_thread(lambda: self.answers.append(act()))


def in_thread(work: Callable[[], Any]) -> None:
    def run() -> None:
        try:
            work()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(run).result(timeout=120)


@pytest.fixture
def interruption(monkeypatch: pytest.MonkeyPatch) -> Interruption:
    interrupted = Interruption()
    initial = PosternView.initial

    def initial_and_more(self: PosternView, request: Request, *args: Any, **kwargs: Any) -> None:
        initial(self, request, *args, **kwargs)  # authenticates and authorizes the request
        interrupted.come(request.path)

    monkeypatch.setattr(PosternView, "initial", initial_and_more)
    return interrupted


@pytest.fixture
def thief(ann: User) -> Browser:
    """A browser that is signed in as Ann and has recently entered her password."""
    browser = Browser()
    assert browser.sign_in("ann").status_code == 200
    LoginSession.objects.update(date_password_verified=clock.now())
    return browser


def reset_by(admin: APIClient, user: User) -> Callable[[], str]:
    """Reset all access of the account as an administrator. Returns the token of the set-password link."""

    def act() -> str:
        answer = admin.post(f"{USERS}{user.pk}/access/reset/")
        assert answer.status_code == 200, answer.content
        return str(answer.json()["set_password_link"]["url"].partition("#")[2])

    return act


def owner_sets_a_password(token: str) -> None:
    browser = Browser("203.0.113.1")
    browser.get("/api/v1/authentication/sign-in/")
    answer = browser.post(SET, {"token": token, "new_password": "violet anchor eighteen"})
    assert answer.status_code == 200, answer.content


def holdings(user: User) -> dict[str, object]:
    """All credentials with which a thief could sign in again or lock the owner out."""
    row = User.objects.get(pk=user.pk)
    return {
        "password": row.password,
        "public_key": row.public_key,
        "phone": row.phone,
        "mfa_level": row.mfa_level,
        "access_keys": sorted(AccessKey.objects.filter(user=user, is_active=True).values_list("pk", flat=True)),
        "apps": sorted(TotpDevice.objects.filter(user=user).values_list("pk", "date_confirmed")),
        "recovery_codes": sorted(RecoveryCode.objects.filter(user=user).values_list("code_hash", flat=True)),
    }


_WRITES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "own SSH keys": ("put", "/api/v1/users/profile/public-key/", {"public_key": SSH_KEY}),
    "a generated SSH key": ("post", "/api/v1/users/profile/public-key/generate/", {}),
    "profile with an SSH key": ("patch", PROFILE, {"public_key": SSH_KEY}),
    "phone number": ("patch", PROFILE, {"phone": "123456"}),
    "MFA level": ("patch", PROFILE, {"mfa_level": 1}),
    "an access key": ("post", KEYS, {}),
    "an authenticator app": ("post", f"{OTP}enrol/start/", {}),
}


@pytest.mark.parametrize("name", _WRITES)
def test_writes_of_a_thief_are_not_stored_after_a_reset_of_the_account(
    thief: Browser, ann: User, as_org_admin: APIClient, interruption: Interruption, name: str
):
    method, path, body = _WRITES[name]
    reset = reset_by(as_org_admin, ann)
    interruption.during(path, lambda: (reset(), holdings(ann)))
    answer = getattr(thief, method)(path, body, format="json")
    assert (answer.status_code, answer.json()["code"]) == (401, "not_authenticated")
    [(token, expected)] = interruption.answers
    assert holdings(ann) == expected
    owner_sets_a_password(token)


def test_password_change_that_waits_for_hashing_is_refused_after_a_reset(
    thief: Browser, ann: User, as_org_admin: APIClient, monkeypatch: pytest.MonkeyPatch
):
    reset, tokens = reset_by(as_org_admin, ann), list[str]()
    ask = present_password.require

    def ask_and_wait(**arguments: Any) -> None:
        ask(**arguments)
        in_thread(lambda: tokens.append(reset()))

    monkeypatch.setattr(present_password, "require", ask_and_wait)
    body = {"old_password": PASSWORD, "new_password": NEW, "new_password_again": NEW}
    answer = thief.put(OWN_PASSWORD, body, format="json")
    assert (answer.status_code, answer.json()["code"]) == (401, "not_authenticated")
    assert Browser().sign_in("ann", NEW).status_code == 400
    owner_sets_a_password(tokens[0])


def test_access_key_that_waits_for_the_reset_is_not_created(
    thief: Browser, ann: User, as_org_admin: APIClient, interruption: Interruption, monkeypatch: pytest.MonkeyPatch
):
    """The thief requests a key after the reset has deleted the keys and before it commits."""
    has_ended, goes_on = threading.Event(), threading.Event()
    end = credentials.end

    def end_and_wait(*args: Any, **kwargs: Any) -> dict[str, int]:
        ended = end(*args, **kwargs)
        has_ended.set()
        assert goes_on.wait(timeout=60)
        return ended

    monkeypatch.setattr(credentials, "end", end_and_wait)
    administrator = threading.Thread(target=lambda: (reset_by(as_org_admin, ann)(), connection.close()))

    def begin_reset() -> None:
        administrator.start()
        assert has_ended.wait(timeout=60)
        goes_on.set()

    interruption.during(KEYS, begin_reset)
    answer = thief.post(KEYS)
    administrator.join(timeout=60)
    assert answer.status_code == 401
    assert not AccessKey.objects.exists()


def test_bearer_token_and_access_key_create_no_key_after_the_reset(
    thief: Browser, ann: User, as_org_admin: APIClient, interruption: Interruption
):
    key = thief.post(KEYS).json()
    token = APIClient().post("/api/v1/authentication/auth/", {"username": "ann", "password": PASSWORD}).json()["token"]
    interruption.during(KEYS, reset_by(as_org_admin, ann))
    answer = APIClient().post(KEYS, HTTP_AUTHORIZATION=f"Bearer {token}")
    assert answer.status_code == 401
    owner_sets_a_password(interruption.answers[0])
    assert not AccessKey.objects.exists()
    thief = Browser()
    assert thief.sign_in("ann", "violet anchor eighteen").status_code == 200
    key = thief.post(KEYS).json()
    interruption.during(KEYS, reset_by(as_org_admin, ann))
    assert APIClient().post(KEYS, **signed(key["id"], key["secret"], KEYS, method="post")).status_code == 401
    assert not AccessKey.objects.exists()


def test_disabled_key_is_not_enabled_after_a_reset(
    thief: Browser, ann: User, as_org_admin: APIClient, interruption: Interruption
):
    key = thief.post(KEYS).json()
    path = f"{KEYS}{key['id']}/"
    assert thief.patch(path, {"is_active": False}, format="json").status_code == 200
    interruption.during(path, reset_by(as_org_admin, ann))
    assert thief.patch(path, {"is_active": True}, format="json").status_code in {401, 404}
    assert not AccessKey.objects.exists()


@pytest.mark.parametrize("name", ["disable", "recovery-codes"])
def test_second_factor_is_not_changed_after_a_reset(
    thief: Browser, ann: User, as_org_admin: APIClient, interruption: Interruption, name: str
):
    app = App(ann)
    LoginSession.objects.update(mfa=True)
    before, path = holdings(ann), f"{OTP}{name}/"
    interruption.during(path, reset_by(as_org_admin, ann))
    assert thief.post(path, {"code": app.code()}, format="json").status_code == 401
    after = holdings(ann)
    assert (after["apps"], after["recovery_codes"]) == (before["apps"], before["recovery_codes"])


def test_app_is_not_confirmed_after_an_administrator_reset_the_second_factor(
    thief: Browser, ann: User, as_org_admin: APIClient, interruption: Interruption
):
    """This reset ends the sign-ins without a new password, so the sign-in must be checked again."""
    begun = thief.post(f"{OTP}enrol/start/", {}, format="json")
    assert begun.status_code == 200, begun.content

    def reset_factor() -> None:
        assert as_org_admin.post(f"{USERS}{ann.pk}/otp/reset/").status_code == 200
        # The reset deletes the unconfirmed app, but the same browser starts another one at the same time.
        TotpDevice.objects.create(user=ann)

    path = f"{OTP}enrol/confirm/"
    interruption.during(path, reset_factor)
    answer = thief.post(path, {"code": "123456"}, format="json")
    assert answer.status_code == 401
    assert not TotpDevice.objects.filter(date_confirmed__isnull=False).exists()


def test_sign_in_that_its_owner_ended_creates_no_key(thief: Browser, ann: User, interruption: Interruption):
    owner = Browser("198.51.100.7")
    assert owner.sign_in("ann").status_code == 200
    [row] = [row for row in owner.get("/api/v1/authentication/login-sessions/").json() if not row["is_current"]]
    interruption.during(KEYS, lambda: owner.delete(f"/api/v1/authentication/login-sessions/{row['id']}/"))
    assert thief.post(KEYS).status_code == 401
    assert [answer.status_code for answer in interruption.answers] == [204]
    assert not AccessKey.objects.exists()


def test_expired_sign_in_creates_no_key(thief: Browser, interruption: Interruption):
    interruption.during(KEYS, lambda: LoginSession.objects.update(date_expired=clock.now() - timedelta(seconds=1)))
    assert thief.post(KEYS).status_code == 401
    assert not AccessKey.objects.exists()


@pytest.fixture
def suspected_admin(make_person: Callable[..., User]) -> tuple[User, Browser]:
    user = make_person("otto", org_role="Admin")
    browser = Browser()
    assert browser.sign_in("otto").status_code == 200
    return user, browser


@pytest.mark.parametrize(
    "write",
    [
        ("put", "password/", {"password": NEW}),
        ("patch", "password/reset/", {}),
        ("patch", "", {"public_key": SSH_KEY}),
        ("patch", "", {"password": NEW}),
        ("post", "access/reset/", {}),
    ],
)
def test_running_request_of_a_reset_administrator_changes_no_credentials_of_others(
    suspected_admin: tuple[User, Browser],
    ann: User,
    as_admin: APIClient,
    interruption: Interruption,
    write: tuple[str, str, dict[str, str]],
):
    (otto, browser), (method, suffix, body) = suspected_admin, write
    before, path = holdings(ann), f"{USERS}{ann.pk}/{suffix}"
    interruption.during(path, reset_by(as_admin, otto))
    answer = getattr(browser, method)(path, body, format="json")
    assert answer.status_code == 401, answer.content
    assert holdings(ann) == before
    assert not SetPasswordLink.objects.filter(user=ann).exists()


@pytest.mark.parametrize("count", [1, 3], ids=["one", "an array"])
def test_reset_administrator_creates_no_user_while_passwords_are_hashed(
    suspected_admin: tuple[User, Browser], as_admin: APIClient, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    suspect, browser = suspected_admin
    hashed: list[str] = []
    make_password = passwords.make_password

    def reset_at_the_first(text: str) -> str:
        hashed.append(text)
        if len(hashed) == 1:
            in_thread(reset_by(as_admin, suspect))
        return make_password(text)

    monkeypatch.setattr(passwords, "make_password", reset_at_the_first)
    people = [
        {
            "name": f"back {number}", "username": f"back{number}", "email": f"back{number}@example.com",
            "password_strategy": "custom", "password": "emerald harbour twenty",
        }
        for number in range(count)
    ]  # fmt: skip
    browser.post(USERS, people[0] if count == 1 else people, format="json")
    assert hashed
    assert not User.objects.filter(username__startswith="back").exists()


def test_links_that_a_reset_administrator_made_for_others_are_invalid(
    suspected_admin: tuple[User, Browser], ann: User, as_admin: APIClient
):
    otto, browser = suspected_admin
    answer = browser.patch(f"{USERS}{ann.pk}/password/reset/", {}, format="json")
    token = answer.json()["set_password_link"]["url"].partition("#")[2]
    reset_by(as_admin, otto)()
    stranger = Browser("203.0.113.1")
    stranger.get("/api/v1/authentication/sign-in/")
    assert stranger.post(SET, {"token": token, "new_password": NEW}).json()["code"] == "link_invalid"


def test_own_password_change_is_stored_and_keeps_the_sign_in_without_a_reset(thief: Browser, ann: User):
    body = {"old_password": PASSWORD, "new_password": NEW, "new_password_again": NEW, "end": ["access_keys"]}
    assert thief.put(OWN_PASSWORD, body, format="json").status_code == 200
    assert thief.get(PROFILE).status_code == 200
    assert Browser().sign_in("ann", NEW).status_code == 200
