"""Routes of the users app, relative to /api/v1/."""

from postern.apps.users.groups.api import GroupMemberViewSet, UserGroupViewSet
from postern.apps.users.invitations.api import InvitationViewSet, MemberInvitationViewSet, OwnInvitationViewSet
from postern.apps.users.memberships.api import (
    AdminsOfOneOrganizationViewSet,
    MembershipViewSet,
    UsersOfOneOrganizationViewSet,
)
from postern.apps.users.people.api.views import UserViewSet
from postern.foundation.rest.viewsets import ResourceRouter

_MEMBERSHIP = "orgs/orgs/(?P<org_id>[^/.]+)/membership"

router = ResourceRouter()
router.register("users/users", UserViewSet, "user")
router.register("users/groups", UserGroupViewSet, "user-group")
router.register("users/users-groups-relations", GroupMemberViewSet, "user-group-relation")
router.register("users/invitations", InvitationViewSet, "invitation")
router.register("users/member-invitations", MemberInvitationViewSet, "member-invitation")
router.register("users/profile/invitations", OwnInvitationViewSet, "own-invitation")
router.register("orgs/org-member-relation", MembershipViewSet, "org-member-relation")
router.register(f"{_MEMBERSHIP}/admins", AdminsOfOneOrganizationViewSet, "organization-admin")
router.register(f"{_MEMBERSHIP}/users", UsersOfOneOrganizationViewSet, "organization-user")

urlpatterns = router.urls
