"""What terminals store about storages: their names, which follow a storage that is renamed."""

from django.db.models import Q
from django.utils.translation import gettext_lazy

from postern.apps.audits import facade as audits
from postern.apps.sessions.storages.models import ReplayStorage, Storage
from postern.apps.sessions.terminals.actions import terminal_log
from postern.apps.sessions.terminals.models import Terminal, TerminalQuerySet
from postern.foundation.caller.actor import Actor
from postern.foundation.database.uses import Use


def by_terminals(storage: Storage) -> Use:
    """The terminals that name a storage."""
    return Use.by(gettext_lazy("Terminals"), _named(storage, storage.name), "name")


def follow(actor: Actor, storage: Storage, former_name: str) -> None:
    """Store the new name of a storage in the terminals that name it. Must run inside a transaction."""
    column = _column(storage)
    for terminal in _named(storage, former_name).select_for_update(no_key=True).order_by("pk"):
        setattr(terminal, column, storage.name)
        terminal.save(update_fields=[column])
        new, old = {column: storage.name}, {column: former_name}
        terminal_log.record(actor, terminal, audits.Event.TERMINAL_UPDATED, "update", new, old=old)


def _column(storage: Storage) -> str:
    return "replay_storage" if isinstance(storage, ReplayStorage) else "command_storage"


def _named(storage: Storage, name: str) -> TerminalQuerySet:
    """The terminals that store this name of a storage."""
    return Terminal.objects.existing().filter(Q((_column(storage), name)))
