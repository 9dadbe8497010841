"""Setting passwords and public keys."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.contrib.auth.hashers import check_password, make_password
from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.users.actions import trail
from postern.apps.users.errors import FieldProblem, LinkUsed, NotLocal, OwnPassword
from postern.apps.users.events import PasswordChanged, PublicKeysChanged
from postern.apps.users.messages import password_messages, public_key_message
from postern.apps.users.models import Membership, OrgRole, PasswordHistory, SetPasswordLink, SystemRole, User
from postern.apps.users.passwords import PasswordProblem, password_problems
from postern.apps.users.public_keys import PublicKeyProblem, parse_public_keys
from postern.apps.users.rules import password_rules
from postern.foundation import events
from postern.foundation.actor import Actor
from postern.kernel import clock
from postern.kernel.ids import new_token, token_hash
from postern.kernel.secret import Secret

LINK_LIFETIME: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class IssuedLink:
    """A set-password link just made. The token is known here and to whoever receives it, nowhere else."""

    token: Secret
    expires_at: datetime


def require_good_password(user: User, password: str, *, for_admin: bool | None = None, field: str = "password") -> None:
    """Raise `FieldProblem` when the rules refuse `password` for this person; compares with former ones too."""
    rules = password_rules()
    if for_admin is None:
        for_admin = user.role == SystemRole.ADMIN or _administers_an_organization(user)
    problems = list(
        password_problems(password, rules, for_admin=for_admin, related=(user.username, user.name, user.email))
    )
    if not problems and rules.history_count and not user._state.adding:  # noqa: SLF001 - documented by Django
        former = PasswordHistory.objects.filter(user=user)[: rules.history_count]
        if any(check_password(password, row.password) for row in former):
            problems.append(PasswordProblem("password_used_before", rules.history_count))
    if problems:
        raise FieldProblem(field, *password_messages(problems))


def _administers_an_organization(user: User) -> bool:
    return Membership.objects.filter(user_id=user.pk, role=OrgRole.ADMIN).exists()


def set_password(*, actor: Actor, user: User, password: str, field: str = "password") -> None:
    """An administrator sets somebody's password. Ends everything that was opened with the old one."""
    _require_local(user)
    _require_another(actor, user)
    require_good_password(user, password, field=field)
    _store(actor=actor, user=user, password=password, by_self=False)


def change_own_password(*, actor: Actor, user: User, old_password: str, new_password: str) -> None:
    """The person changes the own password; the old one is asked for. Afterwards nothing has to be changed any more."""
    _require_local(user)
    if not check_password(old_password, user.password):
        raise FieldProblem("old_password", _("The old password is not right."))
    require_good_password(user, new_password, field="new_password")
    _store(actor=actor, user=user, password=new_password, by_self=True)


@transaction.atomic
def issue_set_password_link(*, actor: Actor, user: User, void_password: bool) -> IssuedLink:
    """Make a link with which the person sets a password; earlier links stop working.

    `void_password`: the present password stops working now, and everything opened with it ends.
    """
    _require_local(user)
    _require_another(actor, user)
    now = clock.now()
    SetPasswordLink.objects.filter(user=user, date_used__isnull=True).update(date_expired=now)
    token = new_token()
    link = SetPasswordLink.objects.create(
        user=user, token_hash=token_hash(token), created_by=actor.label[:128], date_expired=now + LINK_LIFETIME
    )
    if void_password:
        user.set_unusable_password()
        user.session_epoch += 1
        User.objects.filter(pk=user.pk).update(password=user.password, session_epoch=F("session_epoch") + 1)
        events.publish(PasswordChanged(user_id=user.pk, username=user.username, by_self=False))
    trail.record(actor, audits.Event.USER_SET_PASSWORD_LINK_ISSUED, user, action="other")
    return IssuedLink(token=Secret(token), expires_at=link.date_expired)


def redeem_set_password_link(*, actor: Actor, token: str, password: str) -> User:
    """Set a password with a link. The link works once; unknown, used and expired ones get the same answer."""
    link = SetPasswordLink.objects.select_related("user").filter(token_hash=token_hash(token)).first()
    if link is None or link.date_used is not None or link.date_expired <= clock.now() or not link.user.is_local:
        raise LinkUsed
    require_good_password(link.user, password, field="new_password")
    hashed = make_password(password)
    with transaction.atomic():
        now = clock.now()
        unused = SetPasswordLink.objects.filter(pk=link.pk, date_used__isnull=True, date_expired__gt=now)
        if unused.update(date_used=now) != 1:  # somebody else was faster with the same link
            raise LinkUsed
        _write(actor=actor, user=link.user, hashed=hashed, by_self=True)
    return link.user


def _store(*, actor: Actor, user: User, password: str, by_self: bool) -> None:
    hashed = make_password(password)  # slow on purpose, so before the transaction: SQLite has one writer
    with transaction.atomic():
        _write(actor=actor, user=user, hashed=hashed, by_self=by_self)


def _write(*, actor: Actor, user: User, hashed: str, by_self: bool) -> None:
    user.password = hashed
    user.date_password_last_updated = clock.now()
    user.session_epoch = User.objects.select_for_update().get(pk=user.pk).session_epoch + 1
    if by_self:
        user.need_update_password = False
    user.save(update_fields=["password", "date_password_last_updated", "session_epoch", "need_update_password"])
    remember_password(user)
    trail.record_password_change(actor, user)
    events.publish(PasswordChanged(user_id=user.pk, username=user.username, by_self=by_self))


def remember_password(user: User) -> None:
    """Keep the present hash among the former ones, and only as many as the rules look at (within reason)."""
    PasswordHistory.objects.create(user=user, password=user.password)
    kept = max(password_rules().history_count, 1)
    old = PasswordHistory.objects.filter(user=user).values_list("pk", flat=True)[kept:]
    PasswordHistory.objects.filter(pk__in=list(old)).delete()


def checked_public_keys(text: str, *, field: str = "public_key") -> str:
    """The keys of `text` in canonical form, one per line; raises `FieldProblem`."""
    try:
        return "\n".join(key.line for key in parse_public_keys(text))
    except PublicKeyProblem as problem:
        raise FieldProblem(field, public_key_message(problem)) from None


@transaction.atomic
def set_public_keys(*, actor: Actor, user: User, text: str) -> None:
    """Replace the public keys of a person; an empty text removes them."""
    former, user.public_key = user.public_key, checked_public_keys(text)
    if user.public_key == former:  # said again what is so already: nothing to tell
        return
    user.save(update_fields=["public_key"])
    trail.record(
        actor, audits.Event.USER_PUBLIC_KEYS_CHANGED, user, {"public_key": trail.masked(former, user.public_key)}
    )
    events.publish(PublicKeysChanged(user_id=user.pk, username=user.username))


def _require_another(actor: Actor, user: User) -> None:
    if actor.user_id == user.pk:
        raise OwnPassword


def _require_local(user: User) -> None:
    if not user.is_local:
        raise NotLocal
