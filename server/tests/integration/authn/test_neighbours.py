"""Others at the address of a user (an office, the NAT of a provider) do not lock the user out, and have the same number
of tries as strangers.
"""

import random
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from factories.browser import PASSWORD
from factories.ssh_proof import PROXY_ID, make_key, signed_request
from postern.apps.authn import facade
from postern.apps.authn.errors import SignInRefused
from postern.apps.authn.known_places import places
from postern.apps.authn.lock_out import guard, locks
from postern.apps.authn.lock_out.errors import SignInLocked
from postern.apps.authn.models import GuardKind, KnownPlace, SignInGuard
from postern.apps.authn.sign_in.actions import sign_in
from postern.apps.users.models import User
from postern.contracts.enums import LoginFrom
from postern.kernel import clock

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_waits")]
OFFICE, ELSEWHERE = "192.0.2.50", "198.51.100.9"
HALF_HOUR, DAY = timedelta(minutes=30), timedelta(days=1)


class Clock:
    """A clock that advances only when a test calls `go_on`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = clock.now()
        monkeypatch.setattr(clock, "now", lambda: self.now)

    def go_on(self, **span: float) -> None:
        self.now += timedelta(**span)


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.fixture
def judged(at: Clock, monkeypatch: pytest.MonkeyPatch) -> list[datetime]:
    """The times at which a wrong password was compared."""
    instants: list[datetime] = []

    def compare(password: str, _encoded: str) -> bool:
        if password == PASSWORD:
            return True
        instants.append(at.now)
        return False

    monkeypatch.setattr(sign_in, "check_password", compare)
    return instants


def attempt(username: str = "ann", address: str = OFFICE, *, password: str = "wrong", device: str = "") -> str:
    try:
        sign_in.confirm_password(username=username, password=password, remote_addr=address, device=device)
    except SignInRefused as refused:
        return refused.slug
    return "in"


def text_of_refusal(username: str) -> str:
    with pytest.raises(SignInRefused) as caught:
        sign_in.confirm_password(username=username, password="wrong", remote_addr=OFFICE)
    return str(caught.value)


@pytest.fixture
def known(ann: User, judged: list[datetime]) -> User:
    places.remember_address(ann, OFFICE)
    return ann


@pytest.mark.any_database  # repeats the SQL statements of the other tests thousands of times
def test_hours_of_guesses_by_a_neighbour_do_not_lock_out_the_owner(known: User, at: Clock):
    start = at.now
    while at.now - start < timedelta(hours=6):  # at night, the neighbour guesses as often as possible
        attempt()
        at.go_on(seconds=20)
    waited = at.now
    while attempt(password=PASSWORD) != "in":  # in the morning the owner signs in while the neighbour keeps guessing
        at.go_on(seconds=30)
        attempt()
        at.go_on(seconds=30)
        assert at.now - waited <= timedelta(minutes=31), "no longer than the lock of everybody else"


def test_wait_of_a_known_place_is_ignored_while_the_account_is_not_locked(known: User, at: Clock):
    for _ in range(3):  # locks the account three times; after that the place has to wait an hour
        while attempt() != "block_login":
            pass
        for seconds in (60, 300, 1500):
            at.go_on(seconds=seconds)
            attempt()
    place = KnownPlace.objects.get()
    account = SignInGuard.objects.get(kind=GuardKind.ACCOUNT)
    assert place.date_locked_until is not None
    account.date_locked_until = None
    account.save()
    assert place.date_locked_until > at.now
    assert attempt(password=PASSWORD) == "in"


def test_guesses_of_neighbours_at_other_names_do_not_lock_out_known_users(known: User):
    for number in range(35):
        attempt(f"name{number}")
    assert attempt("nobody") == "block_login", "the address is locked for everybody else"
    assert attempt(password=PASSWORD) == "in"


def test_guesses_at_a_locked_known_address_still_count_for_the_account(known: User, judged: list[datetime]):
    for number in range(35):
        attempt(f"name{number}")
    judged.clear()
    answers = [attempt() for _ in range(20)]
    assert answers == ["password_failed"] * 6 + ["block_login"] * 14
    assert len(judged) == 7


def test_ssh_key_is_not_refused_because_a_neighbour_guesses_passwords(known: User, at: Clock):
    ssh_key, line = make_key()
    User.objects.filter(pk=known.pk).update(public_key=line)
    for number in range(40):
        attempt(f"name{number}")
    for _ in range(400):
        attempt()
        at.go_on(seconds=10)
    assert attempt(password=PASSWORD) == "block_login"
    proof = facade.read_proof(*signed_request(ssh_key, "ann"))
    answer = facade.sign_in_with_public_key(
        username="ann",
        proof=proof,
        attempt="1",
        remote_addr=OFFICE,
        login_from=LoginFrom.SSH_TERMINAL,
        proxy_id=PROXY_ID,
    )
    assert answer.user is not None


def test_ssh_key_is_not_refused_at_an_address_that_others_locked(ann: User, judged: list[datetime]):
    """The user never signed in from this address before."""
    for number in range(40):
        attempt(f"name{number}", ELSEWHERE)
    assert attempt("ann", ELSEWHERE, password=PASSWORD) == "block_login"
    guard.require_open("ann", ELSEWHERE)


def test_account_lock_refuses_keys_from_unknown_addresses_and_code_lock_everywhere(known: User):
    for _ in range(7):
        attempt("ann", ELSEWHERE)
    guard.require_open("ann", OFFICE)
    with pytest.raises(SignInLocked):
        guard.require_open("ann", ELSEWHERE)
    row = guard.locked_row(GuardKind.MFA, locks.key_hash(GuardKind.MFA, "ann"))
    SignInGuard.objects.filter(pk=row.pk).update(date_locked_until=clock.now() + HALF_HOUR)
    with pytest.raises(SignInLocked):
        guard.require_open("ann", OFFICE)


def test_neighbour_cannot_tell_existing_accounts_before_a_lock(known: User, at: Clock):
    """Also over several windows: failures at a known place an hour ago reveal nothing."""
    for _ in range(4):
        assert [text_of_refusal("ann") for _ in range(4)] == [text_of_refusal("nobody") for _ in range(4)]
        at.go_on(minutes=31)


def test_no_more_guesses_than_the_limit_are_checked_around_the_end_of_a_window(
    ann: User, at: Clock, judged: list[datetime]
):
    attempt()
    at.go_on(minutes=29, seconds=50)
    for _ in range(5):
        attempt()
    at.go_on(seconds=12)
    for _ in range(10):
        attempt()
    assert most_within(HALF_HOUR, judged) == 7


def test_uncounted_attempts_leave_no_count(ann: User, at: Clock):
    attempts = [guard.reserve("ann", OFFICE) for _ in range(7)]
    assert SignInGuard.objects.get(kind=GuardKind.ACCOUNT).date_locked_until is not None
    for counted in attempts:
        guard.take_back(counted)
    row = SignInGuard.objects.get(kind=GuardKind.ACCOUNT)
    assert (row.failures, row.locks, row.date_locked_until) == (0, 0, None)
    row = SignInGuard.objects.get(kind=GuardKind.ADDRESS)
    assert (row.failures, row.locks, row.date_locked_until) == (0, 0, None)


def test_uncounted_attempts_leave_a_known_place_unchanged(known: User, at: Clock):
    for _ in range(6):
        attempt()
    counted = guard.reserve("ann", OFFICE)
    assert KnownPlace.objects.get().failures == 1
    guard.take_back(counted)
    place = KnownPlace.objects.get()
    assert (place.failures, place.date_locked_until) == (0, None)
    assert SignInGuard.objects.get(kind=GuardKind.ACCOUNT).failures == 6


def most_within(span: timedelta, instants: list[datetime]) -> int:
    return max(sum(first <= instant < first + span for instant in instants) for first in instants)


def next_change(at: Clock) -> datetime:
    """The end of the next lock or wait."""
    rows = [*SignInGuard.objects.all(), *KnownPlace.objects.all()]
    return min(row.date_locked_until for row in rows if row.date_locked_until and row.date_locked_until > at.now)


def guesses_of_a_day(at: Clock, ways: list[Callable[[], str]], hesitate: Callable[[], float]) -> None:
    """For a day, try all ways until each is refused, then continue when the next lock or wait ends."""
    start = at.now
    while at.now - start < DAY:
        for way in ways:
            while way() == "password_failed":
                pass
        at.now = next_change(at)
        at.go_on(seconds=hesitate())


@pytest.mark.any_database  # repeats the SQL statements of the other tests thousands of times
@pytest.mark.parametrize("seed", range(4))
def test_worst_case_for_one_account_is_10_guesses_in_half_an_hour_and_363_a_day(
    known: User, at: Clock, judged: list[datetime], seed: int
):
    """Unknown places have 7 guesses in half an hour, 336 a day. A known address has 3 more, and 27 more a day."""
    chosen = random.Random(seed)
    addresses = iter(f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}" for number in range(1, 1 << 24))
    ways: list[Callable[[], str]] = [attempt, lambda: attempt("ann", next(addresses))]
    if seed % 2:
        ways.reverse()
    guesses_of_a_day(at, ways, lambda: chosen.uniform(0, 900) if seed > 1 else 0.0)
    assert most_within(HALF_HOUR, judged) <= 10
    assert most_within(DAY, judged) <= 336 + 27


@pytest.mark.any_database  # repeats the SQL statements of the other tests thousands of times
def test_worst_case_of_strangers_alone_is_7_guesses_in_half_an_hour_and_336_a_day(
    ann: User, at: Clock, judged: list[datetime]
):
    numbers = iter(range(1, 1 << 16))
    guesses_of_a_day(at, [lambda: attempt("ann", f"10.0.{(n := next(numbers)) >> 8}.{n & 255}")], lambda: 0.0)
    assert most_within(HALF_HOUR, judged) == 7
    assert most_within(DAY, judged) == 336


def test_worst_case_of_one_address_is_35_guesses_at_other_names_and_then_a_growing_lock(
    ann: User, at: Clock, judged: list[datetime]
):
    numbers = iter(range(1, 1 << 16))
    guesses_of_a_day(at, [lambda: attempt(f"name{next(numbers)}", ELSEWHERE)], lambda: 0.0)
    assert most_within(HALF_HOUR, judged) == 35
    assert most_within(DAY, judged) == 6 * 35, "locks of 0.5, 1, 2, 4, 8 and 16 hours"
