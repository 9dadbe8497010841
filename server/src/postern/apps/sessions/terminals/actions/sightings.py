"""Addresses from which a proxy's credential is used while its process is elsewhere: the sign of a stolen credential.

A request does not tell which process made it, and a proxy that has moved may send requests before its first heartbeat.
An address is therefore stored at once and judged later: by the next heartbeat, or when none comes. Each address raises
one alarm.
"""

from datetime import datetime, timedelta
from typing import Final

from django.db import transaction

from postern.apps.sessions.terminals.actions import terminal_log
from postern.apps.sessions.terminals.events import ProxyAlarmKind
from postern.apps.sessions.terminals.models import Terminal, TerminalSighting
from postern.kernel import clock
from postern.kernel.addresses import address_key, is_loopback

#: Stored addresses per terminal. Each address raised an alarm, so more would add nothing.
MOST_NOTED: Final = 50
_LOOPBACK: Final = "loopback"


def is_elsewhere(terminal: Terminal, remote_addr: str | None) -> bool:
    """Whether the address differs from that of the terminal's heartbeats. Makes no query."""
    home = terminal.remote_addr
    return bool(home and remote_addr) and home != remote_addr and network_of(home) != network_of(remote_addr or "")


def network_of(address: str) -> str:
    """What counts as one place: one address in the form of `address_key`; all loopback addresses together."""
    return _LOOPBACK if is_loopback(address) else address_key(address)


def note(terminal: Terminal, remote_addr: str) -> None:
    """Record that the credential was used from the address."""
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
    """Whether no alarm was raised for that address yet; marks it as raised. `terminal` is locked.

    A legitimate proxy with two addresses raises one alarm per address, not one per heartbeat.
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
    """Process a heartbeat from `remote_addr`: stored uses elsewhere become alarms. `terminal` is locked; the caller
    saves it.

    `has_moved`: a new process may have a new address, from which it sent requests before its first heartbeat.
    """
    if not terminal.has_sightings:
        return
    terminal.has_sightings = False
    untold = TerminalSighting.objects.filter(terminal=terminal, date_told__isnull=True)
    if has_moved and remote_addr:
        untold.filter(network=network_of(remote_addr)).delete()
    _tell(terminal, remote_addr or terminal.remote_addr)


def judge_overdue(*, now: datetime, wait: timedelta) -> int:
    """Raise alarms for addresses that no heartbeat has judged: the proxy does not run, but its credential is used."""
    border = now - wait
    overdue = TerminalSighting.objects.filter(date_told__isnull=True, date_first_seen__lte=border)
    alarms = 0
    for terminal_id in set(overdue.values_list("terminal_id", flat=True)):
        with transaction.atomic():
            terminal = Terminal.objects.select_for_update(no_key=True).get(pk=terminal_id)
            alarms += _tell(terminal, terminal.remote_addr)
            terminal.has_sightings = False
            terminal.save(update_fields=["has_sightings"])
    return alarms


def forget(terminal: Terminal) -> None:
    """Delete the sightings of the former credential after a renewal or revocation. The caller saves `terminal`."""
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
