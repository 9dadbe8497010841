"""After three wrong passwords the next attempt has to wait 8, 16, 32 … seconds, for existing and unknown names."""

import re
from datetime import timedelta

import pytest

from factories.browser import PASSWORD, Browser
from postern.apps.authn.lock_out import guard, lockout, locks
from postern.apps.authn.lock_out.errors import SignInWaits
from postern.apps.authn.lock_out.lockout import GuardState, LockRules
from postern.apps.authn.sign_in.actions import sign_in
from postern.apps.users.models import User
from postern.kernel import clock

pytestmark = pytest.mark.django_db

HOME, STRANGE = "192.0.2.10", "203.0.113.9"


class Clock:
    """A clock that advances only when a test calls `go_on`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = clock.now()
        monkeypatch.setattr(clock, "now", lambda: self.now)

    def go_on(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def guess(name: str = "ann", password: str = "wrong", browser: Browser | None = None) -> tuple[str, str]:
    body = (browser or Browser(STRANGE)).sign_in(name, password).json()
    return body.get("error", ""), body["msg"]


def numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)]


def test_each_further_failure_doubles_the_wait_until_the_account_is_locked(ann: User, at: Clock) -> None:
    for _ in range(3):
        assert guess()[0] == "password_failed"
        at.go_on(0.5)
    at.go_on(-0.5)
    for seconds in (8, 16, 32, 64):
        error, msg = guess()
        assert (error, numbers(msg)) == ("block_login", [seconds])
        assert guess(password=PASSWORD)[0] == "block_login", "not even compared"
        at.go_on(seconds - 1)
        assert numbers(guess()[1]) == [1]
        at.go_on(1)
        error, _msg = guess()
        assert error == ("password_failed" if seconds < 64 else "block_login")
    assert numbers(guess()[1]) == [30], "minutes: the lock of the settings"


def test_waits_are_the_same_for_unknown_names(ann: User, at: Clock) -> None:
    for _ in range(5):
        assert guess("ann") == guess("nobody")
        at.go_on(3)


def test_waits_at_the_address_of_the_owner_are_those_of_an_unknown_name(ann: User, at: Clock) -> None:
    assert Browser(HOME).sign_in("ann").status_code == 200
    for _ in range(5):
        assert guess("ann", browser=Browser(HOME)) == guess("nobody", browser=Browser(HOME))


def test_guesses_of_strangers_cause_no_wait_on_a_known_device(ann: User, at: Clock) -> None:
    own = Browser(HOME)
    assert own.sign_in("ann").status_code == 200
    for _ in range(4):
        guess()
    assert guess()[0] == "block_login"
    own.post("/api/v1/authentication/sign-out/")
    assert own.sign_in("ann").status_code == 200


def test_right_password_after_the_wait_ends_it(ann: User, at: Clock) -> None:
    for _ in range(3):
        guess()
    at.go_on(8)
    assert Browser(STRANGE).sign_in("ann").status_code == 200
    assert guess(browser=Browser("203.0.113.77"))[0] == "password_failed"


def test_wrong_signatures_count_during_a_wait(ann: User, at: Clock) -> None:
    """They were already checked, so each must count."""
    for _ in range(3):
        guess()
    with pytest.raises(SignInWaits):
        guard.reserve("ann", STRANGE)
    for _ in range(4):
        sign_in.count_refused_signature(ann, STRANGE)
    assert list(locks.locked_accounts(["ann"])) == ["ann"]


def test_concurrent_attempts_cause_no_waits_for_each_other(ann: User, at: Clock) -> None:
    """Programs sign in concurrently. Their attempts are counted in advance, but are right."""
    attempts = [guard.reserve("ann", STRANGE) for _ in range(6)]
    for attempt in attempts:
        guard.release(attempt)
    guard.reserve("ann", STRANGE)


def test_high_limit_still_locks_soon_and_exempts_known_places(ann: User, at: Clock) -> None:
    rules, begun = LockRules(limit_count=20, limit_time_min=30), at.now
    state = GuardState()
    while state.locked_until is None:
        state = lockout.after_attempt(state, limit=rules.limit_count, rules=rules, grows=False, now=at.now)
        at.go_on(lockout.wait_after(state, rules=rules, now=at.now).total_seconds())
    assert at.now - begun < timedelta(minutes=20)
