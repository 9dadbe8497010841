"""Checks for whom a proxy may act: users who signed in through it and whose ticket it presents.

Every refusal is audited.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.authn import facade as authn
from postern.apps.sessions import messages
from postern.apps.sessions.terminals.events import ProxyAlarm, ProxyAlarmKind
from postern.apps.sessions.terminals.models import Terminal
from postern.contracts import access
from postern.contracts.enums import DenialCode
from postern.foundation.bus import events
from postern.kernel.ids import ROOT_ORG_ID


@dataclass(frozen=True, slots=True)
class Visitor:
    """A user who signed in through this proxy and whose connection is open."""

    identity: access.UserIdentity
    sign_in_id: UUID
    epoch: int | None


def visitor_of(*, terminal: Terminal, ticket: str, remote_addr: str, wanted: str) -> Visitor | access.Denial:
    """The user of a ticket at this proxy and for this address. `wanted` names the purpose in the audit record."""
    holder = authn.ticket_holder(ticket, proxy_id=terminal.pk, remote_addr=remote_addr)
    if holder.fault is None and holder.identity is not None and holder.sign_in_id is not None:
        return Visitor(holder.identity, holder.sign_in_id, holder.epoch)
    return _refuse(terminal, holder, remote_addr, wanted)


def report(*, terminal: Terminal, opened: Sequence[str], closed: Sequence[str]) -> tuple[int, ...]:
    """Process a proxy's report of open and closed connections. Returns the positions of void tickets."""
    actor = messages.component(terminal.name, terminal.remote_addr or None)
    if closed:
        authn.end_tickets(closed, actor=actor, proxy_id=terminal.pk)
    return authn.prolong_tickets(opened, proxy_id=terminal.pk) if opened else ()


@transaction.atomic
def _refuse(terminal: Terminal, holder: authn.TicketHolder, remote_addr: str, wanted: str) -> access.Denial:
    identity, fault = holder.identity, holder.fault or authn.TicketFault.UNKNOWN
    # A stolen or forged ticket does not prove who is connected, so the record names the proxy.
    known = identity if identity is not None and not holder.is_suspicious else None
    actor = (
        messages.person(known, remote_addr)
        if known is not None
        else messages.component(terminal.name, terminal.remote_addr or None)
    )
    audits.record(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event=audits.Event.TICKET_REFUSED,
        object_type="Terminal",
        object_id=str(terminal.pk),
        object_name=terminal.name,
        new={
            "fault": fault.value,
            "wanted": wanted,
            "remote_addr": remote_addr,
            "ticket_of": messages.label(identity) if identity is not None else None,
        },
    )
    if holder.is_suspicious:
        events.publish(ProxyAlarm(terminal_id=terminal.pk, name=terminal.name, kind=ProxyAlarmKind.TICKET))
    return denial_of(fault, known)


def denial_of(fault: authn.TicketFault, identity: access.UserIdentity | None) -> access.Denial:
    """The text for the user: in their language when they are known, else in the installation's."""
    with translation.override(identity.language if identity is not None else settings.LANGUAGE_CODE):
        if fault is authn.TicketFault.CONDITION_UNMET and identity is not None:
            unmet = authn.unmet_condition(identity.id)
            if unmet is not None:
                return unmet
        if fault is authn.TicketFault.ACCOUNT_CLOSED:
            return access.Denial(
                code=DenialCode.USER_INACTIVE, message=_("Your account is closed. Ask an administrator.")
            )
        if fault is authn.TicketFault.NOT_ADMITTED:
            return access.Denial(
                code=DenialCode.NOT_ADMITTED,
                message=_("You may not sign in from this address or at this time. Ask an administrator."),
            )
        return access.Denial(
            code=DenialCode.SIGN_IN_ENDED, message=_("Your sign-in has ended. Connect again and sign in.")
        )
