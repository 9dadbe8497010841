"""The models of all folders of this app."""

from postern.apps.forwarding.streams.models import AuditPosition, AuditStream
from postern.apps.forwarding.webhooks.models import Webhook, WebhookDelivery

__all__ = ["AuditPosition", "AuditStream", "Webhook", "WebhookDelivery"]
