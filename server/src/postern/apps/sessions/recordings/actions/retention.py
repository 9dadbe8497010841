"""Deletes sessions with their commands, transfers and recordings when the rules of retention say so (`keeping`), except
those that are on hold.

A database and a folder cannot change in one transaction. The rows are therefore deleted together with an audit record
and a note of the files to delete (`DoomedFile`); then the files are deleted, then the notes. After a crash at any step,
the next run finds the notes and continues. No file remains without a row, and no row refers to a deleted file.
"""

import logging
from collections import deque
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from postern.apps.audits import facade as audits
from postern.apps.sessions import messages
from postern.apps.sessions.recordings import keeping
from postern.apps.sessions.recordings.actions import copying
from postern.apps.sessions.recordings.models import DoomedFile, Recording, RecordingCopy
from postern.apps.sessions.search import actions as search
from postern.apps.sessions.sessions import queries
from postern.apps.sessions.sessions.actions import holds, lifecycle
from postern.apps.sessions.sessions.models import Session
from postern.apps.sessions.storages import remote
from postern.foundation.caller.actor import Actor
from postern.foundation.database.write_transaction import write_transaction
from postern.integrations.replay_storages.port import ReplayStorage
from postern.kernel import clock
from postern.kernel.clock import monotonic_s
from postern.kernel.errors import PosternError

log = logging.getLogger(__name__)

#: After this time a run begins no other transaction; the next run continues. A run is due every ten minutes.
_RUN_S: Final = 300.0
#: Files of each remote storage in a run; of local files that an earlier run has left, twice as many.
_AT_ONCE: Final = 200
#: Sessions per transaction. Other writers get their turn after it.
_IN_ONE_TRANSACTION: Final = 20
#: After this time a run begins no other deletion in a remote storage.
_LIMIT_S: Final = 30.0
#: How long the files of a remote storage wait after one of them could not be deleted.
_PAUSE: Final = timedelta(minutes=5)


class Rule(StrEnum):
    """Why a session was deleted, for the audit log."""

    AGE = "age"
    SIZE = "size"


def forget_old_sessions(*, actor: Actor, storage: ReplayStorage) -> int:
    """Delete the sessions that are due by the rules of `keeping`, for five minutes; returns their number."""
    _remove_ended_holds(actor)
    count, until_s = 0, monotonic_s() + _RUN_S
    while True:
        rules = keeping.rules()
        chosen = _chosen(rules, clock.now())
        indexed = Session.objects.filter(pk__in=list(chosen), search_index__isnull=False)
        for key in indexed.values_list("pk", flat=True):
            search.withdraw(key)  # bit by bit, because a long recording has thousands of rows
        with search.turns():
            gone = _forget_rows(actor, chosen, rules)
        # At once, because the disk may be full.
        _delete_local_files(_due_files().filter(session_id__in=gone), storage)
        count += len(gone)
        if len(chosen) < _IN_ONE_TRANSACTION or monotonic_s() >= until_s:
            break
    delete_doomed_files(storage=storage)
    return count


def delete_doomed_files(*, storage: ReplayStorage) -> int:
    """Delete the files of deleted sessions, including those of interrupted runs; returns their number."""
    until_s = monotonic_s() + _LIMIT_S
    due = _due_files()
    # Local files first: a storage that hangs must not keep this server full.
    gone = _delete_local_files(due, storage)
    return gone + _delete_in_turns(due.exclude(storage=None), until_s)


def _due_files() -> QuerySet[DoomedFile]:
    return DoomedFile.objects.filter(date_due__lte=clock.now()).order_by("pk")


def _delete_local_files(due: QuerySet[DoomedFile], storage: ReplayStorage) -> int:
    gone = 0
    for doomed in due.filter(storage=None)[: 2 * _AT_ONCE]:
        try:
            gone += _delete_local(doomed.pk, storage)
        except OSError as error:  # keep the note, so that a later run tries again
            _log(error)
    return gone


def _delete_in_turns(due: QuerySet[DoomedFile], until_s: float) -> int:
    """Delete remote files, one of each storage in turn, so that a slow storage does not hold up others."""
    gone = 0
    storage_ids = due.order_by().values_list("storage_id", flat=True).distinct()
    waiting = {storage_id: deque(due.filter(storage_id=storage_id)[:_AT_ONCE]) for storage_id in storage_ids}
    while waiting:
        for storage_id, files in list(waiting.items()):
            if not files:
                del waiting[storage_id]
                continue
            if monotonic_s() >= until_s:
                return gone
            try:
                gone += _delete_remote(files.popleft())
            except (OSError, PosternError) as error:
                _log(error)
                # The other files of a dead storage would fail, too.
                due.filter(storage_id=storage_id).update(date_due=clock.now() + _PAUSE)
                del waiting[storage_id]
    return gone


