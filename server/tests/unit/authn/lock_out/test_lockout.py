from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from postern.apps.authn.lock_out.lockout import (
    MAX_ADDRESS_LOCK,
    GuardState,
    LockRules,
    after_attempt,
    is_locked,
    known_delay,
    without_attempt,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
RULES = LockRules(limit_count=7, limit_time_min=30)
FRESH = GuardState()


def fail(state: GuardState, times: int, *, grows: bool = False, now: datetime = NOW) -> GuardState:
    for _ in range(times):
        state = after_attempt(state, limit=7, rules=RULES, grows=grows, now=now)
    return state


def test_lockout_below_the_limit_stays_open():
    assert not is_locked(fail(FRESH, 6), now=NOW)


def test_lockout_at_the_limit_locks_for_the_interval():
    state = fail(FRESH, 7)
    assert is_locked(state, now=NOW + timedelta(minutes=29, seconds=59))
    assert not is_locked(state, now=NOW + timedelta(minutes=30))


def test_lockout_forgets_failures_after_the_window():
    state = fail(FRESH, 6)
    state = fail(state, 1, now=NOW + timedelta(minutes=30))
    assert len(state.recent) == 1
    assert not is_locked(state, now=NOW + timedelta(minutes=30))


def test_lockout_of_an_address_doubles_each_time_up_to_a_day():
    state, now, spans = FRESH, NOW, []
    for _ in range(9):
        state = fail(state, 7, grows=True, now=now)
        assert state.locked_until is not None
        spans.append(state.locked_until - now)
        now = state.locked_until
    assert spans[:3] == [timedelta(minutes=30), timedelta(minutes=60), timedelta(minutes=120)]
    assert spans[-1] == MAX_ADDRESS_LOCK


def test_uncounting_an_attempt_leaves_other_failures():
    state = without_attempt(fail(FRESH, 5), NOW.timestamp(), limit=7, now=NOW)
    assert len(state.recent) == 4
    assert without_attempt(state, 1.0, limit=7, now=NOW) == state, "an attempt that is not counted"


def test_uncounting_an_attempt_lifts_its_lock():
    """Also if that attempt was not the last: the remaining failures are below the limit."""
    first = NOW - timedelta(minutes=1)
    locked = fail(fail(FRESH, 1, now=first), 6)
    assert is_locked(locked, now=NOW)
    lifted = without_attempt(locked, first.timestamp(), limit=7, now=NOW)
    assert (len(lifted.recent), lifted.locks, is_locked(lifted, now=NOW)) == (6, 0, False)
    assert is_locked(fail(lifted, 1), now=NOW), "the next failure locks"


def test_day_without_a_lock_resets_the_growth_of_locks():
    state = fail(FRESH, 7, grows=True)
    assert state.locked_until is not None
    later = fail(state, 7, grows=True, now=state.locked_until + timedelta(hours=23))
    assert later.locked_until == state.locked_until + timedelta(hours=24)
    forgiven = fail(state, 7, grows=True, now=state.locked_until + timedelta(hours=24))
    assert forgiven.locked_until == state.locked_until + timedelta(hours=24, minutes=30)


def test_known_place_waits_longer_after_each_failure_up_to_an_hour():
    assert [known_delay(number).total_seconds() / 60 for number in range(1, 7)] == [1, 5, 25, 60, 60, 60]


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 600)), max_size=120))
def test_lockout_never_allows_more_failures_than_the_limit_within_a_window(steps: list[tuple[bool, int]]):
    """The window may begin at any time."""
    state, now = FRESH, NOW
    failed_at: list[datetime] = []
    for right, pause_s in steps:
        now += timedelta(seconds=pause_s)
        if is_locked(state, now=now):
            continue
        state = after_attempt(state, limit=7, rules=RULES, grows=True, now=now)
        if right:
            state = without_attempt(state, now.timestamp(), limit=7, now=now)
        else:
            failed_at.append(now)
    for first in failed_at:
        assert len([at for at in failed_at if first <= at < first + RULES.window]) <= 7
