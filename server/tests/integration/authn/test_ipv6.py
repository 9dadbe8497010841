"""The addresses of one IPv6 network count as one client. Logs keep the address itself."""

from collections.abc import Callable

import pytest
from django.core.cache import cache
from rest_framework.test import APIClient

from factories.browser import PASSWORD, Browser
from postern.apps.audits.models import LoginLog
from postern.apps.authn.authentication import signature_failures
from postern.apps.authn.sign_in.actions import sign_in
from postern.apps.sessions.terminals import registration
from postern.apps.users.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_waits")]
LOCKED = "/api/v1/authentication/locked-addresses/"


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sign_in, "check_password", lambda password, _encoded: password == PASSWORD)


def test_guesses_from_one_network_lock_only_that_network(ann: User, as_admin: APIClient):
    for number in range(35):
        Browser(f"2001:db8:bad:1::{number + 1:x}").sign_in(f"name{number}", "wrong")
    assert Browser("2001:db8:bad:1:ffff::1").sign_in("ann").json()["error"] == "block_login"
    assert Browser("2001:db8:bad:2::1").sign_in("ann").status_code == 200
    [row] = as_admin.get(LOCKED).json()
    assert row["address"] == "2001:db8:bad:1::/64"
    assert as_admin.post(f"{LOCKED}unlock/", {"address": row["address"]}).status_code == 200
    assert Browser("2001:db8:bad:1:ffff::1").sign_in("ann").status_code == 200


def test_log_contains_the_full_address(ann: User):
    Browser("2001:db8::7").sign_in("ann", "wrong")
    assert LoginLog.objects.get().ip == "2001:db8::7"


def test_network_of_a_completed_sign_in_becomes_known(ann: User):
    assert Browser("2001:db8::1").sign_in("ann").status_code == 200
    for number in range(7):
        Browser(f"203.0.113.{number}").sign_in("ann", "wrong")
    assert Browser("2001:db8::2").sign_in("ann").status_code == 200
    assert Browser("2001:db8:0:1::2").sign_in("ann").json()["error"] == "block_login"


@pytest.mark.parametrize(
    "refused",
    [
        lambda address: signature_failures.count(address) is not None,
        lambda address: (
            registration.count_failure(address, of_all=False),
            not registration.tries_are_left(address, of_all=False),
        )[1],
    ],
)
def test_refused_tokens_of_one_network_are_counted_together(refused: Callable[[str], bool]):
    cache.clear()
    assert any(refused(f"2001:db8::{number + 1:x}") for number in range(40))
