"""Overload: a password comparison gets no slot. The response is 503, and the attempt is neither counted nor logged as a
refusal.
"""

import fcntl
import os
from collections.abc import Iterator

import msgspec
import pytest
from django.conf import settings
from django.test import Client

from factories.browser import PASSWORD, Browser
from factories.proxy_client import Proxy
from postern.apps.authn.models import SignInGuard
from postern.apps.users.credentials import hashing
from postern.apps.users.models import User
from postern.contracts import access
from postern.contracts.enums import LoginFrom
from postern.foundation.machine.private_files import private_folder

pytestmark = pytest.mark.django_db
OWN_PASSWORD = "/api/v1/users/profile/password/"


@pytest.fixture
def no_room(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Other processes of this machine occupy every slot for hashing."""
    monkeypatch.setattr(hashing, "_WAIT_S", 0.05)
    folder = private_folder(settings.POSTERN.run_dir)
    descriptors = [os.open(folder / f"hashing-{number}.lock", os.O_RDWR | os.O_CREAT, 0o600) for number in range(2)]
    for descriptor in descriptors:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def failures() -> set[int]:
    return set(SignInGuard.objects.values_list("failures", flat=True))


def test_overload_refuses_a_console_sign_in_with_try_again(browser: Browser, ann: User, no_room: None) -> None:
    for _ in range(10):
        answer = browser.sign_in("ann")
        assert answer.status_code == 503
        assert answer["Retry-After"]
        assert answer.json()["code"] == "unavailable"
    assert failures() <= {0}


def test_overload_refuses_a_proxy_sign_in_with_try_again(client: Client, ann: User, no_room: None) -> None:
    proxy = Proxy(client)
    request = access.SignInPassword(
        username="ann", password="wrong", remote_addr="192.0.2.9", login_from=LoginFrom.SSH_TERMINAL
    )
    for _ in range(10):
        answer = proxy.post(access.SIGN_IN_PASSWORD, msgspec.json.encode(request))
        assert answer.status_code == 503
        assert answer["Retry-After"]
    assert failures() <= {0}


def test_overload_does_not_reset_earlier_failures(browser: Browser, ann: User, request: pytest.FixtureRequest) -> None:
    """Otherwise an attacker could cause overload and guess without a limit."""
    for _ in range(3):
        browser.sign_in("ann", "wrong")
    assert failures() == {3}
    request.getfixturevalue("no_room")
    browser.sign_in("ann", "wrong")
    assert failures() == {3}


def test_overload_refuses_a_new_password_with_try_again(browser: Browser, ann: User, request: pytest.FixtureRequest):
    browser.sign_in("ann")
    request.getfixturevalue("no_room")
    body = {
        "old_password": PASSWORD,
        "new_password": "emerald harbour twenty",
        "new_password_again": "emerald harbour twenty",
    }
    assert browser.put(OWN_PASSWORD, body).status_code == 503
    before = ann.password
    ann.refresh_from_db()
    assert ann.password == before
