"""Counting attempts to sign in, in the database, so that it holds across processes and restarts (K9).

An attempt is reserved before the password is looked at (`reserve`) and given back when it was right (`release`). Every guess at
an account counts here: passwords on every way in, the present password of somebody who is signed in, and signatures made with
an access key. Codes of the second factor have tighter counts (`mfa_guard`). What one of the counts locks is locked everywhere.

Whoever comes from a known place of the person (`places`) is not kept out by what strangers did: the place has its own count,
and waits ever longer after each failure beyond the limit. Its failures count for the account as well. Who comes from a known
device at a known address is judged by the device, and counts at both: taking turns gains nothing.
"""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q

from postern.apps.audits import facade as audits
from postern.apps.authn import places
from postern.apps.authn.errors import SignInLocked
from postern.apps.authn.events import AccountLocked, AccountUnlocked
from postern.apps.authn.lockout import (
    ADDRESS_FACTOR,
    MAX_ADDRESS_LOCK,
    GuardState,
    LockRules,
    after_attempt,
    after_success,
    is_locked,
    known_delay,
)
from postern.apps.authn.models import GuardKind, KnownPlace, PlaceKind, SignInGuard
from postern.apps.preferences import facade as preferences
from postern.apps.users.models import User, username_key
from postern.foundation import events
from postern.foundation.actor import Actor, anonymous
from postern.kernel import clock
from postern.kernel.addresses import address_key
from postern.kernel.ids import ROOT_ORG_ID, token_hash

