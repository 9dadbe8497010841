"""Invitations that a caller may see."""

from django.db.models import Exists, OuterRef

from postern.apps.users.accounts.models import Membership, SystemRole, User
from postern.apps.users.invitations.models import Invitation, InvitationQuerySet
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope


def invitations_sent(scope: OrgScope) -> InvitationQuerySet:
    """Invitations of the organization that look open to it; in the root, those of all organizations."""
    rows = Invitation.objects.waiting()
    return rows if scope.is_root else rows.filter(org_id=scope.org_id)


def invitations_to(actor: Actor) -> InvitationQuerySet:
    """Invitations that the caller can accept or decline."""
    rows = Invitation.objects.open().select_related("org", "user")
    return rows.none() if actor.user_id is None else rows.filter(user_id=actor.user_id)


def invitations_of_members(scope: OrgScope) -> InvitationQuerySet:
    """Invitations of the organization's members into others, which its administrators can accept.

    Those of super administrators and auditors are left out, because their roles are higher than an organization
    administrator's (K60: a lower role does nothing to a higher one).
    """
    rows = Invitation.objects.open().exclude(org_id=scope.org_id).select_related("org", "user")
    if scope.is_root:
        return rows.none()
    # Asked for each open invitation: there are few. A join begins at the members, of whom there are many.
    invited = OuterRef("user_id")
    return rows.filter(
        Exists(User.objects.filter(pk=invited, role=SystemRole.USER)),
        Exists(Membership.objects.filter(org_id=scope.org_id, user_id=invited)),
    )
