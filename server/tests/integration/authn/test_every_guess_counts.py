"""Every wrong guess counts for the lock of the account: passwords, signatures and codes, on every way in."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from rest_framework.test import APIClient

from factories.browser import PASSWORD, Browser
from factories.second_factor import App
from factories.signed_request import PROFILE, signed
from factories.ssh_proof import PROXY_ID, make_key, signed_request
from postern.apps.audits.models import AuditEvent
from postern.apps.authn import facade
from postern.apps.authn.authentication import signature_failures
from postern.apps.authn.models import SignInGuard
from postern.apps.authn.sign_in.actions import sign_in
from postern.apps.users.models import User
from postern.contracts.enums import DenialCode, LoginFrom
from postern.kernel import clock

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_waits")]
API = "/api/v1/authentication/"
OWN_PASSWORD = "/api/v1/users/profile/password/"
STRANGER = "203.0.113.77"


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare passwords with a cheap hash, because the tests make many attempts."""
    monkeypatch.setattr(sign_in, "check_password", lambda password, _encoded: password == PASSWORD)


def _old_password(browser: Browser) -> Any:
    body = {
        "old_password": "guess",
        "new_password": "emerald harbour twenty",
        "new_password_again": "emerald harbour twenty",
    }
    return browser.put(OWN_PASSWORD, body)


def _verify(browser: Browser) -> Any:
    return browser.post(f"{API}password/verify/", {"password": "guess"})


@pytest.mark.parametrize("guess", [_old_password, _verify])
def test_k6_current_password_cannot_be_guessed_in_an_open_session(
    browser: Browser, ann: User, guess: Callable[[Browser], Any]
):
    browser.sign_in("ann")
    answers = [guess(browser) for _ in range(150)]
    assert {answer.status_code for answer in answers} == {400}
    assert [answer.json().get("error") for answer in answers].count(None) == 6
    assert {answer.json().get("error") for answer in answers[6:]} == {"block_login"}
    # The lock applies to the account: other clients are refused with right and wrong passwords.
    for password in (PASSWORD, "wrong"):
        assert Browser(STRANGER).sign_in("ann", password).json()["error"] == "block_login"
    assert AuditEvent.objects.filter(event="password.refused").count() == 150
    assert AuditEvent.objects.filter(event="sign_in.locked").count() == 1


def test_locked_account_is_refused_in_the_same_way_on_every_path(ann: User, key: dict[str, str]):
    App(ann)
    ssh_key, line = make_key()
    User.objects.filter(pk=ann.pk).update(public_key=line)
    for number in range(7):
        Browser(f"198.51.100.{number}").sign_in("ann", "wrong")
    assert Browser(STRANGER).sign_in("ann").json()["error"] == "block_login"
    token = APIClient(REMOTE_ADDR=STRANGER).post(f"{API}auth/", {"username": "ann", "password": PASSWORD})
    assert token.json()["error"] == "block_login"
    at = {"username": "ann", "remote_addr": STRANGER, "login_from": LoginFrom.SSH_TERMINAL, "proxy_id": PROXY_ID}
    for answer in (
        facade.check_password(password=PASSWORD, **at),
        facade.sign_in_with_public_key(attempt="1", proof=facade.read_proof(*signed_request(ssh_key, "ann")), **at),
    ):
        assert answer.denial is not None
        assert answer.denial.code is DenialCode.LOCKED
    good = APIClient(REMOTE_ADDR=STRANGER).get(PROFILE, **signed(key["id"], key["secret"]))
    bad = APIClient(REMOTE_ADDR=STRANGER).get(PROFILE, **signed(key["id"], "another secret"))
    assert (good.status_code, good.json()) == (bad.status_code, bad.json())
    assert good.status_code == 401


def test_wrong_signatures_lock_the_account_of_the_key_owner(ann: User, key: dict[str, str]):
    stranger = APIClient(REMOTE_ADDR=STRANGER)
    for _ in range(7):
        assert stranger.get(PROFILE, **signed(key["id"], "another secret")).status_code == 401
    assert Browser(STRANGER).sign_in("ann").json()["error"] == "block_login"
    assert SignInGuard.objects.filter(kind="address", failures__gt=0).count() == 0, "nobody else there is locked out"


def test_repeated_and_late_valid_signatures_are_not_guesses(ann: User, key: dict[str, str]):
    """A program that repeats a request after a lost response, or whose clock is wrong, must not lock the account."""
    program = APIClient(REMOTE_ADDR=STRANGER)
    request = signed(key["id"], key["secret"])
    assert program.get(PROFILE, **request).status_code == 200
    for number in range(8):
        assert program.get(PROFILE, **request).status_code == 401
        late = signed(key["id"], key["secret"], at=clock.now() - timedelta(minutes=10 + number))
        assert program.get(PROFILE, **late).status_code == 401
    path = f"{PROFILE}?again=1"
    assert program.get(path, **signed(key["id"], key["secret"], path)).status_code == 200
    assert Browser("198.51.100.77").sign_in("ann").status_code == 200


