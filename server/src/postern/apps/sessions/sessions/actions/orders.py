"""Orders to proxies: stored first, pushed at once, and repeated with every heartbeat until they are done."""

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import translation
from django.utils.translation import gettext as _

from postern.apps.acls import facade as acls
from postern.apps.audits import facade as audits
from postern.apps.sessions import messages
from postern.apps.sessions.sessions import command_filters, grants
from postern.apps.sessions.sessions.models import OrderKind, ProxyOrder, Session, WatchToken
from postern.apps.sessions.terminals import channel
from postern.contracts import PROTOCOL_VERSION
from postern.contracts.access import ActionsUntil
from postern.contracts.command_control import CommandControl
from postern.contracts.enums import Actions, EndReason, SessionState
from postern.contracts.terminals import (
    STEERING_SINCE,
    ChangeCommandControl,
    ChangeGrant,
    ChangeLock,
    Order,
    ShowMessage,
    StopWatching,
    TerminateSession,
)
from postern.foundation.caller.actor import Actor
from postern.foundation.database.write_transaction import write_transaction
from postern.kernel import clock

_MAX_DETAIL_CHARS: Final = 512
#: Pending orders of one answer, and how many of them may carry the rules of command filters, which are large. The
#: others follow with the next heartbeat.
_MAX_ORDERS: Final = 1_000
_MAX_RULE_ORDERS: Final = 100
#: The orders about the lock of a session. At most one of them is pending.
LOCKS: Final = frozenset({OrderKind.LOCK_SESSION, OrderKind.UNLOCK_SESSION})
#: Detail of an order that no proxy answered, because the session had ended or was presumed to have ended.
_CLOSED_WITH_SESSION: Final = "session ended"


@write_transaction()
def terminate_sessions(
    *, actor: Actor, sessions: Iterable[Session], reason: EndReason = EndReason.TERMINATED
) -> tuple[UUID, ...]:
    """Order the end of live sessions. Returns the ids of those that are being ended, including earlier orders.

    The caller has checked the actor's right. Ended sessions are left out.
    """
    ids = sorted(session.pk for session in sessions)
    ordered: list[UUID] = []
    for session in Session.objects.select_for_update().filter(pk__in=ids).order_by("pk"):
        if session.state == SessionState.ENDED.value or session.terminal_id is None:
            continue
        ordered.append(session.pk)
        if _open_terminations(session).exists():
            continue
        order = ProxyOrder.objects.create(
            terminal_id=session.terminal_id,
            kind=OrderKind.TERMINATE_SESSION,
            session=session,
            org_id=session.org_id,
            by=actor.label[:256],
            reason=reason.value,
            **_texts(reason, actor),
        )
        audits.record(
            actor=actor,
            org_id=session.org_id,
            event=audits.Event.SESSION_TERMINATION_ORDERED,
            object_type="Session",
            object_id=str(session.pk),
            object_name=messages.title(session),
            new={"reason": reason.value},
        )
        channel.wake(order.terminal_id)
    return tuple(ordered)


@write_transaction()
def stop_watching(*, actor: Actor, watches: Iterable[WatchToken]) -> int:
    """Order the end of watching; returns the number of affected watchers."""
    ordered = 0
    named = {watch.pk for watch in watches}
    watched = WatchToken.objects.filter(pk__in=named).values("session_id")
    # Lock the sessions first: see the lock order in `lifecycle`.
    list(Session.objects.select_for_update().filter(pk__in=watched).order_by("pk"))
    going_on = WatchToken.objects.filter(pk__in=named, date_used__isnull=False, date_stopped__isnull=True)
    for watch in list(going_on.select_related("session")):
        try:
            with transaction.atomic():
                order = ProxyOrder.objects.create(
                    terminal_id=watch.terminal_id,
                    kind=OrderKind.STOP_WATCHING,
                    session_id=watch.session_id,
                    org_id=watch.session.org_id,
                    watch=watch,
                )
        except IntegrityError:  # the same order is pending
            continue
        watch.date_stopped = clock.now()
        watch.save(update_fields=["date_stopped"])
        audits.record(
            actor=actor,
            org_id=watch.session.org_id,
            event=audits.Event.SESSION_WATCHING_STOPPED,
            object_type="Session",
            object_id=str(watch.session_id),
            object_name=messages.title(watch.session),
            new={"watcher": watch.user},
        )
        channel.wake(order.terminal_id)
        ordered += 1
    return ordered


