"""Chains evidence: rows when they are stored, sessions when they begin, continue and end.

This happens in the transaction that writes the row, so no row ever exists without a proof. `session.permitted` states
the columns that are fixed at the beginning, `session.sealed` the final state, and `session.anchored` the chain of a
running session each minute. Until the next anchor, the newest rows could be cut off by an attacker who also resets the
session's row.
"""

from collections.abc import Iterable
from typing import Any, Final

from django.db import models

from postern.apps.audits import facade as audits
from postern.apps.sessions import messages
from postern.apps.sessions.sessions import evidence
from postern.apps.sessions.sessions.models import Session
from postern.contracts.enums import SessionState
from postern.foundation.caller.actor import SYSTEM, Actor
from postern.foundation.database.write_transaction import write_transaction

_AT_ONCE: Final = 500


def fixed_proof(session: Session) -> str:
    """The proof of the columns that are fixed from the beginning, for the record of the session's permission."""
    return evidence.proof_of(evidence.SESSION_FIXED, session)


def chain(session: Session, rows: Iterable[Any], covered: evidence.Covered) -> None:
    """Give rows of a session their numbers and proofs before they are written. The caller has locked `session`."""
    for row in rows:
        session.evidence_count += 1
        values = evidence.current_values(covered, row)
        proof = evidence.row_proof(covered, values, number=session.evidence_count, previous=session.evidence_head)
        setattr(row, covered.number_column, session.evidence_count)
        setattr(row, covered.proof_column, proof)
        session.evidence_head = proof


def store_head(session: Session) -> None:
    """Write the head of the chain after `chain`.

    For an ended session also state it again, because these rows came late.
    """
    session.save(update_fields=["evidence_count", "evidence_head"])
    if session.state == SessionState.ENDED.value:
        seal(session)


def seal(session: Session, *, adopted: bool = False) -> None:
    """State the final row of an ended session, in the caller's transaction."""
    stated: dict[str, object] = {
        "final": evidence.proof_of(evidence.SESSION_FINAL, session),
        "rows": session.evidence_count,
    }
    _tell(session, audits.Event.SESSION_SEALED, stated | ({"adopted": True} if adopted else {}))


def anchor(session: Session) -> None:
    """State the current head of a running session's chain, in the caller's transaction."""
    _tell(
        session,
        audits.Event.SESSION_ANCHORED,
        {"fixed": fixed_proof(session), "rows": session.evidence_count, "head": session.evidence_head},
    )
    session.evidence_anchored = session.evidence_count
    session.save(update_fields=["evidence_anchored"])


def anchor_running() -> int:
    """Anchor the running sessions that have new rows; returns their number."""
    running = Session.objects.exclude(state=SessionState.ENDED.value)
    moved = running.filter(evidence_count__gt=models.F("evidence_anchored")).order_by("pk")
    keys = list(moved.values_list("pk", flat=True)[:_AT_ONCE])
    with write_transaction():
        sessions = list(moved.filter(pk__in=keys).select_for_update())
        for session in sessions:
            anchor(session)
    return len(sessions)


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
