"""Messages about the operation of the installation, and invitations."""

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from postern.apps.licence.events import LicenceExpiring
from postern.apps.notifications.declarations.categories import OPERATIONS
from postern.apps.notifications.declarations.declaration import (
    MOST_IN_SUBJECT,
    Audience,
    MessageText,
    MessageType,
    Written,
    one_line,
    written,
)
from postern.apps.sessions import facade as sessions
from postern.apps.users.facade import InvitationBrief

_AT: Final = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
_ID: Final = UUID("16fd2706-8baf-433b-82eb-8c7fada847da")

_LICENCE: Final = MessageType(
    "LicenceExpiringMessage", gettext_lazy("The licence ends"), *OPERATIONS, Audience.SUBSCRIBERS
)
_PERFORMANCE: Final = MessageType(
    "ServerPerformanceMessage",
    gettext_lazy("A service of Postern is overloaded or offline"),
    *OPERATIONS,
    Audience.SUBSCRIBERS,
)
_INVITATION: Final = MessageType(
    "InvitationMessage", gettext_lazy("Invitation into an organization"), *OPERATIONS, Audience.PERSON
)


def _of_licence(facts: LicenceExpiring) -> Written:
    if facts.days_left < 0:
        subject = _("The licence has ended")
        body = _(
            "The licence of {name} ended on {date}. Licensed features are disabled until a new licence is installed."
        )
    else:
        subject = _("The licence ends on %(date)s")
        body = _(
            "The licence of {name} ends on {date}. Install a new one before then: licensed features are "
            "disabled after that day."
        )
    return written(subject, body, name=facts.corporation, date=facts.date_expired)


LICENCE_EXPIRING: Final = MessageText(
    _LICENCE,
    _of_licence,
    (LicenceExpiring("Shop Ltd", "2026-12-01", 5), LicenceExpiring("Shop Ltd", "2026-12-01", -1)),
)


class ComponentKind(StrEnum):
    """The parts of Postern that are watched."""

    TERMINAL = "terminal"
    MACHINE = "machine"
    WEB = "web"
    SECRET_STORE = "secret_store"  # noqa: S105 - a name


@dataclass(frozen=True, slots=True)
class ComponentChange:
    """The state of a part of Postern differs from that in the last message about it.

    `name`: of a terminal or machine. `since`: the begin of this state. `loads`: what was measured at last; empty for
    parts that report no load.
    """

    kind: ComponentKind
    name: str
    level: sessions.TerminalStatus
    since: datetime
    loads: tuple[sessions.Load, ...] = ()


def _of_component(facts: ComponentChange) -> Written:
    names = {
        ComponentKind.TERMINAL: _("The terminal %(name)s"),
        ComponentKind.MACHINE: _("The machine %(name)s"),
        ComponentKind.WEB: _("The web service"),
        ComponentKind.SECRET_STORE: _("The secret store"),
    }
    subjects = {
        sessions.TerminalStatus.OFFLINE: _("%(name)s is offline"),
        sessions.TerminalStatus.CRITICAL: _("%(name)s is critically overloaded"),
        sessions.TerminalStatus.HIGH: _("%(name)s is under high load"),
        sessions.TerminalStatus.NORMAL: _("%(name)s works normally again"),
    }
    bodies = {
        sessions.TerminalStatus.OFFLINE: _(
            "{name} has not responded since {since}. Check that it runs, and its network and host."
        ),
        sessions.TerminalStatus.CRITICAL: _(
            "{name} has been critically overloaded since {since}. Sessions may be ended, or refused, until this is over."
        ),
        sessions.TerminalStatus.HIGH: _("{name} has been under high load since {since}. Sessions may become slow."),
        sessions.TerminalStatus.NORMAL: _("{name} has worked normally since {since}. Nothing needs to be done."),
    }
    # A part that is offline measures nothing.
    loads = () if facts.level is sessions.TerminalStatus.OFFLINE else facts.loads
    return written(
        subjects[facts.level],
        bodies[facts.level],
        name=names[facts.kind] % {"name": one_line(facts.name, MOST_IN_SUBJECT)},
        since=f"{timezone.localtime(facts.since):%Y-%m-%d %H:%M %Z}",
    ).with_list({_label_of(load): _shown(load) for load in loads})


