"""Turns events of other apps into system messages. Runs in the worker, possibly twice for the same event.

External values (names of accounts, hosts, proxies) are plain text and are escaped.
"""

from django.utils.html import format_html
from django.utils.translation import gettext as _

from postern.apps.assets import facade as assets
from postern.apps.assets.host_keys.events import HostKeyChanged
from postern.apps.authn.lock_out.events import AccountLocked, AccountUnlocked
from postern.apps.licence.events import LicenceExpiring
from postern.apps.notifications import message_types
from postern.apps.notifications.actions import post_notice, tell, tell_person
from postern.apps.orgs import facade as orgs
from postern.apps.sessions.commands.events import CommandRefused
from postern.apps.sessions.sessions.events import RecordingFailed
from postern.apps.sessions.terminals.events import ProxyAlarm, ProxyAlarmKind, TerminalLost, TerminalWaiting
from postern.apps.users import facade as users
from postern.apps.users.invitations.events import InvitationAccepted, InvitationSent
from postern.apps.vault import facade as vault


def on_host_key_changed(event: HostKeyChanged) -> None:
    """A target or a gateway sent another key than the pinned key."""
    name = _owner_of(event)
    org = orgs.names().get(event.org_id, "")

    def render() -> tuple[str, str]:
        subject = _("The host key of %(asset)s has changed") % {"asset": name}
        if event.gateway_id is not None:
            body = _(
                "The gateway {asset} ({host}:{port}) of the organization {org} sent the host key {fingerprint}, which "
                "differs from the key on record. The connection was refused. If the gateway was reinstalled, forget "
                "its old key on the page of the gateway. If not, somebody may be intercepting the connection."
            )
        else:
            body = _(
                "{asset} ({host}:{port}) of the organization {org} sent the host key {fingerprint}, which differs "
                "from the key on record. The connection was refused. If the host was reinstalled, forget its old key "
                "on the page of the asset. If not, somebody may be intercepting the connection."
            )
        return subject, _paragraph(
            body, asset=name, host=event.host, port=event.port, org=org, fingerprint=event.shown_fingerprint
        )

    occasion = f"{event.asset_id or event.gateway_id}:{event.shown_fingerprint}"
    post_notice(message_type=message_types.HOST_KEY_CHANGED, occasion=occasion, render=render)


def _owner_of(event: HostKeyChanged) -> str:
    """The name of the asset or gateway; its address if it was deleted meanwhile."""
    if event.gateway_id is not None:
        return vault.gateway_names([event.gateway_id]).get(event.gateway_id, event.host)
    brief = assets.asset_briefs([event.asset_id]).get(event.asset_id) if event.asset_id else None
    return brief.hostname if brief else event.host


def on_account_locked(event: AccountLocked) -> None:
    """Too many failed sign-ins for one name."""

    def render() -> tuple[str, str]:
        subject = _("The account %(name)s is locked") % {"name": event.username}
        body = _(
            "Too many sign-ins as {name} failed, most recently from {address}. The account is locked for "
            "{minutes} minutes. Open sessions continue."
        )
        return subject, _paragraph(body, name=event.username, address=event.remote_addr, minutes=event.minutes)

    post_notice(message_type=message_types.ACCOUNT_LOCKED, occasion=event.username, render=render)
    if event.user_id is not None:
        tell_person(
            user_id=event.user_id,
            message_type=message_types.ACCOUNT_LOCKED,
            occasion=f"own:{event.user_id}",
            render=lambda: _own_lock(event),
        )


def _own_lock(event: AccountLocked) -> tuple[str, str]:
    body = _(
        "Too many sign-ins with your username failed, most recently from {address}. For {minutes} minutes, only "
        "devices and addresses that you used recently can sign in. If that was not you, change your password."
    )
    return _("Sign-ins to your account are locked"), _paragraph(body, address=event.remote_addr, minutes=event.minutes)