def _log(error: Exception) -> None:
    log.error("the file of a recording could not be deleted; a later run tries again: %s", error)


@transaction.atomic
def _delete_local(key: int, storage: ReplayStorage) -> int:
    """Delete the file and its note while the note is locked: the recording may be copied back once the note is gone."""
    doomed = DoomedFile.objects.select_for_update(of=("self",)).filter(pk=key).first()
    if doomed is None:
        return 0
    storage.discard_incoming(doomed.session_id)
    if doomed.path:
        storage.give_up(doomed.path, doomed.upload_id)
        storage.delete(doomed.path)
    doomed.delete()
    return 1


def _delete_remote(doomed: DoomedFile) -> int:
    """Delete a remote file, and then its note. Until then no other run touches it: its time is moved ahead."""
    if doomed.storage_id is None or not _lease(doomed):
        return 0
    store = remote.connect_to(doomed.storage_id)
    if doomed.path:
        store.give_up(doomed.path, doomed.upload_id)
        # This worker may have stood still: another one may have deleted the file, and a new copy may lie there.
        if not _lease(doomed):
            return 0
        store.delete(doomed.path)
    doomed.delete()
    return 1


def _lease(doomed: DoomedFile) -> bool:
    """Move the time of the note ahead. False when another run has the note, or deleted it."""
    until = clock.now() + copying.LEASE
    if not DoomedFile.objects.filter(pk=doomed.pk, date_due=doomed.date_due).update(date_due=until):
        return False
    doomed.date_due = until
    return True


def _chosen(rules: keeping.Rules, now: datetime) -> dict[UUID, Rule]:
    """The sessions that are due, the oldest first, each with the rule that deletes it."""
    rows = queries.deletable_sessions().order_by("date_end")
    over = rows.filter(keeping.due_by_age(rules, now)).values_list("pk", flat=True)[:_IN_ONE_TRANSACTION]
    chosen = dict.fromkeys(over, Rule.AGE)
    room = _IN_ONE_TRANSACTION - len(chosen)
    if room > 0:
        above = keeping.excess(rules, list(chosen))
        chosen |= dict.fromkeys(keeping.first_by_size(rules, now, above, room), Rule.SIZE)
    return chosen


def _still_due(over: Mapping[UUID, Rule], chosen_by: keeping.Rules) -> dict[UUID, Rule]:
    """Those of the chosen sessions that nobody has put on hold since, and that the rules of this moment still delete.

    The excess over the size limit is not computed again, because it reads all recordings. If the limit was changed
    since the sessions were chosen, none goes by size now: a later turn chooses by the new limit.
    """
    rules, now = keeping.rules(), clock.now()
    rows = queries.deletable_sessions().filter(pk__in=list(over))
    by_age = set(rows.filter(keeping.due_by_age(rules, now)).values_list("pk", flat=True))
    by_size: set[UUID] = set()
    if (rules.size_limit, rules.size_min_age) == (chosen_by.size_limit, chosen_by.size_min_age):
        by_size = set(rows.filter(keeping.may_go_by_size(rules, now)).values_list("pk", flat=True))
    return {
        key: Rule.AGE if key in by_age else Rule.SIZE
        for key, rule in over.items()
        if key in by_age or (rule is Rule.SIZE and key in by_size)
    }


@write_transaction()
def _remove_ended_holds(actor: Actor) -> None:
    holds.take_turn()
    holds.remove_ended(actor=actor)


@write_transaction()
def _forget_rows(actor: Actor, over: Mapping[UUID, Rule], chosen_by: keeping.Rules) -> Collection[UUID]:
    """Delete the rows of those sessions that are still due; returns the ids of the deleted sessions."""
    holds.take_turn()
    rule_of = _still_due(over, chosen_by)
    chosen = lifecycle.lock(Session.objects.filter(pk__in=list(rule_of)))
    keys = [session.pk for session in chosen]
    rows = Session.objects.filter(pk__in=keys)
    recordings = {recording.pk: recording for recording in Recording.objects.filter(pk__in=keys)}
    for recording in recordings.values():
        copying.doom(recording.pk, recording.path, recording.storage_id)
    for copy in RecordingCopy.objects.filter(pk__in=keys).select_related("recording"):
        # A worker may still be writing it: it notices the deletion before its lease ends.
        due = copy.date_due + copying.LEASE
        copying.doom(copy.pk, copy.recording.path, copy.target_id, date_due=due, upload_id=copy.upload_id)
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
                "recording_sha256": recordings[key].sha256 if key in recordings else "",
                "rule": rule_of[key].value,
            },
        )
    return keys
