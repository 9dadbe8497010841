"""Reactions of authn to events of users.

The session epoch has already voided the sessions; these handlers end the rows and publish the events.
"""

from typing import Final

from postern.apps.authn.credentials.actions.login_sessions import end_all
from postern.apps.authn.credentials.models import LoginEnd
from postern.apps.authn.forgotten_passwords.events import PasswordForgotten
from postern.apps.users import facade as users
from postern.apps.users.credentials.events import PasswordChanged
from postern.apps.users.models import User
from postern.apps.users.people.events import UserClosed
from postern.foundation.bus.events import after_commit
from postern.foundation.bus.outbox import kept
from postern.foundation.caller.actor import anonymous


def _end_sessions_of_closed(event: UserClosed) -> None:
    end_all(user_id=event.user_id, reason=LoginEnd.ACCOUNT_CLOSED)


def _end_sessions_of_changed(event: PasswordChanged) -> None:
    epoch = User.objects.filter(pk=event.user_id).values_list("session_epoch", flat=True).first()
    end_all(user_id=event.user_id, reason=LoginEnd.PASSWORD_CHANGED, keep_epoch=epoch)


def _mail_link(event: PasswordForgotten) -> None:
    if event.user_id is not None:
        users.mail_forgotten(actor=anonymous(event.remote_addr), user_id=event.user_id, link_id=event.request_id)


SUBSCRIPTIONS: Final = (
    after_commit(UserClosed, _end_sessions_of_closed),
    after_commit(PasswordChanged, _end_sessions_of_changed),
    kept(PasswordForgotten, _mail_link),
)
