"""Asks a signed-in user for the current password. Each guess counts like a guess at sign-in."""

from postern.apps.authn.credentials.actions.login_sessions import note_password_refused
from postern.apps.authn.errors import SignInRefused
from postern.apps.authn.lock_out.mfa_guard import Visitor
from postern.apps.authn.sign_in.actions import sign_in
from postern.apps.users.models import User
from postern.foundation.caller.actor import Actor


def require(*, actor: Actor, user: User, password: str, visitor: Visitor) -> None:
    """Raise WrongCredentials or SignInLocked. Both are audited, because it may be a stranger at an unlocked desk.

    Do not call it inside a transaction: a rollback would lose the count of a wrong password.
    """
    try:
        sign_in.confirm_password(
            username=user.username, password=password, remote_addr=visitor.remote_addr, device=visitor.device
        )
    except SignInRefused as refused:
        note_password_refused(actor=actor, user=user, reason=refused.slug)
        raise
