"""When failed sign-ins lock an account name or an address. Pure arithmetic over plain values.

Each attempt is counted *before* the password is looked at and taken back when it was right. Two attempts at the same
instant therefore never share the last free try. The instant of each failure is remembered, so that no span of the window's
length holds more failures than the limit, wherever it begins.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
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


#: How long a known device or address waits after each failure while the account is locked. Whoever sits there makes three tries in
#: half an hour: ten together with the strangers' seven.
_KNOWN_DELAYS: Final = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=25), timedelta(hours=1))


@dataclass(frozen=True, slots=True)
class GuardState:
    """Counted attempts of one key. `recent`: their instants, as seconds since 1970. `locks`: how often it was locked in a row.

    `locked_until` is kept when the lock is over: the next lock asks how long ago that was.
    """

    recent: tuple[float, ...] = ()
    locks: int = 0
    locked_until: datetime | None = None


def is_locked(state: GuardState, *, now: datetime) -> bool:
    return state.locked_until is not None and state.locked_until > now


def after_attempt(state: GuardState, *, limit: int, rules: LockRules, grows: bool, now: datetime) -> GuardState:
    """The state once one more attempt is counted as failed at `now`. Call only when not locked.

    `grows`: each lock in a row lasts twice as long (addresses). A day without a lock forgives the earlier ones.
    """
    # Instants are compared, not their differences as floats: a lock that ends forgets the failure that set it.
    recent = (*(at for at in state.recent if now - _instant(at) < rules.window), now.timestamp())
    if len(recent) < limit:
        return replace(state, recent=recent)
    forgiven = state.locked_until is not None and now - state.locked_until >= MAX_ADDRESS_LOCK
    locks = 0 if forgiven else state.locks
    lock = min(rules.window * (2 ** min(locks, 10)), MAX_ADDRESS_LOCK) if grows else rules.window
    return GuardState(recent=recent, locks=locks + 1, locked_until=now + lock)


def without_attempt(state: GuardState, at: float, *, limit: int, now: datetime) -> GuardState:
    """The state once the attempt that was counted at `at` proved right, or was judged by nobody.

    Other failures stand, so that one valid account does not launder guesses at others. A lock that rests on fewer failures
    than the limit is lifted.
    """
    if at not in state.recent:
        return state
    place = state.recent.index(at)
    state = replace(state, recent=state.recent[:place] + state.recent[place + 1 :])
    if is_locked(state, now=now) and len(state.recent) < limit:
        return replace(state, locks=max(state.locks - 1, 0), locked_until=None)
    return state


def known_delay(failures: int) -> timedelta:
    """How long a known device or address waits after so many failures while the account is locked."""
    return _KNOWN_DELAYS[min(max(failures, 1), len(_KNOWN_DELAYS)) - 1]


def _instant(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
