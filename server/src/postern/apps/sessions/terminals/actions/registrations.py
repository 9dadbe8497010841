"""Registration of proxies, and renewal and revocation of their credentials."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.sessions.terminals import policy, storages
from postern.apps.sessions.terminals.actions import sightings, terminal_log, terminals
from postern.apps.sessions.terminals.errors import (
    CredentialRevoked,
    NotWaiting,
    RegistrationRefused,
    RenewalRefused,
    TooManyWaiting,
)
from postern.apps.sessions.terminals.events import ProxyAlarmKind, TerminalWaiting
from postern.apps.sessions.terminals.models import Terminal, TerminalType
from postern.apps.users import facade as users
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.kernel import clock, ids
from postern.kernel.errors import Conflict
from postern.kernel.ids import ROOT_ORG_ID
from postern.kernel.secret import Secret

#: Terminals that may wait at the same time, so that a holder of the bootstrap token cannot fill the list.
MAX_WAITING: Final = 20


@dataclass(frozen=True, slots=True)
class Registration:
    """A new terminal and its secret, which is returned once."""

    terminal: Terminal
    secret: Secret


@transaction.atomic
def register(*, actor: Actor, name: str, type_: str, comment: str = "", is_local: bool = False) -> Registration:
    """Register a proxy. It waits to be accepted, unless it is the local proxy.

    A name can be taken over only from a terminal whose credential was revoked, and by the local proxy from any terminal
    that is not running. A holder of the bootstrap token alone can therefore displace no proxy. Raises
    RegistrationRefused, TooManyWaiting.
    """
    if type_ not in TerminalType.values:
        raise RegistrationRefused(_("Unknown type of component."))
    holder = Terminal.objects.select_for_update().existing().filter(name=name).first()
    if holder is not None:
        running = holder.is_accepted and policy.is_alive(holder.date_last_heartbeat, clock.now())
        if running or not (is_local or holder.is_revoked):
            raise RegistrationRefused(_("A component with this name is already registered. Choose another name."))
        terminals.retire(actor=actor, terminal=holder, why="replaced")
    # A local proxy that an administrator has shut out cannot return without acceptance, whatever its name.
    former = Terminal.objects.filter(is_local=True).order_by("-date_created").first() if is_local else None
    shut_out = former is not None and former.is_shut_out
    accepted = is_local and not shut_out
    if not accepted and Terminal.objects.waiting().count() >= MAX_WAITING:
        raise TooManyWaiting(_("Too many components are waiting to be accepted. Accept or refuse some of them first."))
    secret = ids.new_token()
    try:
        with transaction.atomic():
            terminal = Terminal.objects.create(
                name=name,
                type=type_,
                comment=comment,
                remote_addr=actor.remote_addr or "",
                secret_hash=ids.token_hash(secret),
                is_accepted=accepted,
                is_local=is_local,
                is_shut_out=shut_out,
                command_storage=storages.default_name("command_storage"),
                replay_storage=storages.default_name("replay_storage"),
            )
    except IntegrityError:  # a concurrent registration was faster
        raise RegistrationRefused(_("A component with this name is already registered. Choose another name.")) from None
    terminal_log.record(
        actor,
        terminal,
        audits.Event.TERMINAL_REGISTERED,
        "create",
        {"name": name, "type": type_, "is_accepted": accepted, "is_local": is_local},
    )
    if not accepted:
        events.publish(
            TerminalWaiting(
                terminal_id=terminal.pk,
                name=terminal.name,
                remote_addr=terminal.remote_addr,
                fingerprint=terminal.fingerprint,
            )
        )
    return Registration(terminal, Secret(secret))


@transaction.atomic
def note_refused_token(*, actor: Actor, kind: str) -> None:
    """Record a wrong bootstrap token, or a wrong proof of the local proxy."""
    audits.record(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event=audits.Event.TERMINAL_REGISTRATION_REFUSED,
        object_type="Terminal",
        new={"shown": kind},
    )


@transaction.atomic
def accept(*, actor: Actor, terminal: Terminal) -> Terminal:
    """Accept the proxy. Does nothing when it is accepted. Raises CredentialRevoked."""
    users.hold_caller(actor)
    row = _locked(terminal)
    if row.is_revoked:
        raise CredentialRevoked(_("The credential of this terminal was revoked. Register the terminal again."))
    if not row.is_accepted:
        row.is_accepted, row.is_shut_out = True, False
        row.save(update_fields=["is_accepted", "is_shut_out"])
        terminal_log.record(
            actor, row, audits.Event.TERMINAL_ACCEPTED, "update", {"is_accepted": True}, old={"is_accepted": False}
        )
    return row


@transaction.atomic
def refuse(*, actor: Actor, terminal: Terminal) -> None:
    """Refuse a waiting proxy. Raises NotWaiting: a working proxy is revoked or deleted instead."""
    row = _locked(terminal)
    if row.is_accepted:
        raise NotWaiting(_("This terminal is already accepted. To shut it out, revoke its credential or delete it."))
    terminals.retire(actor=actor, terminal=row, why="refused")


@transaction.atomic
def order_renewal(*, actor: Actor, terminal: Terminal) -> Terminal:
    """Make the running process of the proxy fetch a new credential with its next heartbeat. A restart voids the order.

    Raises NotWaiting, CredentialRevoked.
    """
    users.hold_caller(actor)
    row = _locked(terminal)
    if row.is_revoked:
        raise CredentialRevoked(_("The credential of this terminal was revoked. Register the terminal again."))
    if not row.is_accepted:
        raise NotWaiting(_("This terminal is not accepted. Accept it first."))
    if not row.is_renewal_due or row.renewal_boot_id != row.boot_id:
        row.is_renewal_due, row.renewal_boot_id = True, row.boot_id
        row.save(update_fields=["is_renewal_due", "renewal_boot_id"])
        terminal_log.record(
            actor, row, audits.Event.TERMINAL_RENEWAL_ORDERED, "update", {"fingerprint": row.fingerprint}
        )
    return row


def renew(*, actor: Actor, terminal: Terminal, boot_id: UUID) -> Secret:
    """The new secret, only for the process that was running when the renewal was ordered.

    Only that process and Postern know its process id. A thief of the credential who sends heartbeats has another id.
    Raises RenewalRefused for other processes, which is an alarm, and Conflict when no renewal was ordered. The current
    credential stays valid until the new credential is used, so a lost response locks nobody out.
    """
    with transaction.atomic():
        row = _locked(terminal)
        expected = row.renewal_boot_id if row.is_renewal_due else row.boot_id
        if expected is not None and boot_id == expected:
            return _issue(actor, row)
        terminal_log.alarm(
            row,
            ProxyAlarmKind.RENEWAL,
            {"remote_addr": actor.remote_addr, "boot_id": boot_id},
            old={"remote_addr": row.remote_addr, "boot_id": row.boot_id},
            place=actor.remote_addr or "",
        )
    raise RenewalRefused(_("The new credential is only for the process that was running when it was ordered."))


def _issue(actor: Actor, row: Terminal) -> Secret:
    if not row.is_renewal_due:
        raise Conflict(_("No new credential was ordered for this terminal."))
    secret = ids.new_token()
    row.next_secret_hash = ids.token_hash(secret)
    row.save(update_fields=["next_secret_hash"])
    terminal_log.record(actor, row, audits.Event.TERMINAL_CREDENTIAL_ISSUED, "update", None)
    return Secret(secret)


@transaction.atomic
def tell_of_haste(*, terminal: Terminal, question: str) -> None:
    """Raise an alarm: the proxy sends more requests of one kind per minute than any proxy needs."""
    terminal_log.alarm(terminal, ProxyAlarmKind.HASTE, {"question": question})


@transaction.atomic
def revoke(*, actor: Actor, terminal: Terminal) -> Terminal:
    """Revoke the credential: the proxy has to register and be accepted again.

    Its sessions are presumed to have ended.
    """
    row = _locked(terminal)
    if row.is_revoked:
        return row
    old = {"is_accepted": row.is_accepted, "fingerprint": row.fingerprint}
    row.secret_hash, row.next_secret_hash, row.is_renewal_due, row.is_accepted = "", "", False, False
    row.renewal_boot_id, row.is_shut_out = None, True
    sightings.forget(row)
    row.save(
        update_fields=[
            "secret_hash",
            "next_secret_hash",
            "is_renewal_due",
            "renewal_boot_id",
            "is_accepted",
            "is_shut_out",
            "has_sightings",
        ]
    )
    terminals.shut_out(actor=actor, terminal=row, why="revoked")
    terminal_log.record(
        actor,
        row,
        audits.Event.TERMINAL_CREDENTIAL_REVOKED,
        "update",
        {"is_accepted": False, "fingerprint": ""},
        old=old,
    )
    return row


def _locked(terminal: Terminal) -> Terminal:
    return Terminal.objects.select_for_update(no_key=True).get(pk=terminal.pk)
