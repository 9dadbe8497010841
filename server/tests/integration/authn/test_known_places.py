"""A lock caused by strangers does not lock out the owner: known devices and addresses have their own counters."""

import argparse
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.conf import settings
from rest_framework.test import APIClient

from factories.browser import PASSWORD, Browser
from factories.ssh_proof import PROXY_ID
from postern.apps.audits.models import AuditEvent
from postern.apps.authn import facade
from postern.apps.authn.known_places import places
from postern.apps.authn.lock_out.events import AccountLocked, AccountUnlocked
from postern.apps.authn.models import KnownPlace, SignInGuard
from postern.apps.authn.sign_in.actions import sign_in
from postern.apps.notifications import notices, own_notices
from postern.apps.notifications.models import SiteMessageReceipt
from postern.apps.users.models import User
from postern.contracts.enums import LoginFrom
from postern.entrypoints import user_commands
from postern.kernel import clock

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_waits")]
HOME, AWAY, STRANGER = "192.0.2.10", "198.51.100.7", "203.0.113.9"


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sign_in, "check_password", lambda password, _encoded: password == PASSWORD)


def attack(times: int = 7) -> None:
    """Make wrong attempts with Ann's name, each from a different address."""
    for number in range(times):
        Browser(f"203.0.113.{number % 250}").sign_in("ann", "wrong")


def restarted(browser: Browser, address: str) -> Browser:
    """The same browser after a restart: without its session, with its persistent cookies, and at the given address."""
    later = Browser(address)
    for name, cookie in browser.cookies.items():
        if name.startswith("postern_device_"):
            later.cookies[name] = cookie.value
    return later


@pytest.fixture
def own(ann: User) -> Browser:
    browser = Browser(HOME)
    assert browser.sign_in("ann").status_code == 200
    return browser


def test_owner_signs_in_with_a_known_device_during_an_attack(own: Browser):
    for _ in range(5):
        attack()
        assert restarted(own, AWAY).sign_in("ann").status_code == 200
        assert Browser(STRANGER).sign_in("ann").json()["error"] == "block_login", "the lock of everybody else stands"


def test_owner_signs_in_from_a_known_address_during_an_attack(own: Browser):
    attack()
    assert Browser(HOME).sign_in("ann").status_code == 200
    assert Browser(AWAY).sign_in("ann").json()["error"] == "block_login"
    at = {"username": "ann", "password": PASSWORD, "login_from": LoginFrom.SSH_TERMINAL, "proxy_id": PROXY_ID}
    assert facade.check_password(remote_addr=HOME, **at).user is not None
    assert facade.check_password(remote_addr=STRANGER, **at).denial is not None


def test_address_of_an_ssh_sign_in_becomes_known(ann: User):
    at = {"username": "ann", "password": PASSWORD, "login_from": LoginFrom.SSH_TERMINAL, "proxy_id": PROXY_ID}
    assert facade.check_password(remote_addr=AWAY, **at).user is not None
    attack()
    assert facade.check_password(remote_addr=AWAY, **at).user is not None


def test_known_device_does_not_wait_because_of_its_neighbours(own: Browser, make_person: Callable[..., User]):
    for number in range(35):
        Browser(HOME).sign_in(f"name{number}", "wrong")
    make_person("bob")
    assert Browser(HOME).sign_in("bob").json()["error"] == "block_login", "Bob was never here"
    assert restarted(own, HOME).sign_in("ann").status_code == 200


def test_known_place_waits_longer_after_each_failure_until_a_right_password(own: Browser):
    attack()
    for wait_s in (60, 300, 1500, 3600):
        before = clock.now()
        assert restarted(own, AWAY).sign_in("ann", "wrong").json()["error"] == "block_login"
        answered = clock.now()
        assert restarted(own, AWAY).sign_in("ann").json()["error"] == "block_login", (
            "not even the right one while it waits"
        )
        row = KnownPlace.objects.get(kind="device")
        assert row.date_locked_until is not None
        assert before <= row.date_locked_until - timedelta(seconds=wait_s) <= answered
        KnownPlace.objects.update(date_locked_until=clock.now() - timedelta(seconds=1))
    assert restarted(own, AWAY).sign_in("ann").status_code == 200
    assert KnownPlace.objects.get(kind="device").failures == 0


