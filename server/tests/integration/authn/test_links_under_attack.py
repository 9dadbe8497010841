"""A lock caused by strangers does not prevent the owner from setting a new password with a link."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from factories.browser import PASSWORD, Browser
from postern.apps.authn.models import KnownPlace, SignInGuard
from postern.apps.authn.sign_in.actions import sign_in
from postern.apps.users.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_waits")]
AWAY, STRANGER = "198.51.100.7", "203.0.113.9"


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sign_in, "check_password", lambda password, _encoded: password == PASSWORD)


def attack() -> None:
    """Make wrong attempts with Ann's name, each from a different address."""
    for number in range(7):
        Browser(f"203.0.113.{number}").sign_in("ann", "wrong")


SET = "/api/v1/authentication/set-password/"
RESET = "violet anchor eighteen"


@pytest.fixture
def link(ann: User, as_admin: APIClient) -> str:
    answer = as_admin.post(f"/api/v1/users/users/{ann.pk}/access/reset/")
    return str(answer.json()["set_password_link"]["url"].partition("#")[2])


def redeem(browser: Browser, token: str) -> Any:
    browser.get("/api/v1/authentication/sign-in/")
    return browser.post(SET, {"token": token, "new_password": RESET})


def test_strangers_do_not_block_a_password_link_or_the_sign_in_after_it(link: str, monkeypatch: pytest.MonkeyPatch):
    attack()
    browser = Browser(AWAY)
    assert redeem(browser, link).status_code == 200
    monkeypatch.setattr(sign_in, "check_password", lambda password, _encoded: password == RESET)
    assert Browser(STRANGER).sign_in("ann", RESET).json()["error"] == "block_login", "the lock of everybody else stands"
    assert Browser(AWAY).sign_in("ann", RESET).status_code == 200, "the address is known"
    browser.defaults["REMOTE_ADDR"] = "198.51.100.99"
    assert browser.sign_in("ann", RESET).status_code == 200, "the browser is known"


def test_invalid_link_counts_for_the_address_and_never_for_its_owner(link: str, monkeypatch: pytest.MonkeyPatch):
    """A used link from an old mail must not lock the account, and sends no message about a lock."""
    assert redeem(Browser(AWAY), link).status_code == 200
    answers = [redeem(Browser(STRANGER), link).json() for _ in range(36)]
    assert {answer.get("code") for answer in answers[:35]} == {"link_invalid"}
    assert answers[35]["error"] == "block_login"
    assert not SignInGuard.objects.filter(kind="account").exists()
    monkeypatch.setattr(sign_in, "check_password", lambda password, _encoded: password == RESET)
    assert Browser("198.51.100.99").sign_in("ann", RESET).status_code == 200


def test_place_does_not_become_known_when_the_link_was_refused(ann: User, link: str):
    browser = Browser(AWAY)
    browser.get("/api/v1/authentication/sign-in/")
    assert browser.post(SET, {"token": link, "new_password": "short"}).status_code == 400
    assert not KnownPlace.objects.exists()
    assert not [name for name in browser.cookies if name.startswith("postern_device_")]
