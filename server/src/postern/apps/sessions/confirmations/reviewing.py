"""Interface to those who confirm commands. An app above the sessions provides it; without such an app nobody can
answer.
"""

from typing import Final, Protocol
from uuid import UUID

from django.utils.translation import gettext as _

from postern.apps.sessions.sessions.models import Session
from postern.contracts.command_control import CommandConfirmation, ConfirmationState, ConfirmCommand
from postern.foundation.provided import Provided


class Reviewing(Protocol):
    """Requests to reviewers. Answers are in the language of the session's user, which is active."""

    def ask(self, session: Session, request: ConfirmCommand) -> CommandConfirmation:
        """Open a request, or return the request that the same attempt has opened."""
        ...

    def state(self, session: Session, confirmation_id: UUID) -> CommandConfirmation:
        """The state of a request of this session; refused when there is none."""
        ...

    def withdraw(self, session: Session, confirmation_id: UUID) -> CommandConfirmation:
        """Close a waiting request: the user has pressed Ctrl-C, or the session has ended."""
        ...


class NobodyReviews:
    """No app takes requests: every command that needs a confirmation is refused."""

    def ask(self, session: Session, request: ConfirmCommand) -> CommandConfirmation:
        del session, request
        return _refused()

    def state(self, session: Session, confirmation_id: UUID) -> CommandConfirmation:
        del session, confirmation_id
        return _refused()

    def withdraw(self, session: Session, confirmation_id: UUID) -> CommandConfirmation:
        del session, confirmation_id
        return _refused()


def _refused() -> CommandConfirmation:
    return CommandConfirmation(
        state=ConfirmationState.REFUSED,
        message=_("This command needs a confirmation, and nobody can confirm commands here yet. It was not run."),
    )


REVIEWING: Final = Provided[Reviewing]("the reviewers of commands")
