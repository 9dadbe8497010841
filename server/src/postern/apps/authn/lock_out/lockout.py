"""Rules by which failed sign-ins lock an account name or an address. Pure functions over plain values.

Each attempt is counted *before* the password is checked and uncounted when the password was right, so two simultaneous
attempts cannot share the last free try. The instant of each failure is stored, so that no period of the window's
length can contain more failures than the limit.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

#: An address has a higher limit, because several users may share it.
ADDRESS_FACTOR: Final = 5
#: Each consecutive lock of an address is longer, up to a day.
MAX_ADDRESS_LOCK: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class LockRules:
    """`limit_count` failures within `limit_time_min` minutes lock for `limit_time_min` minutes."""

    limit_count: int = 7
    limit_time_min: int = 30

    @property
    def window(self) -> timedelta:
        return timedelta(minutes=self.limit_time_min)


#: Wait of a known device or address after each failure while the account is locked. It allows three tries in half an
#: hour, in addition to the seven of unknown places.
_KNOWN_DELAYS: Final = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=25), timedelta(hours=1))


#: Number of failures until unknown places have to wait, and the first wait. Each further failure doubles the wait.
FREE_FAILURES: Final = 3
_FIRST_WAIT: Final = timedelta(seconds=8)
_MAX_WAIT: Final = timedelta(seconds=64)


@dataclass(frozen=True, slots=True)
class GuardState:
    """Counted attempts of one key. `recent`: their instants, as seconds since 1970. `locks`: number of consecutive
    locks.

    `locked_until` stays after the lock has ended, because the length of the next lock depends on it.
    """

    recent: tuple[float, ...] = ()
    locks: int = 0
    locked_until: datetime | None = None


def is_locked(state: GuardState, *, now: datetime) -> bool:
    return state.locked_until is not None and state.locked_until > now


def wait_after(state: GuardState, *, rules: LockRules, now: datetime) -> timedelta:
    """The wait of unknown places after a wrong password: none after the first two, then 8, 16, 32, 64 seconds.

    The waits prevent guesses from locking the account within a second. Typing errors cost nothing. The maximum is
    short, so that continued guessing leads to the lock, which does not apply to known places.
    """
    failures = sum(now - _instant(at) < rules.window for at in state.recent)
    if failures < FREE_FAILURES:
        return timedelta()
    doubled: int = 2 ** min(failures - FREE_FAILURES, 16)
    return min(_FIRST_WAIT * doubled, _MAX_WAIT)


def after_attempt(state: GuardState, *, limit: int, rules: LockRules, grows: bool, now: datetime) -> GuardState:
    """The state after one more failed attempt at `now`. Call it only when not locked.

    `grows`: each consecutive lock lasts twice as long (addresses). A day without a lock resets the number of locks.
    """
    # Compare instants, not float differences: the end of a lock must drop the failure that triggered it.
    recent = (*(at for at in state.recent if now - _instant(at) < rules.window), now.timestamp())
    if len(recent) < limit:
        return replace(state, recent=recent)
    is_reset = state.locked_until is not None and now - state.locked_until >= MAX_ADDRESS_LOCK
    locks = 0 if is_reset else state.locks
    lock = min(rules.window * (2 ** min(locks, 10)), MAX_ADDRESS_LOCK) if grows else rules.window
    return GuardState(recent=recent, locks=locks + 1, locked_until=now + lock)


def without_attempt(state: GuardState, at: float, *, limit: int, now: datetime) -> GuardState:
    """The state after uncounting the attempt of the instant `at`, which was right or was not checked.

    Other failures stay, so that a valid account cannot clear guesses at other accounts. A lock is lifted when fewer
    failures than the limit remain.
    """
    if at not in state.recent:
        return state
    place = state.recent.index(at)
    state = replace(state, recent=state.recent[:place] + state.recent[place + 1 :])
    if is_locked(state, now=now) and len(state.recent) < limit:
        return replace(state, locks=max(state.locks - 1, 0), locked_until=None)
    return state


def known_delay(failures: int) -> timedelta:
    """Wait of a known device or address after this many failures while the account is locked."""
    return _KNOWN_DELAYS[min(max(failures, 1), len(_KNOWN_DELAYS)) - 1]


def _instant(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
