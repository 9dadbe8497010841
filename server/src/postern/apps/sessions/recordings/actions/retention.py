"""Deletes old sessions with their commands, transfers and recordings after the configured retention period.

A database and a folder cannot change in one transaction. The rows are therefore deleted together with an audit record
and a note of the files to delete (`DoomedFile`); then the files are deleted, then the notes. After a crash at any step,
the next run finds the notes and continues. No file remains without a row, and no row refers to a deleted file.
"""

import logging
from datetime import datetime, timedelta
from typing import Final

from postern.apps.audits import facade as audits
from postern.apps.preferences import facade as preferences
from postern.apps.sessions import messages
from postern.apps.sessions.recordings.models import DoomedFile
from postern.apps.sessions.sessions.actions import lifecycle
from postern.apps.sessions.sessions.models import Session
from postern.contracts.enums import SessionState
from postern.foundation.caller.actor import Actor
from postern.foundation.database.write_transaction import write_transaction
from postern.integrations.replay_storages.port import ReplayStorage
from postern.kernel import clock

log = logging.getLogger(__name__)

#: Sessions per run, so that the transaction stays short; the next run continues.
_AT_ONCE: Final = 200


def forget_old_sessions(*, actor: Actor, storage: ReplayStorage) -> int:
    """Delete sessions that ended more than `TERMINAL_SESSION_KEEP_DURATION` days ago; returns their number."""
    border = clock.now() - timedelta(days=preferences.get_int("TERMINAL_SESSION_KEEP_DURATION"))
    count = _forget_rows(actor, border)
    delete_doomed_files(storage=storage)
    return count


def delete_doomed_files(*, storage: ReplayStorage) -> int:
    """Delete the files of deleted sessions, including those of interrupted runs; returns their number."""
    gone = 0
    for doomed in DoomedFile.objects.order_by("pk")[: 2 * _AT_ONCE]:
        try:
            storage.discard_incoming(doomed.session_id)
            if doomed.path:
                storage.delete(doomed.path)
        except OSError as error:  # keep the note, so that the next run tries again
            log.error("the recording of a deleted session could not be deleted; the next run tries again: %s", error)  # noqa: TRY400 - no trace wanted
            continue
        doomed.delete()
        gone += 1
    return gone


@write_transaction()
def _forget_rows(actor: Actor, border: datetime) -> int:
    over = Session.objects.filter(state=SessionState.ENDED.value, date_end__lt=border).order_by("date_end")
    chosen = lifecycle.lock(Session.objects.filter(pk__in=list(over.values_list("pk", flat=True)[:_AT_ONCE])))
    keys = [session.pk for session in chosen]
    rows = Session.objects.filter(pk__in=keys)
    recordings = {
        key: (path, sha256)
        for key, path, sha256 in rows.exclude(recording=None).values_list("pk", "recording__path", "recording__sha256")
    }
    DoomedFile.objects.bulk_create(DoomedFile(session_id=key, path=path) for key, (path, _) in recordings.items())
    rows.delete()
    for session, key in zip(chosen, keys, strict=True):
        audits.record(
            actor=actor,
            org_id=session.org_id,
            event=audits.Event.SESSION_FORGOTTEN,
            action="delete",
            object_type="Session",
            object_id=str(key),
            object_name=messages.title(session),
            old={
                "user": session.user,
                "date_start": session.date_start,
                "date_end": session.date_end,
                "rows": session.evidence_count,
                "recording_sha256": recordings.get(key, ("", ""))[1],
            },
        )
    return len(keys)