def on_account_unlocked(event: AccountUnlocked) -> None:
    """An administrator unlocked an account before its lock expired: notify its owner."""

    def render() -> tuple[str, str]:
        body = _(
            "{by} unlocked your account after failed sign-ins. If the failed sign-ins were not yours, change your password."
        )
        return _("Your account was unlocked"), _paragraph(body, by=event.by)

    tell_person(
        user_id=event.user_id,
        message_type=message_types.ACCOUNT_UNLOCKED,
        occasion=f"{event.user_id}:{event.at:%Y%m%d%H%M}",
        render=render,
    )


def on_terminal_lost(event: TerminalLost) -> None:
    """A proxy no longer sends heartbeats."""

    def render() -> tuple[str, str]:
        subject = _("The terminal %(name)s is not responding") % {"name": event.name}
        body = _(
            "The terminal {name} has sent no heartbeat for too long. Its sessions are marked as interrupted. It "
            "will upload its recordings when it is back. Check its host and network."
        )
        return subject, _paragraph(body, name=event.name)

    post_notice(message_type=message_types.TERMINAL_LOST, occasion=str(event.terminal_id), render=render)


def on_terminal_waiting(event: TerminalWaiting) -> None:
    """A proxy has registered and waits for acceptance."""

    def render() -> tuple[str, str]:
        subject = _("The terminal %(name)s is waiting to be accepted") % {"name": event.name}
        body = _(
            "A terminal has registered as {name} from {address}. It has no access until a super administrator "
            "accepts it on the Terminals page. First compare its fingerprint, {fingerprint}, with the "
            "fingerprint in its own log."
        )
        return subject, _paragraph(body, name=event.name, address=event.remote_addr, fingerprint=event.fingerprint)

    post_notice(message_type=message_types.TERMINAL_WAITING, occasion=str(event.terminal_id), render=render)


def on_proxy_alarm(event: ProxyAlarm) -> None:
    """A proxy, or a client with its credential, made a request that a proxy must not make."""

    def render() -> tuple[str, str]:
        whats = {
            ProxyAlarmKind.TICKET: _(
                "It asked to act for a user who did not sign in through it. The request was refused."
            ),
            ProxyAlarmKind.CREDENTIALS: _(
                "It requested more credentials in one minute than the settings allow. Further requests were refused."
            ),
            ProxyAlarmKind.ADDRESS: _("Its requests now come from another address, although it was not restarted."),
            ProxyAlarmKind.TWICE: _("Two processes use its credential at the same time."),
            ProxyAlarmKind.ELSEWHERE: _(
                "Its credential is being used from the address %(place)s, where it is not running."
            )
            % {"place": event.place},
            ProxyAlarmKind.HASTE: _(
                "It sent more requests in one minute than any proxy needs. Further requests were refused."
            ),
            ProxyAlarmKind.RENEWAL: _(
                "A client at the address %(place)s, which is not the running proxy, requested its new "
                "credential. The request was refused."
            )
            % {"place": event.place},
        }
        subject = _("The terminal %(name)s behaves suspiciously") % {"name": event.name}
        body = _(
            "The terminal {name}: {what} If you cannot explain this, its credential may have been stolen: revoke "
            "it on the Terminals page."
        )
        return subject, _paragraph(body, name=event.name, what=whats[event.kind])

    occasion = f"{event.terminal_id}:{event.kind}:{event.place}"
    post_notice(message_type=message_types.PROXY_ALARM, occasion=occasion, render=render)


def on_command_refused(event: CommandRefused) -> None:
    """Command filters refused commands in a session."""

    def render() -> tuple[str, str]:
        subject = _("A command of %(user)s was refused") % {"user": event.user}
        body = _(
            "In the session {session}, {user} tried to run {command}. A command filter refused it; it did not run. "
            "Open the session to see what happened before and after."
        )
        session = f"{event.system_user}@{event.asset}"
        return subject, _paragraph(body, session=session, user=event.user, command=event.command)

    post_notice(message_type=message_types.COMMAND_REFUSED, occasion=str(event.session_id), render=render)