def test_strangers_cannot_use_up_the_tries_of_a_known_place(own: Browser):
    attack(40)
    assert KnownPlace.objects.filter(failures__gt=0).count() == 0


def test_device_cookie_is_signed_http_only_and_for_one_user(own: Browser, make_person: Callable[..., User]):
    (name, cookie), *more = [item for item in own.cookies.items() if item[0].startswith("postern_device_")]
    assert more == []
    assert cookie["httponly"]
    assert cookie["samesite"] == "Strict"
    assert "ann" not in name + cookie.value
    make_person("bob")
    assert Browser(AWAY).sign_in("bob").status_code == 200
    attack()
    for text in (cookie.value[:-2] + "xx", cookie.value.partition(":")[0], "", "é:é", "x" * 4000):
        forged = Browser(AWAY)
        forged.cookies[name] = text
        assert forged.sign_in("ann").json()["error"] == "block_login"
    # Bob's cookie with the name of Ann's cookie is refused, too.
    bob = Browser(HOME)
    bob.sign_in("bob")
    taken = next(value.value for key, value in bob.cookies.items() if key.startswith("postern_device_"))
    forged = Browser(AWAY)
    forged.cookies[name] = taken
    assert forged.sign_in("ann").json()["error"] == "block_login"


def test_password_reset_forgets_all_known_places(own: Browser, ann: User, as_admin: APIClient):
    assert as_admin.put(f"/api/v1/users/users/{ann.pk}/password/", {"password": PASSWORD + " x"}).status_code == 200
    attack()
    for browser in (restarted(own, AWAY), Browser(HOME)):
        assert browser.sign_in("ann").json()["error"] == "block_login"


def test_own_password_change_keeps_this_device_and_forgets_the_others(own: Browser, ann: User):
    other = Browser(AWAY)
    other.sign_in("ann")
    new = "emerald harbour twenty"
    body = {"old_password": PASSWORD, "new_password": new, "new_password_again": new}
    assert own.put("/api/v1/users/profile/password/", body).status_code == 200
    attack()
    ann.refresh_from_db()
    assert [place.kind for place in places.find("ann", HOME)] == ["address"]
    assert restarted(own, STRANGER).sign_in("ann").status_code == 200
    assert restarted(other, AWAY).sign_in("ann").json()["error"] == "block_login"


def test_shared_browser_keeps_only_a_few_device_cookies(make_person: Callable[..., User]):
    browser = Browser()
    for number in range(12):
        make_person(f"clerk{number}")
        assert browser.sign_in(f"clerk{number}").status_code == 200
    device_cookies = [
        key for key, cookie in browser.cookies.items() if key.startswith("postern_device_") and cookie.value
    ]
    assert len(device_cookies) <= 8


def test_unlocking_notifies_the_user_and_is_audited(own: Browser, ann: User, as_admin: APIClient):
    attack()
    restarted(own, AWAY).sign_in("ann", "wrong")
    assert as_admin.get(f"/api/v1/users/users/{ann.pk}/").json()["login_blocked"] is True
    assert as_admin.patch(f"/api/v1/users/users/{ann.pk}/unblock/").json()["login_blocked"] is False
    assert Browser(STRANGER).sign_in("ann").status_code == 200
    assert restarted(own, AWAY).sign_in("ann").status_code == 200


def test_list_of_users_can_be_filtered_by_locked_out(ann: User, as_admin: APIClient):
    path = "/api/v1/users/users/?login_blocked=1"
    assert as_admin.get(path).json() == []
    attack()
    assert [row["username"] for row in as_admin.get(path).json()] == ["ann"]


