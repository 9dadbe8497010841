"""Routes of organizations, relative to /api/v1/. The routes of members are in the users app."""

from django.urls import path

from postern.apps.orgs.api.organizations import LicensedOrganizationViewSet, OrganizationViewSet
from postern.apps.orgs.api.views import CurrentOrganizationView
from postern.foundation.rest.viewsets import ResourceRouter

router = ResourceRouter()
router.register("orgs/orgs", OrganizationViewSet, "organization")
router.register("xpack/orgs", LicensedOrganizationViewSet, "xpack-organization")  # alias (rulings)

urlpatterns = [
    path("orgs/orgs/current/", CurrentOrganizationView.as_view(), name="current-organization"),
    *router.urls,
]