_MAX_KEY_CHARS: Final = 512
_MAX_ADDRESS_CHARS: Final = 64
_OF_ACCOUNT: Final = (GuardKind.ACCOUNT, GuardKind.MFA)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A counted attempt. `tries_left`: how many more failures a stranger may make before there is a lock.

    It says the same from a known place, whatever that still allows: else it would tell that there is such an account.
    `locked_for`: how long, when this very attempt locks. `locks_account`: it locks the account for strangers.
    """

    account_hash: str
    address_hash: str
    tries_left: int
    locks_account: bool
    locks_address: bool
    places: tuple[KnownPlace, ...] = ()
    locked_for: timedelta | None = None

    @property
    def locked_minutes(self) -> int:
        return max(math.ceil(self.locked_for.total_seconds() / 60), 1) if self.locked_for is not None else 0


def lock_rules() -> LockRules:
    """The limits that an administrator has set."""
    return LockRules(
        limit_count=preferences.get_int("SECURITY_LOGIN_LIMIT_COUNT"),
        limit_time_min=preferences.get_int("SECURITY_LOGIN_LIMIT_TIME"),
    )


def key_hash(kind: GuardKind, key: str) -> str:
    """What is stored in place of an account name or an address."""
    text = username_key(key[:_MAX_KEY_CHARS]) if kind in _OF_ACCOUNT else address_key(key)
    return token_hash(f"{kind.value}:{text}")


@transaction.atomic
def reserve(username: str, remote_addr: str, *, device: str = "", of_address: bool = True) -> Attempt:
    """Count an attempt as failed beforehand. Raises SignInLocked, and then counts nothing.

    `device`: the text of the device's cookie. `of_address` False leaves the address out of the count: a program with a stale key
    must not lock out everybody behind its address.
    """
    rules, now = lock_rules(), clock.now()
    # Always in this order, so that two attempts never wait for each other.
    account = locked_row(GuardKind.ACCOUNT, key_hash(GuardKind.ACCOUNT, username))
    address = locked_row(GuardKind.ADDRESS, key_hash(GuardKind.ADDRESS, remote_addr), address=remote_addr)
    known = _locked_places(places.find(username, remote_addr, device))
    place = known[0] if known else None
    _refuse_while_locked(username, account, address if of_address else None, place, now)

    limit, under_attack = rules.limit_count, is_locked(state_of(account), now=now)
    address_counts = of_address and not is_locked(state_of(address), now=now)
    next_account = state_of(account)
    if not under_attack:
        next_account = after_attempt(next_account, limit=limit, rules=rules, grows=False, now=now)
        store(account, next_account)
    next_address = state_of(address)
    if address_counts:
        next_address = after_attempt(next_address, limit=limit * ADDRESS_FACTOR, rules=rules, grows=True, now=now)
        store(address, next_address)
    locks_account = not under_attack and is_locked(next_account, now=now)
    locked_for = rules.window if locks_account else None
    tries_left = 0 if locks_account else max(limit - next_account.failures, 0)
    if known:
        free_tries = 1 if under_attack else limit  # while strangers guess, the owner waits after each failure
        locked_for, *_others = [_count_for(one, free_tries=free_tries, now=now) for one in known]
        tries_left = tries_left or max(
            free_tries - known[0].failures, 0
        )  # the lock of everybody else is no secret any more
    return Attempt(
        account_hash=account.key_hash,
        address_hash=address.key_hash,
        tries_left=tries_left,
        locks_account=locks_account,
        locks_address=address_counts and is_locked(next_address, now=now),
        places=tuple(known),
        locked_for=locked_for,
    )


@transaction.atomic
def release(attempt: Attempt) -> None:
    """The attempt was right: forget the failures of the account, take this one back for the address.

    From a known place only this attempt is taken back for the account: what strangers did stands.
    """
    _give_back(attempt, whole=not attempt.places)
    if attempt.places:
        KnownPlace.objects.filter(pk__in=_keys(attempt.places)).update(failures=0, date_locked_until=None)


@transaction.atomic
def take_back(attempt: Attempt) -> None:
    """Nobody judged the attempt: forget this one, and nothing else."""
    _give_back(attempt, whole=False)
    if attempt.places:  # they did not wait, or there would be no attempt
        known = KnownPlace.objects.filter(pk__in=_keys(attempt.places), failures__gt=0)
        known.update(failures=F("failures") - 1, date_locked_until=None)


def _keys(known: tuple[KnownPlace, ...]) -> list[UUID]:
    return [place.pk for place in known]


def _give_back(attempt: Attempt, *, whole: bool) -> None:
    limit = lock_rules().limit_count
    account = locked_row(GuardKind.ACCOUNT, attempt.account_hash)
    address = locked_row(GuardKind.ADDRESS, attempt.address_hash)
    store(account, after_success(state_of(account), whole=whole, limit=limit, locked_by_this=attempt.locks_account))
    store(
        address,
        after_success(
            state_of(address), whole=False, limit=limit * ADDRESS_FACTOR, locked_by_this=attempt.locks_address
        ),
    )


def require_open(username: str, remote_addr: str, *, device: str = "", of_address: bool = True) -> None:
    """Raise SignInLocked while the account is locked for whoever comes from there. Counts nothing.

    For proofs that cannot be guessed (keys, signatures): a lock closes every way in alike.
    """
    kinds = [*_OF_ACCOUNT, GuardKind.ADDRESS]
    hashes = [key_hash(kind, remote_addr if kind == GuardKind.ADDRESS else username) for kind in kinds]
    now = clock.now()
    found = {
        row.kind: row
        for row in SignInGuard.objects.filter(kind__in=kinds, key_hash__in=hashes, date_locked_until__gt=now)
    }
    place = next(iter(places.find(username, remote_addr, device)), None)
    address = found.get(GuardKind.ADDRESS) if of_address else None
    _refuse(found.get(GuardKind.ACCOUNT), found.get(GuardKind.MFA), address, place, now)


@transaction.atomic
def reserve_address(remote_addr: str) -> None:
    """Count a failure that belongs to no account, such as an unknown link. Raises SignInLocked while the address is locked."""
    rules, now = lock_rules(), clock.now()
    address = locked_row(GuardKind.ADDRESS, key_hash(GuardKind.ADDRESS, remote_addr), address=remote_addr)
    _refuse(None, None, address, None, now)
    limit = rules.limit_count * ADDRESS_FACTOR
    store(address, after_attempt(state_of(address), limit=limit, rules=rules, grows=True, now=now))


@transaction.atomic
def note_locked(username: str, remote_addr: str, *, minutes: int) -> None:
    """Tell that an account was locked: the log, the administrators, the person.

    The log does not name what nobody is called: it may be a mistyped password.
    """
    user = User.objects.named(username)
    if user is not None:
        _audit(anonymous(remote_addr), audits.Event.SIGN_IN_LOCKED, user)
    user_id = user.pk if user is not None else None
    events.publish(AccountLocked(username=username[:128], remote_addr=remote_addr, minutes=minutes, user_id=user_id))


@transaction.atomic
def unlock_account(username: str, actor: Actor) -> None:
    """Forget the failures and the locks of an account: wrong passwords, wrong codes, known places that wait.

    Without any nothing happens. The person gets a message.
    """
    hashes = [key_hash(kind, username) for kind in _OF_ACCOUNT]
    gone = SignInGuard.objects.filter(kind__in=_OF_ACCOUNT, key_hash__in=hashes).delete()[0]
    waiting = KnownPlace.objects.filter(user__username_key=username_key(username), failures__gt=0)
    if not waiting.update(failures=0, date_locked_until=None) + gone:
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
    """Forget the failures and the lock of an address; whether there were any."""
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


def locked_accounts(usernames: list[str]) -> dict[str, datetime]:
    """Which of the names are locked now, by wrong passwords or by wrong codes, and until when."""
    hashes = {key_hash(kind, name): name for name in usernames for kind in _OF_ACCOUNT}
    locked = SignInGuard.objects.filter(kind__in=_OF_ACCOUNT, date_locked_until__gt=clock.now())
    # Locks are few and names may be many: the locks are read, not the names asked for.
    found: dict[str, datetime] = {}
    for value, until in locked.values_list("key_hash", "date_locked_until"):
        if value in hashes and until is not None:
            name = hashes[value]
            found[name] = max(until, found.get(name, until))
    return found


def locked_addresses() -> list[SignInGuard]:
    """The addresses that are locked now, the one that is locked longest first."""
    rows = SignInGuard.objects.filter(kind=GuardKind.ADDRESS, date_locked_until__gt=clock.now())
    return list(rows.order_by("-date_locked_until"))


def locked_row(kind: GuardKind, hashed: str, *, address: str = "") -> SignInGuard:
    """The row of a key, made when there is none, locked until the transaction ends."""
    row = SignInGuard(kind=kind, key_hash=hashed, address=address_key(address)[:_MAX_ADDRESS_CHARS])
    SignInGuard.objects.bulk_create([row], ignore_conflicts=True)
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


def _refuse_while_locked(
    username: str, account: SignInGuard, address: SignInGuard | None, place: KnownPlace | None, now: datetime
) -> None:
    codes = SignInGuard.objects.filter(kind=GuardKind.MFA, key_hash=key_hash(GuardKind.MFA, username)).first()
    _refuse(account, codes, address, place, now)


def _refuse(
    account: SignInGuard | None,
    codes: SignInGuard | None,
    address: SignInGuard | None,
    place: KnownPlace | None,
    now: datetime,
) -> None:
    """Raise SignInLocked when one of them is locked for this visitor. Codes are locked for everybody (K6)."""
    at_known_device = place is not None and place.kind == PlaceKind.DEVICE
    counts = (
        codes,
        account if place is None else None,
        None if at_known_device else address,  # its own browser is not blamed for its neighbours
        place,
    )
    untils = [row.date_locked_until for row in counts if row is not None and row.date_locked_until is not None]
    later = [until for until in untils if until > now]
    if later:
        raise SignInLocked(minutes_until(max(later), now))


def _locked_places(found: list[KnownPlace]) -> list[KnownPlace]:
    """The same places, locked; those that are gone are left out."""
    if not found:
        return []
    keys = [place.pk for place in found]
    rows = {row.pk: row for row in KnownPlace.objects.select_for_update().filter(pk__in=keys).order_by("pk")}
    return [rows[pk] for pk in keys if pk in rows]


def _count_for(place: KnownPlace, *, free_tries: int, now: datetime) -> timedelta | None:
    """Count a failure for a known place; how long it waits from now on."""
    last = place.date_locked_until
    place.failures = 1 if last is not None and now - last >= MAX_ADDRESS_LOCK else place.failures + 1
    delay = known_delay(place.failures, free_tries=free_tries)
    place.date_locked_until = now + delay if delay is not None else None
    place.save(update_fields=["failures", "date_locked_until"])
    return delay


def _audit(actor: Actor, event: audits.Event, user: User) -> None:
    audits.record(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event=event,
        object_type="User",
        object_id=str(user.pk),
        object_name=str(user),
    )


def minutes_until(instant: datetime, now: datetime) -> int:
    """Whole minutes to wait, at least one."""
    return max(math.ceil((instant - now).total_seconds() / 60), 1)
