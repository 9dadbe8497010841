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
from postern.apps.users.accounts import service_accounts
from postern.apps.users.credentials.rules import mfa_is_forced
from postern.apps.users.models import User
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.foundation.database.prepared import PreparedObjects
from postern.foundation.database.row_writes import insert
from postern.kernel import clock
from postern.kernel.ids import ROOT_ORG_ID, parse_id

#: Key of the browser session that holds the id of the login session.
SESSION_ENTRY: Final = "login_session"
#: An unused sign-in expires after a day; every sign-in expires after a week.
IDLE_LIMIT: Final = timedelta(days=1)
TOTAL_LIMIT: Final = timedelta(days=7)
#: Minimum time between two writes for a sign-in in use.
_TOUCH_EVERY: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class SignInOrigin:
    """Origin of a sign-in. `by_trust`: a trusted browser replaced the second factor."""

    remote_addr: str
    user_agent: str = ""
    backend: str = "password"
    language: str = ""
    mfa: bool = False
    provider_session: str = ""
    by_trust: bool = False


@transaction.atomic
def open_login_session(*, user: User, origin: SignInOrigin) -> LoginSession:
    """Create the login session of a user whose factors have been verified. Raises NoPassword."""
    if user.is_service_account:  # no existing way of signing in gets here; a new way must not either
        raise service_accounts.NoPassword
    now = clock.now()
    # the browser's language does not replace a language that the user has chosen
    if origin.language and not user.language:
        User.objects.filter(pk=user.pk).update(language=origin.language)
    login_session = LoginSession(
        user=user,
        epoch=user.session_epoch,
        remote_addr=origin.remote_addr[:64],
        user_agent=origin.user_agent[:254],
        backend=origin.backend,
        provider_session=origin.provider_session,
        mfa=origin.mfa,
        date_mfa_verified=now if origin.mfa and not origin.by_trust else None,
        date_created=now,
        date_last_seen=now,
        date_expired=now + IDLE_LIMIT,
    )
    insert([login_session])
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
    """The open login session of a browser session; `session` is Django's session object."""
    login_session_id = _id_in(session)
    return find_open(login_session_id) if login_session_id else None


def find_to_end(session: Mapping[str, Any]) -> LoginSession | None:
    """The login session of a browser session that has not ended, also when nobody may use it now.

    A session without the second factor is only suspended while the factor is mandatory, so it has to be ended as well.
    """
    login_session_id = _id_in(session)
    login_session = _with_person().first(pk=login_session_id) if login_session_id else None
    return login_session if login_session is not None and login_session.date_ended is None else None


def _id_in(session: Mapping[str, Any]) -> UUID | None:
    entry = session.get(SESSION_ENTRY)
    return parse_id(entry) if isinstance(entry, str) else None


def find_open(login_session_id: UUID) -> LoginSession | None:
    """The login session with its user, or None when it is no longer valid.

    Valid means: not ended, not expired, of an account that may be used, created under the current password, and with
    the second factor if that is mandatory now.
    """
    login_session = _with_person().first(pk=login_session_id)
    if login_session is None or login_session.date_ended is not None or login_session.date_expired <= clock.now():
        return None
    if login_session.epoch != login_session.user.session_epoch or not login_session.user.is_valid:
        return None
    if not login_session.mfa and mfa_is_forced(login_session.user):
        return None
    return login_session


def open_among(login_session_ids: Collection[UUID]) -> frozenset[UUID]:
    """The valid login sessions among these ids. One query."""
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
    """A login session with its user, by id. Prepared, because every request needs it."""
    return PreparedObjects(
        LoginSession,
        lambda pk: LoginSession.objects.filter(pk=pk),
        stand_ins={"pk": UUID(int=1)},
        with_related=("user",),
    )


def touch(login_session: LoginSession) -> None:
    """Record the use of a sign-in, which extends it."""
    now = clock.now()
    if now - login_session.date_last_seen < _TOUCH_EVERY:
        return
    until = min(now + IDLE_LIMIT, login_session.date_created + TOTAL_LIMIT)
    LoginSession.objects.filter(pk=login_session.pk, date_ended__isnull=True).update(
        date_last_seen=now, date_expired=until
    )


@transaction.atomic
def sign_out(*, actor: Actor, login_session: LoginSession, reason: LoginEnd = LoginEnd.SIGNED_OUT) -> None:
    """End one sign-in. Does nothing when it has already ended."""
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
    """End all sign-ins and bearer tokens of a user; returns the number of ended sign-ins.

    `keep_epoch`: keep those created under the current password. `keep`: keep this sign-in.
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
    """Keep this sign-in after its user changed their own password in it; all other sign-ins end."""
    LoginSession.objects.filter(pk=login_session.pk).update(epoch=user.session_epoch)


@transaction.atomic
def note_password_verified(*, actor: Actor, user: User, login_session: LoginSession) -> None:
    """Record that the user entered the password again."""
    users.hold(actor, user)
    LoginSession.objects.filter(pk=login_session.pk).update(date_password_verified=clock.now())
    audits.record_change(actor=actor, action="other", target=user, event=audits.Event.PASSWORD_VERIFIED)


@transaction.atomic
def note_password_refused(*, actor: Actor, user: User, reason: str) -> None:
    """Audit a wrong password of a signed-in user: it may come from a stranger at an unlocked desk."""
    refused = audits.Event.PASSWORD_REFUSED
    audits.record_change(actor=actor, action="other", target=user, event=refused, new={"reason": reason})
