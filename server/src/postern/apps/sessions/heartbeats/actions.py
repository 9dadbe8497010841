"""Processes heartbeats: updates a terminal and its sessions, and handles expired leases."""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db.models import Q

from postern.apps.audits import facade as audits
from postern.apps.sessions import messages
from postern.apps.sessions.heartbeats import policy
from postern.apps.sessions.sessions import queries as session_queries
from postern.apps.sessions.sessions.actions import lifecycle, orders
from postern.apps.sessions.sessions.models import Session
from postern.apps.sessions.terminals import policy as terminal_policy
from postern.apps.sessions.terminals import queries as terminal_queries
from postern.apps.sessions.terminals.actions import sightings, terminal_log
from postern.apps.sessions.terminals.events import ProxyAlarmKind, TerminalLost
from postern.apps.sessions.terminals.models import Terminal
from postern.contracts.enums import EndReason, SessionState
from postern.contracts.terminals import Heartbeat, HeartbeatAnswer
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.foundation.database.write_transaction import write_transaction
from postern.kernel import clock, ids

#: Maximum of the integer columns of a heartbeat.
_MAX_COUNT: Final = 2**31 - 1
#: An idle proxy that is silent for longer is not reported any more.
_LONG_AWAY: Final = timedelta(days=1)


@write_transaction()
def beat(
    *, terminal: Terminal, heartbeat: Heartbeat, remote_addr: str | None, secret_hash: str = ""
) -> HeartbeatAnswer:
    """Process a heartbeat: renew the lease, and correct the state of sessions that ended or are still alive.

    `secret_hash` is the hash of the presented credential; a renewed credential replaces the former credential.
    """
    now = clock.now()
    known = Terminal.objects.select_for_update(no_key=True).get(pk=terminal.pk)
    restarted = known.boot_id is not None and known.boot_id != heartbeat.boot_id
    _watch_for_thieves(known, heartbeat, remote_addr)
    sightings.judge(known, remote_addr, has_moved=known.boot_id != heartbeat.boot_id)
    if restarted:
        known.former_boot_id = known.boot_id
    was_alive = terminal_policy.is_alive(known.date_last_heartbeat, now)
    known.date_last_heartbeat = now
    known.boot_id = heartbeat.boot_id
    known.version = lifecycle.clean(heartbeat.version, 64)
    known.stream_address = lifecycle.clean(heartbeat.stream_address, 255)
    known.files_address = lifecycle.clean(heartbeat.files_address, 255)
    known.is_draining = heartbeat.draining
    known.is_lost = False
    known.unsent_events = _counted(heartbeat.unsent_events)
    known.cpu_load = heartbeat.cpu_load
    known.memory_used = heartbeat.memory_used
    known.disk_used = heartbeat.disk_used
    known.connections = _counted(heartbeat.connections)
    known.ssh_port = heartbeat.ssh_port if 0 <= heartbeat.ssh_port < 65536 else 0
    known.remote_addr = remote_addr or known.remote_addr
    if secret_hash and ids.same(secret_hash, known.next_secret_hash):
        known.secret_hash, known.next_secret_hash, known.is_renewal_due = secret_hash, "", False
        known.renewal_boot_id = None
        sightings.forget(known)
        terminal_log.record(
            messages.component(known.name, remote_addr),
            known,
            audits.Event.TERMINAL_CREDENTIAL_RENEWED,
            "update",
            {"fingerprint": known.fingerprint},
        )
    known.save()
    over = _reconcile(known, heartbeat, now)
    if restarted or not was_alive:
        event = audits.Event.TERMINAL_RESTARTED if restarted else audits.Event.TERMINAL_CAME_UP
        terminal_log.record(
            messages.component(known.name, remote_addr), known, event, "other", {"version": known.version}
        )
    return HeartbeatAnswer(
        orders=orders.open_orders(known.pk, heartbeat.protocol_version),
        settings=terminal_queries.proxy_settings(),
        over=over,
        renew_credential=known.is_renewal_due and known.renewal_boot_id == heartbeat.boot_id,
    )