def test_programs_of_the_owner_still_work_from_a_known_address(ann: User, key: dict[str, str]):
    server = APIClient(REMOTE_ADDR="198.51.100.200")
    assert server.get(PROFILE, **signed(key["id"], key["secret"])).status_code == 200
    for _ in range(7):
        Browser(STRANGER).sign_in("ann", "wrong")
    path = f"{PROFILE}?again=1"
    assert server.get(path, **signed(key["id"], key["secret"], path)).status_code == 200


_BAD_HEADERS = {
    "not ASCII": 'Signature keyId="{id}",algorithm="hmac-sha256",headers="(request-target) date",signature="\xe9\xe9"',
    "no base64": 'Signature keyId="{id}",algorithm="hmac-sha256",headers="(request-target) date",signature="%%%"',
    "no fields": "Signature hello",
    "empty": "Signature ",
    "huge": "Signature " + "x" * 100_000,
    "wide digits": 'Signature keyId="\u0661{id}",algorithm="hmac-sha256",headers="date",signature="x"',
    "bearer not ASCII": "Bearer \xff\xfe",
    "bearer huge": "Bearer " + "x" * 100_000,
    "bearer unknown": "Bearer made-up",
    "token": "Token \xe9",
    "sign": "Sign \xe9:\xe9",
}


@pytest.mark.parametrize("kind", _BAD_HEADERS)
@pytest.mark.parametrize(
    "date", ["", "Fri, 31 Dec 9999 23:59:59 -2359", "Mon, 01 Jan 0001 00:00:00 +2359", "9" * 400, "\xe9"]
)
def test_malformed_authorization_header_is_a_401_that_counts(
    ann: User, key: dict[str, str], monkeypatch: pytest.MonkeyPatch, kind: str, date: str
):
    counted: list[str] = []
    monkeypatch.setattr(signature_failures, "count", counted.append)
    header = _BAD_HEADERS[kind].format(id=key["id"]) if "{id}" in _BAD_HEADERS[kind] else _BAD_HEADERS[kind]
    answer = APIClient(REMOTE_ADDR=STRANGER).get(PROFILE, HTTP_AUTHORIZATION=header, HTTP_DATE=date)
    assert answer.status_code == 401, answer.content
    assert counted == [STRANGER]


@pytest.mark.parametrize("date", ["Fri, 31 Dec 9999 23:59:59 -2359", "Mon, 01 Jan 0001 00:00:00 +2359", "no date"])
def test_signed_date_at_the_edge_of_the_calendar_is_a_401(ann: User, key: dict[str, str], date: str):
    headers = signed(key["id"], key["secret"])
    answer = APIClient().get(PROFILE, HTTP_AUTHORIZATION=headers["HTTP_AUTHORIZATION"], HTTP_DATE=date)
    assert answer.status_code == 401


@pytest.mark.parametrize("token", ["\xe9" * 40, "x" * 900, "%%%", ""])
def test_malformed_bootstrap_token_is_a_401_that_counts(db: None, monkeypatch: pytest.MonkeyPatch, token: str):
    counted: list[str] = []
    monkeypatch.setattr(signature_failures, "count", counted.append)
    client = APIClient(REMOTE_ADDR=STRANGER)
    answer = client.post(
        "/api/v1/terminal/terminal-registrations/", {"name": "x"}, HTTP_AUTHORIZATION=f"BootstrapToken {token}"
    )
    assert answer.status_code == 401, answer.content
    assert counted == [STRANGER]


def test_invalid_links_count_for_the_address(ann: User, as_admin: APIClient):
    link = as_admin.patch(f"/api/v1/users/users/{ann.pk}/password/reset/").json()["set_password_link"]["url"]
    replaced = link.partition("#")[2]
    assert as_admin.patch(f"/api/v1/users/users/{ann.pk}/password/reset/").status_code == 200
    stranger = Browser("203.0.113.88")
    stranger.get(f"{API}sign-in/")
    tokens = [replaced, *(f"guess-{n}" for n in range(35))]
    body = {"new_password": "emerald harbour twenty"}
    errors = [stranger.post(f"{API}set-password/", {**body, "token": token}).json().get("error") for token in tokens]
    assert errors[:35] == [None] * 35
    assert errors[35] == "block_login"
