"""Deliveries to webhooks: enqueue, claim, settle, try again. The rules are those of mail, the pauses are longer.

A receiver that dies after it took a message and before it answered gets the message again, under the same id.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Final

from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.forwarding.streams.models import AuditStream
from postern.apps.forwarding.streams.waking import SEND_WEBHOOKS
from postern.apps.forwarding.webhooks import errors
from postern.apps.forwarding.webhooks.models import Webhook, WebhookDelivery, WebhookState
from postern.foundation.bus import waking
from postern.foundation.caller.actor import SYSTEM, Actor
from postern.foundation.database.batches import delete_in_batches
from postern.foundation.phrases import stored
from postern.kernel import clock
from postern.kernel.ids import ROOT_ORG_ID
from postern.kernel.sentences import Sentence

#: While claimed rows belong to their sender. Longer than the tries of one claim may take (`sending`).
LEASE: Final = timedelta(minutes=2)
#: Pauses after the first, second … failed try. After the last try the delivery has failed.
PAUSES: Final = tuple(timedelta(seconds=seconds) for seconds in (5, 300, 1800, 7200, 18000, 36000, 50400, 72000))
#: How long all messages of an endpoint wait after a failure that concerns them all, such as a dead receiver.
REST: Final = timedelta(minutes=1)
#: A message that waited longer, because its webhook was switched off, is not sent any more.
LONGEST_WAIT: Final = timedelta(days=7)
_KEPT: Final = {WebhookState.ACCEPTED: timedelta(days=7), WebhookState.FAILED: timedelta(days=30)}


def enqueue(rows: Collection[WebhookDelivery]) -> None:
    """Store deliveries, except those of a source that the endpoint has already."""
    WebhookDelivery.objects.bulk_create(rows, batch_size=500, ignore_conflicts=True)
    if rows:
        waking.wake_after_commit(SEND_WEBHOOKS)


def waiting(webhook: Webhook) -> int:
    """The number of messages that wait for the endpoint."""
    return WebhookDelivery.objects.filter(webhook=webhook, state=WebhookState.WAITING).count()


def due_webhooks() -> list[Webhook]:
    """The endpoints with messages that are due."""
    due = WebhookDelivery.objects.filter(state=WebhookState.WAITING, next_try__lte=clock.now()).order_by()
    return list(Webhook.objects.filter(is_active=True, pk__in=due.values("webhook_id")).order_by("pk"))


@transaction.atomic
def claim(webhook: Webhook, most: int) -> list[WebhookDelivery]:
    """Claim the messages of an endpoint that are due first."""
    due: QuerySet[WebhookDelivery] = WebhookDelivery.objects.filter(
        webhook=webhook, state=WebhookState.WAITING, next_try__lte=clock.now()
    ).order_by("next_try", "date_created", "id")
    if connection.features.has_select_for_update_skip_locked:
        due = due.select_for_update(skip_locked=True)
    claimed = []
    claimed_until = clock.now() + LEASE
    for row in due[:most]:
        # On SQLite, where rows cannot be locked, another process may have claimed the row since.
        same = WebhookDelivery.objects.filter(
            pk=row.pk, state=WebhookState.WAITING, tries=row.tries, next_try=row.next_try
        )
        if same.update(tries=row.tries + 1, next_try=claimed_until):
            row.tries += 1
            claimed.append(row)
    return claimed


def release(rows: Sequence[WebhookDelivery]) -> None:
    """Give claimed rows back that were not tried. They wait like the others of their endpoint."""
    for row in rows:
        _held(row).update(tries=row.tries - 1, next_try=clock.now() + REST)


def accepted(row: WebhookDelivery, status: int) -> None:
    """The receiver answered 2xx. True whatever else has become of the row."""
    now = clock.now()
    WebhookDelivery.objects.filter(pk=row.pk).update(
        state=WebhookState.ACCEPTED, status=status, reason=None, date_accepted=now, date_updated=now
    )


@transaction.atomic
def refused(row: WebhookDelivery, reason: Sentence, *, status: int | None = None, is_final: bool = False) -> None:
    """The try failed: plan the next try, or end the delivery. No-op if the claim is over."""
    now = clock.now()
    ends = is_final or row.tries > len(PAUSES)
    if ends and not is_final:
        reason = errors.GIVEN_UP.say(tries=row.tries, reason=reason)
    changed = _held(row).update(
        state=WebhookState.FAILED if ends else WebhookState.WAITING,
        status=status,
        reason=stored(reason),
        next_try=now if ends else now + PAUSES[row.tries - 1],
        date_updated=now,
    )
    if changed and ends:
        _record(SYSTEM, audits.Event.WEBHOOK_DELIVERY_FAILED, row, WebhookState.WAITING, reason.text)


def rest(webhook: Webhook, reason: Sentence) -> None:
    """Everything that is due for an endpoint waits a moment, so that a dead receiver costs a connection a minute."""
    now = clock.now()
    due = WebhookDelivery.objects.filter(webhook=webhook, state=WebhookState.WAITING, next_try__lte=now)
    due.update(next_try=now + REST, reason=stored(reason), date_updated=now)


def fail_late(now: datetime) -> None:
    """End what waited too long. What was tried keeps the reason of its last try."""
    late = WebhookDelivery.objects.filter(state=WebhookState.WAITING, date_created__lt=now - LONGEST_WAIT)
    late.filter(reason__isnull=True).update(reason=stored(errors.TOO_OLD.say()))
    late.update(state=WebhookState.FAILED, date_updated=now)


@transaction.atomic
def switch_off(webhook: Webhook, reason: Sentence) -> None:
    """The receiver wants no more messages: switch the endpoint off, and end what waits."""
    row = Webhook.objects.select_for_update().filter(pk=webhook.pk, is_active=True).first()
    if row is None:
        return
    row.is_active, row.off_reason = False, stored(reason)
    row.save(update_fields=["is_active", "off_reason", "date_updated"])
    AuditStream.objects.filter(name=row.stream_name).delete()  # what happens meanwhile is not sent later
    WebhookDelivery.objects.filter(webhook=row, state=WebhookState.WAITING).update(
        state=WebhookState.FAILED, reason=stored(reason), date_updated=clock.now()
    )
    audits.record_change(
        actor=SYSTEM,
        action="update",
        target=row,
        old={"is_active": True},
        new={"is_active": False, "reason": reason.text},
        event=audits.Event.WEBHOOK_SWITCHED_OFF,
    )


@transaction.atomic
def retry(*, actor: Actor, row: WebhookDelivery) -> WebhookDelivery:
    """Try a failed delivery again from the beginning. Raises NotRetried."""
    row = WebhookDelivery.objects.select_for_update(of=("self",)).select_related("webhook").get(pk=row.pk)
    if row.state != WebhookState.FAILED:
        raise errors.NotRetried(_("Only a failed delivery can be tried again."))
    if not row.webhook.is_active:
        raise errors.NotRetried(_("The webhook is switched off. Switch it on first."))
    now = clock.now()
    row.state, row.tries, row.reason, row.next_try, row.date_created = WebhookState.WAITING, 0, None, now, now
    row.save(update_fields=["state", "tries", "reason", "next_try", "date_created", "date_updated"])
    waking.wake_after_commit(SEND_WEBHOOKS)
    _record(actor, audits.Event.WEBHOOK_DELIVERY_RETRIED, row, WebhookState.FAILED, None)
    return row


def forget_old(now: datetime) -> int:
    """Delete deliveries that ended long ago; returns their number. The audit log keeps the failures."""
    return sum(
        delete_in_batches(WebhookDelivery.objects.filter(state=state, date_updated__lt=now - kept))
        for state, kept in _KEPT.items()
    )


def _held(row: WebhookDelivery) -> QuerySet[WebhookDelivery]:
    return WebhookDelivery.objects.filter(pk=row.pk, state=WebhookState.WAITING, tries=row.tries)


def _record(actor: Actor, event: audits.Event, row: WebhookDelivery, before: WebhookState, reason: str | None) -> None:
    new = {
        "webhook": row.webhook.name,
        **({"tries": row.tries, "reason": reason} if reason is not None else {"state": row.state}),
    }
    audits.record(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event=event,
        action="update",
        object_type="WebhookDelivery",
        object_id=str(row.pk),
        object_name=row.kind,
        old={"state": before},
        new=new,
    )
