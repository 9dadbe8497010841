"""Events of the apps below that become messages, and the one that closes sockets."""

from postern.apps.assets.events import HostKeyChanged
from postern.apps.authn.events import AccountLocked, AccountUnlocked, LoginSessionEnded
from postern.apps.licence.events import LicenceExpiring
from postern.apps.notifications import notices, push
from postern.apps.sessions.events import ProxyAlarm, RecordingFailed, TerminalLost, TerminalWaiting
from postern.apps.users.events import InvitationAccepted, InvitationSent
from postern.foundation import events, outbox


def connect() -> None:
    """Subscribe. What administrators must hear goes through the outbox: it is not lost with a process."""
    outbox.subscribe(HostKeyChanged, notices.on_host_key_changed)
    outbox.subscribe(AccountLocked, notices.on_account_locked)
    outbox.subscribe(AccountUnlocked, notices.on_account_unlocked)
    outbox.subscribe(TerminalLost, notices.on_terminal_lost)
    outbox.subscribe(TerminalWaiting, notices.on_terminal_waiting)
    outbox.subscribe(ProxyAlarm, notices.on_proxy_alarm)
    outbox.subscribe(RecordingFailed, notices.on_recording_failed)
    outbox.subscribe(LicenceExpiring, notices.on_licence_expiring)
    outbox.subscribe(InvitationSent, notices.on_invitation_sent)
    outbox.subscribe(InvitationAccepted, notices.on_invitation_accepted)
    events.subscribe(LoginSessionEnded, _close_sockets)


def _close_sockets(event: LoginSessionEnded) -> None:
    push.signed_out(event.login_session_id)
