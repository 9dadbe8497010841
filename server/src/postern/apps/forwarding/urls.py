"""Routes of forwarding, relative to /api/v1/."""

from django.urls import path

from postern.apps.forwarding.syslog.api import SyslogStateView, SyslogTestView
from postern.apps.forwarding.webhooks.api.views import WebhookDeliveryViewSet, WebhookViewSet
from postern.foundation.rest.viewsets import ResourceRouter

router = ResourceRouter()
router.register("notifications/webhooks", WebhookViewSet, "webhook")
router.register("notifications/webhook-deliveries", WebhookDeliveryViewSet, "webhook-delivery")

urlpatterns = [
    path("settings/syslog/testing/", SyslogTestView.as_view(), name="syslog-test"),
    path("settings/syslog/state/", SyslogStateView.as_view(), name="syslog-state"),
    *router.urls,
]
