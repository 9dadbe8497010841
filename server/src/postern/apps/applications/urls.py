"""Routes of applications, relative to /api/v1/."""

from django.urls import path

from postern.apps.applications.accounts.api.auth_info import ApplicationAuthInfoView
from postern.apps.applications.accounts.api.views import ApplicationAccountSecretViewSet, ApplicationAccountViewSet
from postern.apps.applications.managed.api.views import ApplicationViewSet
from postern.foundation.rest.viewsets import ResourceRouter

router = ResourceRouter()
router.register("applications/applications", ApplicationViewSet, "application")
router.register("applications/accounts", ApplicationAccountViewSet, "application-account")
router.register("applications/account-secrets", ApplicationAccountSecretViewSet, "application-account-secret")

urlpatterns = [
    path(
        "assets/system-users/<uuid:system_user_id>/applications/<uuid:application_id>/auth-info/",
        ApplicationAuthInfoView.as_view(),
        name="application-auth-info",
    ),
    *router.urls,
]
