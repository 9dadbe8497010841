"""Verification on request: one verification at a time for the whole installation, run by the worker.

`request` inserts a waiting row. The worker looks for it every few seconds (`work`), verifies everything, and updates a
heartbeat. When the heartbeat of a killed worker stops, the verification counts as interrupted.

A verification reads the whole log, whoever requested it. Numbers and faults are stored per organization, so that
auditors see only those of their own organizations.
"""

import json
import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Event as Signal
from threading import Thread
from typing import Any, Final
from uuid import UUID

from django.db import DatabaseError, IntegrityError, connection, transaction

from postern.apps.audits import actions, digest, queries
from postern.apps.audits.catalogue import Event
from postern.apps.audits.models import Action, Verification, VerificationState
from postern.apps.audits.queries import Count, Fault
from postern.foundation.caller import identity
from postern.foundation.caller.actor import SYSTEM, Actor
from postern.foundation.caller.scope import OrgScope
from postern.foundation.database.write_transaction import write_transaction
from postern.kernel import clock
from postern.kernel.ids import ROOT_ORG_ID, same

log = logging.getLogger(__name__)

_BEAT_S: Final = 5.0
#: A worker without a heartbeat for this long counts as gone.
SILENCE: Final = timedelta(seconds=60)
#: Number of faults stored with their places for each organization; further faults are only counted.
KEPT_FAULTS: Final = 20
_State = VerificationState


class Stopped(Exception):
    """The worker is stopping, or the verification was given up in the meantime."""


@dataclass(frozen=True, slots=True)
class Result:
    """Result of a verification, for one organization or several together."""

    records: int = 0
    faults: int = 0
    #: The first faults: kind and place.
    first: tuple[tuple[str, str], ...] = ()

    def stored(self) -> dict[str, Any]:
        """The result as JSON."""
        return {"records": self.records, "faults": self.faults, "first": [list(fault) for fault in self.first]}


@dataclass(frozen=True, slots=True)
class Standing:
    """Whether a verification is waiting or running, and how the last verification ended, for the screen.

    `result` is None when there was no verification, or when it was interrupted.
    """

    is_waiting: bool = False
    is_running: bool = False
    date_finished: datetime | None = None
    is_interrupted: bool = False
    result: Result | None = None


@write_transaction()
def request(*, actor: Actor, scope: OrgScope) -> None:
    """Request a verification of everything. If a verification is waiting or running, the caller joins it."""
    identity.require_standing(actor)
    _end_silent()
    row = _open_row()
    if row is None:
        try:
            with transaction.atomic():
                row = Verification.objects.create()
        except IntegrityError:  # another request inserted the row first
            row = Verification.objects.select_for_update().get(is_open=True)
    if str(scope.org_id) in row.asked_in:
        return
    row.asked_in = [*row.asked_in, str(scope.org_id)]
    row.save(update_fields=["asked_in"])
    _record(actor, scope.org_id, Event.VERIFICATION_REQUESTED, row)


def standing(organizations: Iterable[UUID] | None) -> Standing:
    """The state for a caller who may read the log of these organizations; None means all organizations."""
    row = Verification.objects.filter(is_open=True).first()
    is_silent = row is not None and _is_silent(row)
    last = row if is_silent else Verification.objects.filter(is_open=None).order_by("-date_finished").first()
    state = _State(row.state) if row is not None and not is_silent else None
    result = _result_of(last, organizations) if last is not None else None
    return Standing(
        is_waiting=state is _State.WAITING,
        is_running=state is _State.RUNNING,
        date_finished=(last.date_finished or last.date_beat) if last is not None else None,
        is_interrupted=last is not None and result is None,
        result=result,
    )


def work(*, stop: Signal) -> bool:
    """Run the waiting verification, if any; stop early when `stop` is set.

    The worker calls it, outside a transaction.
    """
    if not Verification.objects.filter(is_open=True).exists():
        return False
    with write_transaction():
        _end_silent()
        row = _open_row()
        if row is None or row.state != _State.WAITING:
            return False
        row.state, row.date_beat = _State.RUNNING, clock.now()
        row.save(update_fields=["state", "date_beat"])
    results: Mapping[UUID, Result] | None = None
    try:
        with _beating(row.pk) as lost:
            results = _verified(lambda: stop.is_set() or lost.is_set())
    except Stopped:
        log.warning("verification of the audit log was interrupted")
    finally:
        _finish(row.pk, results)
    return results is not None


