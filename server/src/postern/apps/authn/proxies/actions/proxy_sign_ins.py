"""Sign-ins through a proxy: the ticket that a proxy gets for a person, and what it is worth later.

A proxy can act only for people who are there: without a ticket it opens nothing for anybody. A ticket is random, kept as
a hash, and holds at one proxy, for one address, under the factors that were shown.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Case, F, Value, When

from postern.apps.audits import facade as audits
from postern.apps.authn.callers import conditions
from postern.apps.authn.proxies.models import ProxySignIn
from postern.apps.authn.sign_in.actions import second_factor, sign_in
from postern.apps.authn.sign_in.actions.sign_in import MfaState, Proof
from postern.apps.authn.signatures import ssh_proofs
from postern.apps.users.models import User
from postern.foundation.caller.actor import Actor
from postern.kernel import clock
from postern.kernel.ids import ROOT_ORG_ID, new_token, token_hash
from postern.kernel.secret import Secret

#: A ticket that its proxy does not prolong is over after this time (the proxy or its network died).
IDLE_LIMIT: Final = timedelta(minutes=10)
#: However long the connection stays open: after a working day the person signs in anew.
TOTAL_LIMIT: Final = timedelta(hours=12)


class TicketFault(StrEnum):
    """Why a ticket is worth nothing. The first three never happen to a proxy that does what it should."""

    UNKNOWN = "unknown"
    OTHER_PROXY = "other_proxy"
    OTHER_ADDRESS = "other_address"
    ENDED = "ended"
    EXPIRED = "expired"
    ACCOUNT_CLOSED = "account_closed"
    PASSWORD_CHANGED = "password_changed"  # noqa: S105 - a code, not a password
    KEY_REMOVED = "key_removed"
    CONDITION_UNMET = "condition_unmet"
    FACTOR_DUE = "factor_due"


#: Faults of a ticket that somebody stole, guessed or carried elsewhere.
SUSPICIOUS: Final = frozenset({TicketFault.UNKNOWN, TicketFault.OTHER_PROXY, TicketFault.OTHER_ADDRESS})


@dataclass(frozen=True, slots=True)
class Opened:
    """A person who signed in through a proxy, and the ticket that the proxy is told once."""

    user: User
    sign_in: ProxySignIn
    ticket: Secret


@dataclass(frozen=True, slots=True)
class Shown:
    """What a ticket says: a sign-in with its person, or why not. `row` may be known all the same, for the audit log."""

    row: ProxySignIn | None
    fault: TicketFault | None


@transaction.atomic
def open_sign_in(proof: Proof, *, mfa: MfaState, proxy_id: UUID) -> Opened:
    """Every factor was right: note the sign-in, and make its ticket."""
    user = sign_in.signed_in(proof, mfa=mfa)
    ticket, now = new_token(), clock.now()
    row = ProxySignIn.objects.create(
        user=user,
        token_hash=token_hash(ticket),
        proxy_id=proxy_id,
        epoch=user.session_epoch,
        remote_addr=proof.attempted.remote_addr[:64],
        backend=proof.attempted.backend,
        key_hash=proof.key_hash,
        mfa=mfa is MfaState.SHOWN,
        date_created=now,
        date_expired=now + IDLE_LIMIT,
    )
    return Opened(user=user, sign_in=row, ticket=Secret(ticket))


@transaction.atomic
def renewed(row: ProxySignIn) -> Opened | None:
    """The same sign-in with another ticket: the first did not arrive, and is void. None once the sign-in has ended."""
    if fault_of(row) is not None:
        return None
    ticket = new_token()
    if ProxySignIn.objects.filter(pk=row.pk, date_ended__isnull=True).update(token_hash=token_hash(ticket)) != 1:
        return None
    return Opened(user=row.user, sign_in=row, ticket=Secret(ticket))


def find(ticket: str, *, proxy_id: UUID, remote_addr: str) -> Shown:
    """The sign-in that a ticket names, with its person, when it holds at this proxy and for this address."""
    row = ProxySignIn.objects.select_related("user").filter(token_hash=token_hash(ticket)).first()
    if row is None:
        return Shown(None, TicketFault.UNKNOWN)
    if row.proxy_id != proxy_id:
        return Shown(row, TicketFault.OTHER_PROXY)
    if row.remote_addr != remote_addr[:64]:
        return Shown(row, TicketFault.OTHER_ADDRESS)
    return Shown(row, fault_of(row))


def find_by_id(sign_in_id: UUID) -> Shown:
    """The same for a session that was opened with the ticket."""
    row = ProxySignIn.objects.select_related("user").filter(pk=sign_in_id).first()
    return Shown(None, TicketFault.UNKNOWN) if row is None else Shown(row, fault_of(row))


def fault_of(row: ProxySignIn) -> TicketFault | None:
    """Whether the person could still sign in this way. None: yes."""
    user, now = row.user, clock.now()
    if not user.is_valid:
        return TicketFault.ACCOUNT_CLOSED
    if row.date_ended is not None:
        return TicketFault.ENDED
    if row.date_expired <= now:
        return TicketFault.EXPIRED
    if row.epoch != user.session_epoch:
        return TicketFault.PASSWORD_CHANGED
    if row.key_hash and not ssh_proofs.holds_hash(user.public_key, row.key_hash):
        return TicketFault.KEY_REMOVED
    if conditions.unmet(user) is not None:
        return TicketFault.CONDITION_UNMET
    if not row.mfa and second_factor.demand_of(user) is not second_factor.Demand.NOTHING:
        return TicketFault.FACTOR_DUE
    return None


@transaction.atomic
def prolong(tickets: Sequence[str], *, proxy_id: UUID) -> tuple[int, ...]:
    """The connections of these tickets are open still. Returns the places of those that are worth nothing any more."""
    hashes = [token_hash(ticket) for ticket in tickets]
    rows = ProxySignIn.objects.select_related("user").filter(token_hash__in=hashes, proxy_id=proxy_id)
    holding = {row.token_hash: row.pk for row in rows if fault_of(row) is None}
    until = clock.now() + IDLE_LIMIT
    latest = F("date_created") + TOTAL_LIMIT
    ProxySignIn.objects.filter(pk__in=holding.values(), date_ended__isnull=True).update(
        # Portable: a minimum of a column and a parameter is another function on SQLite than on PostgreSQL.
        date_expired=Case(When(date_created__gte=until - TOTAL_LIMIT, then=Value(until)), default=latest)
    )
    return tuple(at for at, hashed in enumerate(hashes) if hashed not in holding)


@transaction.atomic
def end(tickets: Collection[str], *, actor: Actor, proxy_id: UUID) -> int:
    """The connections of these tickets are closed. Returns how many ended now."""
    hashes = [token_hash(ticket) for ticket in tickets]
    rows = ProxySignIn.objects.select_for_update(of=("self",)).select_related("user")
    ended = list(rows.filter(token_hash__in=hashes, proxy_id=proxy_id, date_ended__isnull=True).order_by("pk"))
    if not ended:
        return 0
    ProxySignIn.objects.filter(pk__in=[row.pk for row in ended]).update(date_ended=clock.now())
    for row in ended:
        audits.record(
            actor=actor,
            org_id=ROOT_ORG_ID,
            event=audits.Event.PROXY_SIGN_IN_ENDED,
            object_type="ProxySignIn",
            object_id=str(row.pk),
            object_name=str(row.user),
        )
    return len(ended)


@transaction.atomic
def end_of_person(user_id: UUID) -> int:
    """Every ticket of a person is void. Call in the transaction that says why."""
    now = clock.now()
    open_ones = ProxySignIn.objects.filter(user_id=user_id, date_ended__isnull=True, date_expired__gt=now)
    return open_ones.update(date_ended=now)


@transaction.atomic
def end_of_proxy(proxy_id: UUID) -> int:
    """The proxy is not trusted any more: every ticket of it is void. Call in the transaction that says why."""
    return ProxySignIn.objects.filter(proxy_id=proxy_id, date_ended__isnull=True).update(date_ended=clock.now())
