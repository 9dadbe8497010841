"""Turns system messages and audit events into deliveries to the endpoints that want them."""

from typing import Final

from django.db import transaction

from postern.apps.forwarding.streams import reading
from postern.apps.forwarding.streams.models import AuditStream
from postern.apps.forwarding.webhooks import deliveries, payloads
from postern.apps.forwarding.webhooks.models import Webhook, WebhookDelivery
from postern.apps.notifications.events import SystemMessagePosted

#: While so many messages wait for an endpoint, it gets no more audit events: its position in the log stays, and nothing is
#: lost.
MOST_WAITING: Final = 1000
_CHUNK: Final = 200
#: Kinds that a failing endpoint causes itself: each would be delivered, fail, and cause another message.
_OWN: Final = "webhook.delivery_"


def on_message_posted(event: SystemMessagePosted) -> None:
    """Queue a system message, in the transaction that stores it."""
    wanting = [hook for hook in Webhook.objects.filter(is_active=True) if event.message_type in hook.message_types]
    if wanting:
        kind, body = payloads.of_message(event)
        deliveries.enqueue(
            [WebhookDelivery(webhook=hook, source=f"message:{event.id}", kind=kind, body=body) for hook in wanting]
        )


def queue_audit_events() -> int:
    """Queue the audit events that the endpoints want and do not have yet; returns how many."""
    return sum(
        _queue_for(hook) for hook in Webhook.objects.filter(is_active=True).order_by("pk") if hook.audit_categories
    )


def _queue_for(hook: Webhook) -> int:
    queued = 0
    for _chunk in range(MOST_WAITING // _CHUNK):
        if deliveries.waiting(hook) + _CHUNK > MOST_WAITING:
            break
        read, wanted = _queue_chunk(hook)
        queued += wanted
        if read < _CHUNK:
            break
    return queued


@transaction.atomic
def _queue_chunk(hook: Webhook) -> tuple[int, int]:
    """One chunk: deliveries and position are stored together."""
    stream = AuditStream.objects.select_for_update().filter(name=hook.stream_name).first()
    if stream is None:
        return 0, 0
    reading.begin_chains(stream)
    before = reading.positions_of(stream)
    chunk = reading.read_on(before, _CHUNK)
    rows = []
    for event in chunk.events:
        if event.category in hook.audit_categories and not event.event.startswith(_OWN):
            kind, body = payloads.of_audit_event(event)
            rows.append(WebhookDelivery(webhook=hook, source=f"audit:{event.pk}", kind=kind, body=body))
    deliveries.enqueue(rows)
    if chunk.events:
        reading.store(stream, chunk.positions, before)
    return len(chunk.events), len(rows)
