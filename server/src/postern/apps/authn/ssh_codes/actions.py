"""Issue a code for SSH, and redeem it once."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction

from postern.apps.audits import facade as audits
from postern.apps.authn.credentials.actions.login_sessions import find_open
from postern.apps.authn.credentials.models import LoginSession
from postern.apps.authn.ssh_codes.codes import code_hash as hash_of
from postern.apps.authn.ssh_codes.codes import new_code
from postern.apps.authn.ssh_codes.errors import CodesOff
from postern.apps.authn.ssh_codes.models import SshCode
from postern.apps.preferences import facade as preferences
from postern.apps.users import facade as users
from postern.apps.users.models import User, username_key
from postern.foundation.caller.actor import Actor
from postern.kernel import clock
from postern.kernel.ids import ROOT_ORG_ID
from postern.kernel.secret import Secret

#: Long enough to switch to a terminal and paste the code.
LIFETIME: Final = timedelta(minutes=2)
#: Backend of sign-ins with a code in the login log.
BACKEND: Final = "ssh_code"


@dataclass(frozen=True, slots=True)
class Issued:
    """A new code with its text, which is shown once."""

    code: Secret
    date_expired: datetime


@dataclass(frozen=True, slots=True)
class UsableCode:
    """A code that can be redeemed. `mfa`: the second factor was shown in the browser."""

    row: SshCode
    user: User
    mfa: bool
    provider_session: str


def are_on() -> bool:
    """Whether codes are accepted over SSH."""
    return preferences.get_bool("TERMINAL_CODE_AUTH")


@transaction.atomic
def issue(*, actor: Actor, user: User, login_session: LoginSession) -> Issued:
    """Issue a code for the user, which voids the code before. Raises CodesOff."""
    if not are_on():
        raise CodesOff
    users.hold(actor, user)
    SshCode.objects.filter(user=user, date_used__isnull=True).delete()
    (code, code_hash), now = new_code(), clock.now()
    row = SshCode.objects.create(
        user=user,
        login_session=login_session,
        code_hash=code_hash,
        date_created=now,
        date_expired=now + LIFETIME,
    )
    audits.record(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event=audits.Event.SSH_CODE_ISSUED,
        object_type="SshCode",
        object_id=str(row.pk),
        object_name=str(user),
    )
    return Issued(code=code, date_expired=row.date_expired)


def find(username: str, text: str) -> UsableCode | None:
    """The unused code of this user, while the browser sign-in that made it is open."""
    row = (
        SshCode.objects.select_related("user")
        .filter(code_hash=hash_of(text) or "", date_used__isnull=True, date_expired__gt=clock.now())
        .first()
    )
    if row is None or row.user.username_key != username_key(username):
        return None
    login_session = find_open(row.login_session_id)
    if login_session is None:
        return None
    return UsableCode(row=row, user=row.user, mfa=login_session.mfa, provider_session=login_session.provider_session)


def redeem(usable_code: UsableCode) -> bool:
    """Use up the code. Returns False when it was used, replaced or voided meanwhile.

    Call it in the transaction that signs the user in, after the user was locked.
    """
    if find_open(usable_code.row.login_session_id) is None:
        return False
    return SshCode.objects.filter(pk=usable_code.row.pk, date_used__isnull=True).update(date_used=clock.now()) == 1
