"""Adds sessions from earlier versions, which had no evidence chain, to the chain."""

from typing import Final

from django.db import transaction

from postern.apps.audits import facade as audits
from postern.apps.sessions.evidence.rows import ROWS
from postern.apps.sessions.sessions.actions.sealing import anchor, chain, seal
from postern.apps.sessions.sessions.models import Session
from postern.contracts.enums import SessionState
from postern.foundation.caller.actor import SYSTEM

_AT_ONCE: Final = 500


def adopt_earlier() -> None:
    """Add sessions from earlier versions to the evidence chain. Runs once, when no session is covered yet."""
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
    count = 0
    for covered in ROWS:
        rows = list(covered.model._default_manager.filter(session=session))  # noqa: SLF001 - the documented model API
        chain(session, rows, covered)
        for row in rows:
            row.save(update_fields=["number", "proof"])
        count += len(rows)
    session.save(update_fields=["evidence_count", "evidence_head"])
    if session.state == SessionState.ENDED.value:
        seal(session, adopted=True)
    else:
        anchor(session)
    return count
