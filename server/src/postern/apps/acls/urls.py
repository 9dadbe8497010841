"""Routes of access control, relative to /api/v1/."""

from django.urls import path

from postern.apps.acls.command_filters.api.views import (
    CommandFilterRuleViewSet,
    CommandFilterViewSet,
    SystemUserRulesViewSet,
)
from postern.foundation.rest.viewsets import ResourceRouter

router = ResourceRouter()
router.register("assets/cmd-filters", CommandFilterViewSet, "cmd-filter")
router.register(r"assets/cmd-filters/(?P<filter_pk>[^/.]+)/rules", CommandFilterRuleViewSet, "cmd-filter-rule")

urlpatterns = [
    path(
        "assets/system-users/<uuid:system_user_id>/cmd-filter-rules/",
        SystemUserRulesViewSet.as_view({"get": "list"}),
        name="system-user-cmd-filter-rules",
    ),
    *router.urls,
]
