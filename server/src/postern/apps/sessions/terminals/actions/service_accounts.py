"""Registration of programs with the bootstrap token."""

from dataclasses import dataclass

from django.db import transaction

from postern.apps.authn import facade as authn
from postern.apps.users import facade as users
from postern.apps.users.models import User
from postern.foundation.caller.actor import Actor


@dataclass(frozen=True, slots=True)
class RegisteredAccount:
    """A new service account with its first access key. The secret is returned once."""

    user: User
    key: authn.NewAccessKey


@transaction.atomic
def register_account(*, actor: Actor, name: str) -> RegisteredAccount:
    """Create a disabled service account without any right, and its access key. Raises FieldProblem about `name`."""
    user = users.register_service_account(actor=actor, name=name)
    return RegisteredAccount(user, authn.new_access_key(actor=actor, user=user))
