"""The life of a session: started, ended, presumed dead, resumed. Reports may arrive late or more than once.

Lock order in this app: first the session rows, by id and all at once (`lock`), then the rows that belong to them, the
audit chain last. A transaction that requests a session lock while it holds the chain could deadlock.
"""

from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from postern.apps.audits import facade as audits
from postern.apps.sessions import messages
from postern.apps.sessions.sessions import policy, queries
from postern.apps.sessions.sessions.actions import orders, sealing
from postern.apps.sessions.sessions.events import RecordingFailed, SessionChanged, SessionFinished
from postern.apps.sessions.sessions.models import MAX_VIA, OrderKind, ProxyOrder, Session
from postern.contracts.enums import Actions, EndReason, SessionState
from postern.contracts.events import ActionsEnded, SessionEnded, SessionStarted
from postern.contracts.terminals import OrderDone
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.kernel import clock

KINDS: Final = frozenset({"shell", "exec", "sftp", "scp", "rsync", "forward"})
#: What a command may turn out to be, by its protocol name. It only makes the kind of a session more precise.
_RECOGNISED: Final = frozenset({"sftp", "scp", "rsync", "git", "tar"})
_MAX_DETAIL_CHARS: Final = 1024
_MAX_LOGIN_NAME: Final = 128
_MAX_BYTES: Final = 2**62


def clean(text: str, limit: int) -> str:
    """External text without NUL (which PostgreSQL refuses), cut to `limit` characters."""
    return text.replace("\x00", "")[:limit]


def sane_instant(at: datetime, *, not_before: datetime) -> datetime:
    """An instant from another machine's clock, limited to the range from `not_before` to now."""
    aware = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
    return max(not_before, min(aware, clock.now()))


def lock(rows: QuerySet[Session]) -> list[Session]:
    """Lock the sessions until the end of the transaction, always in the same order."""
    return list(rows.select_for_update().order_by("pk"))


def start(*, session: Session, event: SessionStarted) -> None:
    """The connection to the target is open. The caller's transaction has locked `session`."""
    if not session.kind:
        session.kind = event.kind if event.kind in KINDS else clean(event.kind, 16)
    session.ever_active = True
    if not session.via:
        session.via = clean(event.via, MAX_VIA)
    if not session.login_name:  # a manual sign-in: only the proxy knows what was entered
        session.login_name = clean(event.login_name, _MAX_LOGIN_NAME)
    if session.date_active is None:
        session.date_active = sane_instant(event.at, not_before=session.date_start)
    became_active = policy.may_become_active(SessionState(session.state))
    if became_active:
        session.state = SessionState.ACTIVE.value
    session.save(update_fields=["kind", "ever_active", "via", "login_name", "date_active", "state"])
    events.publish(SessionChanged(session_id=session.pk, org_id=session.org_id))
    if became_active:
        _record(
            messages.owner(session),
            session,
            audits.Event.SESSION_STARTED,
            {
                "kind": session.kind,
                "recording": event.recording,
                "login_name": session.login_name,
                **({"via": session.via} if session.via else {}),
            },
        )


def end(*, session: Session, event: SessionEnded) -> None:
    """The proxy reports the end of the session. The caller's transaction has locked `session`."""
    state = SessionState(session.state)
    if not policy.may_end(state):
        presumed = policy.may_correct_end(state, session.end, is_presumed=session.is_end_presumed)
        correctable = presumed and event.reason is not EndReason.INTERRUPTED
        if not correctable:
            return
    detail = clean(event.detail, _MAX_DETAIL_CHARS)
    if event.exit_status is not None and -(2**31) <= event.exit_status < 2**31:
        session.exit_status = event.exit_status
    session.bytes_in = min(max(event.bytes_in, 0), _MAX_BYTES)
    session.bytes_out = min(max(event.bytes_out, 0), _MAX_BYTES)
    session.ever_active = session.ever_active or event.ever_active
    if session.kind == "exec" and event.protocol in _RECOGNISED:
        session.kind = event.protocol
    _finish(
        session,
        reason=event.reason,
        detail=detail,
        at=sane_instant(event.at, not_before=session.date_active or session.date_start),
        actor=messages.owner(session),
        event=audits.Event.SESSION_ENDED if policy.may_end(state) else audits.Event.SESSION_END_CORRECTED,
    )


def interrupt(*, actor: Actor, session: Session, detail: str, last_seen: datetime | None = None) -> bool:
    """Presume that a session has ended because its proxy is silent. False when it had ended already.

    The caller's transaction has locked `session`.
    """
    if not policy.may_end(SessionState(session.state)):
        return False
    at = sane_instant(last_seen or clock.now(), not_before=session.date_active or session.date_start)
    _finish(
        session,
        reason=EndReason.INTERRUPTED,
        detail=detail,
        at=at,
        actor=actor,
        event=audits.Event.SESSION_ENDED,
        is_presumed=True,
    )
    return True


