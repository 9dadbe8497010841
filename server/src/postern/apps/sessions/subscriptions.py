"""Events of other apps that end sessions at once. A sweep in the worker makes certain what these make quick."""

from postern.apps.authn.events import LoginSessionEnded
from postern.apps.perms.events import AccessChanged
from postern.apps.sessions.actions import revocation
from postern.apps.users.events import MembershipChanged, UserClosed
from postern.foundation import events
from postern.foundation.actor import SYSTEM


def connect() -> None:
    """Subscribe. Doing it twice changes nothing."""
    events.subscribe(UserClosed, _on_user_closed)
    events.subscribe(LoginSessionEnded, _on_login_session_ended)
    events.subscribe(AccessChanged, _on_access_changed)
    events.subscribe(MembershipChanged, _on_membership_changed)


def _on_user_closed(event: UserClosed) -> None:
    revocation.close_account(actor=SYSTEM, user_id=event.user_id)


def _on_login_session_ended(event: LoginSessionEnded) -> None:
    revocation.close_login_session(actor=SYSTEM, login_session_id=event.login_session_id)


def _on_access_changed(event: AccessChanged) -> None:
    revocation.recheck_organization(actor=SYSTEM, org_id=event.org_id)


def _on_membership_changed(event: MembershipChanged) -> None:
    revocation.recheck_user(actor=SYSTEM, user_id=event.user_id)
