"""Old sessions are forgotten: rows, commands, transfers and recordings, after the time that the settings give.

A database and a folder cannot change in one transaction. So the rows go together with their statement in the audit log and
with a note of the files that are to go (`DoomedFile`); then the files go, then the notes. After a crash between any two of
these steps the next round finds the notes and carries on: no file stays that no row names, and no row names a file that is
gone.
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

#: Sessions that one round forgets: the transaction stays short, the next round goes on.
_AT_ONCE: Final = 200


def forget_old_sessions(*, actor: Actor, storage: ReplayStorage) -> int:
    """Delete sessions that ended longer ago than `TERMINAL_SESSION_KEEP_DURATION` days; returns how many."""
    border = clock.now() - timedelta(days=preferences.get_int("TERMINAL_SESSION_KEEP_DURATION"))
    count = _forget_rows(actor, border)
    delete_doomed_files(storage=storage)
    return count


def delete_doomed_files(*, storage: ReplayStorage) -> int:
    """Delete the files of forgotten sessions, those of interrupted rounds too; returns how many are gone."""
    gone = 0
    for doomed in DoomedFile.objects.order_by("pk")[: 2 * _AT_ONCE]:
        try:
            storage.discard_incoming(doomed.session_id)
            if doomed.path:
                storage.delete(doomed.path)
        except OSError as error:  # the note stays: the next round tries again
            log.error("a recording of a forgotten session could not be deleted: %s", error)  # noqa: TRY400 - no trace wanted
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
