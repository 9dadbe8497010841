"""Answers proxies that ask for the confirmation of a command. Every refusal is audited."""

from collections.abc import Callable
from typing import Final
from uuid import UUID

from django.utils import translation
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.sessions import messages
from postern.apps.sessions.confirmations.reviewing import REVIEWING
from postern.apps.sessions.sessions.actions.lifecycle import clean
from postern.apps.sessions.sessions.models import Session
from postern.apps.sessions.terminals.models import Terminal
from postern.apps.users import facade as users
from postern.contracts.command_control import (
    CommandConfirmation,
    ConfirmationQuery,
    ConfirmationState,
    ConfirmCommand,
)
from postern.foundation.database.write_transaction import write_transaction

_MAX_RECORDED_CHARS: Final = 256


@write_transaction()
def ask(*, terminal: Terminal, request: ConfirmCommand) -> CommandConfirmation:
    """Ask reviewers about a line of a live session of this proxy."""
    session = _live(terminal, request.session_id)
    if session is None:
        return _unknown()
    answer = _in_language_of(session, lambda: REVIEWING.value.ask(session, request))
    if answer.state is ConfirmationState.REFUSED:
        audits.record(
            actor=messages.owner(session),
            org_id=session.org_id,
            event=audits.Event.COMMAND_CONFIRMATION_REFUSED,
            object_type="Session",
            object_id=str(session.pk),
            object_name=messages.title(session),
            new={
                "line": clean(request.line, _MAX_RECORDED_CHARS),
                "command": clean(request.command, _MAX_RECORDED_CHARS),
                "rule": str(request.rule_id) if request.rule_id else None,
                "message": answer.message,
            },
        )
    return answer


def state(*, terminal: Terminal, query: ConfirmationQuery) -> CommandConfirmation:
    """The state of a confirmation of a live session of this proxy."""
    session = _live(terminal, query.session_id)
    if session is None:
        return _unknown()
    return _in_language_of(session, lambda: REVIEWING.value.state(session, query.id))


@write_transaction()
def withdraw(*, terminal: Terminal, query: ConfirmationQuery) -> CommandConfirmation:
    """Close a confirmation of a live session of this proxy."""
    session = _live(terminal, query.session_id)
    if session is None:
        return _unknown()
    return _in_language_of(session, lambda: REVIEWING.value.withdraw(session, query.id))


def _in_language_of(session: Session, answer: Callable[[], CommandConfirmation]) -> CommandConfirmation:
    identity = users.identity_of(session.user_id)
    with translation.override(identity.language if identity else None):
        return answer()


def _unknown() -> CommandConfirmation:
    return CommandConfirmation(message=_("This session does not exist."))


def _live(terminal: Terminal, session_id: UUID) -> Session | None:
    session: Session | None = Session.objects.filter(pk=session_id, terminal=terminal).first()
    return session if session is not None and not session.is_finished else None
