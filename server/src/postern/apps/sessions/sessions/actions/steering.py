"""Steering a live session: lock and unlock it, and send its person a message.

The caller has checked the actor's right, which is that of ending sessions.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.sessions import messages
from postern.apps.sessions.sessions.actions import orders
from postern.apps.sessions.sessions.errors import SessionOver, TooManyMessages
from postern.apps.sessions.sessions.events import SessionChanged
from postern.apps.sessions.sessions.models import OrderKind, ProxyOrder, Session
from postern.apps.sessions.terminals import channel
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.foundation.database.write_transaction import write_transaction
from postern.kernel import clock

#: Messages of one session that wait for its proxy. They are repeated with each heartbeat.
_MAX_WAITING_MESSAGES: Final = 20


@dataclass(frozen=True, slots=True)
class Locking:
    """The sessions that are now as ordered, and those that had ended."""

    done: tuple[UUID, ...]
    ended: tuple[UUID, ...]


@write_transaction()
def lock_sessions(*, actor: Actor, sessions: Iterable[Session], is_locked: bool) -> Locking:
    """Lock live sessions, or unlock them. One that is so already stays as it is, with who locked it first.

    Raises `SessionOver` when all of them have ended.
    """
    done: list[UUID] = []
    ended: list[UUID] = []
    ids = sorted(session.pk for session in sessions)
    for session in Session.objects.select_for_update().filter(pk__in=ids).order_by("pk"):
        if session.is_finished or session.terminal_id is None:
            ended.append(session.pk)
            continue
        done.append(session.pk)
        if session.is_locked is not is_locked:
            _change_lock(session, actor=actor, is_locked=is_locked)
    if ended and not done:
        raise SessionOver(_("The session is over."))
    return Locking(tuple(done), tuple(ended))


def _change_lock(session: Session, *, actor: Actor, is_locked: bool) -> None:
    by = session.locked_by
    session.is_locked = is_locked
    session.locked_by = actor.label[:256] if is_locked else ""
    session.date_locked = clock.now() if is_locked else None
    session.lock_version += 1
    session.save(update_fields=["is_locked", "locked_by", "date_locked", "lock_version"])
    orders.tell_lock(session, by=actor.label)
    audits.record(
        actor=actor,
        org_id=session.org_id,
        event=audits.Event.SESSION_LOCKED if is_locked else audits.Event.SESSION_UNLOCKED,
        object_type="Session",
        object_id=str(session.pk),
        object_name=messages.title(session),
        old=None if is_locked else {"locked_by": by},
    )
    events.publish(SessionChanged(session_id=session.pk, org_id=session.org_id))


@write_transaction()
def send_message(*, actor: Actor, session_id: UUID, text: str) -> ProxyOrder:
    """Show the person of a live session a line of text. Raises `SessionOver`, `TooManyMessages`."""
    session = Session.objects.select_for_update().get(pk=session_id)
    if session.is_finished or session.terminal_id is None:
        raise SessionOver(_("The session is over."))
    waiting = ProxyOrder.objects.filter(session=session, kind=OrderKind.SHOW_MESSAGE, date_finished__isnull=True)
    if waiting.count() >= _MAX_WAITING_MESSAGES:
        raise TooManyMessages(
            _("%(count)d messages have not reached this session yet. Wait until they are shown.")
            % {"count": _MAX_WAITING_MESSAGES}
        )
    order = ProxyOrder.objects.create(
        terminal_id=session.terminal_id,
        kind=OrderKind.SHOW_MESSAGE,
        session=session,
        org_id=session.org_id,
        by=actor.label[:256],
        text=text,
    )
    audits.record(
        actor=actor,
        org_id=session.org_id,
        event=audits.Event.SESSION_MESSAGE_SENT,
        object_type="Session",
        object_id=str(session.pk),
        object_name=messages.title(session),
        new={"message": text},
    )
    channel.wake(session.terminal_id)
    return order
