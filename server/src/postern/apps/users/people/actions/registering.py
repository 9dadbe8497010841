"""Service accounts that programs register themselves with the bootstrap token (contract: users)."""

from typing import Final

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from postern.apps.users.accounts.errors import FieldProblem
from postern.apps.users.accounts.models import Kind, User
from postern.apps.users.people.actions.people import PersonInput, create_user
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import ROOT

#: Registered accounts that may wait for an administrator, so that a holder of the bootstrap token cannot fill the list.
MAX_WAITING: Final = 20


@transaction.atomic
def register_service_account(*, actor: Actor, name: str) -> User:
    """Create a disabled service account that is a member of no organization. An administrator activates it.

    Raises FieldProblem about `name`.
    """
    waiting = User.objects.filter(kind=Kind.SERVICE, is_active=False, created_by=actor.label, last_login__isnull=True)
    if waiting.count() >= MAX_WAITING:
        raise FieldProblem(
            "name", _("Too many service accounts wait to be activated. Activate or delete some of them first.")
        )
    columns = {"kind": Kind.SERVICE, "username": name, "name": name, "is_active": False}
    try:
        User(**columns).clean_fields(exclude=["password", "username_key", "email"])
    except ValidationError as error:
        raise FieldProblem("name", *error.messages) from None
    try:
        with transaction.atomic():
            return create_user(actor=actor, scope=ROOT, person=PersonInput(columns=columns)).user
    except IntegrityError:
        raise FieldProblem("name", _("An account with this name exists. Choose another name.")) from None
    except FieldProblem as problem:
        raise FieldProblem("name", *next(iter(problem.fields.values()))) from None
