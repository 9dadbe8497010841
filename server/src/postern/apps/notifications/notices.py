"""Turns events of other apps into messages to administrators. Runs in the worker, possibly twice for the same event.

The texts are in `declarations`.
"""

from postern.apps.assets import facade as assets
from postern.apps.assets.host_keys.events import HostKeyChanged
from postern.apps.authn.lock_out.events import AccountLocked
from postern.apps.jobs.batch_commands.events import BatchCommandRefused
from postern.apps.licence.events import LicenceExpiring
from postern.apps.notifications.actions import post_notice, tell, tell_person
from postern.apps.notifications.declarations import operations, security, terminals
from postern.apps.orgs import facade as orgs
from postern.apps.sessions.commands.events import CommandRefused, UnjudgedCommandRan
from postern.apps.sessions.recordings.events import RecordingsNotCopied
from postern.apps.sessions.sessions.events import RecordingFailed
from postern.apps.sessions.terminals.events import ProxyAlarm, TerminalLost, TerminalWaiting
from postern.apps.users import facade as users
from postern.apps.users.invitations.events import InvitationAccepted, InvitationSent
from postern.apps.vault import facade as vault


def on_host_key_changed(event: HostKeyChanged) -> None:
    """A target or a gateway sent another key than the pinned key."""
    facts = security.ChangedHostKey(
        name=_owner_of(event),
        host=event.host,
        port=event.port,
        org=orgs.names().get(event.org_id, ""),
        fingerprint=event.shown_fingerprint,
        is_gateway=event.gateway_id is not None,
    )
    occasion = f"{event.asset_id or event.gateway_id}:{event.shown_fingerprint}"
    post_notice(notice=security.HOST_KEY_CHANGED.about(facts), occasion=occasion)


def _owner_of(event: HostKeyChanged) -> str:
    """The name of the asset or gateway; its address if it was deleted meanwhile."""
    if event.gateway_id is not None:
        return vault.gateway_names([event.gateway_id]).get(event.gateway_id, event.host)
    brief = assets.asset_briefs([event.asset_id]).get(event.asset_id) if event.asset_id else None
    return brief.hostname if brief else event.host


def on_account_locked(event: AccountLocked) -> None:
    """Too many failed sign-ins for one name."""
    post_notice(notice=security.ACCOUNT_LOCKED.about(event), occasion=event.username)
    if event.user_id is not None:
        tell_person(
            user_id=event.user_id,
            notice=security.OWN_ACCOUNT_LOCKED.about(event),
            occasion=f"own:{event.user_id}",
        )


def on_terminal_lost(event: TerminalLost) -> None:
    """A proxy no longer sends heartbeats."""
    post_notice(notice=terminals.TERMINAL_LOST.about(event), occasion=str(event.terminal_id))


def on_terminal_waiting(event: TerminalWaiting) -> None:
    """A proxy has registered and waits for acceptance."""
    post_notice(notice=terminals.TERMINAL_WAITING.about(event), occasion=str(event.terminal_id))


def on_proxy_alarm(event: ProxyAlarm) -> None:
    """A proxy, or a client with its credential, made a request that a proxy must not make."""
    occasion = f"{event.terminal_id}:{event.kind}:{event.place}"
    post_notice(notice=security.PROXY_ALARM.about(event), occasion=occasion)


def on_command_refused(event: CommandRefused) -> None:
    """Command filters refused commands in a session."""
    _alert(event, has_run=False)


def on_unjudged_command(event: UnjudgedCommandRan) -> None:
    """Commands ran in a session although its command filters could not judge them."""
    _alert(event, has_run=True)


def _alert(event: CommandRefused | UnjudgedCommandRan, *, has_run: bool) -> None:
    facts = terminals.DangerousCommand(
        session_id=event.session_id,
        session=f"{event.system_user}@{event.asset}",
        user=event.user,
        command=event.command,
        number=event.number,
        has_run=has_run,
    )
    # What was refused must not hide what ran.
    occasion = f"{event.session_id}:ran" if has_run else str(event.session_id)
    post_notice(notice=terminals.COMMAND_ALERT.about(facts), occasion=occasion)


def on_batch_command_refused(event: BatchCommandRefused) -> None:
    """Command filters refused a batch command. Further refusals of the same user and account are in the audit log."""
    occasion = f"{event.user_id}:{event.run_as_id}:{event.has_begun}"
    post_notice(notice=terminals.EXECUTION_ALERT.about(event), occasion=occasion)


def on_recording_failed(event: RecordingFailed) -> None:
    """A session ended because it could not be recorded, or its recording is lost."""
    post_notice(notice=terminals.RECORDING_FAILED.about(event), occasion=str(event.session_id))


def on_recordings_not_copied(event: RecordingsNotCopied) -> None:
    """Copies of recordings to a storage keep failing."""
    post_notice(notice=terminals.RECORDINGS_NOT_COPIED.about(event), occasion=str(event.storage_id))


def on_licence_expiring(event: LicenceExpiring) -> None:
    """The licence ends within a week, or has ended."""
    occasion = f"{event.date_expired}:{event.days_left}"
    post_notice(notice=operations.LICENCE_EXPIRING.about(event), occasion=occasion)


def on_invitation_sent(event: InvitationSent) -> None:
    """Notify the invited user, and the administrators who can accept in their place."""
    invitation = users.invitation_brief(event.invitation_id)
    if invitation is None or not invitation.is_open:
        return
    occasion = str(event.invitation_id)
    tell(notice=operations.INVITATION.about(invitation), occasion=occasion, user_ids=[invitation.user_id])
    tell(
        notice=operations.INVITATION_TO_ACCEPT.about(invitation),
        occasion=f"{occasion}:administrators",
        user_ids=invitation.consenters,
    )


def on_invitation_accepted(event: InvitationAccepted) -> None:
    """Notify the inviter, and the user if an administrator accepted for them."""
    invitation = users.invitation_brief(event.invitation_id)
    if invitation is None or not invitation.is_accepted:
        return
    receiver_ids = [pk for pk in (invitation.inviter_id, invitation.user_id) if pk is not None]
    tell(
        notice=operations.INVITATION_ACCEPTED.about(invitation),
        occasion=f"{event.invitation_id}:accepted",
        user_ids=receiver_ids,
    )
