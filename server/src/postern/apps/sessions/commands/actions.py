"""Writes of commands reported by proxies."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Final
from uuid import UUID

from postern.apps.sessions.commands.evidence import COMMANDS
from postern.apps.sessions.commands.models import Command
from postern.apps.sessions.sessions.actions import sealing
from postern.apps.sessions.sessions.actions.lifecycle import clean, sane_instant
from postern.apps.sessions.sessions.models import Session
from postern.contracts import events as contract

_MAX_INPUT_CHARS: Final = 4096
_MAX_OUTPUT_CHARS: Final = 16384
_MAX_OFFSET_MS: Final = 2**53


def store_commands(sessions: Mapping[UUID, Session], seen: list[contract.CommandSeen]) -> None:
    """Store new commands and skip stored ones. The caller's transaction has locked the sessions."""
    known = set(Command.objects.filter(pk__in=[event.id for event in seen]).values_list("pk", flat=True))
    highest: dict[UUID, int] = defaultdict(int)
    rows: list[Command] = []
    for event in seen:
        if event.id in known:
            continue
        known.add(event.id)
        session = sessions[event.session_id]
        highest[session.pk] = max(highest[session.pk], int(event.risk_level))
        rows.append(
            Command(
                id=event.id,
                session=session,
                org_id=session.org_id,
                user=session.user,
                asset=session.asset,
                system_user=session.system_user,
                kind=event.kind.value,
                input=clean(event.input, _MAX_INPUT_CHARS),
                output=clean(event.output, _MAX_OUTPUT_CHARS),
                risk_level=int(event.risk_level),
                at=sane_instant(event.at, not_before=session.date_start),
                offset_ms=min(max(event.offset_ms, 0), _MAX_OFFSET_MS),
            )
        )
    for row in rows:
        sealing.chain(row.session, [row], COMMANDS)
    Command.objects.bulk_create(rows)
    for session_id, level in highest.items():
        session = sessions[session_id]
        if level > session.risk_level:
            session.risk_level = level
            session.save(update_fields=["risk_level"])
