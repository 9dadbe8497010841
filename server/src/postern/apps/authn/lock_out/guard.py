"""Counting attempts to sign in, in the database, so that it holds across processes and restarts (K9).

An attempt is reserved before the password is looked at (`reserve`) and given back when it was right (`release`). Every guess at
an account counts here: passwords on every way in, the present password of somebody who is signed in, and signatures made with
an access key. Codes of the second factor have tighter counts (`mfa_guard`). What one of the counts locks is locked everywhere.

While an account is open, every attempt from a known place of the person (`places`) is judged and counts for the account,
whatever neighbours at the same address did. While the account is locked, strangers are refused; a known place goes on, and
waits ever longer after each failure. Who comes from a known device at a known address is judged by the device, and counts at
both: taking turns gains nothing. Proofs that nobody guesses (`require_open`) ask the account and the codes alone.
"""

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q

from postern.apps.audits import facade as audits
from postern.apps.authn.known_places import places
from postern.apps.authn.known_places.models import KnownPlace
from postern.apps.authn.lock_out.errors import SignInLocked
from postern.apps.authn.lock_out.events import AccountLocked, AccountUnlocked
from postern.apps.authn.lock_out.lockout import (
    ADDRESS_FACTOR,
    MAX_ADDRESS_LOCK,
    GuardState,
    LockRules,
    after_attempt,
    is_locked,
    known_delay,
    without_attempt,
)
from postern.apps.authn.lock_out.models import GuardKind, SignInGuard
from postern.apps.preferences import facade as preferences
from postern.apps.users.models import User, username_key
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor, anonymous
from postern.kernel import clock
from postern.kernel.addresses import address_key
from postern.kernel.ids import ROOT_ORG_ID, token_hash

