"""Sign-ins through a proxy: the ticket that a proxy gets for a user, and its later validity.

Without a ticket a proxy can open nothing, so it can act only for users who are connected to it. A ticket is random and
stored as a hash. It is valid at one proxy, for one address, with the factors that were verified.
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
from postern.apps.authn.login_acls.deciding import is_admitted
from postern.apps.authn.proxies.models import ProxySignIn
from postern.apps.authn.sign_in.actions import second_factor, sign_in
from postern.apps.authn.sign_in.actions.sign_in import MfaState, Proof
from postern.apps.authn.signatures import ssh_proofs
from postern.apps.authn.ssh_certificates.judging import Mark
from postern.apps.authn.ssh_codes import actions as ssh_codes
from postern.apps.users.models import User
from postern.foundation.caller.actor import Actor
from postern.kernel import clock
from postern.kernel.ids import ROOT_ORG_ID, new_token, token_hash
from postern.kernel.secret import Secret

#: A ticket expires after this time if its proxy does not extend it, for example after a network failure.
IDLE_LIMIT: Final = timedelta(minutes=10)
#: Maximum lifetime of a ticket, also of an open connection: the user signs in again after a working day.
TOTAL_LIMIT: Final = timedelta(hours=12)


class TicketFault(StrEnum):
    """Why a ticket is invalid. A proxy that works correctly never causes the first three."""

    UNKNOWN = "unknown"
    OTHER_PROXY = "other_proxy"
    OTHER_ADDRESS = "other_address"
    ENDED = "ended"
    EXPIRED = "expired"
    ACCOUNT_CLOSED = "account_closed"
    PASSWORD_CHANGED = "password_changed"  # noqa: S105 - a code, not a password
    KEY_REMOVED = "key_removed"
    CERTIFICATE_WITHDRAWN = "certificate_withdrawn"
    CERTIFICATE_EXPIRED = "certificate_expired"
    CONDITION_UNMET = "condition_unmet"
    NOT_ADMITTED = "not_admitted"
    FACTOR_DUE = "factor_due"


#: Faults of tickets that were stolen, guessed, or used at another place.
SUSPICIOUS: Final = frozenset({TicketFault.UNKNOWN, TicketFault.OTHER_PROXY, TicketFault.OTHER_ADDRESS})


@dataclass(frozen=True, slots=True)
class Opened:
    """A user who signed in through a proxy, and the ticket, which the proxy receives once."""

    user: User
    sign_in: ProxySignIn
    ticket: Secret


@dataclass(frozen=True, slots=True)
class PresentedTicket:
    """The sign-in of a presented ticket with its user, or the fault.

    `row` may be set together with a fault, for the audit log.
    """

    row: ProxySignIn | None
    fault: TicketFault | None


@transaction.atomic
def open_sign_in(proof: Proof, *, mfa: MfaState, proxy_id: UUID) -> Opened:
    """Create the sign-in after all factors were verified, and its ticket."""
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
        certificate=None if proof.attempted.certificate is None else proof.attempted.certificate.stored(),
        provider_session=proof.provider_session,
        mfa=mfa is MfaState.SHOWN,
        date_created=now,
        date_expired=now + IDLE_LIMIT,
    )
    return Opened(user=user, sign_in=row, ticket=Secret(ticket))


@transaction.atomic
def renewed(row: ProxySignIn) -> Opened | None:
    """The same sign-in with a new ticket, because the response with the first ticket was lost. The first ticket is
    void.

    None if the sign-in has ended.
    """
    if fault_of(row) is not None:
        return None
    ticket = new_token()
    if ProxySignIn.objects.filter(pk=row.pk, date_ended__isnull=True).update(token_hash=token_hash(ticket)) != 1:
        return None
    return Opened(user=row.user, sign_in=row, ticket=Secret(ticket))


def find(ticket: str, *, proxy_id: UUID, remote_addr: str) -> PresentedTicket:
    """The sign-in of a ticket with its user, if the ticket is valid at this proxy and for this address."""
    row = ProxySignIn.objects.select_related("user").filter(token_hash=token_hash(ticket)).first()
    if row is None:
        return PresentedTicket(None, TicketFault.UNKNOWN)
    if row.proxy_id != proxy_id:
        return PresentedTicket(row, TicketFault.OTHER_PROXY)
    if row.remote_addr != remote_addr[:64]:
        return PresentedTicket(row, TicketFault.OTHER_ADDRESS)
    return PresentedTicket(row, fault_of(row))


def find_by_id(sign_in_id: UUID) -> PresentedTicket:
    """The sign-in with which a session was opened."""
    row = ProxySignIn.objects.select_related("user").filter(pk=sign_in_id).first()
    return PresentedTicket(None, TicketFault.UNKNOWN) if row is None else PresentedTicket(row, fault_of(row))


def fault_of(row: ProxySignIn) -> TicketFault | None:
    """The reason why the user could not sign in this way now; None if they could."""
    user, now = row.user, clock.now()
    if not user.is_valid:
        return TicketFault.ACCOUNT_CLOSED
    if row.date_ended is not None:
        return TicketFault.ENDED
    if row.date_expired <= now:
        return TicketFault.EXPIRED
    if row.epoch != user.session_epoch:
        return TicketFault.PASSWORD_CHANGED
    key_fault = _key_fault(row)
    if key_fault is not None:
        return key_fault
    if conditions.unmet(user) is not None:
        return TicketFault.CONDITION_UNMET
    if not is_admitted(user.pk, row.remote_addr):
        return TicketFault.NOT_ADMITTED
    if not row.mfa and second_factor.demand_of(user) is not second_factor.Demand.NOTHING:
        return TicketFault.FACTOR_DUE
    return None


def _key_fault(row: ProxySignIn) -> TicketFault | None:
    """The reason why the key of the first factor would be refused now; None if it would be accepted, or without a key."""
    if row.certificate is not None:
        mark = Mark.read(row.certificate)
        if mark.is_withdrawn:
            return TicketFault.CERTIFICATE_WITHDRAWN
        return TicketFault.CERTIFICATE_EXPIRED if mark.is_over else None
    if row.key_hash and not ssh_proofs.holds_hash(row.user.public_key, row.key_hash):
        return TicketFault.KEY_REMOVED
    return None


def withdrawn(sign_in_ids: Collection[UUID]) -> frozenset[UUID]:
    """The sign-ins among these whose certificate was revoked, or whose authority is no longer trusted."""
    rows = ProxySignIn.objects.filter(pk__in=sign_in_ids, certificate__isnull=False).values_list("pk", "certificate")
    return frozenset(pk for pk, stored in rows if stored is not None and Mark.read(stored).is_withdrawn)


@transaction.atomic
def prolong(tickets: Sequence[str], *, proxy_id: UUID) -> tuple[int, ...]:
    """Extend tickets whose connections are still open. Returns the positions of those that are no longer valid."""
    hashes = [token_hash(ticket) for ticket in tickets]
    rows = ProxySignIn.objects.select_related("user").filter(token_hash__in=hashes, proxy_id=proxy_id)
    holding = {row.token_hash: row.pk for row in rows if fault_of(row) is None}
    until = clock.now() + IDLE_LIMIT
    latest = F("date_created") + TOTAL_LIMIT
    ProxySignIn.objects.filter(pk__in=holding.values(), date_ended__isnull=True).update(
        # A CASE, because the minimum of two values is a different function on SQLite and PostgreSQL.
        date_expired=Case(When(date_created__gte=until - TOTAL_LIMIT, then=Value(until)), default=latest)
    )
    return tuple(at for at, hashed in enumerate(hashes) if hashed not in holding)


@transaction.atomic
def end(tickets: Collection[str], *, actor: Actor, proxy_id: UUID) -> int:
    """End tickets whose connections were closed. Returns the number of sign-ins ended by this call."""
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
    """End every ticket of a user. Call it in the transaction that records the reason."""
    now = clock.now()
    open_ones = ProxySignIn.objects.filter(user_id=user_id, date_ended__isnull=True, date_expired__gt=now)
    return open_ones.update(date_ended=now)


@transaction.atomic
def end_of_codes(user_id: UUID, sessions: Collection[str]) -> int:
    """End the tickets of SSH codes from browser sign-ins with these sessions at the provider; empty `sessions`: all."""
    rows = ProxySignIn.objects.filter(user_id=user_id, backend=ssh_codes.BACKEND, date_ended__isnull=True)
    if sessions:
        rows = rows.filter(provider_session__in=list(sessions))
    return rows.update(date_ended=clock.now())


def follow_codes(user_id: UUID, session: str, now: str) -> None:
    """Move the tickets of SSH codes to the new session at the provider of their browser sign-in."""
    rows = ProxySignIn.objects.filter(user_id=user_id, backend=ssh_codes.BACKEND, date_ended__isnull=True)
    rows.filter(provider_session=session).update(provider_session=now)


@transaction.atomic
def end_of_proxy(proxy_id: UUID) -> int:
    """End every ticket of a proxy that is no longer trusted. Call it in the transaction that records the reason."""
    return ProxySignIn.objects.filter(proxy_id=proxy_id, date_ended__isnull=True).update(date_ended=clock.now())
