"""Invites users into an organization. They join only when they, or one of their administrators, accept."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Literal
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.orgs.roles import OrgRole
from postern.apps.users.accounts.errors import FieldProblem
from postern.apps.users.accounts.holding import hold_all
from postern.apps.users.accounts.models import Membership, SystemRole, User, username_key
from postern.apps.users.accounts.queries import administered_org_ids
from postern.apps.users.invitations.errors import InvitationGone, InvitedIntoRoot, TooManyInvitations
from postern.apps.users.invitations.events import InvitationAccepted, InvitationSent
from postern.apps.users.invitations.models import Invitation, InvitationAnswer
from postern.apps.users.invitations.queries import invitations_of_members, invitations_to
from postern.apps.users.memberships.actions import add_org_role, join
from postern.foundation import licensing
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope
from postern.kernel import clock
from postern.kernel.ids import ROOT_ORG_ID, parse_id

#: After this time an invitation can no longer be accepted.
LIFETIME: Final = timedelta(days=7)
#: Invitations per administrator and hour.
MAX_AN_HOUR: Final = 50
_HOUR: Final = timedelta(hours=1)
NOBODY: Final = UUID(int=0)


@dataclass(frozen=True, slots=True)
class Wish:
    """An invited user (user name, e-mail address or id), and their role."""

    addressee: str
    role: str


@transaction.atomic
def invite(*, actor: Actor, scope: OrgScope, wishes: Iterable[Wish]) -> None:
    """Invite users to the organization, or give them roles at once where nobody has to accept.

    Super administrators add anyone at once. Others add at once members of this organization and members of another
    organization that they administer. For all other users, and for unknown names, an invitation is stored; the caller
    cannot tell these two cases apart. Users without any organization are invited too: whoever administers all
    organizations of a user may reset their password, and former colleagues may know the user's id.

    Raises InvitedIntoRoot, FieldProblem, TooManyInvitations, LicenceRequired.
    """
    if scope.is_root:
        raise InvitedIntoRoot
    licensing.require()
    by_addressee: dict[str, list[str]] = {}
    for wish in wishes:
        by_addressee.setdefault(wish.addressee, []).append(wish.role)
    administered = administered_org_ids(actor)
    joining: list[tuple[User, list[str]]] = []
    to_ask: list[tuple[str, User | None, list[str]]] = []
    for addressee, roles in by_addressee.items():
        user = _invitable(_named(addressee), actor, scope, administered)
        if user is None and actor.is_super_user:
            raise FieldProblem("user", _("This user does not exist."))
        # Queried for unknown names too, so that the response time does not reveal whether the user exists.
        org_ids = set(Membership.objects.filter(user_id=user.pk if user else NOBODY).values_list("org_id", flat=True))
        if user is not None and (actor.is_super_user or _needs_no_consent(scope, user, org_ids, administered)):
            joining.append((user, roles))
        else:
            to_ask.append((addressee, user, roles))
    hold_all(actor, [user.pk for user, _roles in joining])
    _refuse_too_many(actor, len(to_ask))  # under the caller's lock, so that concurrent calls count one after the other
    for user, roles in joining:
        for role in roles:
            add_org_role(actor=actor, scope=scope, user=user, role=role)
    for addressee, user, roles in to_ask:
        _send(actor, scope, addressee, user, roles)


def _named(addressee: str) -> User | None:
    """The user with this id, user name or e-mail address. The queries are the same whether or not the user exists.

    None when the text matches two users: a user name may look like another user's address.
    """
    user_id = parse_id(addressee)
    if user_id is not None:
        return User.objects.filter(pk=user_id).first()
    users = {
        user.pk: user
        for user in (
            User.objects.filter(username_key=username_key(addressee)).first(),
            User.objects.filter(email__iexact=addressee).first(),
        )
        if user is not None
    }
    return next(iter(users.values())) if len(users) == 1 else None


def _invitable(user: User | None, actor: Actor, scope: OrgScope, administered: frozenset[UUID]) -> User | None:
    """The user; None for a service account that would have to answer: nobody reads its messages."""
    if user is None or not user.is_service_account or actor.is_super_user:
        return user
    org_ids = set(Membership.objects.filter(user_id=user.pk).values_list("org_id", flat=True))
    return user if _needs_no_consent(scope, user, org_ids, administered) else None


def _needs_no_consent(scope: OrgScope, user: User, org_ids: set[UUID], administered: frozenset[UUID]) -> bool:
    return user.role == SystemRole.USER and (scope.org_id in org_ids or bool(org_ids & administered))


def _refuse_too_many(actor: Actor, more: int) -> None:
    recent = Invitation.objects.filter(inviter_id=actor.user_id, date_created__gt=clock.now() - _HOUR)
    if more and recent.count() + more > MAX_AN_HOUR:
        raise TooManyInvitations


def _send(actor: Actor, scope: OrgScope, addressee: str, user: User | None, roles: list[str]) -> None:
    """Store an invitation; it replaces an earlier one to the same addressee."""
    now = clock.now()
    earlier = Invitation.objects.waiting().filter(org_id=scope.org_id, addressee=addressee)
    earlier.update(answer=InvitationAnswer.WITHDRAWN, answered_by=actor.label[:260], date_answered=now)
    row = Invitation.objects.create(
        org_id=scope.org_id,
        addressee=addressee,
        user=user,
        roles=sorted(set(roles)),
        inviter_id=actor.user_id,
        created_by=actor.label[:260],
        date_created=now,
        date_expired=now + LIFETIME,
    )
    _record(actor, audits.Event.INVITATION_SENT, row, org_id=scope.org_id, action="create", new={"roles": row.roles})
    events.publish(InvitationSent(invitation_id=row.pk))


@transaction.atomic
def withdraw(*, actor: Actor, invitation: Invitation) -> None:
    """Withdraw an invitation, as the inviting organization."""
    row = Invitation.objects.waiting().select_for_update().filter(pk=invitation.pk).first()
    if row is None:
        raise InvitationGone
    _answer(actor, row, InvitationAnswer.WITHDRAWN)
    _record(actor, audits.Event.INVITATION_WITHDRAWN, row, org_id=row.org_id, action="delete")


@transaction.atomic
def accept_own(*, actor: Actor, invitation_id: UUID) -> None:
    """Accept an invitation as the invited user. Raises InvitationGone."""
    _accept(actor, invitations_to(actor).select_for_update(of=("self",)).filter(pk=invitation_id).first())


@transaction.atomic
def accept_for_member(*, actor: Actor, scope: OrgScope, invitation_id: UUID) -> None:
    """Accept an invitation for a member, as one of their administrators. Raises InvitationGone."""
    rows = invitations_of_members(scope)
    _accept(actor, rows.select_for_update(of=("self",)).filter(pk=invitation_id).first())


@transaction.atomic
def decline(*, actor: Actor, invitation_id: UUID) -> None:
    """Decline an invitation. The inviting organization is not notified."""
    row = invitations_to(actor).select_for_update(of=("self",)).filter(pk=invitation_id).first()
    if row is None:
        raise InvitationGone
    _answer(actor, row, InvitationAnswer.DECLINED)
    _record(actor, audits.Event.INVITATION_DECLINED, row, org_id=ROOT_ORG_ID)


def _accept(actor: Actor, row: Invitation | None) -> None:
    if row is None or row.user is None or not _inviter_still_may(row):
        raise InvitationGone
    licensing.require()
    _answer(actor, row, InvitationAnswer.ACCEPTED)
    join(actor=actor, scope=OrgScope(row.org_id), user=row.user, roles=row.roles)
    _record(
        actor, audits.Event.INVITATION_ACCEPTED, row, org_id=row.org_id, new={"user": str(row.user), "roles": row.roles}
    )
    events.publish(InvitationAccepted(invitation_id=row.pk))


def _inviter_still_may(row: Invitation) -> bool:
    """Whether the sender may still give these roles; an invitation becomes void with the right of its sender."""
    inviter = User.objects.valid().filter(pk=row.inviter_id).first() if row.inviter_id else None
    if inviter is None:
        return False
    administers = Membership.objects.filter(user=inviter, org_id=row.org_id, role=OrgRole.ADMIN)
    return inviter.role == SystemRole.ADMIN or administers.exists()


def _answer(actor: Actor, row: Invitation, answer: InvitationAnswer) -> None:
    row.answer, row.answered_by, row.date_answered = answer, actor.label[:260], clock.now()
    row.save(update_fields=["answer", "answered_by", "date_answered"])


def _record(
    actor: Actor,
    event: audits.Event,
    row: Invitation,
    *,
    org_id: UUID,
    action: Literal["create", "update", "delete"] = "update",
    new: dict[str, object] | None = None,
) -> None:
    audits.record(
        actor=actor,
        org_id=org_id,
        event=event,
        action=action,
        object_type="Invitation",
        object_id=str(row.pk),
        object_name=row.addressee,
        new=new,
    )
