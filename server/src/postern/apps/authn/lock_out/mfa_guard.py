"""Counts wrong codes of the second factor, per account and in total (K6: guesses are counted per account and for all
accounts together).

The rules are those for passwords with lower limits, because six digits can be guessed. Counts are
independent of addresses and cookies, so spreading guesses over many of them gains nothing.
"""

from dataclasses import dataclass
from typing import Final

from django.db import transaction

from postern.apps.authn.lock_out import guard, locks
from postern.apps.authn.lock_out.errors import MfaLocked, SignInLocked
from postern.apps.authn.lock_out.lockout import GuardState, LockRules, after_attempt, is_locked, without_attempt
from postern.apps.authn.lock_out.models import GuardKind, SignInGuard
from postern.kernel import clock

#: Wrong codes of one account over all its sign-ins. Each consecutive lock lasts twice as long.
ACCOUNT_LIMIT: Final = 5
#: Wrong codes of all accounts within five minutes. After that no code is accepted for five minutes.
ALL_LIMIT: Final = 100
_ALL_RULES: Final = LockRules(limit_count=ALL_LIMIT, limit_time_min=5)
_ALL_KEY: Final = "everybody"


@dataclass(frozen=True, slots=True)
class Visitor:
    """Origin of a code; `device`: value of the device cookie."""

    remote_addr: str
    device: str = ""


@dataclass(frozen=True, slots=True)
class CodeAttempt:
    """A counted attempt. `tries_left`: number of further wrong codes before the account is locked.

    `at`: the instant of the count.
    """

    username: str
    at: float
    tries_left: int
    locks_account: bool


@transaction.atomic
def reserve(username: str, visitor: Visitor) -> CodeAttempt:
    """Count a code as wrong in advance. Raises MfaLocked without counting.

    An account that wrong passwords have locked for this origin is locked here too.
    """
    require_open(username, visitor)
    rules, now = guard.lock_rules(), clock.now()
    account, everybody = _rows(username)
    for row in (account, everybody):
        state = guard.state_of(row)
        if is_locked(state, now=now) and state.locked_until is not None:
            raise MfaLocked(guard.minutes_until(state.locked_until, now))
    next_account = after_attempt(guard.state_of(account), limit=ACCOUNT_LIMIT, rules=rules, grows=True, now=now)
    next_all = after_attempt(guard.state_of(everybody), limit=ALL_LIMIT, rules=_ALL_RULES, grows=False, now=now)
    guard.store(account, next_account)
    guard.store(everybody, next_all)
    locks_account = is_locked(next_account, now=now)
    return CodeAttempt(
        username=username,
        at=now.timestamp(),
        tries_left=max(ACCOUNT_LIMIT - len(next_account.recent), 0),
        locks_account=locks_account,
    )


@transaction.atomic
def release(attempt: CodeAttempt) -> None:
    """Record a right code: reset the account's failures and uncount this attempt in the total."""
    account, everybody = _rows(attempt.username)
    guard.store(account, GuardState())
    state = without_attempt(guard.state_of(everybody), attempt.at, limit=ALL_LIMIT, now=clock.now())
    guard.store(everybody, state)


def require_open(username: str, visitor: Visitor) -> None:
    """Raise MfaLocked while the account is locked for this visitor. Does not count."""
    try:
        guard.require_open(username, visitor.remote_addr, device=visitor.device)
    except SignInLocked as locked:
        raise MfaLocked(locked.minutes) from None


def forget(username: str) -> None:
    """Reset the wrong codes and the lock of an account."""
    key = locks.key_hash(GuardKind.MFA, username)
    SignInGuard.objects.filter(kind=GuardKind.MFA, key_hash=key).delete()


def _rows(username: str) -> tuple[SignInGuard, SignInGuard]:
    # Always lock in this order, so that two attempts cannot deadlock.
    account = guard.locked_row(GuardKind.MFA, locks.key_hash(GuardKind.MFA, username))
    everybody = guard.locked_row(GuardKind.MFA_ALL, locks.key_hash(GuardKind.MFA_ALL, _ALL_KEY))
    return account, everybody


def lock_minutes() -> int:
    """Minutes of the first lock of an account."""
    return guard.lock_rules().limit_time_min
