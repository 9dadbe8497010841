"""Old sessions are forgotten: rows, commands, transfers and recordings, after the time that the settings give."""

import logging
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction

from postern.apps.audits import facade as audits
from postern.apps.preferences import facade as preferences
from postern.apps.sessions import messages
from postern.apps.sessions.actions import lifecycle
from postern.apps.sessions.models import Session
from postern.apps.sessions.storage import LocalStorage
from postern.contracts.enums import SessionState
from postern.foundation.actor import Actor
from postern.kernel import clock

log = logging.getLogger(__name__)

#: Sessions that one round forgets: the transaction stays short, the next round goes on.
_AT_ONCE: Final = 200


def forget_old_sessions(*, actor: Actor, storage: LocalStorage) -> int:
    """Delete sessions that ended longer ago than `TERMINAL_SESSION_KEEP_DURATION` days; returns how many."""
    border = clock.now() - timedelta(days=preferences.get_int("TERMINAL_SESSION_KEEP_DURATION"))
    paths, count = _forget_rows(actor, border)
    for path in paths:
        try:
            storage.delete(path)
        except OSError as error:
            log.error("a recording of a forgotten session could not be deleted: %s", error)  # noqa: TRY400 - no trace wanted
    return count


@transaction.atomic
def _forget_rows(actor: Actor, border: datetime) -> tuple[list[str], int]:
    over = Session.objects.filter(state=SessionState.ENDED.value, date_end__lt=border).order_by("date_end")
    chosen = lifecycle.lock(Session.objects.filter(pk__in=list(over.values_list("pk", flat=True)[:_AT_ONCE])))
    keys = [session.pk for session in chosen]
    rows = Session.objects.filter(pk__in=keys)
    paths = [path for path in rows.values_list("recording__path", flat=True) if path]
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
            old={"user": session.user, "date_start": session.date_start, "date_end": session.date_end},
        )
    return paths, len(keys)
