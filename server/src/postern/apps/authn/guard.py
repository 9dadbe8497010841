"""Counting attempts to sign in, in the database, so that it holds across processes and restarts (K9).

An attempt is reserved before the password is looked at (`reserve`) and given back when it was right (`release`).
"""

import math
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import transaction

from postern.apps.audits import facade as audits
from postern.apps.authn.errors import SignInLocked
from postern.apps.authn.lockout import ADDRESS_FACTOR, GuardState, LockRules, after_attempt, after_success, is_locked
from postern.apps.authn.models import GuardKind, SignInGuard
from postern.apps.preferences import facade as preferences
from postern.apps.users.models import username_key
from postern.foundation.actor import Actor
from postern.kernel import clock
from postern.kernel.ids import ROOT_ORG_ID, token_hash

_MAX_KEY_CHARS: Final = 512


@dataclass(frozen=True, slots=True)
class Attempt:
    """A counted attempt. `tries_left`: how many more failures the account name takes before it is locked."""

    account_hash: str
    address_hash: str
    tries_left: int
    locks_account: bool
    locks_address: bool


def lock_rules() -> LockRules:
    """The limits that an administrator has set."""
    return LockRules(
        limit_count=preferences.get_int("SECURITY_LOGIN_LIMIT_COUNT"),
        limit_time_min=preferences.get_int("SECURITY_LOGIN_LIMIT_TIME"),
    )


def key_hash(kind: GuardKind, key: str) -> str:
    """What is stored in place of an account name or an address."""
    names = {GuardKind.ACCOUNT, GuardKind.MFA}
    text = username_key(key[:_MAX_KEY_CHARS]) if kind in names else key
    return token_hash(f"{kind.value}:{text}")


@transaction.atomic
def reserve(username: str, remote_addr: str) -> Attempt:
    """Count an attempt as failed beforehand. Raises SignInLocked, and then counts nothing."""
    rules, now = lock_rules(), clock.now()
    account_hash = key_hash(GuardKind.ACCOUNT, username)
    address_hash = key_hash(GuardKind.ADDRESS, remote_addr)
    # Always in this order, so that two attempts never wait for each other.
    account = locked_row(GuardKind.ACCOUNT, account_hash)
    address = locked_row(GuardKind.ADDRESS, address_hash)
    for row in (account, address):
        state = state_of(row)
        if is_locked(state, now=now) and state.locked_until is not None:
            raise SignInLocked(_minutes_until(state.locked_until, now))
    limit = rules.limit_count
    next_account = after_attempt(state_of(account), limit=limit, rules=rules, grows=False, now=now)
    next_address = after_attempt(state_of(address), limit=limit * ADDRESS_FACTOR, rules=rules, grows=True, now=now)
    store(account, next_account)
    store(address, next_address)
    locks_account = is_locked(next_account, now=now)
    return Attempt(
        account_hash=account_hash,
        address_hash=address_hash,
        tries_left=0 if locks_account else limit - next_account.failures,
        locks_account=locks_account,
        locks_address=is_locked(next_address, now=now),
    )


@transaction.atomic
def release(attempt: Attempt) -> None:
    """The attempt was right: forget the failures of the account, take this one back for the address."""
    limit = lock_rules().limit_count
    account = locked_row(GuardKind.ACCOUNT, attempt.account_hash)
    address = locked_row(GuardKind.ADDRESS, attempt.address_hash)
    store(account, after_success(state_of(account), whole=True, limit=limit, locked_by_this=attempt.locks_account))
    store(
        address,
        after_success(
            state_of(address), whole=False, limit=limit * ADDRESS_FACTOR, locked_by_this=attempt.locks_address
        ),
    )


@transaction.atomic
def unlock_account(username: str, actor: Actor) -> None:
    """Forget the failures and the locks of an account name: wrong passwords and wrong codes. Without any nothing happens."""
    hashes = [key_hash(kind, username) for kind in (GuardKind.ACCOUNT, GuardKind.MFA)]
    kinds = (GuardKind.ACCOUNT, GuardKind.MFA)
    if not SignInGuard.objects.filter(kind__in=kinds, key_hash__in=hashes).delete()[0]:
        return
    audits.record(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event=audits.Event.SIGN_IN_UNLOCKED,
        object_type="User",
        object_name=username,
    )


def locked_accounts(usernames: list[str]) -> frozenset[str]:
    """Which of the names are locked now, by wrong passwords or by wrong codes."""
    kinds = (GuardKind.ACCOUNT, GuardKind.MFA)
    hashes = {key_hash(kind, name): name for name in usernames for kind in kinds}
    rows = SignInGuard.objects.filter(kind__in=kinds, key_hash__in=list(hashes), date_locked_until__gt=clock.now())
    return frozenset(hashes[value] for value in rows.values_list("key_hash", flat=True))


def locked_row(kind: GuardKind, hashed: str) -> SignInGuard:
    """The row of a key, made when there is none, locked until the transaction ends."""
    SignInGuard.objects.bulk_create([SignInGuard(kind=kind, key_hash=hashed)], ignore_conflicts=True)
    return SignInGuard.objects.select_for_update().get(kind=kind, key_hash=hashed)


def state_of(row: SignInGuard) -> GuardState:
    """A row as the plain value that the arithmetic works on."""
    return GuardState(
        failures=row.failures,
        locks=row.locks,
        window_start=row.date_window_start,
        locked_until=row.date_locked_until,
    )


def store(row: SignInGuard, state: GuardState) -> None:
    """Write a value back into its row."""
    row.failures, row.locks = state.failures, state.locks
    row.date_window_start, row.date_locked_until = state.window_start, state.locked_until
    row.save(update_fields=["failures", "locks", "date_window_start", "date_locked_until"])


def _minutes_until(instant: datetime, now: datetime) -> int:
    return max(math.ceil((instant - now).total_seconds() / 60), 1)
