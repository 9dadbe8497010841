"""Bodies of webhooks: `{"type", "timestamp", "data"}`, made once and stored, because all tries send the same bytes."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from postern.apps.audits.models import AuditEvent
from postern.apps.notifications.events import SystemMessagePosted
from postern.apps.notifications.mailing import text_of

#: Receivers limit bodies; larger values of an audit event are left out.
MOST_BYTES: Final = 64 * 1024
TEST: Final = "postern.test"


def of_message(event: SystemMessagePosted) -> tuple[str, str]:
    """Kind and body of a system message."""
    kind = f"message.{event.message_type}"
    data = {"message_type": event.message_type, "subject": event.subject, "text": text_of(event.html)}
    return kind, body(kind, event.at, data)


def of_audit_event(event: AuditEvent) -> tuple[str, str]:
    """Kind and body of an audit event."""
    kind = f"audit.{event.event}"
    data = values_of(event)
    text = body(kind, event.datetime, data)
    if len(text.encode()) > MOST_BYTES:
        text = body(kind, event.datetime, {**data, "old": None, "new": None, "values_left_out": True})
    return kind, text


def of_test(at: datetime) -> str:
    return body(TEST, at, {"text": "This is a test of Postern. Nothing has happened."})


def values_of(event: AuditEvent) -> dict[str, Any]:
    """An audit event as JSON."""
    return {
        "id": str(event.pk),
        "org_id": str(event.org_id),
        "sequence": event.sequence,
        "datetime": instant(event.datetime),
        "event": event.event,
        "category": event.category,
        "action": event.action,
        "actor_kind": event.actor_kind,
        "actor_id": None if event.actor_id is None else str(event.actor_id),
        "user": event.user,
        "remote_addr": event.remote_addr,
        "resource_type": event.resource_type,
        "resource_id": event.resource_id,
        "resource": event.resource,
        "old": event.old,
        "new": event.new,
        "digest": event.digest,
    }


def body(kind: str, at: datetime, data: Mapping[str, Any]) -> str:
    return json.dumps({"type": kind, "timestamp": instant(at), "data": data}, ensure_ascii=False, separators=(",", ":"))


def instant(moment: datetime) -> str:
    """An instant in UTC with microseconds (RFC 3339)."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
