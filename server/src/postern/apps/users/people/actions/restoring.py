"""Gives an account back to its owner, on the command line of the machine, when nobody can sign in to the console."""

from postern.apps.users.accounts.models import Source, User, default_date_expired
from postern.apps.users.credentials.actions.links import IssuedLink, issue_set_password_link
from postern.apps.users.people.actions.people import PersonInput, update_user
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import ROOT


def reopen(*, actor: Actor, user: User) -> User:
    """Enable a disabled account and renew an expired one."""
    columns: dict[str, object] = {"is_active": True}
    if user.is_expired:
        columns["date_expired"] = default_date_expired()
    return update_user(actor=actor, scope=ROOT, user=user, person=PersonInput(columns=columns))


def renew_link(*, actor: Actor, user: User, make_local: bool) -> IssuedLink:
    """Create a link with which the owner sets a new password; the current one stays valid until then.

    `make_local`: a user of a directory or provider becomes a local user first. Otherwise raises NotLocal for them.
    """
    if make_local and not user.is_local:
        columns = {"source": Source.LOCAL.value}
        user = update_user(actor=actor, scope=ROOT, user=user, person=PersonInput(columns=columns))
    return issue_set_password_link(actor=actor, user=user, void_password=False)
