"""Writes of commands reported by proxies."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final
from uuid import UUID

from postern.apps.audits import facade as audits
from postern.apps.sessions import messages
from postern.apps.sessions.commands.events import CommandRefused, UnjudgedCommandRan
from postern.apps.sessions.commands.evidence import COMMANDS
from postern.apps.sessions.commands.models import Command
from postern.apps.sessions.sessions.actions import sealing
from postern.apps.sessions.sessions.actions.lifecycle import clean, sane_instant
from postern.apps.sessions.sessions.models import Session
from postern.contracts import events as contract
from postern.contracts.enums import RiskLevel
from postern.foundation.bus import events

_MAX_INPUT_CHARS: Final = 4096
_MAX_OUTPUT_CHARS: Final = 16384
_MAX_OFFSET_MS: Final = 2**53
_MAX_FILTER_CHARS: Final = 64
_MAX_REASON_CHARS: Final = 32
#: Refused commands that one audit record names, and the characters of each.
_MAX_RECORDED: Final = 20
_MAX_RECORDED_CHARS: Final = 256


def store_commands(sessions: Mapping[UUID, Session], seen: list[contract.CommandSeen]) -> None:
    """Store new commands; skip commands that are stored already. The caller's transaction has locked the sessions."""
    known = set(Command.objects.filter(pk__in=[event.id for event in seen]).values_list("pk", flat=True))
    highest: dict[UUID, int] = defaultdict(int)
    rows: list[Command] = []
    for event in seen:
        if event.id in known:
            continue
        known.add(event.id)
        session = sessions[event.session_id]
        row = _row(session, event)
        highest[session.pk] = max(highest[session.pk], row.risk_level)
        rows.append(row)
    for row in rows:
        sealing.chain(row.session, [row], COMMANDS)
    Command.objects.bulk_create(rows)
    _tell_of_refused([row for row in rows if row.is_refused])
    _tell_of_unjudged([row for row in rows if row.risk_level >= RiskLevel.DANGEROUS.value and not row.decision])
    for session_id, level in highest.items():
        session = sessions[session_id]
        if level > session.risk_level:
            session.risk_level = level
            session.save(update_fields=["risk_level"])


def _row(session: Session, event: contract.CommandSeen) -> Command:
    row = Command(
        id=event.id,
        session=session,
        org_id=session.org_id,
        user=session.user,
        asset_id=session.asset_id,
        asset=session.asset,
        system_user=session.system_user,
        kind=event.kind.value,
        input=clean(event.input, _MAX_INPUT_CHARS),
        output=clean(event.output, _MAX_OUTPUT_CHARS),
        risk_level=int(event.risk_level),
        at=sane_instant(event.at, not_before=session.date_start),
        offset_ms=min(max(event.offset_ms, 0), _MAX_OFFSET_MS),
    )
    if event.decision is not None:
        row.decision = event.decision.action.value
        row.decision_rule = event.decision.rule_id
        row.decision_filter = clean(event.decision.filter_name, _MAX_FILTER_CHARS)
        row.decision_reason = clean(event.decision.reason, _MAX_REASON_CHARS)
    if row.is_refused:  # whatever the proxy says: it did not run, and somebody tried
        row.risk_level = max(row.risk_level, RiskLevel.DANGEROUS.value)
        row.output = ""
    return row


def _tell_of_refused(rows: list[Command]) -> None:
    """Audit the refused commands and publish them: the commands of a report together, for each session."""
    for refused in _by_session(rows):
        session = refused[0].session
        audits.record(
            actor=messages.owner(session),
            org_id=session.org_id,
            event=audits.Event.COMMAND_REFUSED,
            object_type="Session",
            object_id=str(session.pk),
            object_name=messages.title(session),
            new={
                "commands": [
                    {
                        "input": _told(row),
                        "decision": row.decision,
                        "filter": row.decision_filter,
                        "reason": row.decision_reason,
                    }
                    for row in refused[:_MAX_RECORDED]
                ],
                "number": len(refused),
            },
        )
        events.publish(
            CommandRefused(
                session_id=session.pk,
                org_id=session.org_id,
                user=session.user,
                asset=session.asset,
                system_user=session.system_user,
                command=_told(refused[0]),
                filter_name=refused[0].decision_filter,
                number=len(refused),
            )
        )


def _tell_of_unjudged(rows: list[Command]) -> None:
    """Publish the commands that ran unjudged. Nothing more is audited: the command is a record of the session."""
    for unjudged in _by_session(rows):
        session = unjudged[0].session
        events.publish(
            UnjudgedCommandRan(
                session_id=session.pk,
                org_id=session.org_id,
                user=session.user,
                asset=session.asset,
                system_user=session.system_user,
                command=_told(unjudged[0]),
                number=len(unjudged),
            )
        )


def _told(row: Command) -> str:
    """A command as the audit log and messages tell it: both leave the place where its whole text is kept."""
    return row.shown[0][:_MAX_RECORDED_CHARS]


def _by_session(rows: list[Command]) -> Iterable[list[Command]]:
    of_session: dict[UUID, list[Command]] = defaultdict(list)
    for row in rows:
        of_session[row.session_id].append(row)
    return of_session.values()
