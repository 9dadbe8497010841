"""Changes, deletes and shuts out terminals. `registrations` creates them, `heartbeats` tracks them."""

from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.authn import facade as authn
from postern.apps.sessions.terminals import channel
from postern.apps.sessions.terminals.actions import sightings, terminal_log
from postern.apps.sessions.terminals.errors import CredentialRevoked
from postern.apps.sessions.terminals.events import TerminalShutOut
from postern.apps.sessions.terminals.models import Terminal
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.foundation.database.write_transaction import write_transaction


@transaction.atomic
def change_terminal(*, actor: Actor, terminal: Terminal, changes: dict[str, Any]) -> Terminal:
    """Change the fields that super administrators may change: name, comment, storages, acceptance.

    Raises CredentialRevoked.
    """
    terminal = Terminal.objects.existing().select_for_update(no_key=True).get(pk=terminal.pk)
    if changes.get("is_accepted") and terminal.is_revoked:
        raise CredentialRevoked(_("The credential of this terminal was revoked. Register the terminal again."))
    old = {name: getattr(terminal, name) for name in changes if getattr(terminal, name) != changes[name]}
    if not old:  # no change, so nothing to audit
        return terminal
    new = {name: changes[name] for name in old}
    for name, value in new.items():
        setattr(terminal, name, value)
    terminal.is_shut_out = not terminal.is_accepted if "is_accepted" in new else terminal.is_shut_out
    terminal.save(update_fields=[*new, "is_shut_out"])
    if not terminal.is_accepted:
        channel.close(terminal.pk)
        authn.end_tickets_of_proxy(terminal.pk)
    terminal_log.record(actor, terminal, audits.Event.TERMINAL_UPDATED, "update", new, old=old)
    return terminal


@write_transaction()
def delete_terminal(*, actor: Actor, terminal: Terminal) -> None:
    """Delete a terminal: its credential becomes void, and its sessions are presumed to have ended."""
    retire(actor=actor, terminal=terminal, why="deleted")


def retire(*, actor: Actor, terminal: Terminal, why: str) -> None:
    """Mark the terminal as deleted; its row stays for the history of its sessions. Must run inside a transaction.

    Without a successor (`why` is not "replaced") the terminal is shut out.
    """
    terminal.is_deleted = True
    terminal.is_accepted = False
    terminal.is_shut_out = terminal.is_shut_out or why != "replaced"
    sightings.forget(terminal)
    terminal.save(update_fields=["is_deleted", "is_accepted", "is_shut_out", "has_sightings"])
    shut_out(actor=actor, terminal=terminal, why=why)
    old = {name: getattr(terminal, name) for name in ("name", "type", "comment", "remote_addr")}
    terminal_log.record(actor, terminal, audits.Event.TERMINAL_DELETED, "delete", {"why": why}, old=old)


def shut_out(*, actor: Actor, terminal: Terminal, why: str) -> None:
    """Close the control channel, void the proxy's tickets, and presume the end of its sessions.

    Must run inside a transaction.
    """
    channel.close(terminal.pk)
    events.publish(TerminalShutOut(terminal_id=terminal.pk, why=why, actor=actor))
    authn.end_tickets_of_proxy(terminal.pk)
