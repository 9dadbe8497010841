"""Chaining evidence: rows as they are stored, sessions when they begin, go on and end.

All of it happens in the transaction that writes the row, so there is no moment in which a row exists unproven. What is
fixed at the beginning is stated with `session.permitted`, the final state with `session.sealed`, and the chain of a session
that goes on with `session.anchored` each minute: until then its newest rows could be cut off by who resets the session's
row as well.
"""

from collections.abc import Iterable
from typing import Any, Final

from django.db import models, transaction

from postern.apps.audits import facade as audits
from postern.apps.sessions import messages
from postern.apps.sessions.models import Command, FileTransfer, RefusedRequest, Session
from postern.apps.sessions.sessions import evidence
from postern.contracts.enums import SessionState
from postern.foundation.caller.actor import SYSTEM, Actor
from postern.foundation.database.write_transaction import write_transaction

_AT_ONCE: Final = 500


def fixed_proof(session: Session) -> str:
    """The proof over what a session is from its first moment on, for the record of its permission."""
    return evidence.proof_of(evidence.SESSION_FIXED, session)


def chain(session: Session, rows: Iterable[Any], covered: evidence.Covered | None = None) -> None:
    """Give rows of a session their numbers and proofs, before they are written. `session` is locked by the caller.

    `covered`: where not the row itself gets its place, but the beginning of what it tells.
    """
    for row in rows:
        place = covered or evidence.covering(row)
        session.evidence_count += 1
        values = evidence.current_values(place, row)
        proof = evidence.row_proof(place, values, number=session.evidence_count, previous=session.evidence_head)
        setattr(row, place.number_column, session.evidence_count)
        setattr(row, place.proof_column, proof)
        session.evidence_head = proof


def store_head(session: Session) -> None:
    """Write the end of the chain after `chain`, and state it anew when the session is over: these rows came late."""
    session.save(update_fields=["evidence_count", "evidence_head"])
    if session.state == SessionState.ENDED.value:
        seal(session)


def seal(session: Session, *, adopted: bool = False) -> None:
    """State the final row of a session that is over, in the caller's transaction."""
    stated: dict[str, object] = {
        "final": evidence.proof_of(evidence.SESSION_FINAL, session),
        "rows": session.evidence_count,
    }
    _tell(session, audits.Event.SESSION_SEALED, stated | ({"adopted": True} if adopted else {}))


def anchor(session: Session) -> None:
    """State how far the chain of a running session has come, in the caller's transaction."""
    _tell(
        session,
        audits.Event.SESSION_ANCHORED,
        {"fixed": fixed_proof(session), "rows": session.evidence_count, "head": session.evidence_head},
    )
    session.evidence_anchored = session.evidence_count
    session.save(update_fields=["evidence_anchored"])


def anchor_running() -> int:
    """Anchor the running sessions that have new rows; returns how many."""
    running = Session.objects.exclude(state=SessionState.ENDED.value)
    moved = running.filter(evidence_count__gt=models.F("evidence_anchored")).order_by("pk")
    keys = list(moved.values_list("pk", flat=True)[:_AT_ONCE])
    with write_transaction():
        sessions = list(moved.filter(pk__in=keys).select_for_update())
        for session in sessions:
            anchor(session)
    return len(sessions)


def adopt_earlier() -> None:
    """Take sessions from before the chain covered them into it, once: when none has been covered yet."""
    if audits.has_any((audits.Event.SESSION_SEALED, audits.Event.SESSION_ANCHORED, audits.Event.EVIDENCE_ADOPTED)):
        return
    keys = list(Session.objects.filter(evidence_head="").order_by("pk").values_list("pk", flat=True))
    if not keys:
        return
    with transaction.atomic():
        rows = 0
        for start in range(0, len(keys), _AT_ONCE):
            for session in Session.objects.select_for_update().filter(pk__in=keys[start : start + _AT_ONCE]):
                rows += _adopt(session)
        audits.record(
            actor=SYSTEM,
            org_id=audits.ROOT_ORG_ID,
            event=audits.Event.EVIDENCE_ADOPTED,
            object_type="Session",
            new={"sessions": len(keys), "rows": rows},
        )


def _adopt(session: Session) -> int:
    found: list[Any] = [
        *Command.objects.filter(session=session),
        *FileTransfer.objects.filter(session=session),
        *RefusedRequest.objects.filter(session=session),
    ]
    chain(session, found)
    for row in found:
        row.save(update_fields=["number", "proof"])
    session.save(update_fields=["evidence_count", "evidence_head"])
    if session.state == SessionState.ENDED.value:
        seal(session, adopted=True)
    else:
        anchor(session)
    return len(found)


def _tell(session: Session, event: audits.Event, new: dict[str, object]) -> None:
    actor: Actor = SYSTEM
    audits.record(
        actor=actor,
        org_id=session.org_id,
        event=event,
        object_type="Session",
        object_id=str(session.pk),
        object_name=messages.title(session),
        new=new,
    )
