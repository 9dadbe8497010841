"""Legal holds: what is on hold is not deleted until the hold is removed or its end has come.

The caller has checked the actor's right: administrators of the organization place and remove holds. Nobody removes a
hold of their own sessions.
"""

from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import connection
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.sessions import messages
from postern.apps.sessions.sessions.actions import lifecycle
from postern.apps.sessions.sessions.errors import HoldDiffers, OwnHold
from postern.apps.sessions.sessions.events import SessionChanged
from postern.apps.sessions.sessions.models import Session, SessionHold
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.foundation.database.write_transaction import write_transaction
from postern.kernel import clock

#: Key of PostgreSQL's advisory lock. The hold of a person also protects sessions that no row of it names, so a lock of
#: session rows is not enough.
_TURN: Final = 0x686F6C64
#: Holds per run whose end has come.
_AT_ONCE: Final = 200


def take_turn() -> None:
    """Wait until no other transaction deletes sessions or places holds. Call it first in such a transaction."""
    # SQLite has one writer at a time anyway, and its transactions take their turn at the beginning.
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_TURN])


@write_transaction()
def hold_session(*, actor: Actor, session_id: UUID, reason: str, date_end: datetime | None) -> SessionHold:
    """Put a session on hold. The same reason and end again change nothing.

    Raises Session.DoesNotExist, HoldDiffers.
    """
    take_turn()
    rows = lifecycle.lock(Session.objects.filter(pk=session_id))
    if not rows:
        raise Session.DoesNotExist
    [session] = rows
    hold = _place(
        actor,
        SessionHold(
            org_id=session.org_id, session=session, name=messages.title(session), reason=reason, date_end=date_end
        ),
    )
    events.publish(SessionChanged(session_id=session.pk, org_id=session.org_id))
    return hold


@write_transaction()
def hold_person(
    *, actor: Actor, org_id: UUID, user_id: UUID, name: str, reason: str, date_end: datetime | None
) -> SessionHold:
    """Put all sessions of a person in an organization on hold, those of the future, too. As `hold_session`.

    Raises HoldDiffers.
    """
    take_turn()
    return _place(actor, SessionHold(org_id=org_id, user_id=user_id, name=name, reason=reason, date_end=date_end))


@write_transaction()
def release(*, actor: Actor, hold_id: UUID, reason: str) -> None:
    """Remove a hold. Raises SessionHold.DoesNotExist when somebody else has removed it, OwnHold."""
    hold = SessionHold.objects.select_for_update(of=("self",)).select_related("session").get(pk=hold_id)
    person = hold.user_id if hold.session is None else hold.session.user_id
    if actor.user_id is not None and actor.user_id == person:
        raise OwnHold(_("Your own sessions are on hold. Ask another administrator to remove the hold."))
    _remove(actor, hold, audits.Event.HOLD_RELEASED, new={"reason": reason})


def remove_ended(*, actor: Actor) -> None:
    """Remove the holds whose end has come. Must run inside a transaction."""
    ended = SessionHold.objects.select_for_update(of=("self",)).filter(date_end__lte=clock.now())
    for hold in ended.order_by("pk")[:_AT_ONCE]:
        _remove(actor, hold, audits.Event.HOLD_ENDED)


def _place(actor: Actor, hold: SessionHold) -> SessionHold:
    held = SessionHold.objects.select_for_update(of=("self",)).filter(
        session_id=hold.session_id, user_id=hold.user_id, org_id=hold.org_id, reason=hold.reason
    )
    present: SessionHold | None = held.first()
    if present is not None and present.date_end is not None and present.date_end <= clock.now():
        _remove(actor, present, audits.Event.HOLD_ENDED)
        present = None
    if present is None:
        hold.created_by = actor.label
        hold.save(force_insert=True)
        _record(actor, hold, audits.Event.HOLD_PLACED, new={"reason": hold.reason, "date_end": hold.date_end})
        return hold
    if present.date_end != hold.date_end:
        raise HoldDiffers(
            _("It is on hold for this reason with another end. Give another reason, or remove that hold first.")
        )
    return present


def _remove(actor: Actor, hold: SessionHold, event: audits.Event, new: dict[str, object] | None = None) -> None:
    _record(
        actor,
        hold,
        event,
        old={
            "reason": hold.reason,
            "date_end": hold.date_end,
            "created_by": hold.created_by,
            "date_created": hold.date_created,
        },
        new=new,
    )
    session_id, org_id = hold.session_id, hold.org_id
    hold.delete()
    if session_id is not None:
        events.publish(SessionChanged(session_id=session_id, org_id=org_id))


def _record(
    actor: Actor,
    hold: SessionHold,
    event: audits.Event,
    *,
    old: dict[str, object] | None = None,
    new: dict[str, object] | None = None,
) -> None:
    audits.record(
        actor=actor,
        org_id=hold.org_id,
        event=event,
        object_type="User" if hold.session_id is None else "Session",
        object_id=str(hold.user_id or hold.session_id),
        object_name=hold.name,
        old=old,
        new=new,
    )