def change_grant(*, actor: Actor, session: Session, ends: tuple[ActionsUntil, ...]) -> None:
    """Tell the proxy the current grant of a live session. The caller's transaction has locked `session`."""
    before = grants.present(session.action_ends, clock.now())
    session.action_ends = grants.stored(ends)
    session.actions = int(grants.actions_of(ends))
    session.date_expired = next((group.until for group in ends if group.actions & Actions.CONNECT), None)
    session.grant_version += 1
    session.save(update_fields=["action_ends", "actions", "date_expired", "grant_version"])
    if session.terminal_id is None:
        return
    # The grant is read when the order is sent, so an older order is superfluous.
    _open_orders(session, OrderKind.CHANGE_GRANT).update(date_finished=clock.now(), ok=True, detail="superseded")
    order = ProxyOrder.objects.create(
        terminal_id=session.terminal_id,
        kind=OrderKind.CHANGE_GRANT,
        session=session,
        org_id=session.org_id,
        by=actor.label[:256],
    )
    audits.record(
        actor=actor,
        org_id=session.org_id,
        event=audits.Event.SESSION_GRANT_CHANGED,
        object_type="Session",
        object_id=str(session.pk),
        object_name=messages.title(session),
        old={"grants": grants.shown(before)},
        new={"grants": grants.shown(ends)},
    )
    channel.wake(order.terminal_id)


def change_command_control(*, actor: Actor, session: Session, control: CommandControl) -> None:
    """Tell the proxy the current command filters of a live session. The caller's transaction has locked `session`."""
    session.command_digest = command_filters.digest_of(control)
    session.command_version += 1
    session.save(update_fields=["command_digest", "command_version"])
    if session.terminal_id is None:
        return
    # The rules are read when the order is sent, so an older order is superfluous.
    _open_orders(session, OrderKind.CHANGE_COMMAND_CONTROL).update(
        date_finished=clock.now(), ok=True, detail="superseded"
    )
    order = ProxyOrder.objects.create(
        terminal_id=session.terminal_id,
        kind=OrderKind.CHANGE_COMMAND_CONTROL,
        session=session,
        org_id=session.org_id,
        by=actor.label[:256],
    )
    audits.record(
        actor=actor,
        org_id=session.org_id,
        event=audits.Event.SESSION_COMMAND_FILTERS_CHANGED,
        object_type="Session",
        object_id=str(session.pk),
        object_name=messages.title(session),
        new=command_filters.shown(control),
    )
    channel.wake(order.terminal_id)


def tell_lock(session: Session, *, by: str) -> None:
    """Tell the proxy whether a live session is locked. The caller's transaction has locked the row of `session`."""
    if session.terminal_id is None:
        return
    # The state is read when the order is sent, so an older order is superfluous.
    ProxyOrder.objects.filter(session=session, kind__in=LOCKS, date_finished__isnull=True).update(
        date_finished=clock.now(), ok=True, detail="superseded"
    )
    kind = OrderKind.LOCK_SESSION if session.is_locked else OrderKind.UNLOCK_SESSION
    ProxyOrder.objects.create(
        terminal_id=session.terminal_id, kind=kind, session=session, org_id=session.org_id, by=by[:256]
    )
    channel.wake(session.terminal_id)


def finish(order: ProxyOrder, *, ok: bool, detail: str) -> bool:
    """Store the result of an order. False when it has a result: a repeat changes nothing."""
    return bool(
        ProxyOrder.objects.filter(pk=order.pk, date_finished__isnull=True).update(
            date_finished=clock.now(), ok=ok, detail=detail.replace("\x00", "")[:_MAX_DETAIL_CHARS]
        )
    )


def close_orders_of(session: Session) -> None:
    """Close the pending orders of a session that has ended. Call it inside the transaction that ends the session."""
    ProxyOrder.objects.filter(session=session, date_finished__isnull=True).update(
        date_finished=clock.now(), ok=True, detail=_CLOSED_WITH_SESSION
    )
    WatchToken.objects.filter(session=session, date_stopped__isnull=True).update(date_stopped=clock.now())


