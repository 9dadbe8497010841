"""Counts sign-in attempts in the database, so that the counts apply across processes and restarts (K9: the address of a
client is that of the socket).

An attempt is counted before the password is checked (`reserve`) and uncounted when the password was right (`release`).
All guesses at an account count here: passwords on every way in, the current password of a signed-in user, and
signatures with an access key. Codes of the second factor have stricter counters (`mfa_guard`). A lock by one counter
applies to every way in.

While an account is not locked, every attempt from a known place of the user (`places`) is checked and counts for the
account; failures of others at the same address do not matter. After some consecutive failures the next attempt has to
wait some seconds, except on a known device. While the account is locked, attempts from unknown places are refused.
Attempts from a known place are checked, and wait longer after each failure. An attempt from a known device at a known
address is limited by the device and counts for both, so alternating between them gains nothing. Proofs that cannot be
guessed (`require_open`) check only the locks of the account and of its codes.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, reduce
from operator import or_
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.authn.known_places import places
from postern.apps.authn.known_places.models import KnownPlace, PlaceKind
from postern.apps.authn.lock_out import locks
from postern.apps.authn.lock_out.errors import SignInLocked, SignInWaits
from postern.apps.authn.lock_out.events import AccountLocked, AccountUnlocked
from postern.apps.authn.lock_out.lockout import (
    ADDRESS_FACTOR,
    MAX_ADDRESS_LOCK,
    GuardState,
    LockRules,
    after_attempt,
    is_locked,
    known_delay,
    wait_after,
    without_attempt,
)
from postern.apps.authn.lock_out.locks import OF_ACCOUNT, key_hash
from postern.apps.authn.lock_out.models import GuardKind, SignInGuard
from postern.apps.preferences import facade as preferences
from postern.apps.users.models import User, username_key
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor, anonymous
from postern.foundation.database.prepared import PreparedObjects, PreparedQuery
from postern.foundation.database.row_writes import change
from postern.kernel import clock
from postern.kernel.addresses import address_key
from postern.kernel.errors import Unavailable
from postern.kernel.ids import ROOT_ORG_ID

_MAX_ADDRESS_CHARS: Final = 64
_STATE: Final = ("recent", "failures", "locks", "date_last_failure", "date_locked_until")
_COUNTED: Final = frozenset({GuardKind.ACCOUNT.value, GuardKind.ADDRESS.value})
#: Attempts to create and lock the rows. An unlock can delete a row in between, which is rare.
_MAX_LOCK_TRIES: Final = 3


@dataclass(frozen=True, slots=True)
class Waiting:
    """A known place that counted an attempt, and the end of its wait before that attempt."""

    place_id: UUID
    former_until: datetime | None


@dataclass(frozen=True, slots=True)
class Attempt:
    """A counted attempt. `tries_left`: the number of failures from unknown places that remain before a lock.

    The number is the same for a known place; a different number would reveal that the account exists. `locked_for`:
    length of the lock that this attempt triggers. `locks_account`: the attempt locks the account for unknown places.
    `at`: the instant of the count. `of_address`: it also counts for the address. `places`: the known places of the
    attempt. `waiting`: the known places that count it.
    """

    account_hash: str
    address_hash: str
    at: float
    tries_left: int
    locks_account: bool
    of_address: bool = True
    places: tuple[UUID, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    locked_for: timedelta | None = None

    @property
    def locked_minutes(self) -> int:
        return max(math.ceil(self.locked_for.total_seconds() / 60), 1) if self.locked_for is not None else 0


def lock_rules() -> LockRules:
    """The limits set by an administrator."""
    return LockRules(
        limit_count=preferences.get_int("SECURITY_LOGIN_LIMIT_COUNT"),
        limit_time_min=preferences.get_int("SECURITY_LOGIN_LIMIT_TIME"),
    )


@transaction.atomic
def reserve(
    username: str, remote_addr: str, *, device: str = "", of_address: bool = True, waits: bool = True
) -> Attempt:
    """Count an attempt as failed in advance. Raises SignInLocked or SignInWaits without counting.

    `device`: value of the device cookie. `of_address=False` does not count for the address: a program with a stale key
    must not lock out all users of its address. `waits=False`: the proof was already checked, so no wait applies.
    """
    rules, now = lock_rules(), clock.now()
    rows = _locked_rows(
        key_hash(GuardKind.ACCOUNT, username),
        key_hash(GuardKind.ADDRESS, remote_addr),
        key_hash(GuardKind.MFA, username),
        remote_addr=remote_addr,
    )
    account, address, codes = rows[GuardKind.ACCOUNT], rows[GuardKind.ADDRESS], rows.get(GuardKind.MFA)
    known_places = places.find(username, remote_addr, device, locked=True)
    is_account_locked = is_locked(state_of(account), now=now)
    # while the account is not locked, failures of others at a known address do not refuse this attempt
    if known_places:
        _refuse(now, codes, known_places[0] if is_account_locked else None)
    else:
        _refuse(now, codes, account, address if of_address else None)

    # Only a known device skips the wait. At a known address, others could see that there is no wait.
    if waits and not is_account_locked and not any(place.kind == PlaceKind.DEVICE for place in known_places):
        until = account.date_waits_until
        if until is not None and until > now:
            raise SignInWaits(math.ceil((until - now).total_seconds()))

    limit, next_account, changed = rules.limit_count, state_of(account), []
    if not is_account_locked:
        next_account = after_attempt(next_account, limit=limit, rules=rules, grows=False, now=now)
        changed.append((account, next_account))
    next_address = state_of(address)
    if of_address and not is_locked(next_address, now=now):
        next_address = after_attempt(next_address, limit=limit * ADDRESS_FACTOR, rules=rules, grows=True, now=now)
        changed.append((address, next_address))
    _store(changed)
    locks_account = not is_account_locked and is_locked(next_account, now=now)
    locked_for = rules.window if locks_account else None
    waiting: tuple[Waiting, ...] = ()
    if known_places and (is_account_locked or locks_account):
        waiting = tuple(Waiting(place.pk, place.date_locked_until) for place in known_places)
        locked_for, *_others = [_count_for(place, now=now) for place in known_places]
    return Attempt(
        account_hash=account.key_hash,
        address_hash=address.key_hash,
        at=now.timestamp(),
        tries_left=max(limit - len(next_account.recent), 0),
        locks_account=locks_account,
        of_address=of_address,
        places=tuple(place.pk for place in known_places),
        waiting=waiting,
        locked_for=locked_for,
    )


@transaction.atomic
def note_wrong(attempt: Attempt) -> None:
    """Record a wrong password: browsers then have to solve puzzles, and after some failures the next attempt has to
    wait.

    This is not part of `reserve`, because concurrent attempts that are still being compared may be right.
    """
    now = clock.now()
    account = locked_row(GuardKind.ACCOUNT, attempt.account_hash)
    delay = wait_after(state_of(account), rules=lock_rules(), now=now)
    if delay:  # without a delay, `now` would still be in the future for attempts that read the clock before
        account.date_waits_until = now + delay
    account.date_last_wrong = now
    account.save(update_fields=["date_waits_until", "date_last_wrong"])
    if attempt.of_address:
        SignInGuard.objects.filter(kind=GuardKind.ADDRESS, key_hash=attempt.address_hash).update(date_last_wrong=now)


@transaction.atomic
def release(attempt: Attempt) -> None:
    """Record a right password: reset the account's failures and uncount this attempt for the address.

    For an attempt from a known place, failures from unknown places stay: only this attempt is uncounted.
    """
    _uncount(attempt, resets_account=not attempt.places)
    if attempt.places:
        reset_places = [KnownPlace(pk=key, failures=0, date_locked_until=None) for key in attempt.places]
        change(reset_places, ("failures", "date_locked_until"))


@transaction.atomic
def take_back(attempt: Attempt) -> None:
    """Uncount only this attempt, because it was not checked."""
    _uncount(attempt, resets_account=False)
    for counted in attempt.waiting:
        place = KnownPlace.objects.filter(pk=counted.place_id, failures__gt=0)
        place.update(failures=F("failures") - 1, date_locked_until=counted.former_until)


def _uncount(attempt: Attempt, *, resets_account: bool) -> None:
    limit, now = lock_rules().limit_count, clock.now()
    changed = []
    # A row that was deleted meanwhile has nothing to uncount.
    for row in _rows_for_update().all(account=attempt.account_hash, address=attempt.address_hash, codes=""):
        if row.kind == GuardKind.ADDRESS:
            next_state = without_attempt(state_of(row), attempt.at, limit=limit * ADDRESS_FACTOR, now=now)
        elif resets_account:
            row.date_waits_until, next_state = None, GuardState()
        else:
            next_state = without_attempt(state_of(row), attempt.at, limit=limit, now=now)
        changed.append((row, next_state))
    _store(changed, "date_waits_until")


def require_open(username: str, remote_addr: str, *, device: str = "") -> None:
    """Raise SignInLocked while the account is locked for this origin. Does not count.

    For proofs that cannot be guessed (keys, signatures), and for codes, which have their own counters. A lock of the
    address does not refuse them. A lock of the account does, except at a known place.
    """
    now = clock.now()
    locked = locks.of_name(username, now)
    rows_by_kind = {row.kind: row for row in locked}
    if GuardKind.ACCOUNT in rows_by_kind and places.find(username, remote_addr, device):
        del rows_by_kind[GuardKind.ACCOUNT]
    _refuse(now, *rows_by_kind.values())


def require_open_address(remote_addr: str) -> None:
    """Raise SignInLocked while the address is locked, unless a user has recently signed in from it. Does not count.

    For steps before the user is known. The failures of one person must not lock an address that many people share.
    """
    row = SignInGuard.objects.filter(kind=GuardKind.ADDRESS, key_hash=key_hash(GuardKind.ADDRESS, remote_addr)).first()
    if row is not None and is_locked(state_of(row), now=clock.now()) and not places.is_known_address(remote_addr):
        _refuse(clock.now(), row)


@transaction.atomic
def reserve_address(remote_addr: str) -> None:
    """Count a failure that belongs to no account, such as an unknown link.

    Raises SignInLocked while the address is locked.
    """
    rules, now = lock_rules(), clock.now()
    address = locked_row(GuardKind.ADDRESS, key_hash(GuardKind.ADDRESS, remote_addr), address=remote_addr)
    _refuse(now, address)
    limit = rules.limit_count * ADDRESS_FACTOR
    store(address, after_attempt(state_of(address), limit=limit, rules=rules, grows=True, now=now))


@transaction.atomic
def note_locked(username: str, remote_addr: str, *, minutes: int) -> None:
    """Report a locked account to the log, the administrators and the user.

    The log does not contain names without an account: the name may be a password typed into the wrong field.
    """
    user = User.objects.named(username)
    if user is not None:
        actor = anonymous(remote_addr)
        audits.record_change(actor=actor, action="other", target=user, event=audits.Event.SIGN_IN_LOCKED)
    user_id = user.pk if user is not None else None
    events.publish(AccountLocked(username=username[:128], remote_addr=remote_addr, minutes=minutes, user_id=user_id))


@transaction.atomic
def unlock_account(username: str, actor: Actor) -> None:
    """Reset all failures and locks of an account: wrong passwords, wrong codes, waiting known places.

    Does nothing when there are none. Otherwise the user gets a message.
    """
    hashes = [key_hash(kind, username) for kind in OF_ACCOUNT]
    deleted = SignInGuard.objects.filter(kind__in=OF_ACCOUNT, key_hash__in=hashes).delete()[0]
    waiting = KnownPlace.objects.filter(user__username_key=username_key(username), failures__gt=0)
    if not waiting.update(failures=0, date_locked_until=None) + deleted:
        return
    user = User.objects.named(username)
    audits.record(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event=audits.Event.SIGN_IN_UNLOCKED,
        object_type="User",
        object_id=str(user.pk) if user is not None else "",
        object_name=username,
    )
    if user is not None:
        events.publish(AccountUnlocked(user_id=user.pk, username=user.username, by=actor.label, at=clock.now()))


@transaction.atomic
def unlock_address(remote_addr: str, actor: Actor) -> bool:
    """Reset the failures and the lock of an address; returns whether it had any."""
    rows = SignInGuard.objects.filter(kind=GuardKind.ADDRESS, key_hash=key_hash(GuardKind.ADDRESS, remote_addr))
    if not rows.filter(Q(failures__gt=0) | Q(date_locked_until__isnull=False)).delete()[0]:
        return False
    audits.record(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event=audits.Event.SIGN_IN_ADDRESS_UNLOCKED,
        object_type="Address",
        object_name=remote_addr[:_MAX_ADDRESS_CHARS],
    )
    return True


def locked_row(kind: GuardKind, hashed: str, *, address: str = "") -> SignInGuard:
    """The counter row of a key, created if missing, locked until the transaction ends."""
    row = SignInGuard(kind=kind, key_hash=hashed, address=address_key(address)[:_MAX_ADDRESS_CHARS])
    SignInGuard.objects.bulk_create([row], ignore_conflicts=True)
    return SignInGuard.objects.select_for_update().get(kind=kind, key_hash=hashed)


def _locked_rows(account: str, address: str, codes: str, *, remote_addr: str) -> dict[str, SignInGuard]:
    """The counter rows of an account, an address and, if it exists, of the codes, by kind. Locked until the transaction
    ends. Raises Unavailable.

    Missing rows of account and address are created before any is locked, the account first, which prevents deadlocks.
    """
    is_complete = len(_known_rows().tuples(account=account, address=address)) == len(_COUNTED)
    for _try in range(_MAX_LOCK_TRIES):
        if not is_complete:
            blank = SignInGuard(kind=GuardKind.ADDRESS, key_hash=address, address=address_key(remote_addr))
            blank.address = blank.address[:_MAX_ADDRESS_CHARS]
            rows = [SignInGuard(kind=GuardKind.ACCOUNT, key_hash=account), blank]
            SignInGuard.objects.bulk_create(rows, ignore_conflicts=True)
        rows_by_kind = {row.kind: row for row in _rows_for_update().all(account=account, address=address, codes=codes)}
        if rows_by_kind.keys() >= _COUNTED:
            return rows_by_kind
        is_complete = False  # a concurrent unlock has deleted a row
    raise Unavailable(_("Too many users are signing in at the moment. Try again in a few seconds."))


def _of_keys(**key_hash_by_kind: str) -> QuerySet[SignInGuard]:
    """Counter rows, ordered for locking: account, address, codes."""
    kinds = {"account": GuardKind.ACCOUNT, "address": GuardKind.ADDRESS, "codes": GuardKind.MFA}
    keys = (Q(kind=kinds[name], key_hash=hashed) for name, hashed in key_hash_by_kind.items())
    return SignInGuard.objects.filter(reduce(or_, keys)).order_by("kind")


@cache
def _known_rows() -> PreparedQuery:
    return PreparedQuery(_of_keys, columns=("id",), stand_ins={"account": "of-account", "address": "of-address"})


@cache
def _rows_for_update() -> PreparedObjects[SignInGuard]:
    """Prepared, because every password needs it twice."""
    return PreparedObjects(
        SignInGuard,
        lambda **keys: _of_keys(**keys).select_for_update(),
        stand_ins={"account": "of-account", "address": "of-address", "codes": "of-codes"},
    )


def state_of(row: SignInGuard) -> GuardState:
    """The plain value of a row, for the functions of `lockout`."""
    return GuardState(recent=tuple(row.recent), locks=row.locks, locked_until=row.date_locked_until)


def store(row: SignInGuard, state: GuardState) -> None:
    """Store a value in its locked row."""
    _store([(row, state)])


def _store(changed: Sequence[tuple[SignInGuard, GuardState]], *more: str) -> None:
    """Store values in their rows, and the columns `more`."""
    for row, state in changed:
        row.recent, row.failures, row.locks = list(state.recent), len(state.recent), state.locks
        row.date_locked_until = state.locked_until
        if state.recent:
            row.date_last_failure = datetime.fromtimestamp(max(state.recent), UTC)
    change([row for row, _state in changed], (*_STATE, *more))


def _refuse(now: datetime, *counts: SignInGuard | KnownPlace | None) -> None:
    """Raise SignInLocked when one of the rows is locked."""
    untils = [row.date_locked_until for row in counts if row is not None and row.date_locked_until is not None]
    later = [until for until in untils if until > now]
    if later:
        raise SignInLocked(minutes_until(max(later), now))


def _count_for(place: KnownPlace, *, now: datetime) -> timedelta:
    """Count a failure at a known place during a lock. Returns the wait of the place."""
    last = place.date_locked_until
    place.failures = 1 if last is not None and now - last >= MAX_ADDRESS_LOCK else place.failures + 1
    delay = known_delay(place.failures)
    place.date_locked_until = now + delay
    place.save(update_fields=["failures", "date_locked_until"])
    return delay


def minutes_until(instant: datetime, now: datetime) -> int:
    """Whole minutes to wait, at least one."""
    return max(math.ceil((instant - now).total_seconds() / 60), 1)
