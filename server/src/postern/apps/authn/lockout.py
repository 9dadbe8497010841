"""When failed sign-ins lock an account name or an address. Pure arithmetic over plain values.

Each attempt is counted *before* the password is looked at and taken back when it was right. Two attempts at the same
instant therefore never share the last free try.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

#: Several people sit behind one address; each may mistype a few times before the whole address is suspected.
ADDRESS_FACTOR: Final = 5
#: An address that is locked again and again is locked longer each time, up to a day.
MAX_ADDRESS_LOCK: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class LockRules:
    """`limit_count` failures within `limit_time_min` minutes lock for `limit_time_min` minutes."""

    limit_count: int = 7
    limit_time_min: int = 30

    @property
    def window(self) -> timedelta:
        return timedelta(minutes=self.limit_time_min)


#: How long a known device or address waits after each failure beyond the limit. While strangers lock the account, whoever sits there
#: too makes three tries in half an hour: ten together with the strangers' seven.
_KNOWN_DELAYS: Final = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=25), timedelta(hours=1))


@dataclass(frozen=True, slots=True)
class GuardState:
    """Counted attempts of one key. `locks`: how often it was locked in a row."""

    failures: int
    locks: int
    window_start: datetime
    locked_until: datetime | None


def is_locked(state: GuardState, *, now: datetime) -> bool:
    return state.locked_until is not None and state.locked_until > now


def after_attempt(state: GuardState, *, limit: int, rules: LockRules, grows: bool, now: datetime) -> GuardState:
    """The state once one more attempt is counted as failed. Call only when not locked.

    `grows`: each lock in a row lasts twice as long (addresses).
    """
    if now - state.window_start >= rules.window:
        # A quiet day after the last lock forgives the earlier ones; a fresh window alone does not.
        quiet_since = state.locked_until or state.window_start
        locks = 0 if now - quiet_since >= MAX_ADDRESS_LOCK else state.locks
        state = GuardState(failures=0, locks=locks, window_start=now, locked_until=None)
    failures = state.failures + 1
    if failures < limit:
        return replace(state, failures=failures, locked_until=None)
    lock = min(rules.window * (2 ** min(state.locks, 10)), MAX_ADDRESS_LOCK) if grows else rules.window
    return GuardState(failures=0, locks=state.locks + 1, window_start=now, locked_until=now + lock)


def after_success(state: GuardState, *, whole: bool, limit: int, locked_by_this: bool) -> GuardState:
    """The state once the counted attempt proved right.

    `whole` forgets everything (the account: its owner is there). Otherwise only this attempt is taken back (the
    address), and a lock only if this very attempt set it (`locked_by_this`): one valid account must not launder
    guesses at others.
    """
    if whole:
        return replace(state, failures=0, locks=0, locked_until=None)
    if locked_by_this:
        return replace(state, failures=max(limit - 1, 0), locks=max(state.locks - 1, 0), locked_until=None)
    return replace(state, failures=max(state.failures - 1, 0))


def known_delay(failures: int, *, free_tries: int) -> timedelta | None:
    """How long a known device or address waits after so many failures in a row; None: it may try again at once."""
    beyond = failures - max(free_tries, 1)
    if beyond < 0:
        return None
    return _KNOWN_DELAYS[min(beyond, len(_KNOWN_DELAYS) - 1)]
