"""Browser sign-ins: opening, using and ending them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import F

from postern.apps.audits import facade as audits
from postern.apps.authn.credentials.actions.tokens import end_tokens
from postern.apps.authn.credentials.events import LoginSessionEnded, SignedIn
from postern.apps.authn.credentials.models import LoginEnd, LoginSession
from postern.apps.users import facade as users
from postern.apps.users.credentials.rules import mfa_is_forced
from postern.apps.users.models import User
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.foundation.database.prepared import PreparedObjects
from postern.kernel import clock
from postern.kernel.ids import ROOT_ORG_ID, parse_id

#: Where the browser's session keeps the id of its sign-in.
SESSION_ENTRY: Final = "login_session"
#: A sign-in that nobody uses is over after a day; used or not, after a week one signs in anew.
IDLE_LIMIT: Final = timedelta(days=1)
TOTAL_LIMIT: Final = timedelta(days=7)
#: How often the use of a sign-in is noted: not with every request.
_TOUCH_EVERY: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class SignInOrigin:
    """Where a sign-in comes from."""

    remote_addr: str
    user_agent: str = ""
    backend: str = "password"
    language: str = ""
    mfa: bool = False


@transaction.atomic
def open_login_session(*, user: User, origin: SignInOrigin) -> LoginSession:
    """Note a new browser sign-in of a person whose proof has been checked."""
    now = clock.now()
    if origin.language and not user.language:  # what the person has chosen once stays, whatever browser they sit at
        User.objects.filter(pk=user.pk).update(language=origin.language)
    login_session = LoginSession.objects.create(
        user=user,
        epoch=user.session_epoch,
        remote_addr=origin.remote_addr[:64],
        user_agent=origin.user_agent[:254],
        backend=origin.backend,
        mfa=origin.mfa,
        date_mfa_verified=now if origin.mfa else None,
        date_created=now,
        date_last_seen=now,
        date_expired=now + IDLE_LIMIT,
    )
    events.publish(
        SignedIn(
            user_id=user.pk,
            username=user.username,
            login_session_id=login_session.pk,
            remote_addr=origin.remote_addr,
        )
    )
    return login_session


def find_by_session(session: Mapping[str, Any]) -> LoginSession | None:
    """The open sign-in that a browser's session refers to; `session` is Django's session object."""
    entry = session.get(SESSION_ENTRY)
    login_session_id = parse_id(entry) if isinstance(entry, str) else None
    return find_open(login_session_id) if login_session_id else None


def find_open(login_session_id: UUID) -> LoginSession | None:
    """The sign-in with its person, when it still holds.

    Not ended, not expired, made under the present password, and with the second factor once that is mandatory.
    """
    found = _with_person().first(pk=login_session_id)
    if found is None or found.date_ended is not None or found.date_expired <= clock.now():
        return None
    if found.epoch != found.user.session_epoch or not found.user.is_active:
        return None
    if not found.mfa and mfa_is_forced(found.user):
        return None
    return found


def open_among(login_session_ids: Collection[UUID]) -> frozenset[UUID]:
    """Which of these sign-ins still hold. One query."""
    rows = LoginSession.objects.filter(
        pk__in=login_session_ids,
        date_ended__isnull=True,
        date_expired__gt=clock.now(),
        epoch=F("user__session_epoch"),
        user__in=User.objects.valid(),
    )
    return frozenset(rows.values_list("pk", flat=True))


@cache
def _with_person() -> PreparedObjects[LoginSession]:
    """A sign-in with its person, by id: every request asks for one."""
    return PreparedObjects(
        LoginSession,
        lambda pk: LoginSession.objects.filter(pk=pk),
        stand_ins={"pk": UUID(int=1)},
        with_related=("user",),
    )


def touch(login_session: LoginSession) -> None:
    """Note that the sign-in is in use, which keeps it open."""
    now = clock.now()
    if now - login_session.date_last_seen < _TOUCH_EVERY:
        return
    until = min(now + IDLE_LIMIT, login_session.date_created + TOTAL_LIMIT)
    LoginSession.objects.filter(pk=login_session.pk, date_ended__isnull=True).update(
        date_last_seen=now, date_expired=until
    )


@transaction.atomic
def sign_out(*, actor: Actor, login_session: LoginSession, reason: LoginEnd = LoginEnd.SIGNED_OUT) -> None:
    """End one sign-in. Ending it twice changes nothing."""
    open_rows = LoginSession.objects.filter(pk=login_session.pk, date_ended__isnull=True)
    if open_rows.update(date_ended=clock.now(), end_reason=reason) != 1:
        return
    audits.record(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event=audits.Event.LOGIN_SESSION_ENDED,
        object_type="LoginSession",
        object_id=str(login_session.pk),
        object_name=str(login_session.user),
        new={"reason": str(reason)},
    )
    events.publish(
        LoginSessionEnded(user_id=login_session.user_id, login_session_id=login_session.pk, reason=str(reason))
    )


@transaction.atomic
def end_all(*, user_id: UUID, reason: LoginEnd, keep_epoch: int | None = None, keep: LoginSession | None = None) -> int:
    """End all sign-ins and bearer tokens of a person; returns how many sign-ins ended.

    `keep_epoch`: those made under the present password stay; `keep`: this one stays.
    """
    now = clock.now()
    end_tokens(user_id=user_id, keep_epoch=keep_epoch)
    rows = LoginSession.objects.filter(user_id=user_id, date_ended__isnull=True)
    if keep_epoch is not None:
        rows = rows.exclude(epoch=keep_epoch)
    if keep is not None:
        rows = rows.exclude(pk=keep.pk)
    ids = list(rows.values_list("pk", flat=True))
    LoginSession.objects.filter(pk__in=ids).update(date_ended=now, end_reason=reason)
    for login_session_id in ids:
        events.publish(LoginSessionEnded(user_id=user_id, login_session_id=login_session_id, reason=str(reason)))
    return len(ids)


def keep_through_password_change(login_session: LoginSession, user: User) -> None:
    """The person changed the own password here: this one sign-in goes on, all others end."""
    LoginSession.objects.filter(pk=login_session.pk).update(epoch=user.session_epoch)


@transaction.atomic
def note_password_verified(*, actor: Actor, user: User, login_session: LoginSession) -> None:
    """The person has shown the password again."""
    users.hold(actor, user)
    LoginSession.objects.filter(pk=login_session.pk).update(date_password_verified=clock.now())
    _record_password(actor, user, audits.Event.PASSWORD_VERIFIED, None)


@transaction.atomic
def note_password_refused(*, actor: Actor, user: User, reason: str) -> None:
    """Somebody who is signed in has shown a wrong password: perhaps a stranger at an open desk."""
    _record_password(actor, user, audits.Event.PASSWORD_REFUSED, {"reason": reason})


def _record_password(actor: Actor, user: User, event: audits.Event, new: Mapping[str, Any] | None) -> None:
    audits.record(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event=event,
        object_type="User",
        object_id=str(user.pk),
        object_name=str(user),
        new=new,
    )
