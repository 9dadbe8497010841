"""Addresses from which a proxy's credential is used although its process is elsewhere: the mark of a stolen credential.

A request does not tell which process made it, and a proxy that has moved may ask something before its first heartbeat. So an address
is noted at once and judged a moment later: by the next heartbeat, or when none comes. An alarm is told once for each address.
"""

from datetime import datetime, timedelta
from typing import Final

from django.db import transaction

from postern.apps.sessions.terminals.actions import terminal_log
from postern.apps.sessions.terminals.events import ProxyAlarmKind
from postern.apps.sessions.terminals.models import Terminal, TerminalSighting
from postern.kernel import clock
from postern.kernel.addresses import address_key, is_loopback

#: Addresses that are noted of one terminal; each was an alarm, so further ones would tell nothing new.
MOST_NOTED: Final = 50
_LOOPBACK: Final = "loopback"


def is_elsewhere(terminal: Terminal, remote_addr: str | None) -> bool:
    """Whether the address is another one than that of the terminal's heartbeats. Asks the database nothing."""
    home = terminal.remote_addr
    return bool(home and remote_addr) and home != remote_addr and network_of(home) != network_of(remote_addr or "")


def network_of(address: str) -> str:
    """What counts as one place: one address as `address_key` has it; every address of loopback."""
    return _LOOPBACK if is_loopback(address) else address_key(address)


def note(terminal: Terminal, remote_addr: str) -> None:
    """The credential was used from there."""
    network = network_of(remote_addr)
    if TerminalSighting.objects.filter(terminal=terminal, network=network).exists():
        return
    with transaction.atomic():
        locked = Terminal.objects.select_for_update(no_key=True).get(pk=terminal.pk)
        known = TerminalSighting.objects.filter(terminal=locked)
        if known.filter(network=network).exists() or known.count() >= MOST_NOTED:
            return
        TerminalSighting.objects.create(terminal=locked, network=network, remote_addr=remote_addr[:64])
        locked.has_sightings = True
        locked.save(update_fields=["has_sightings"])


def is_first(terminal: Terminal, remote_addr: str) -> bool:
    """Whether nothing has been told of that address yet; from now on it has. `terminal` is locked.

    An honest proxy with two addresses is told of once for each of them, not with each heartbeat.
    """
    known = TerminalSighting.objects.filter(terminal=terminal)
    network = network_of(remote_addr)
    if known.filter(network=network, date_told__isnull=False).exists() or known.count() >= MOST_NOTED:
        return False
    TerminalSighting.objects.update_or_create(
        terminal=terminal, network=network, defaults={"remote_addr": remote_addr[:64], "date_told": clock.now()}
    )
    return True


def judge(terminal: Terminal, remote_addr: str | None, *, has_moved: bool) -> None:
    """A heartbeat came from `remote_addr`: what was noted elsewhere is an alarm. `terminal` is locked, and saved by the caller.

    `has_moved`: a new process may be at a new address, where it asked something before.
    """
    if not terminal.has_sightings:
        return
    terminal.has_sightings = False
    untold = TerminalSighting.objects.filter(terminal=terminal, date_told__isnull=True)
    if has_moved and remote_addr:
        untold.filter(network=network_of(remote_addr)).delete()
    _tell(terminal, remote_addr or terminal.remote_addr)


def judge_overdue(*, now: datetime, wait: timedelta) -> int:
    """Tell of addresses that no heartbeat has judged: the proxy does not run, but its credential is used."""
    border = now - wait
    overdue = TerminalSighting.objects.filter(date_told__isnull=True, date_first_seen__lte=border)
    told = 0
    for terminal_id in set(overdue.values_list("terminal_id", flat=True)):
        with transaction.atomic():
            terminal = Terminal.objects.select_for_update(no_key=True).get(pk=terminal_id)
            told += _tell(terminal, terminal.remote_addr)
            terminal.has_sightings = False
            terminal.save(update_fields=["has_sightings"])
    return told


def forget(terminal: Terminal) -> None:
    """The terminal has a new credential, or none: what was seen of the former one is over. `terminal` is saved by the caller."""
    terminal.has_sightings = False
    TerminalSighting.objects.filter(terminal=terminal).delete()


def _tell(terminal: Terminal, home: str) -> int:
    untold = list(TerminalSighting.objects.filter(terminal=terminal, date_told__isnull=True))
    for seen in untold:
        terminal_log.alarm(
            terminal,
            ProxyAlarmKind.ELSEWHERE,
            {"remote_addr": seen.remote_addr},
            old={"remote_addr": home},
            place=seen.remote_addr,
        )
    TerminalSighting.objects.filter(pk__in=[seen.pk for seen in untold]).update(date_told=clock.now())
    return len(untold)
