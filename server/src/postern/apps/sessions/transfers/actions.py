"""Writes the file transfer log: proxies report the beginning and the end of each file operation.

Both reports contain the id of the row. Usually they arrive in one batch, and only the end is stored. Otherwise the row
is written twice: at the report of the beginning, and at its end. Each write has a position and a proof in the chain of
the session.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from postern.apps.audits import facade as audits
from postern.apps.sessions import messages
from postern.apps.sessions.sessions.actions import sealing
from postern.apps.sessions.sessions.actions.lifecycle import clean, sane_instant
from postern.apps.sessions.sessions.models import Session
from postern.apps.sessions.transfers.evidence import TRANSFERS, TRANSFERS_BEGUN
from postern.apps.sessions.transfers.models import FileTransfer
from postern.contracts.events import FileTransferred, TransferBegun

#: Operation of the contract → name in the file transfer log.
OPERATIONS: Final = {
    "upload": "Upload",
    "download": "Download",
    "remove": "Delete",
    "rmdir": "Rmdir",
    "rename": "Rename",
    "mkdir": "Mkdir",
    "symlink": "Symlink",
    "setstat": "Setstat",
}

_MAX_CHARS: Final = 1024
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_LARGEST: Final = (1 << 63) - 1  # maximum of the column


@dataclass
class _News:
    """New transfers of one session."""

    begun: dict[UUID, FileTransfer] = field(default_factory=dict)
    #: Stored rows that now end, and new rows whose beginning and end arrived together.
    completed: list[FileTransfer] = field(default_factory=list)
    whole: list[FileTransfer] = field(default_factory=list)


def store_transfers(sessions: Mapping[UUID, Session], events: Iterable[TransferBegun | FileTransferred]) -> None:
    """Store beginnings and ends, with one audit record per session. Repeated reports change nothing.

    The caller has locked the sessions.
    """
    events = list(events)
    rows = {row.pk: row for row in FileTransfer.objects.filter(pk__in={event.id for event in events})}
    finished = {key for key, row in rows.items() if row.is_finished}
    news: dict[UUID, _News] = defaultdict(_News)
    for event in events:
        session, row = sessions[event.session_id], rows.get(event.id)
        if event.id in finished or (row is not None and row.session_id != session.pk):
            continue
        fresh = news[session.pk]
        if row is None:
            row = rows[event.id] = _row(session, event)
            fresh.begun[event.id] = row
        if isinstance(event, FileTransferred):
            finished.add(event.id)
            row.size, row.is_success = min(max(event.size, 0), _LARGEST), event.success
            row.detail = clean(event.detail, _MAX_CHARS)
            row.sha256 = event.sha256 if _SHA256.fullmatch(event.sha256) else ""
            (fresh.whole if fresh.begun.pop(event.id, None) else fresh.completed).append(row)
    for session_id, fresh in news.items():
        _store(sessions[session_id], fresh)


def _store(session: Session, news: _News) -> None:
    begun = list(news.begun.values())
    ended = [*news.completed, *news.whole]
    if not begun and not ended:
        return
    sealing.chain(session, begun, TRANSFERS_BEGUN)
    sealing.chain(session, ended, TRANSFERS)
    FileTransfer.objects.bulk_create([*begun, *news.whole])
    if news.completed:
        FileTransfer.objects.bulk_update(news.completed, ["size", "is_success", "detail", "sha256", "number", "proof"])
    files = [
        {"id": row.pk, "operate": row.operate, "file": row.filename, "size": row.size, "ok": row.is_success}
        | ({"sha256": row.sha256} if row.sha256 else {})
        for row in ended
    ]
    opened = [{"id": row.pk, "operate": row.operate, "file": row.filename} for row in begun]
    audits.record(
        actor=messages.owner(session),
        org_id=session.org_id,
        event=audits.Event.SESSION_FILES_TRANSFERRED,
        object_type="Session",
        object_id=str(session.pk),
        object_name=messages.title(session),
        new={"files": files} | ({"begun": opened} if opened else {}),
    )


def _row(session: Session, event: TransferBegun | FileTransferred) -> FileTransfer:
    """A new row without a result."""
    return FileTransfer(
        id=event.id,
        session=session,
        org_id=session.org_id,
        user=session.user,
        remote_addr=session.remote_addr,
        asset=session.asset,
        system_user=session.system_user,
        direction=event.direction.value,
        operate=OPERATIONS.get(event.operation, "Other"),
        filename=clean(event.path, _MAX_CHARS),
        is_success=False,
        date_start=sane_instant(event.at, not_before=session.date_start),
    )
