"""Checks the current password of a signed-in user, in Postern or the directory. A wrong password counts as at sign-in."""

from postern.apps.authn.credentials.actions.login_sessions import note_password_refused
from postern.apps.authn.errors import SignInRefused
from postern.apps.authn.lock_out.mfa_guard import Visitor
from postern.apps.authn.sign_in.actions import sign_in
from postern.apps.authn.sign_in.errors import DirectoryOff, DirectorySilent
from postern.apps.directory import facade as directory
from postern.apps.users.models import Source, User
from postern.foundation.caller.actor import Actor


def require(*, actor: Actor, user: User, password: str, visitor: Visitor) -> None:
    """Raise WrongCredentials or SignInLocked. Both are audited, because a stranger may be using an unlocked computer.

    Raises DirectoryOff or DirectorySilent if the password of a directory user cannot be checked; nothing is counted
    then. Do not call it inside a transaction: a rollback would lose the count of a wrong password.
    """
    if user.source == Source.LDAP and not directory.is_on():
        raise DirectoryOff
    try:
        sign_in.confirm_password(
            username=user.username, password=password, remote_addr=visitor.remote_addr, device=visitor.device
        )
    except SignInRefused as refused:
        note_password_refused(actor=actor, user=user, reason=refused.slug)
        raise
    except directory.DirectoryUnavailable:
        raise DirectorySilent from None
