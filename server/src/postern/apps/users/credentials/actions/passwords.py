"""Sets passwords and public keys.

Hashing is slow, and SQLite allows one writer. `prepare` therefore checks and hashes a password before any transaction.
The write then checks again, under the lock, what the first check relied on.
"""

from dataclasses import dataclass

from django.contrib.auth.hashers import check_password, make_password
from django.db import transaction

from postern.apps.audits import facade as audits
from postern.apps.orgs.roles import OrgRole
from postern.apps.users.accounts import service_accounts, trail
from postern.apps.users.accounts.errors import FieldProblem
from postern.apps.users.accounts.holding import hold
from postern.apps.users.accounts.models import Membership, SystemRole, User
from postern.apps.users.credentials.errors import ChangedMeanwhile, NotLocal, OwnPassword
from postern.apps.users.credentials.events import PasswordChanged, PublicKeysChanged, PublicKeysRemoved
from postern.apps.users.credentials.kinds import void_links
from postern.apps.users.credentials.messages import password_messages, public_key_message
from postern.apps.users.credentials.models import PasswordHistory
from postern.apps.users.credentials.passwords import PasswordProblem, password_problems
from postern.apps.users.credentials.rules import password_rules
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.kernel import clock
from postern.kernel.secret import Secret
from postern.kernel.ssh_keys.public_keys import PublicKeyProblem, parse_public_keys


@dataclass(frozen=True, slots=True)
class NewPassword:
    """An accepted, hashed password for one user. `former`: the stored hash at the time of the check."""

    text: Secret
    hashed: str
    former: str
    field: str


def prepare(user: User, password: str, *, for_admin: bool | None = None, field: str = "password") -> NewPassword:
    """Check a password for this user and hash it. Raises FieldProblem. Do not call it inside a transaction."""
    require_good_password(user, password, for_admin=for_admin, field=field)
    return NewPassword(text=Secret(password), hashed=make_password(password), former=user.password, field=field)


def prepare_for_another(actor: Actor, user: User, password: str) -> NewPassword:
    """Check and hash a password that an administrator sets for another user. Also raises NotLocal and OwnPassword."""
    require_local(user)
    require_another(actor, user)
    return prepare(user, password)


def prepare_own(user: User, password: str) -> NewPassword:
    """Check and hash a password that users set for themselves. Also raises NotLocal."""
    require_local(user)
    return prepare(user, password, field="new_password")


def require_good_password(user: User, password: str, *, for_admin: bool | None = None, field: str = "password") -> None:
    """Raise `FieldProblem` when the rules refuse `password` for this user.

    Also compares with former passwords, which is slow.
    """
    rules = password_rules()
    problems = _problems(user, password, for_admin=for_admin)
    if not problems and rules.history_count and not user._state.adding:  # noqa: SLF001 - documented by Django
        former = PasswordHistory.objects.filter(user=user)[: rules.history_count]
        if any(check_password(password, row.password) for row in former):
            problems.append(PasswordProblem("password_used_before", rules.history_count))
    if problems:
        raise FieldProblem(field, *password_messages(problems))


def _problems(user: User, password: str, *, for_admin: bool | None = None) -> list[PasswordProblem]:
    """The violated rules for the user's current data, without comparing former passwords."""
    if for_admin is None:
        for_admin = user.role == SystemRole.ADMIN or _administers_an_organization(user)
    related = (user.username, user.name, user.email)
    return list(password_problems(password, password_rules(), for_admin=for_admin, related=related))


def _administers_an_organization(user: User) -> bool:
    return Membership.objects.filter(user_id=user.pk, role=OrgRole.ADMIN).exists()


@transaction.atomic
def set_password(*, actor: Actor, user: User, new: NewPassword) -> None:
    """Set a user's password as an administrator. Everything opened with the old password ends."""
    store_prepared(actor=actor, row=hold(actor, user), new=new, by_self=False)


@transaction.atomic
def change_own_password(*, actor: Actor, user: User, new: NewPassword) -> User:
    """Change the caller's own password; returns the changed row. The password then no longer counts as due for a
    change.

    The caller of this function has verified the current password (`authn.sign_in.actions.present_password`), where each
    guess counts.
    """
    row = hold(actor, user)
    store_prepared(actor=actor, row=row, new=new, by_self=True)
    return row


def store_prepared(*, actor: Actor, row: User, new: NewPassword, by_self: bool) -> None:
    """Store a prepared password of a user whose row is locked. Raises ChangedMeanwhile, NotLocal, FieldProblem.

    Must run inside the caller's transaction.
    """
    require_local(row)
    # the password was changed since the check, so the comparison with former passwords is outdated
    if row.password != new.former:
        raise ChangedMeanwhile
    problems = _problems(row, new.text.reveal())  # name or role may have changed since the check
    if problems:
        raise FieldProblem(new.field, *password_messages(problems))
    write_password(actor=actor, row=row, hashed=new.hashed, by_self=by_self)


def write_password(*, actor: Actor, row: User, hashed: str, by_self: bool) -> None:
    """Store a password that was checked. Everything opened with the former password, and pending links, become void.

    Must run inside the caller's transaction, which has locked the row.
    """
    row.password = hashed
    row.date_password_last_updated = clock.now()
    row.session_epoch += 1
    if by_self:
        row.need_update_password = False
    row.save(update_fields=["password", "date_password_last_updated", "session_epoch", "need_update_password"])
    remember_password(row)
    void_links(row)
    trail.record_password_change(actor, row)
    events.publish(PasswordChanged(user_id=row.pk, username=row.username, by_self=by_self))


def remember_password(user: User) -> None:
    """Add the current hash to the former passwords; keeps as many as the rules compare, at least one."""
    PasswordHistory.objects.create(user=user, password=user.password)
    history_count = max(password_rules().history_count, 1)
    old = PasswordHistory.objects.filter(user=user).values_list("pk", flat=True)[history_count:]
    PasswordHistory.objects.filter(pk__in=list(old)).delete()


def checked_public_keys(text: str, *, field: str = "public_key") -> str:
    """The keys of `text` in canonical form, one per line. Raises `FieldProblem`."""
    try:
        return "\n".join(key.line for key in parse_public_keys(text))
    except PublicKeyProblem as problem:
        raise FieldProblem(field, public_key_message(problem)) from None


@transaction.atomic
def set_public_keys(*, actor: Actor, user: User, text: str) -> None:
    """Replace the public keys of a user; an empty text removes them."""
    keys, row = checked_public_keys(text), hold(actor, user)
    service_accounts.refuse_itself(actor, row)
    former, row.public_key = row.public_key, keys
    user.public_key = keys  # the caller returns this object
    if keys == former:  # no change, so nothing to audit
        return
    row.save(update_fields=["public_key"])
    trail.record(actor, audits.Event.USER_PUBLIC_KEYS_CHANGED, row, {"public_key": trail.masked(former, keys)})
    events.publish(PublicKeysChanged(user_id=row.pk, username=row.username))
    if not keys and actor.user_id != row.pk:
        events.publish(PublicKeysRemoved(user_id=row.pk, by=actor.label, at=clock.now()))


def require_another(actor: Actor, user: User) -> None:
    if actor.user_id == user.pk:
        raise OwnPassword


def require_local(user: User) -> None:
    if user.is_service_account:
        raise service_accounts.NoPassword
    if not user.is_local:
        raise NotLocal
