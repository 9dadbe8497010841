"""Reads the directory in the worker: stores the list of its people, and updates their users.

A reading cannot hang forever: the conversation has a deadline, and the claim of a dead worker expires. A reading that
failed, returned no people, or returned far fewer people than before disables no missing user.
"""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from postern.apps.audits import facade as audits
from postern.apps.directory import following, lookups
from postern.apps.directory.cache import store
from postern.apps.directory.models import DirectoryState, Outcome
from postern.apps.directory.source import NAMES, Source, digest_of, is_configured, stored_source
from postern.apps.directory.staging import Staged, staged
from postern.apps.preferences import facade as preferences
from postern.foundation.bus import waking
from postern.foundation.caller.actor import SYSTEM, Actor
from postern.foundation.database.write_transaction import write_transaction
from postern.foundation.phrases import Phrase, stored
from postern.kernel import clock
from postern.kernel.errors import PosternError
from postern.kernel.ids import ROOT_ORG_ID
from postern.kernel.sentences import Sentence

log = logging.getLogger(__name__)

#: Name of the periodic task.
READ: Final = "postern.apps.directory.tasks.read_directory"
#: 20,000 people take a few seconds. The limit leaves time for a slow, distant directory.
LIMIT_S: Final = 240.0
#: A claim expires after this time. The worker renews it while it updates users.
CLAIM: Final = timedelta(seconds=LIMIT_S + 120)
#: If more than a tenth of the people are missing, a fault of the directory is more likely than departures.
_FALL: Final = 0.9