def _watch_for_thieves(known: Terminal, heartbeat: Heartbeat, remote_addr: str | None) -> None:
    """Raise an alarm when two processes use one credential: the address changes while the process stays, or a replaced
    process returns.
    """
    same_process = known.boot_id == heartbeat.boot_id
    if same_process and sightings.is_elsewhere(known, remote_addr) and sightings.is_first(known, remote_addr or ""):
        terminal_log.alarm(
            known, ProxyAlarmKind.ADDRESS, {"remote_addr": remote_addr}, old={"remote_addr": known.remote_addr}
        )
    if not same_process and known.former_boot_id == heartbeat.boot_id:
        terminal_log.alarm(known, ProxyAlarmKind.TWICE, {"boot_id": heartbeat.boot_id, "remote_addr": remote_addr})


def _counted(number: int) -> int:
    """A number from another machine, limited to the range of the column."""
    return min(max(number, 0), _MAX_COUNT)


def _reconcile(terminal: Terminal, heartbeat: Heartbeat, now: datetime) -> tuple[UUID, ...]:
    """Make the stored sessions match those that the proxy reports.

    Returns the reported sessions that must not continue: they are ended permanently, or belong to another proxy.
    """
    listed = set(heartbeat.sessions)
    unreported = set(heartbeat.unreported or ())
    is_uncounted = heartbeat.unreported is None and heartbeat.unsent_events > 0
    live = session_queries.live_sessions().filter(terminal=terminal).values_list("pk", "date_start")
    missed = {
        session_id
        for session_id, date_start in live
        if session_id not in listed
        and policy.is_missed(date_start=date_start, now=now, is_unreported=is_uncounted or session_id in unreported)
    }
    presumed = Session.objects.filter(
        pk__in=listed, terminal=terminal, state=SessionState.ENDED.value, end_reason=EndReason.INTERRUPTED.value
    ).values_list("pk", flat=True)
    wrong = missed | set(presumed)
    if wrong:
        actor = messages.component(terminal.name, terminal.remote_addr or None)
        for session in lifecycle.lock(Session.objects.filter(pk__in=wrong)):
            if session.pk in missed:
                lifecycle.interrupt(actor=actor, session=session, detail="the proxy does not carry it any more")
            else:
                lifecycle.resume(actor=actor, session=session)
    live_here = set(
        session_queries.live_sessions().filter(pk__in=listed, terminal=terminal).values_list("pk", flat=True)
    )
    return tuple(sorted(listed - live_here))


def expire_leases(*, actor: Actor, now: datetime, lease: timedelta) -> tuple[UUID, ...]:
    """Presume dead the sessions of proxies whose lease expired; returns the terminals lost in this run.

    Proxies with live sessions are always lost. Idle proxies are lost once, unless they shut down properly or have been
    silent for long.
    """
    never_heard = Q(date_last_heartbeat__isnull=True, date_created__lte=now - lease)
    silent = Terminal.objects.filter(Q(date_last_heartbeat__lte=now - lease) | never_heard)
    carrying = Q(pk__in=session_queries.live_sessions().values("terminal_id"))
    idle = Q(is_deleted=False, is_draining=False, is_lost=False, date_last_heartbeat__gt=now - _LONG_AWAY)
    lost = silent.filter(carrying | idle).values_list("pk", flat=True)
    return tuple(pk for pk in list(lost) if _expire_lease(actor=actor, terminal_id=pk, border=now - lease))


@write_transaction()
def _expire_lease(*, actor: Actor, terminal_id: UUID, border: datetime) -> bool:
    terminal = Terminal.objects.select_for_update(no_key=True).get(pk=terminal_id)
    if (terminal.date_last_heartbeat or terminal.date_created) > border:
        return False  # the proxy came back in the meantime
    for session in lifecycle.lock(session_queries.live_sessions().filter(terminal=terminal)):
        lifecycle.interrupt(
            actor=actor,
            session=session,
            detail="the proxy did not show itself within its lease",
            last_seen=terminal.date_last_heartbeat,
        )
    terminal.is_lost = True
    terminal.save(update_fields=["is_lost"])
    terminal_log.record(
        actor, terminal, audits.Event.TERMINAL_LOST, "other", {"last_heartbeat": terminal.date_last_heartbeat}
    )
    events.publish(TerminalLost(terminal_id=terminal.pk, name=terminal.name))
    return True