def reopen_termination_of(session: Session) -> None:
    """The session is alive after all: reopen an earlier order to end it."""
    closed = ProxyOrder.objects.filter(
        session=session, kind=OrderKind.TERMINATE_SESSION, ok=True, detail=_CLOSED_WITH_SESSION
    )
    order = closed.order_by("-date_created").first()
    if order is None or _open_terminations(session).exists():
        return
    order.date_finished, order.ok, order.detail = None, None, ""
    order.save(update_fields=["date_finished", "ok", "detail"])
    channel.wake(order.terminal_id)


def reopen_steering_of(session: Session) -> None:
    """The session is alive after all: reopen its lock and its messages that were closed with it."""
    closed = ProxyOrder.objects.filter(
        session=session, kind__in={OrderKind.SHOW_MESSAGE, *LOCKS}, ok=True, detail=_CLOSED_WITH_SESSION
    )
    if session.terminal_id is not None and closed.update(date_finished=None, ok=None, detail=""):
        channel.wake(session.terminal_id)


def open_orders(terminal_id: UUID, protocol_version: int = PROTOCOL_VERSION) -> tuple[Order, ...]:
    """All pending orders of the terminal that a proxy with this protocol version can decode, oldest first."""
    rows = ProxyOrder.objects.filter(terminal_id=terminal_id, date_finished__isnull=True).select_related("session")
    if protocol_version < STEERING_SINCE:
        rows = rows.exclude(kind__in={OrderKind.SHOW_MESSAGE, *LOCKS})
    waiting = list(rows.order_by("date_created", "pk")[:_MAX_ORDERS])
    with_rules = [row for row in waiting if row.kind == OrderKind.CHANGE_COMMAND_CONTROL]
    controls = acls.controls_of({row.session.system_user_id for row in with_rules}) if with_rules else {}
    later = {row.pk for row in with_rules[_MAX_RULE_ORDERS:]}
    return tuple(message_of(row, controls) for row in waiting if row.pk not in later)


def message_of(order: ProxyOrder, controls: dict[UUID, CommandControl] | None = None) -> Order:
    """An order as the proxy receives it. `controls`: the command filters by system user, if they were read already."""
    if order.kind == OrderKind.CHANGE_COMMAND_CONTROL:
        return ChangeCommandControl(
            order_id=order.pk,
            session_id=order.session_id,
            control=command_filters.control_of(order.session, controls),
        )
    if order.kind in LOCKS:  # the present state: a later order may have replaced this one
        session = order.session
        return ChangeLock(
            order_id=order.pk,
            session_id=session.pk,
            version=session.lock_version,
            is_locked=session.is_locked,
            by=order.by,
        )
    if order.kind == OrderKind.SHOW_MESSAGE:
        return ShowMessage(order_id=order.pk, session_id=order.session_id, by=order.by, text=order.text)
    if order.watch_id is not None:  # by the constraint: exactly the orders to stop watching
        return StopWatching(order_id=order.pk, watch_id=order.watch_id)
    if order.kind == OrderKind.CHANGE_GRANT:
        session = order.session
        return ChangeGrant(
            order_id=order.pk,
            session_id=session.pk,
            version=session.grant_version,
            ends=grants.ends_of(session.action_ends),
        )
    return TerminateSession(
        order_id=order.pk,
        session_id=order.session_id,
        by=order.by,
        reason=order.reason,
        message_zh=order.message_zh,
        message_en=order.message_en,
    )


def _open_orders(session: Session, kind: OrderKind) -> QuerySet[ProxyOrder]:
    return ProxyOrder.objects.filter(session=session, kind=kind, date_finished__isnull=True)


def _open_terminations(session: Session) -> QuerySet[ProxyOrder]:
    return _open_orders(session, OrderKind.TERMINATE_SESSION)


def _texts(reason: EndReason, actor: Actor) -> dict[str, str]:
    """The texts that the user reads, in both languages."""
    texts: dict[str, str] = {}
    for language, column in (("zh-hans", "message_zh"), ("en", "message_en")):
        with translation.override(language):
            if reason is EndReason.TERMINATED:
                text = _("This session was terminated by %(name)s.") % {"name": actor.label}
            elif reason is EndReason.ACCOUNT_CLOSED:
                text = _("This session ends because your account was closed or you signed out.")
            elif reason is EndReason.GRANT_EXPIRED:
                text = _("Your permission for this session has expired.")
            elif reason is EndReason.GRANT_WITHDRAWN:
                text = _("Your permission for this session was withdrawn.")
            else:
                text = _("This session was ended.")
        texts[column] = text[:512]
    return texts
