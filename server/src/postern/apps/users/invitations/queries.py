"""Which invitations somebody sees."""

from postern.apps.users.accounts.models import Membership, SystemRole
from postern.apps.users.invitations.models import Invitation, InvitationQuerySet
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope


def invitations_sent(scope: OrgScope) -> InvitationQuerySet:
    """Invitations of the organization that still wait for an answer, as far as it can tell; of all in the root."""
    rows = Invitation.objects.waiting()
    return rows if scope.is_root else rows.filter(org_id=scope.org_id)


def invitations_to(actor: Actor) -> InvitationQuerySet:
    """Invitations that the caller can accept or decline."""
    rows = Invitation.objects.open().select_related("org", "user")
    return rows.none() if actor.user_id is None else rows.filter(user_id=actor.user_id)


def invitations_of_members(scope: OrgScope) -> InvitationQuerySet:
    """Invitations of members of the organization into others, to which its administrators can consent.

    Not those of super administrators and auditors: they stand above every administrator of an organization (K60).
    """
    rows = Invitation.objects.open().exclude(org_id=scope.org_id).filter(user__role=SystemRole.USER)
    if scope.is_root:
        return rows.none()
    members = Membership.objects.filter(org_id=scope.org_id)
    return rows.filter(user_id__in=members.values("user_id")).select_related("org", "user")