def on_recording_failed(event: RecordingFailed) -> None:
    """A session ended because it could not be recorded, or its recording is lost."""

    def render() -> tuple[str, str]:
        subject = _("The session %(session)s could not be recorded") % {"session": event.session}
        ended = _(
            "The session {session} of {user} was ended because it could not be recorded. Check the disk on the "
            "host of its proxy."
        )
        lost = _("The recording of the session {session} of {user} could not be recovered.")
        return subject, _paragraph(lost if event.is_lost else ended, session=event.session, user=event.user)

    post_notice(message_type=message_types.RECORDING_FAILED, occasion=str(event.session_id), render=render)


def on_licence_expiring(event: LicenceExpiring) -> None:
    """The licence ends within a week, or has ended."""

    def render() -> tuple[str, str]:
        if event.days_left < 0:
            subject = _("The licence has ended")
            body = _(
                "The licence of {name} ended on {date}. Licensed features are disabled until a new licence is "
                "installed."
            )
        else:
            subject = _("The licence ends on %(date)s") % {"date": event.date_expired}
            body = _(
                "The licence of {name} ends on {date}. Install a new one before then: licensed features are "
                "disabled after that day."
            )
        return subject, _paragraph(body, name=event.corporation, date=event.date_expired)

    occasion = f"{event.date_expired}:{event.days_left}"
    post_notice(message_type=message_types.LICENCE_EXPIRING, occasion=occasion, render=render)


def on_invitation_sent(event: InvitationSent) -> None:
    """Notify the invited user, and the administrators who can accept in their place."""
    invitation = users.invitation_brief(event.invitation_id)
    if invitation is None or not invitation.is_open:
        return
    values = {"name": invitation.user, "org": invitation.org, "inviter": invitation.inviter}

    def to_person() -> tuple[str, str]:
        subject = _("You are invited into the organization %(org)s") % {"org": invitation.org}
        body = _(
            "{inviter} invites you into the organization {org}. Accept or decline on your profile page. Its administrators see "
            "your name, your e-mail address and the rest of your account only when you accept."
        )
        return subject, _paragraph(body, **values)

    def to_administrators() -> tuple[str, str]:
        subject = _("%(name)s is invited into the organization %(org)s") % {
            "name": invitation.user,
            "org": invitation.org,
        }
        body = _(
            "{inviter} invites {name} into the organization {org}. You can accept for them on the Users page, "
            "under Invitations. The account is then shared between organizations, and only its owner and super "
            "administrators can change it."
        )
        return subject, _paragraph(body, **values)

    occasion = str(event.invitation_id)
    kind = message_types.INVITATION
    tell(message_type=kind, occasion=occasion, render=to_person, user_ids=[invitation.user_id])
    tell(
        message_type=kind,
        occasion=f"{occasion}:administrators",
        render=to_administrators,
        user_ids=invitation.consenters,
    )


def on_invitation_accepted(event: InvitationAccepted) -> None:
    """Notify the inviter, and the user if an administrator accepted for them."""
    invitation = users.invitation_brief(event.invitation_id)
    if invitation is None or not invitation.is_accepted:
        return

    def render() -> tuple[str, str]:
        values = {"name": invitation.user, "org": invitation.org}
        subject = _("%(name)s has joined the organization %(org)s") % values
        return subject, _paragraph(_("{name} now belongs to the organization {org}."), **values)

    receiver_ids = [pk for pk in (invitation.inviter_id, invitation.user_id) if pk is not None]
    tell(
        message_type=message_types.INVITATION,
        occasion=f"{event.invitation_id}:accepted",
        render=render,
        user_ids=receiver_ids,
    )


def _paragraph(text: str, **values: object) -> str:
    return str(format_html(f"<p>{text}</p>", **{name: str(value) for name, value in values.items()}))