_MAX_KEY_CHARS: Final = 512
_MAX_ADDRESS_CHARS: Final = 64
_OF_ACCOUNT: Final = (GuardKind.ACCOUNT, GuardKind.MFA)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A known place at which an attempt was counted, and until when it waited before."""

    place_id: UUID
    former_until: datetime | None


@dataclass(frozen=True, slots=True)
class Attempt:
    """A counted attempt. `tries_left`: how many more failures a stranger may make before there is a lock.

    It says the same from a known place: else it would tell that there is such an account.
    `locked_for`: how long, when this very attempt locks. `locks_account`: it locks the account for strangers.
    `at`: under which instant it is counted. `places`: the known places that it comes from; `waiting`: those where it counts.
    """

    account_hash: str
    address_hash: str
    at: float
    tries_left: int
    locks_account: bool
    places: tuple[UUID, ...] = ()
    waiting: tuple[Waiting, ...] = ()
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
    codes = SignInGuard.objects.filter(kind=GuardKind.MFA, key_hash=key_hash(GuardKind.MFA, username)).first()
    under_attack = is_locked(state_of(account), now=now)
    if known:  # neighbours at the address are not its owner; what they did asks nothing while the account is open
        _refuse(now, codes, known[0] if under_attack else None)
    else:
        _refuse(now, codes, account, address if of_address else None)

    limit, next_account = rules.limit_count, state_of(account)
    if not under_attack:
        next_account = after_attempt(next_account, limit=limit, rules=rules, grows=False, now=now)
        store(account, next_account)
    next_address = state_of(address)
    if of_address and not is_locked(next_address, now=now):
        next_address = after_attempt(next_address, limit=limit * ADDRESS_FACTOR, rules=rules, grows=True, now=now)
        store(address, next_address)
    locks_account = not under_attack and is_locked(next_account, now=now)
    locked_for = rules.window if locks_account else None
    waiting: tuple[Waiting, ...] = ()
    if known and (under_attack or locks_account):
        waiting = tuple(Waiting(place.pk, place.date_locked_until) for place in known)
        locked_for, *_others = [_count_for(place, now=now) for place in known]
    return Attempt(
        account_hash=account.key_hash,
        address_hash=address.key_hash,
        at=now.timestamp(),
        tries_left=max(limit - len(next_account.recent), 0),
        locks_account=locks_account,
        places=tuple(place.pk for place in known),
        waiting=waiting,
        locked_for=locked_for,
    )


@transaction.atomic
def release(attempt: Attempt) -> None:
    """The attempt was right: forget the failures of the account, take this one back for the address.

    From a known place only this attempt is taken back for the account: what strangers did stands.
    """
    _give_back(attempt, whole=not attempt.places)
    if attempt.places:
        KnownPlace.objects.filter(pk__in=attempt.places).update(failures=0, date_locked_until=None)


@transaction.atomic
def take_back(attempt: Attempt) -> None:
    """Nobody judged the attempt: forget this one, and nothing else."""
    _give_back(attempt, whole=False)
    for counted in attempt.waiting:
        place = KnownPlace.objects.filter(pk=counted.place_id, failures__gt=0)
        place.update(failures=F("failures") - 1, date_locked_until=counted.former_until)


def _give_back(attempt: Attempt, *, whole: bool) -> None:
    limit, now = lock_rules().limit_count, clock.now()
    account = locked_row(GuardKind.ACCOUNT, attempt.account_hash)
    address = locked_row(GuardKind.ADDRESS, attempt.address_hash)
    kept = GuardState() if whole else without_attempt(state_of(account), attempt.at, limit=limit, now=now)
    store(account, kept)
    store(address, without_attempt(state_of(address), attempt.at, limit=limit * ADDRESS_FACTOR, now=now))


def require_open(username: str, remote_addr: str, *, device: str = "") -> None:
    """Raise SignInLocked while the account is locked for whoever comes from there. Counts nothing.

    For proofs that nobody guesses (keys, signatures) and for codes, which have a count of their own. Passwords that neighbours
    guessed at the same address do not refuse them: only the lock of the account does, and not at a known place.
    """
    hashes = [key_hash(kind, username) for kind in _OF_ACCOUNT]
    now = clock.now()
    locked = SignInGuard.objects.filter(kind__in=_OF_ACCOUNT, key_hash__in=hashes, date_locked_until__gt=now)
    found = {row.kind: row for row in locked}
    if GuardKind.ACCOUNT in found and places.find(username, remote_addr, device):
        del found[GuardKind.ACCOUNT]
    _refuse(now, *found.values())


@transaction.atomic
def reserve_address(remote_addr: str) -> None:
    """Count a failure that belongs to no account, such as an unknown link. Raises SignInLocked while the address is locked."""
    rules, now = lock_rules(), clock.now()
    address = locked_row(GuardKind.ADDRESS, key_hash(GuardKind.ADDRESS, remote_addr), address=remote_addr)
    _refuse(now, address)
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
    return GuardState(recent=tuple(row.recent), locks=row.locks, locked_until=row.date_locked_until)


def store(row: SignInGuard, state: GuardState) -> None:
    """Write a value back into its row."""
    row.recent, row.failures, row.locks = list(state.recent), len(state.recent), state.locks
    row.date_locked_until = state.locked_until
    if state.recent:
        row.date_last_failure = datetime.fromtimestamp(max(state.recent), UTC)
    row.save(update_fields=["recent", "failures", "locks", "date_last_failure", "date_locked_until"])


def _refuse(now: datetime, *counts: SignInGuard | KnownPlace | None) -> None:
    """Raise SignInLocked when one of the rows is locked."""
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


def _count_for(place: KnownPlace, *, now: datetime) -> timedelta:
    """Count a failure during a lock for a known place; how long it waits from now on."""
    last = place.date_locked_until
    place.failures = 1 if last is not None and now - last >= MAX_ADDRESS_LOCK else place.failures + 1
    delay = known_delay(place.failures)
    place.date_locked_until = now + delay
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
