"""Routes of messages, relative to /api/v1/."""

from django.urls import path

from postern.apps.notifications.api.deliveries import DeliveryViewSet
from postern.apps.notifications.api.messages import SiteMessageViewSet
from postern.apps.notifications.api.subscriptions import BackendsView, SubscriptionListView, SubscriptionView
from postern.foundation.rest.viewsets import ResourceRouter

router = ResourceRouter()
router.register("notifications/deliveries", DeliveryViewSet, "delivery")
router.register("notifications/site-message", SiteMessageViewSet, "site-message")

urlpatterns = [
    path("notifications/backends/", BackendsView.as_view(), name="notification-backends"),
    path("notifications/system-msg-subscription/", SubscriptionListView.as_view(), name="subscriptions"),
    path("notifications/system-msg-subscription/<str:message_type>/", SubscriptionView.as_view(), name="subscription"),
    *router.urls,
]