def test_locked_users_are_listed_with_the_end_of_the_lock_and_unlocked(
    ann: User, make_person: Callable[..., User], as_admin: APIClient
):
    path = "/api/v1/users/users/locked/?all=1"
    make_person("bea")
    assert as_admin.get(path).json() == []
    attack()
    (row,) = as_admin.get(path).json()
    assert sorted(row) == ["can_unlock", "date_locked_until", "id", "name", "username"]
    assert (row["id"], row["username"], row["can_unlock"]) == (str(ann.pk), "ann", True)
    until = datetime.strptime(row["date_locked_until"], "%Y/%m/%d %H:%M:%S %z")
    assert timedelta(minutes=29) < until - clock.now() <= timedelta(minutes=30)
    assert as_admin.patch(f"/api/v1/users/users/{ann.pk}/unblock/?all=1").status_code == 200
    assert as_admin.get(path).json() == []


def test_locked_users_of_other_organizations_are_not_listed(
    make_person: Callable[..., User], as_org_admin: APIClient, as_admin: APIClient
):
    make_person("ann", org_role=None)
    member = make_person("bea", org_role="User")
    for name in ("ann", "bea"):
        for _ in range(7):
            Browser(STRANGER).sign_in(name, "wrong")
    assert {row["username"] for row in as_admin.get("/api/v1/users/users/locked/?all=1").json()} == {"ann", "bea"}
    for query in ("", "?all=1"):
        rows = as_org_admin.get(f"/api/v1/users/users/locked/{query}").json()
        assert [(row["username"], row["can_unlock"]) for row in rows] == [("bea", True)]
    assert as_org_admin.patch(f"/api/v1/users/users/{member.pk}/unblock/").status_code == 200


def test_users_are_not_offered_to_lift_their_own_lock(as_admin: APIClient):
    for _ in range(7):
        Browser(STRANGER).sign_in("adam", "wrong")
    rows = as_admin.get("/api/v1/users/users/locked/?all=1").json()
    assert [(row["username"], row["can_unlock"]) for row in rows] == [("adam", False)]


def test_locked_addresses_are_listed_and_unlocked_by_super_administrators(
    ann: User, as_admin: APIClient, as_org_admin: APIClient
):
    path = "/api/v1/authentication/locked-addresses/"
    for number in range(35):
        Browser(STRANGER).sign_in(f"name{number}", "wrong")
    assert as_org_admin.get(path).status_code == 403
    assert [row["address"] for row in as_admin.get(path).json()] == [STRANGER]
    assert Browser(STRANGER).sign_in("ann").json()["error"] == "block_login"
    assert as_org_admin.post(f"{path}unlock/", {"address": STRANGER}).status_code == 403
    assert as_admin.post(f"{path}unlock/", {"address": STRANGER}).status_code == 200
    assert as_admin.get(path).json() == []
    assert Browser(STRANGER).sign_in("ann").status_code == 200
    assert as_admin.post(f"{path}unlock/", {"address": STRANGER}).status_code == 404


def test_guard_reveals_no_names(ann: User):
    attack()
    assert not SignInGuard.objects.filter(kind="account").exclude(address="").exists()


