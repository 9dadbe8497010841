"""Writes of webhooks."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.audits.recorded import assign, delete_row
from postern.apps.forwarding.streams.models import AuditStream
from postern.apps.forwarding.webhooks import secrets
from postern.apps.forwarding.webhooks.errors import FieldRefused
from postern.apps.forwarding.webhooks.models import Webhook
from postern.foundation.caller.actor import Actor
from postern.foundation.network import outbound
from postern.foundation.network.outbound import TargetRefused, TargetUnknown
from postern.integrations.web_apis.failures import WebApiFailed
from postern.integrations.webhooks.client import split_address
from postern.kernel import clock
from postern.kernel.secret import MASK, Secret

#: How long the former secret signs, too, after a new secret was made.
FORMER_SIGNS: Final = timedelta(hours=24)
#: Endpoints of an installation: each run asks all of them.
MOST: Final = 50


@transaction.atomic
def create_webhook(*, actor: Actor, values: Mapping[str, Any]) -> tuple[Webhook, Secret]:
    """Store an endpoint; returns it with its secret, which is shown once. Raises FieldRefused."""
    if Webhook.objects.count() >= MOST:
        raise FieldRefused("name", _("There are %(number)d webhooks already. Delete one first.") % {"number": MOST})
    row = Webhook(created_by=actor.label, **values)
    _save(row)
    secret = secrets.new_secret()
    secrets.put(row.pk, secret)
    _follow(row)
    audits.record_change(actor=actor, action="create", target=row, new={**values, "secret": MASK})
    return row, secret


@transaction.atomic
def update_webhook(*, actor: Actor, row: Webhook, changes: Mapping[str, Any]) -> Webhook:
    """Change an endpoint. Switching it on forgets why it was switched off. Raises FieldRefused."""
    row = Webhook.objects.select_for_update().get(pk=row.pk)
    old, new = assign(row, changes)
    if not new:
        return row
    if new.get("is_active"):
        row.off_reason = None
    _save(row)
    _follow(row)
    audits.record_change(actor=actor, action="update", target=row, old=old, new=new)
    return row


@transaction.atomic
def replace_secret(*, actor: Actor, row: Webhook) -> tuple[Webhook, Secret]:
    """Make a new secret; the former secret also signs for a day. Returns the new secret, which is shown once."""
    row = Webhook.objects.select_for_update().get(pk=row.pk)
    secret = secrets.new_secret()
    secrets.replace(row.pk, secret)
    row.former_until = clock.now() + FORMER_SIGNS
    row.save(update_fields=["former_until", "date_updated"])
    audits.record_change(
        actor=actor,
        action="update",
        target=row,
        old={"secret": MASK},
        new={"secret": MASK, "former_until": row.former_until},
        event=audits.Event.WEBHOOK_SECRET_REPLACED,
    )
    return row, secret


@transaction.atomic
def delete_webhook(*, actor: Actor, row: Webhook) -> None:
    """Delete an endpoint with what waits for it."""
    secrets.drop(row.pk)
    AuditStream.objects.filter(name=row.stream_name).delete()
    delete_row(actor=actor, row=row, old={"name": row.name, "address": row.address})


def require_dialable(address: str) -> None:
    """Refuse an address that Postern never dials. A name that does not resolve now may do so later."""
    try:
        parts = split_address(address)
        outbound.check_dial(str(parts.hostname), parts.port or (443 if parts.scheme == "https" else 80))
    except TargetUnknown:
        return
    except (TargetRefused, WebApiFailed) as error:
        raise FieldRefused("address", error.message) from error


def _follow(row: Webhook) -> None:
    """Follow the audit log from now on, while the endpoint is switched on and wants events."""
    name = row.stream_name
    if row.is_active and row.audit_categories:
        AuditStream.objects.get_or_create(name=name)
    else:
        AuditStream.objects.filter(name=name).delete()


def _save(row: Webhook) -> None:
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError as error:
        raise FieldRefused("name", _("Another webhook has this name.")) from error
