from django.urls import path

from postern.apps.audits.api.verification import VerificationView
from postern.apps.audits.api.views import EventViewSet, LoginLogViewSet, OperateLogViewSet, PasswordChangeLogViewSet
from postern.foundation.rest.viewsets import ResourceRouter

router = ResourceRouter()
router.register("audits/events", EventViewSet, "audit-event")
router.register("audits/operate-logs", OperateLogViewSet, "operate-log")
router.register("audits/login-logs", LoginLogViewSet, "login-log")
router.register("audits/password-change-logs", PasswordChangeLogViewSet, "password-change-log")

urlpatterns = [
    path("audits/verification/", VerificationView.as_view(), name="audit-verification"),
    *router.urls,
]
