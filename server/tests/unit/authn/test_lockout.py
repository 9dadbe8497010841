from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from postern.apps.authn.lockout import (
    MAX_ADDRESS_LOCK,
    GuardState,
    LockRules,
    after_attempt,
    after_success,
    is_locked,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
RULES = LockRules(limit_count=7, limit_time_min=30)
FRESH = GuardState(failures=0, locks=0, window_start=NOW, locked_until=None)


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


def test_lockout_old_failures_are_forgotten_after_the_window():
    state = fail(FRESH, 6)
    state = fail(state, 1, now=NOW + timedelta(minutes=30))
    assert state.failures == 1
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


def test_success_forgets_all_failures_of_the_account():
    state = after_success(fail(FRESH, 7), whole=True, limit=7, locked_by_this=True)
    assert state.failures == 0
    assert not is_locked(state, now=NOW)


def test_success_takes_back_only_its_own_attempt_at_the_address():
    state = after_success(fail(FRESH, 5), whole=False, limit=7, locked_by_this=False)
    assert state.failures == 4


def test_success_does_not_open_a_lock_that_others_caused():
    locked = fail(FRESH, 7)
    assert is_locked(after_success(locked, whole=False, limit=7, locked_by_this=False), now=NOW)
    assert not is_locked(after_success(locked, whole=False, limit=7, locked_by_this=True), now=NOW)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 300)), max_size=120))
def test_lockout_never_lets_more_than_the_limit_fail_within_a_window(steps: list[tuple[bool, int]]):
    state, now = FRESH, NOW
    failed_at: list[datetime] = []
    for right, pause_s in steps:
        now += timedelta(seconds=pause_s)
        if is_locked(state, now=now):
            continue
        state = after_attempt(state, limit=7, rules=RULES, grows=True, now=now)
        if right:
            state = after_success(state, whole=False, limit=7, locked_by_this=is_locked(state, now=now))
        else:
            failed_at.append(now)
    for first in failed_at:
        burst = [at for at in failed_at if first <= at < first + RULES.window]
        # a window may end in the middle of the burst, so that two windows' worth is the worst case
        assert len(burst) <= 2 * 7
