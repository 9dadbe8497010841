"""Routes of applications, relative to /api/v1/."""

from postern.apps.applications.accounts.api.views import ApplicationAccountSecretViewSet, ApplicationAccountViewSet
from postern.apps.applications.managed.api.views import ApplicationViewSet
from postern.foundation.rest.viewsets import ResourceRouter

router = ResourceRouter()
router.register("applications/applications", ApplicationViewSet, "application")
router.register("applications/accounts", ApplicationAccountViewSet, "application-account")
router.register("applications/account-secrets", ApplicationAccountSecretViewSet, "application-account-secret")

urlpatterns = router.urls
