from django.urls import path

from postern.apps.orgs.api.views import CurrentOrganizationView, OrganizationViewSet
from postern.foundation.rest.viewsets import ResourceRouter

router = ResourceRouter()
router.register("orgs/orgs", OrganizationViewSet, "organization")
router.register("xpack/orgs", OrganizationViewSet, "xpack-organization")  # alias (rulings)

urlpatterns = [
    path("orgs/orgs/current/", CurrentOrganizationView.as_view(), name="current-organization"),
    *router.urls,
]
