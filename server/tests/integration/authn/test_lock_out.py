from collections.abc import Callable
from datetime import timedelta

import pytest
from rest_framework.test import APIClient

from factories.browser import PASSWORD, Browser
from factories.hearing import Hearing
from factories.ssh_proof import PROXY_ID
from postern.apps.authn import facade
from postern.apps.authn.lock_out import guard
from postern.apps.authn.lock_out.events import AccountLocked
from postern.apps.authn.lock_out.lockout import LockRules
from postern.apps.authn.models import SignInGuard
from postern.apps.authn.sign_in.actions import sign_in
from postern.apps.users.models import User
from postern.contracts.enums import DenialCode, LoginFrom
from postern.kernel import clock

PROFILE = "/api/v1/users/profile/"
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_waits")]


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare passwords with a cheap hash, because the tests make many attempts."""
    monkeypatch.setattr(sign_in, "check_password", lambda password, _encoded: password == PASSWORD)


def fail(times: int, username: str = "ann", address: str = "192.0.2.10") -> list[str]:
    return [Browser(address).sign_in(username, "wrong").json()["error"] for _ in range(times)]


def test_k6_account_is_locked_after_seven_failures(ann: User):
    assert fail(7) == ["password_failed"] * 6 + ["block_login"]
    refused = Browser().sign_in("ann")
    assert refused.status_code == 400
    assert refused.json()["error"] == "block_login"
    assert "30" in refused.json()["msg"]


def test_row_deleted_by_a_concurrent_unlock_is_created_again(ann: User, monkeypatch: pytest.MonkeyPatch):
    fail(3)

    class Before:
        """Both rows exist for the first query. A concurrent unlock of the account then deletes its row."""

        def tuples(self, **_keys: str) -> list[tuple[int]]:
            SignInGuard.objects.filter(kind="account").delete()
            return [(1,), (2,)]

    monkeypatch.setattr(guard, "_known_rows", Before)
    assert fail(1) == ["password_failed"]
    assert SignInGuard.objects.get(kind="account").failures == 1
    assert SignInGuard.objects.get(kind="address").failures == 4


def test_k9_lock_of_the_account_does_not_depend_on_the_address(ann: User):
    for number in range(7):
        fail(1, address=f"192.0.2.{number + 1}")
    assert Browser("198.51.100.7").sign_in("ann").json()["error"] == "block_login"


@pytest.mark.parametrize("header", ["HTTP_X_FORWARDED_FOR", "HTTP_X_REAL_IP", "HTTP_FORWARDED"])
def test_k9_forged_address_headers_change_nothing(ann: User, header: str):
    for number in range(35):
        browser = Browser("203.0.113.5")
        browser.get("/api/v1/authentication/sign-in/")
        body = {"username": f"name{number}", "password": "wrong"}
        browser.post("/api/v1/authentication/sign-in/", body, **{header: f"10.0.0.{number}"})
    assert Browser("203.0.113.5").sign_in("ann").json()["error"] == "block_login"
    assert Browser("203.0.113.6").sign_in("ann").status_code == 200


def test_lock_of_unknown_names_looks_the_same(ann: User):
    known, unknown = fail(8, "ann"), fail(8, "nobody", address="192.0.2.11")
    assert known == unknown


def test_owner_of_an_open_session_is_not_locked_out(ann: User):
    browser = Browser()
    browser.sign_in("ann")
    fail(8, address="203.0.113.9")
    assert Browser("203.0.113.10").sign_in("ann").json()["error"] == "block_login"
    assert browser.get(PROFILE).status_code == 200


def test_lock_expires(ann: User):
    fail(7)
    SignInGuard.objects.update(date_locked_until=clock.now() - timedelta(seconds=1))
    assert Browser().sign_in("ann").status_code == 200


def test_right_password_resets_earlier_failures(ann: User):
    fail(6)
    assert Browser().sign_in("ann").status_code == 200
    assert fail(6) == ["password_failed"] * 6


def test_lock_is_published_after_the_commit(
    ann: User, hear: Hearing, django_capture_on_commit_callbacks: Callable[..., object]
):
    published = hear(AccountLocked)
    with django_capture_on_commit_callbacks(execute=True):
        fail(7)
    assert [(event.username, event.minutes) for event in published] == [("ann", 30)]


@pytest.mark.spec("S9-049")
def test_lock_count_and_minutes_are_settings(ann: User, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(guard, "lock_rules", lambda: LockRules(limit_count=3, limit_time_min=5))
    assert fail(3) == ["password_failed"] * 2 + ["block_login"]
    locked_until = SignInGuard.objects.get(kind="account").date_locked_until
    assert locked_until is not None
    assert abs(locked_until - clock.now() - timedelta(minutes=5)) < timedelta(minutes=2)


def test_administrator_sees_and_lifts_the_lock(ann: User, as_org_admin: APIClient):
    fail(7)
    row = as_org_admin.get(f"/api/v1/users/users/{ann.pk}/").json()
    assert row["login_blocked"] is True
    opened = as_org_admin.patch(f"/api/v1/users/users/{ann.pk}/unblock/")
    assert opened.status_code == 200
    assert opened.json()["login_blocked"] is False
    assert Browser().sign_in("ann").status_code == 200


def test_ssh_and_web_share_the_count(ann: User):
    for _ in range(7):
        facade.check_password(
            username="ann",
            password="wrong",
            remote_addr="203.0.113.1",
            login_from=LoginFrom.SSH_TERMINAL,
            proxy_id=PROXY_ID,
        )
    answer = facade.check_password(
        username="ann",
        password=PASSWORD,
        remote_addr="203.0.113.2",
        login_from=LoginFrom.SSH_TERMINAL,
        proxy_id=PROXY_ID,
    )
    assert answer.denial is not None
    assert answer.denial.code is DenialCode.LOCKED
    assert Browser().sign_in("ann").json()["error"] == "block_login"


def test_guard_table_stores_no_names(ann: User):
    fail(1, "my-password-in-the-wrong-box")
    assert not [row for row in SignInGuard.objects.all() if "password" in row.key_hash]
