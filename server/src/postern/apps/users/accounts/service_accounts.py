"""What is different about service accounts: identities of programs (docs/decisions/0077).

A service account signs requests with access keys, and signs in over SSH with its keys. It has no password, no second
factor and no mailbox, and an administrator manages it: it changes nothing about itself. The database keeps the same
rules (constraint `users_user_service_has_no_sign_in`).
"""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext as _

from postern.apps.users.accounts.errors import FieldProblem
from postern.apps.users.accounts.models import Kind, MfaLevel, Source, User, username_key
from postern.foundation.caller.actor import Actor
from postern.kernel.errors import NotAllowed, PosternError

#: Contract: the mail address of a service account is its name at this domain. Nobody writes to it.
ADDRESS_DOMAIN: Final = "serviceaccount.local"
#: So that the address fits into its column.
MAX_NAME_CHARS: Final = 128 - len(ADDRESS_DOMAIN) - 1

#: Fields of people, with the only value that a service account may have.
_FIXED: Final[Mapping[str, object]] = {
    "source": Source.LOCAL,
    "mfa_level": MfaLevel.DISABLED,
    "need_update_password": False,
}


class NoPassword(PosternError):
    """Somebody asked for a password, a link to set one, or a second factor of a service account."""

    code = "service_account"
    status = 400

    def __init__(self) -> None:
        super().__init__(_("A service account has no password and no second factor. Give it access keys or SSH keys."))


class OwnServiceAccount(NotAllowed):
    """A service account asked for a change of itself."""

    code = "service_account"

    def __init__(self) -> None:
        super().__init__(_("A service account cannot change itself. Ask an administrator."))


def address_of(username: str) -> str:
    """The address in the column that must not be empty."""
    return f"{username_key(username)}@{ADDRESS_DOMAIN}"


def refuse_itself(actor: Actor, user: User) -> None:
    """Raise OwnServiceAccount where a service account changes itself: who steals a key must not make a lasting one."""
    if user.is_service_account and actor.user_id == user.pk:
        raise OwnServiceAccount


def require_same_kind(user: User, columns: Mapping[str, object]) -> None:
    """Raise FieldProblem when the input names another kind: a program never becomes a person, nor the other way round."""
    if columns.get("kind", user.kind) != user.kind:
        raise FieldProblem("kind", _("A person cannot become a service account, nor a service account a person."))


def require_address_of_person(email: str) -> None:
    """Raise FieldProblem for an address that belongs to a service account."""
    if email.lower().rpartition("@")[2] == ADDRESS_DOMAIN:
        raise FieldProblem("email", _("Addresses of this domain belong to service accounts. Enter another one."))


def new_columns(columns: Mapping[str, object], *, password: str | None) -> dict[str, object]:
    """The columns of a new service account. Raises FieldProblem for values that only people have."""
    checked = {name: value for name, value in columns.items() if name != "email"}
    return _checked({**checked, "kind": Kind.SERVICE}, columns.get("email"), "", password)


def changed_columns(user: User, columns: Mapping[str, object], *, password: str | None) -> dict[str, object]:
    """The columns of a changed service account. Raises FieldProblem for values that only people have."""
    checked = {name: value for name, value in columns.items() if name != "email"}
    return _checked({"username": user.username, **checked}, columns.get("email"), user.email, password)


def _checked(columns: dict[str, object], email: object, stored: str, password: str | None) -> dict[str, object]:
    if password:
        raise FieldProblem("password", NoPassword().message)
    for name, value in _FIXED.items():
        if columns.get(name, value) != value:
            raise FieldProblem(name, _("A service account does not have this."))
    username = str(columns.get("username", ""))
    if len(username_key(username)) > MAX_NAME_CHARS:
        too_long = _("The username of a service account has at most %(number)d characters.")
        raise FieldProblem("username", too_long % {"number": MAX_NAME_CHARS})
    address = address_of(username)
    if email and str(email).lower() not in {address, stored}:
        raise FieldProblem("email", _("A service account has no mail address. Leave this empty."))
    return {**columns, "email": address}
