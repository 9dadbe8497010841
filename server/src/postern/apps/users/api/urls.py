"""Routes of the users app, relative to /api/v1/."""

from postern.apps.users.api.groups import GroupMemberViewSet, MembershipViewSet, UserGroupViewSet
from postern.apps.users.api.views import UserViewSet
from postern.foundation.rest.viewsets import ResourceRouter

router = ResourceRouter()
router.register("users/users", UserViewSet, "user")
router.register("users/groups", UserGroupViewSet, "user-group")
router.register("users/users-groups-relations", GroupMemberViewSet, "user-group-relation")
router.register("orgs/org-member-relation", MembershipViewSet, "org-member-relation")

urlpatterns = router.urls
