"""Subscriptions to events of other apps: most become messages, one closes sockets."""

from typing import Final

from postern.apps.assets.host_keys.events import HostKeyChanged
from postern.apps.authn.credentials.events import LoginSessionEnded
from postern.apps.authn.lock_out.events import AccountLocked, AccountUnlocked
from postern.apps.authn.passkeys.events import PasskeyAdded, PasskeyRemoved
from postern.apps.authn.second_factors.events import SecondFactorReset
from postern.apps.jobs.batch_commands.events import BatchCommandRefused
from postern.apps.licence.events import LicenceExpiring
from postern.apps.notifications import notices, own_notices, push
from postern.apps.sessions.commands.events import CommandRefused, UnjudgedCommandRan
from postern.apps.sessions.recordings.events import RecordingsNotCopied
from postern.apps.sessions.sessions.events import (
    RecordingFailed,
    SessionChanged,
    SessionFinished,
    SessionOpened,
)
from postern.apps.sessions.terminals.events import ProxyAlarm, TerminalLost, TerminalWaiting
from postern.apps.users.credentials.events import PublicKeysRemoved
from postern.apps.users.invitations.events import InvitationAccepted, InvitationSent
from postern.foundation.bus.events import after_commit
from postern.foundation.bus.gathered import Gathered
from postern.foundation.bus.outbox import kept


def _close_sockets(event: LoginSessionEnded) -> None:
    push.signed_out(event.login_session_id)


def _on_sessions(event: SessionOpened | SessionChanged | SessionFinished) -> None:
    LIVE_SESSIONS.ask(event.org_id)


#: Sent in the background, so that opening and ending sessions does not wait. A thousand sessions that end together wake
#: a console once.
LIVE_SESSIONS: Final = Gathered("news of live sessions", push.sessions_changed)

#: Messages to administrators use the outbox, so that a crashed process does not lose them.
SUBSCRIPTIONS: Final = (
    kept(HostKeyChanged, notices.on_host_key_changed),
    kept(AccountLocked, notices.on_account_locked),
    kept(AccountUnlocked, own_notices.on_account_unlocked),
    kept(PublicKeysRemoved, own_notices.on_public_keys_removed),
    kept(SecondFactorReset, own_notices.on_second_factor_reset),
    kept(PasskeyAdded, own_notices.on_passkey_added),
    kept(PasskeyRemoved, own_notices.on_passkey_removed),
    kept(TerminalLost, notices.on_terminal_lost),
    kept(TerminalWaiting, notices.on_terminal_waiting),
    kept(ProxyAlarm, notices.on_proxy_alarm),
    kept(RecordingFailed, notices.on_recording_failed),
    kept(RecordingsNotCopied, notices.on_recordings_not_copied),
    kept(CommandRefused, notices.on_command_refused),
    kept(UnjudgedCommandRan, notices.on_unjudged_command),
    kept(BatchCommandRefused, notices.on_batch_command_refused),
    kept(LicenceExpiring, notices.on_licence_expiring),
    kept(InvitationSent, notices.on_invitation_sent),
    kept(InvitationAccepted, notices.on_invitation_accepted),
    after_commit(LoginSessionEnded, _close_sockets),
    after_commit(SessionOpened, _on_sessions),
    after_commit(SessionChanged, _on_sessions),
    after_commit(SessionFinished, _on_sessions),
)
