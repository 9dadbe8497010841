"""Subscriptions to events that end or change sessions.

A periodic sweep in the worker repeats every effect of other apps' events, in case an event is lost.
"""

from typing import Final
from uuid import UUID

from postern.apps.acls.command_filters.events import CommandFiltersChanged
from postern.apps.authn import facade as authn
from postern.apps.authn.credentials.events import CredentialsEnded, LoginSessionEnded
from postern.apps.perms.permissions.events import AccessChanged
from postern.apps.preferences.events import SettingsChanged
from postern.apps.sessions.recordings.actions import lifecycle as recordings
from postern.apps.sessions.sessions.actions import lifecycle, revocation
from postern.apps.sessions.sessions.events import SessionFinished
from postern.apps.sessions.terminals import channel
from postern.apps.sessions.terminals import queries as terminal_queries
from postern.apps.sessions.terminals.events import TerminalShutOut
from postern.apps.users.credentials.events import PasswordChanged
from postern.apps.users.memberships.events import MembershipChanged
from postern.apps.users.people.events import UserClosed, UserExpiryMoved
from postern.foundation.bus.events import after_commit, in_the_write
from postern.foundation.bus.gathered import Gathered
from postern.foundation.caller.actor import SYSTEM


def _on_terminal_shut_out(event: TerminalShutOut) -> None:
    lifecycle.interrupt_all_of(actor=event.actor, terminal_id=event.terminal_id, detail=f"the terminal was {event.why}")


def _on_user_closed(event: UserClosed) -> None:
    revocation.close_account(actor=SYSTEM, user_id=event.user_id)


def _on_password_changed(event: PasswordChanged) -> None:
    revocation.close_former_epochs(actor=SYSTEM, user_ids={event.user_id})


def _on_login_session_ended(event: LoginSessionEnded) -> None:
    revocation.close_login_session(actor=SYSTEM, login_session_id=event.login_session_id)


def _on_credentials_ended(event: CredentialsEnded) -> None:
    revocation.close_credentials(actor=SYSTEM, credentials=event.credentials)


def _on_access_changed(event: AccessChanged) -> None:
    RECHECKS.ask(("organization", event.org_id))


def _on_person_changed(event: MembershipChanged | UserExpiryMoved) -> None:
    RECHECKS.ask(("person", event.user_id))


def _on_filters_changed(event: CommandFiltersChanged) -> None:
    for system_user_id in event.system_user_ids:
        FILTER_CHECKS.ask(system_user_id)


def _recheck_filters(system_user_ids: frozenset[UUID]) -> None:
    revocation.recheck_command_filters(actor=SYSTEM, system_user_ids=system_user_ids)


def _on_settings_changed(event: SettingsChanged) -> None:
    TERMINAL_SETTINGS.ask(event.version)
    if authn.CERTIFICATE_SETTINGS.intersection(event.names):
        CERTIFICATE_CHECKS.ask(event.version)


def _check_certificates(versions: frozenset[int]) -> None:
    del versions  # the present settings decide
    revocation.close_withdrawn_certificates(actor=SYSTEM)


def _send_settings(versions: frozenset[int]) -> None:
    del versions  # each terminal gets the current version
    channel.send_settings(terminal_queries.accepted_terminals())


def _recheck(concerned: frozenset[tuple[str, UUID]]) -> None:
    revocation.recheck_changed(
        actor=SYSTEM,
        org_ids={key for kind, key in concerned if kind == "organization"},
        user_ids={key for kind, key in concerned if kind == "person"},
    )


#: A call that writes a hundred permissions triggers one recheck of the live sessions, and does not wait for it.
RECHECKS: Final = Gathered("rechecks of live sessions", _recheck)

FILTER_CHECKS: Final = Gathered("checks of command filters", _recheck_filters)

#: A call that changes a form of settings tells each terminal once.
TERMINAL_SETTINGS: Final = Gathered("settings of terminals", _send_settings)

CERTIFICATE_CHECKS: Final = Gathered("checks of certificates", _check_certificates)

SUBSCRIPTIONS: Final = (
    in_the_write(TerminalShutOut, _on_terminal_shut_out),
    in_the_write(SessionFinished, recordings.give_up),
    after_commit(UserClosed, _on_user_closed),
    after_commit(PasswordChanged, _on_password_changed),
    after_commit(LoginSessionEnded, _on_login_session_ended),
    after_commit(CredentialsEnded, _on_credentials_ended),
    after_commit(AccessChanged, _on_access_changed),
    after_commit(MembershipChanged, _on_person_changed),
    after_commit(CommandFiltersChanged, _on_filters_changed),
    after_commit(UserExpiryMoved, _on_person_changed),
    after_commit(SettingsChanged, _on_settings_changed),
)
