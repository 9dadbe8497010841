"""Routes of permissions, relative to /api/v1/."""

from typing import Any, Final

from django.urls import URLPattern, path

from postern.apps.perms.application_permissions.api import views as application_permissions
from postern.apps.perms.granted.api import applications
from postern.apps.perms.granted.api import views as granted
from postern.apps.perms.granted.api.own_access import MyAccessView
from postern.apps.perms.history import api as history
from postern.apps.perms.hosts.api import NewHostView
from postern.apps.perms.permissions.api.views import (
    AssetPermissionViewSet,
    NothingCachedView,
    PermissionAssetViewSet,
    PermissionNodeViewSet,
    PermissionSystemUserViewSet,
    PermissionUserGroupViewSet,
    PermissionUserViewSet,
)
from postern.apps.perms.previews.api.views import PreviewView
from postern.apps.perms.reviews.api import ReviewedApplicationPermissionViewSet, ReviewedPermissionViewSet
from postern.foundation.rest.viewsets import ResourceRouter

router = ResourceRouter()
router.register("perms/asset-permissions", AssetPermissionViewSet, "asset-permission")
router.register("perms/asset-permissions-users-relations", PermissionUserViewSet, "asset-permission-user")
router.register(
    "perms/asset-permissions-user-groups-relations", PermissionUserGroupViewSet, "asset-permission-user-group"
)
router.register("perms/asset-permissions-assets-relations", PermissionAssetViewSet, "asset-permission-asset")
router.register("perms/asset-permissions-nodes-relations", PermissionNodeViewSet, "asset-permission-node")
router.register(
    "perms/asset-permissions-system-users-relations", PermissionSystemUserViewSet, "asset-permission-system-user"
)
router.register(
    "perms/application-permissions", application_permissions.ApplicationPermissionViewSet, "application-permission"
)
for _kind, _view in (
    ("users", application_permissions.UserRelationViewSet),
    ("user-groups", application_permissions.UserGroupRelationViewSet),
    ("applications", application_permissions.ApplicationRelationViewSet),
    ("system-users", application_permissions.SystemUserRelationViewSet),
):
    router.register(f"perms/application-permissions-{_kind}-relations", _view, f"application-permission-{_kind}")

router.register("perms/reviews/asset-permissions", ReviewedPermissionViewSet, "reviewed-asset-permission")
router.register(
    "perms/reviews/application-permissions", ReviewedApplicationPermissionViewSet, "reviewed-application-permission"
)

_LIST: Final[dict[str, Any]] = {"get": "list"}


def _nodes(base: str, view: type[granted.MyNodes | granted.UserNodes | granted.GroupNodes]) -> list[URLPattern]:
    """The forms of a user's nodes: flat or tree, all or one level."""
    return [
        path(f"{base}nodes/", view.as_view()),
        path(f"{base}nodes/tree/", view.as_view(as_tree=True)),
        path(f"{base}nodes/children/", view.as_view(children=True)),
        path(f"{base}nodes/children/tree/", view.as_view(children=True, as_tree=True)),
        path(f"{base}nodes/children-with-assets/tree/", view.as_view(children=True, as_tree=True, with_assets=True)),
    ]


_ME, _USER, _GROUP = "perms/users/", "perms/users/<uuid:user_id>/", "perms/user-groups/<uuid:group_id>/"

urlpatterns = [
    path(f"{_ME}assets/", granted.MyAssets.as_view(_LIST)),
    path(f"{_ME}assets/tree/", granted.MyAssetsTree.as_view(_LIST)),
    path(f"{_ME}ungroup/assets/tree/", granted.MyUngroupedTree.as_view()),
    path(f"{_ME}assets/<uuid:asset_id>/system-users/", granted.MySystemUsers.as_view()),
    path(f"{_ME}assets/<uuid:asset_id>/access/", MyAccessView.as_view()),
    path(f"{_ME}nodes-with-assets/tree/", granted.MyNodes.as_view(as_tree=True, with_assets=True)),
    *_nodes(_ME, granted.MyNodes),
    path(f"{_ME}nodes/<str:node_id>/assets/", granted.MyNodeAssets.as_view(_LIST)),
    path(f"{_ME}asset-permissions/cache/", NothingCachedView.as_view()),
    path(f"{_USER}assets/", granted.UserAssets.as_view(_LIST)),
    path(f"{_USER}assets/tree/", granted.UserAssetsTree.as_view(_LIST)),
    path(f"{_USER}assets/<uuid:asset_id>/system-users/", granted.UserSystemUsers.as_view()),
    *_nodes(_USER, granted.UserNodes),
    path(f"{_USER}nodes/<str:node_id>/assets/", granted.UserNodeAssets.as_view(_LIST)),
    path(f"{_USER}asset-permissions/cache/", NothingCachedView.as_view()),
    path(f"{_GROUP}assets/", granted.GroupAssets.as_view(_LIST)),
    path(f"{_GROUP}assets/<uuid:asset_id>/system-users/", granted.GroupSystemUsers.as_view()),
    *_nodes(_GROUP, granted.GroupNodes),
    path(f"{_GROUP}nodes/<str:node_id>/assets/", granted.GroupNodeAssets.as_view(_LIST)),
    path(f"{_ME}applications/", applications.MyApplications.as_view(_LIST)),
    path(f"{_ME}applications/tree/", applications.MyApplicationsTree.as_view(_LIST)),
    path(f"{_ME}applications/<uuid:application_id>/system-users/", applications.MyApplicationSystemUsers.as_view()),
    path(f"{_USER}applications/", applications.UserApplications.as_view(_LIST)),
    path(f"{_USER}applications/tree/", applications.UserApplicationsTree.as_view(_LIST)),
    path(f"{_USER}applications/<uuid:application_id>/system-users/", applications.UserApplicationSystemUsers.as_view()),
    path(f"{_GROUP}applications/", applications.GroupApplications.as_view(_LIST)),
    path("perms/history/assets/<uuid:asset_id>/", history.PeopleOfAsset.as_view()),
    path("perms/history/applications/<uuid:application_id>/", history.PeopleOfApplication.as_view()),
    path("perms/history/users/<uuid:user_id>/assets/", history.AssetsOfUser.as_view()),
    path("perms/history/users/<uuid:user_id>/applications/", history.ApplicationsOfUser.as_view()),
    path("perms/new-hosts/", NewHostView.as_view()),
    path("perms/preview/", PreviewView.as_view()),
    path("perms/system-users-permission/", granted.MySystemUsersView.as_view()),
    *router.urls,
]
