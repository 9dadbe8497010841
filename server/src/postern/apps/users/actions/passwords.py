"""Setting passwords and public keys."""

from django.contrib.auth.hashers import check_password, make_password
from django.db import transaction

from postern.apps.audits import facade as audits
from postern.apps.users.actions import trail
from postern.apps.users.credentials import void_links
from postern.apps.users.errors import FieldProblem, NotLocal, OwnPassword
from postern.apps.users.events import PasswordChanged, PublicKeysChanged
from postern.apps.users.messages import password_messages, public_key_message
from postern.apps.users.models import Membership, OrgRole, PasswordHistory, SystemRole, User
from postern.apps.users.passwords import PasswordProblem, password_problems
from postern.apps.users.public_keys import PublicKeyProblem, parse_public_keys
from postern.apps.users.rules import password_rules
from postern.foundation import events
from postern.foundation.actor import Actor
from postern.kernel import clock


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
    require_local(user)
    require_another(actor, user)
    require_good_password(user, password, field=field)
    _store(actor=actor, user=user, password=password, by_self=False)


def change_own_password(*, actor: Actor, user: User, new_password: str) -> None:
    """The person changes the own password. Afterwards nothing has to be changed any more.

    The caller has asked for the present one (`authn.actions.present_password`), where each guess counts.
    """
    require_local(user)
    require_good_password(user, new_password, field="new_password")
    _store(actor=actor, user=user, password=new_password, by_self=True)


def _store(*, actor: Actor, user: User, password: str, by_self: bool) -> None:
    hashed = make_password(password)  # slow on purpose, so before the transaction: SQLite has one writer
    with transaction.atomic():
        write_password(actor=actor, user=user, hashed=hashed, by_self=by_self)


def write_password(*, actor: Actor, user: User, hashed: str, by_self: bool) -> None:
    """Store a password whose rules were checked; everything that the former one opened, and pending links, are void.

    A part of another write, which opens the transaction.
    """
    user.password = hashed
    user.date_password_last_updated = clock.now()
    user.session_epoch = User.objects.select_for_update().get(pk=user.pk).session_epoch + 1
    if by_self:
        user.need_update_password = False
    user.save(update_fields=["password", "date_password_last_updated", "session_epoch", "need_update_password"])
    remember_password(user)
    void_links(user)
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


def require_another(actor: Actor, user: User) -> None:
    if actor.user_id == user.pk:
        raise OwnPassword


def require_local(user: User) -> None:
    if not user.is_local:
        raise NotLocal
