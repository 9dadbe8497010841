"""Routes of applications, relative to /api/v1/."""

from postern.apps.applications.managed.api.views import ApplicationViewSet
from postern.foundation.rest.viewsets import ResourceRouter

router = ResourceRouter()
router.register("applications/applications", ApplicationViewSet, "application")

urlpatterns = router.urls