def run_command(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers()

    def add(name: str, command: user_commands.Command) -> argparse.ArgumentParser:
        added = commands.add_parser(name)
        added.set_defaults(run=command)
        return added

    user_commands.add_to(add, lambda: None)
    parsed = parser.parse_args(arguments)
    return int(parsed.run(parsed, settings.POSTERN))


def test_command_line_unlocks_users_and_addresses(ann: User, capsys: pytest.CaptureFixture[str]):
    attack()
    for number in range(35):
        Browser(STRANGER).sign_in(f"name{number}", "wrong")
    assert run_command("locked") == 0
    printed = capsys.readouterr().out
    assert "account ann until " in printed
    assert f"address {STRANGER} until" in printed
    assert run_command("unlock", "ann", "--address", STRANGER) == 0
    assert Browser(STRANGER).sign_in("ann").status_code == 200
    assert run_command("locked") == 0
    assert capsys.readouterr().out.endswith("may sign in again\nno account and no address is locked\n")
    assert run_command("unlock", "nobody") == 1
    assert run_command("unlock") == 2
    events = AuditEvent.objects.filter(event__in=["sign_in.unlocked", "sign_in.address_unlocked"])
    assert {event.user for event in events} == {"System"}


def test_owner_is_notified_of_lock_and_unlocking_in_their_language(ann: User):
    User.objects.filter(pk=ann.pk).update(language="en")
    locked = AccountLocked(username="ann", remote_addr=STRANGER, minutes=30, user_id=ann.pk)
    unlocked = AccountUnlocked(user_id=ann.pk, username="ann", by="Adam(adam)", at=clock.now())
    for _ in range(2):  # the event may be delivered twice
        notices.on_account_locked(locked)
        own_notices.on_account_unlocked(unlocked)
    own = SiteMessageReceipt.objects.filter(user=ann).order_by("message__subject")
    assert [row.message.subject for row in own] == ["Sign-ins to your account are locked", "Your account was unlocked"]
    assert "Adam(adam)" in own[1].message.message


def tries_within(minutes: int, monkeypatch: pytest.MonkeyPatch, attempts: list[Callable[[], str]]) -> int:
    """Repeat all `attempts` as fast as possible. Returns the number of wrong passwords that were checked within
    `minutes`.
    """
    looked_at: list[str] = []
    monkeypatch.setattr(sign_in, "check_password", lambda password, _encoded: bool(looked_at.append(password)))
    start = clock.now()
    for seconds in range(0, minutes * 60, 10):
        monkeypatch.setattr(clock, "now", lambda seconds=seconds: start + timedelta(seconds=seconds))
        for attempt in attempts:
            while attempt() == "password_failed":
                pass
    return len(looked_at)


@pytest.mark.any_database  # repeats the SQL statements of the other tests thousands of times
def test_strangers_and_a_known_place_together_have_ten_tries_in_half_an_hour(
    own: Browser, monkeypatch: pytest.MonkeyPatch
):
    attempts: list[Callable[[], str]] = [
        lambda: str(Browser(STRANGER).sign_in("ann", "wrong").json()["error"]),
        lambda: str(restarted(own, HOME).sign_in("ann", "wrong").json()["error"]),
        lambda: str(Browser(HOME).sign_in("ann", "wrong").json()["error"]),
    ]
    assert tries_within(30, monkeypatch, attempts) <= 10
    KnownPlace.objects.update(failures=0, date_locked_until=None)
    SignInGuard.objects.all().delete()
    assert tries_within(30, monkeypatch, list(reversed(attempts))) <= 10


def test_known_device_at_a_known_address_counts_at_both_and_a_right_password_resets_both(own: Browser):
    attack()
    assert restarted(own, HOME).sign_in("ann", "wrong").json()["error"] == "block_login"
    assert list(KnownPlace.objects.values_list("failures", flat=True)) == [1, 1]
    KnownPlace.objects.filter(kind="device").update(date_locked_until=clock.now() - timedelta(seconds=1))
    assert restarted(own, HOME).sign_in("ann").status_code == 200, "the device decides"
    assert list(KnownPlace.objects.values_list("failures", flat=True)) == [0, 0]


def test_known_place_does_not_reveal_that_the_account_exists_before_a_lock(own: Browser):
    """Another person at the owner's address tries the owner's name and an unknown name."""
    for elsewhere in range(2):
        for name in ("ann", "nobody"):
            Browser(f"203.0.113.{elsewhere}").sign_in(name, "wrong")
    for _ in range(4):
        known, unknown = (Browser(HOME).sign_in(name, "wrong").json() for name in ("ann", "nobody"))
        assert known["error"] == "password_failed"
        assert known == unknown
