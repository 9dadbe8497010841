"""Audit records and alarms about terminals. Must run inside a transaction."""

from typing import Any

from postern.apps.audits import facade as audits
from postern.apps.sessions import messages
from postern.apps.sessions.terminals.events import ProxyAlarm, ProxyAlarmKind
from postern.apps.sessions.terminals.models import Terminal
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.kernel.ids import ROOT_ORG_ID


def record(
    actor: Actor,
    terminal: Terminal,
    event: audits.Event,
    action: audits.ActionName,
    new: dict[str, Any] | None,
    *,
    old: dict[str, Any] | None = None,
) -> None:
    """Append an audit record about a terminal."""
    audits.record(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event=event,
        action=action,
        object_type="Terminal",
        object_id=str(terminal.pk),
        object_name=terminal.name,
        new=new,
        old=old,
    )


def alarm(
    terminal: Terminal, kind: ProxyAlarmKind, new: dict[str, Any], *, old: dict[str, Any] | None = None, place: str = ""
) -> None:
    """Append an audit record and notify the super administrators. `place`: the address that the alarm is about."""
    actor = messages.component(terminal.name, place or terminal.remote_addr or None)
    record(actor, terminal, audits.Event.TERMINAL_ALARM, "other", {"kind": kind.value, **new}, old=old)
    events.publish(ProxyAlarm(terminal_id=terminal.pk, name=terminal.name, kind=kind, place=place))