def _label_of(load: sessions.Load) -> str:
    labels = {
        sessions.LoadKind.CPU: _("CPU load"),
        sessions.LoadKind.MEMORY: _("Memory used"),
        sessions.LoadKind.DISK: _("Disk used"),
    }
    return labels[load.kind]


def _shown(load: sessions.Load) -> str:
    unit = "" if load.kind is sessions.LoadKind.CPU else "%"
    values = {
        "value": f"{load.value:.1f}{unit}",
        "high": f"{load.high:g}{unit}",
        "critical": f"{load.critical:g}{unit}",
    }
    return _("%(value)s (high from %(high)s, critical from %(critical)s)") % values


SERVER_PERFORMANCE: Final = MessageText(
    _PERFORMANCE,
    _of_component,
    (
        ComponentChange(
            ComponentKind.TERMINAL, "proxy-2", sessions.TerminalStatus.HIGH, _AT, sessions.loads(6.2, 71, 86.4)
        ),
        ComponentChange(
            ComponentKind.MACHINE, "postern-1", sessions.TerminalStatus.CRITICAL, _AT, sessions.loads(2.5, 96.3, 99.5)
        ),
        ComponentChange(
            ComponentKind.TERMINAL, "proxy-2", sessions.TerminalStatus.NORMAL, _AT, sessions.loads(0.4, 41, 52)
        ),
        ComponentChange(ComponentKind.TERMINAL, "proxy-2", sessions.TerminalStatus.OFFLINE, _AT),
        ComponentChange(ComponentKind.WEB, "", sessions.TerminalStatus.OFFLINE, _AT),
        ComponentChange(ComponentKind.SECRET_STORE, "", sessions.TerminalStatus.OFFLINE, _AT),
    ),
)


def _of_invitation(facts: InvitationBrief) -> Written:
    return written(
        _("You are invited into the organization %(org)s"),
        _(
            "{inviter} invites you into the organization {org}. Accept or decline on your profile page. Its administrators see "
            "your name, your e-mail address and the rest of your account only when you accept."
        ),
        org=facts.org,
        inviter=facts.inviter,
    )


def _of_invitation_to_accept(facts: InvitationBrief) -> Written:
    return written(
        _("%(name)s is invited into the organization %(org)s"),
        _(
            "{inviter} invites {name} into the organization {org}. You can accept for them on the Users page, "
            "under Invitations. The account is then shared between organizations, and only its owner and super "
            "administrators can change it."
        ),
        name=facts.user,
        org=facts.org,
        inviter=facts.inviter,
    )


def _of_accepted_invitation(facts: InvitationBrief) -> Written:
    return written(
        _("%(name)s has joined the organization %(org)s"),
        _("{name} now belongs to the organization {org}."),
        name=facts.user,
        org=facts.org,
    )


_BRIEF: Final = InvitationBrief(
    user_id=_ID,
    user="Li Na(li)",
    inviter_id=_ID,
    inviter="Adam(adam)",
    org="Research",
    is_open=True,
    is_accepted=False,
    consenters=frozenset(),
)
INVITATION: Final = MessageText(_INVITATION, _of_invitation, (_BRIEF,))
#: To administrators who can accept in the place of the user.
INVITATION_TO_ACCEPT: Final = MessageText(_INVITATION, _of_invitation_to_accept, (_BRIEF,))
INVITATION_ACCEPTED: Final = MessageText(_INVITATION, _of_accepted_invitation, (_BRIEF,))

TEXTS: Final = (LICENCE_EXPIRING, SERVER_PERFORMANCE, INVITATION, INVITATION_TO_ACCEPT, INVITATION_ACCEPTED)