_NOBODY: Final = Phrase(
    "directory.nobody_found",
    _("The directory has nobody who matches. Check User OU, the filter, the group, and what the bind DN may read."),
)
_NO_IDS: Final = Phrase(
    "directory.no_ids",
    _("No entry has an entryUUID or objectGUID that the bind DN may read. Without it nobody can be imported."),
)
_FALLEN: Final = Phrase(
    "directory.fallen",
    _(
        "The directory has %(now)d people; before it had %(before)d. Nobody was disabled. If they have really left, "
        "synchronise again and confirm it."
    ),
)
_OTHER_SOURCE: Final = Phrase(
    "directory.other_source",
    _(
        "The LDAP settings have changed, and %(number)d users are not found any more. Nobody was disabled. If they have "
        "really left, synchronise again and confirm it."
    ),
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A reading by this worker. `began` identifies it. `with_users`: it updates users, too.

    `requested`: time of the request; None without a request.
    """

    began: datetime
    requested: datetime | None
    with_users: bool
    accepts_fall: bool
    people_before: int
    source_before: str


@transaction.atomic
def request_reading(*, actor: Actor, with_users: bool = False, accepts_fall: bool = False) -> None:
    """Wake the worker for a reading. Repeated requests before it begins lead to one reading."""
    row = DirectoryState.objects.select_for_update().get_or_create(pk=1)[0]
    now = clock.now()
    # The options of an earlier request stay only while that request is pending; a running reading handles its own.
    waits = row.date_claimed_until is None or row.date_claimed_until <= now
    row.date_requested = now
    row.requested_by = actor.label[:260]
    row.wants_users = with_users or (waits and row.wants_users)
    row.accepts_fall = accepts_fall or (waits and row.accepts_fall)
    row.save(update_fields=["date_requested", "requested_by", "wants_users", "accepts_fall"])
    waking.wake_after_commit(READ)
    audits.record(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event=audits.Event.DIRECTORY_READING_REQUESTED,
        object_type="DirectoryState",
        object_name="LDAP",
        new={"with_users": with_users, "accepts_fall": accepts_fall},
    )


def state() -> DirectoryState:
    """The state of the reading; an empty row before the first run."""
    return DirectoryState.objects.filter(pk=1).first() or DirectoryState(pk=1)


def is_reading(row: DirectoryState) -> bool:
    """Whether a reading runs or will begin: after a request, or after the first save of the settings."""
    is_claimed = row.date_claimed_until is not None and row.date_claimed_until > clock.now()
    is_first = row.source == "" and is_configured()
    return is_claimed or row.date_requested is not None or is_first


def run_due() -> bool:
    """Read the directory if a reading is due. Returns whether it was due."""
    claim = _claim()
    if claim is None:
        return False
    try:
        source = stored_source()
        with staged() as people:
            lookups.read_all(source, people, limit_s=LIMIT_S)
            _finish(claim, source, people)
    except PosternError as error:
        log.warning("the directory could not be read: %s", error.message)
        _end(claim, Outcome.FAILED, error.sentence)
    except Exception:
        _end(claim, Outcome.FAILED, Sentence("An unexpected error occurred; the worker's log has it."))
        raise
    return True


def _claim() -> Claim | None:
    if not is_configured() and not DirectoryState.objects.filter(date_requested__isnull=False).exists():
        return None
    now = clock.now()
    names = preferences.get_many(*NAMES, "AUTH_LDAP_SYNC", "AUTH_LDAP_SYNC_INTERVAL")
    digest = digest_of(names)
    with transaction.atomic():
        row = DirectoryState.objects.select_for_update().get_or_create(pk=1)[0]
        if row.date_claimed_until is not None and row.date_claimed_until > now:
            return None
        interval = timedelta(minutes=int(names["AUTH_LDAP_SYNC_INTERVAL"] or 60))
        is_late = bool(names["AUTH_LDAP_SYNC"]) and (row.date_began is None or now - row.date_began >= interval)
        # An expired claim belongs to a worker that died: repeat its reading with the same options.
        is_interrupted = row.date_claimed_until is not None
        if row.date_requested is None and row.source == digest and not is_late and not is_interrupted:
            return None
        row.wants_users = row.wants_users or is_late
        claim = Claim(now, row.date_requested, row.wants_users, row.accepts_fall, row.people, row.source_of_users)
        row.date_began, row.date_claimed_until, row.source = now, now + CLAIM, digest
        row.save()
    return claim


def _finish(claim: Claim, source: Source, people: Staged) -> None:
    number, with_id = people.number(), people.number_with_id()
    if not with_id:
        _end(claim, Outcome.FAILED, (_NO_IDS if number else _NOBODY).say())
        return

    def still_ours() -> bool:
        return _renew(claim)

    counts = {"people": number, "without_id": number - with_id, **store(people, still_ours=still_ours)}
    if not claim.with_users:
        _end(claim, Outcome.SUCCEEDED, Sentence(), counts=counts)
        return
    hold_reason = _hold_reason(claim, source, people)
    counts |= following.follow_all(people, may_disable_missing=not hold_reason, still_ours=still_ours, actor=SYSTEM)
    if hold_reason:
        _end(claim, Outcome.HELD_BACK, hold_reason, counts=counts)
    else:
        _end(claim, Outcome.SUCCEEDED, Sentence(), counts=counts, people=with_id, source=source.digest)


def _hold_reason(claim: Claim, source: Source, people: Staged) -> Sentence:
    """The reason not to disable missing people; empty when they may be disabled."""
    if claim.accepts_fall:
        return Sentence()
    with_id = people.number_with_id()
    if with_id < claim.people_before * _FALL:
        return _FALLEN.say(now=with_id, before=claim.people_before)
    if claim.source_before != source.digest:  # also at the first reading: people may have been imported before
        missing, active = following.missing(people)
        if missing > active * (1 - _FALL):
            return _OTHER_SOURCE.say(number=missing)
    return Sentence()


def _renew(claim: Claim) -> bool:
    """Renew the claim. Returns False when another worker has taken over."""
    rows = DirectoryState.objects.filter(pk=1, date_began=claim.began)
    return rows.update(date_claimed_until=clock.now() + CLAIM) == 1


def _end(
    claim: Claim,
    outcome: Outcome,
    reason: Sentence,
    *,
    counts: dict[str, int] | None = None,
    people: int | None = None,
    source: str | None = None,
) -> None:
    now = clock.now()
    values: dict[str, object] = {
        "date_claimed_until": None,
        "date_ended": now,
        "outcome": outcome,
        "reason": stored(reason),
        "counts": counts or {},
    }
    if outcome is not Outcome.FAILED:
        values["date_succeeded"] = now
    if people is not None:
        values |= {"people": people, "source_of_users": source or ""}
    with write_transaction():
        if not DirectoryState.objects.filter(pk=1, date_began=claim.began).update(**values):
            return
        # A request that was made meanwhile stays pending for the next reading.
        DirectoryState.objects.filter(pk=1, date_requested=claim.requested).update(
            date_requested=None, wants_users=False, accepts_fall=False
        )
        if claim.with_users:
            audits.record(
                actor=SYSTEM,
                org_id=ROOT_ORG_ID,
                event=audits.Event.DIRECTORY_SYNCHRONISED,
                object_type="DirectoryState",
                object_name="LDAP",
                new={"outcome": outcome.value, "reason": reason.code, **(counts or {})},
            )