def order_done(*, terminal_id: UUID, done: OrderDone) -> None:
    """Store the proxy's result of an order. A repeat changes nothing.

    When the order is to end a session that the proxy does not have, this also ends the row, because no other report
    will. A later report of the proxy about the end replaces it.
    """
    order = ProxyOrder.objects.filter(pk=done.order_id, terminal_id=terminal_id).first()
    if order is None:
        return
    with transaction.atomic():
        [session] = lock(Session.objects.filter(pk=order.session_id))
        changes = {OrderKind.CHANGE_GRANT, OrderKind.CHANGE_COMMAND_CONTROL, OrderKind.SHOW_MESSAGE, *orders.LOCKS}
        if order.kind in changes and not done.found and not session.is_finished:
            return  # the proxy does not know the session yet: the next heartbeat repeats the order
        if order.kind in orders.LOCKS and not done.ok and not session.is_finished:
            return  # the row says what is ordered, so the order is repeated until it is so
        news = orders.finish(order, ok=done.ok, detail=done.detail)
        if not news or done.found or order.kind != OrderKind.TERMINATE_SESSION:
            return
        if policy.may_end(SessionState(session.state)):
            _finish(
                session,
                reason=EndReason(order.reason),
                detail=f"by {order.by}: the proxy does not carry it",
                at=clock.now(),
                actor=messages.component(session.terminal.name if session.terminal else "", None),
                event=audits.Event.SESSION_ENDED,
                is_presumed=True,
            )


def actions_ended(*, session: Session, event: ActionsEnded) -> None:
    """Some actions reached their end date, and the session continues. The caller's transaction has locked `session`.

    A report about an older grant is ignored: later changes of the grant have their own audit records.
    """
    ended = Actions(session.actions) & event.actions
    if event.version != session.grant_version or not ended:
        return
    before = session.actions
    session.actions = before & ~int(ended)
    session.save(update_fields=["actions"])
    _record(
        messages.owner(session),
        session,
        audits.Event.SESSION_ACTIONS_ENDED,
        {"actions": session.actions, "ended": int(ended)},
        old={"actions": before},
    )


def resume(*, actor: Actor, session: Session) -> bool:
    """A session that was presumed dead is alive. The caller's transaction has locked `session`."""
    if not policy.may_resume(SessionState(session.state), session.end):
        return False
    session.state = SessionState.ACTIVE.value if session.date_active else SessionState.OPENING.value
    session.end_reason, session.end_detail, session.date_end = "", "", None
    session.is_end_presumed = False
    session.save(update_fields=["state", "end_reason", "end_detail", "date_end", "is_end_presumed"])
    _record(actor, session, audits.Event.SESSION_FOUND_ALIVE, None)
    events.publish(SessionChanged(session_id=session.pk, org_id=session.org_id))
    orders.reopen_termination_of(session)
    orders.reopen_steering_of(session)
    return True


def _finish(
    session: Session,
    *,
    reason: EndReason,
    detail: str,
    at: datetime,
    actor: Actor,
    event: audits.Event,
    is_presumed: bool = False,
) -> None:
    old = session.end_reason
    session.is_end_presumed = is_presumed
    session.state = SessionState.ENDED.value
    session.end_reason = reason.value
    session.end_detail = detail
    session.date_end = at
    session.save()
    orders.close_orders_of(session)
    events.publish(
        SessionFinished(
            session_id=session.pk,
            org_id=session.org_id,
            user_id=session.user_id,
            reason=reason.value,
            ever_active=session.ever_active,
        )
    )
    _record(
        actor,
        session,
        event,
        {
            "reason": reason.value,
            "detail": detail,
            "kind": session.kind,
            "exit_status": session.exit_status,
            "bytes_in": session.bytes_in,
            "bytes_out": session.bytes_out,
        },
        old={"reason": old} if old else None,
    )
    sealing.seal(session)
    if reason is EndReason.CANNOT_RECORD:
        tell_recording_failed(session, is_lost=False)


def tell_recording_failed(session: Session, *, is_lost: bool) -> None:
    """Publish that a session has no recording, or an incomplete recording."""
    events.publish(
        RecordingFailed(
            session_id=session.pk,
            org_id=session.org_id,
            session=messages.title(session),
            user=session.user,
            is_lost=is_lost,
        )
    )


def _record(
    actor: Actor,
    session: Session,
    event: audits.Event,
    new: dict[str, object] | None,
    old: dict[str, object] | None = None,
) -> None:
    audits.record(
        actor=actor,
        org_id=session.org_id,
        event=event,
        object_type="Session",
        object_id=str(session.pk),
        object_name=messages.title(session),
        new=new,
        old=old,
    )


def interrupt_all_of(*, actor: Actor, terminal_id: UUID, detail: str) -> None:
    """Presume the end of a terminal's sessions that may not continue.

    Must run in the transaction that shuts the terminal out.
    """
    for session in lock(queries.live_sessions().filter(terminal_id=terminal_id)):
        interrupt(actor=actor, session=session, detail=detail)