def _verified(must_stop: Callable[[], bool]) -> dict[UUID, Result]:
    def go_on() -> None:
        if must_stop():
            raise Stopped

    count = Count(go_on)
    number: Counter[UUID] = Counter()
    first: defaultdict[UUID, list[tuple[str, str]]] = defaultdict(list)
    for fault in queries.verify(count):
        go_on()
        org_id = fault.org_id or ROOT_ORG_ID
        number[org_id] += 1
        if len(first[org_id]) < KEPT_FAULTS:
            first[org_id].append((fault.kind.value, _place(fault)))
    org_ids = {*count.by_organization, *number}
    return {key: Result(count.by_organization[key], number[key], tuple(first[key])) for key in sorted(org_ids)}


def _place(fault: Fault) -> str:
    return fault.subject or (f"#{fault.sequence}" if fault.sequence else "")


@contextmanager
def _beating(key: UUID) -> Iterator[Signal]:
    """Update the heartbeat every few seconds while the block runs.

    Yields a signal that is set when the row is no longer running for this worker.
    """
    done, lost = Signal(), Signal()

    def beat() -> None:
        try:
            while not done.wait(_BEAT_S):
                try:
                    running = Verification.objects.filter(pk=key, state=_State.RUNNING)
                    if not running.update(date_beat=clock.now()):
                        lost.set()
                except DatabaseError:  # the database may be available again at the next heartbeat
                    log.warning("a heartbeat of the verification could not be stored", exc_info=True)
                    connection.close()
        finally:
            connection.close()

    thread = Thread(target=beat, name="beat of a verification", daemon=True)
    thread.start()
    try:
        yield lost
    finally:
        done.set()
        thread.join()


@write_transaction()
def _finish(key: UUID, results: Mapping[UUID, Result] | None) -> None:
    row = _open_row()
    if row is None or row.pk != key or row.state != _State.RUNNING:
        log.warning("the result of a verification arrived too late and was dropped")
        return
    _close(row, results)


def _end_silent() -> None:
    """Close a verification whose worker is gone."""
    row = _open_row()
    if row is not None and _is_silent(row):
        _close(row, None)


def _is_silent(row: Verification) -> bool:
    return row.state == _State.RUNNING and (row.date_beat is None or row.date_beat < clock.now() - SILENCE)


def _open_row() -> Verification | None:
    row: Verification | None = Verification.objects.select_for_update().filter(is_open=True).first()
    return row


def _close(row: Verification, results: Mapping[UUID, Result] | None) -> None:
    """Store the result and delete earlier rows, which the log has recorded.

    Audit the result for the root and each requester.
    """
    Verification.objects.filter(is_open=None).delete()
    row.state, row.is_open, row.date_finished = _State.INTERRUPTED, None, clock.now()
    if results is not None:
        row.state = _State.DONE
        row.result = {str(org_id): result.stored() for org_id, result in results.items()}
        row.proof = digest.of_text(_covered(row))
    row.save(update_fields=["state", "is_open", "date_finished", "result", "proof"])
    for org_id in sorted({ROOT_ORG_ID, *map(UUID, row.asked_in)}):
        new: dict[str, Any] = {"result": "interrupted"}
        if results is not None:
            result = together(results, None if org_id == ROOT_ORG_ID else (org_id,))
            new = {"result": "faults" if result.faults else "whole", **result.stored()}
        _record(SYSTEM, org_id, Event.VERIFICATION_FINISHED, row, new)


def together(results: Mapping[UUID, Result], organizations: Iterable[UUID] | None) -> Result:
    """The results of these organizations in one; None means all organizations."""
    chosen = (
        list(results.values())
        if organizations is None
        else [results[org_id] for org_id in organizations if org_id in results]
    )
    first = tuple(fault for result in chosen for fault in result.first)[:KEPT_FAULTS]
    return Result(sum(result.records for result in chosen), sum(result.faults for result in chosen), first)


def _result_of(row: Verification, organizations: Iterable[UUID] | None) -> Result | None:
    """The result of a closed row; None when it was interrupted or its proof does not match."""
    if row.state != _State.DONE or not same(row.proof, digest.of_text(_covered(row))):
        return None
    results = {
        UUID(key): Result(result["records"], result["faults"], tuple((kind, place) for kind, place in result["first"]))
        for key, result in row.result.items()
    }
    return together(results, organizations)


def _covered(row: Verification) -> str:
    at = row.date_finished.astimezone(UTC).isoformat(timespec="microseconds") if row.date_finished else ""
    return json.dumps(["verification", str(row.pk), at, row.result], sort_keys=True, separators=(",", ":"))


def _record(actor: Actor, org_id: UUID, event: Event, row: Verification, new: Mapping[str, Any] | None = None) -> None:
    entry = actions.Entry(
        event=event,
        action=Action.OTHER,
        resource_type="Verification",
        resource_id=str(row.pk),
        resource=str(row),
        old=None,
        new=new,
    )
    actions.append_event(actor=actor, org_id=org_id, entry=entry)
