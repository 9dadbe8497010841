"""Routes of forwarding, relative to /api/v1/."""

from postern.apps.forwarding.webhooks.api.views import WebhookDeliveryViewSet, WebhookViewSet
from postern.foundation.rest.viewsets import ResourceRouter

router = ResourceRouter()
router.register("notifications/webhooks", WebhookViewSet, "webhook")
router.register("notifications/webhook-deliveries", WebhookDeliveryViewSet, "webhook-delivery")

urlpatterns = router.urls
