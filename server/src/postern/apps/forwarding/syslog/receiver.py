"""The receiver of the settings, and an audit event as a message to it."""

import json
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from postern.apps.audits.categories import Category
from postern.apps.audits.models import AuditEvent
from postern.apps.forwarding.webhooks.payloads import values_of
from postern.apps.preferences import facade as preferences
from postern.integrations.syslog.client import SyslogServer, Transport
from postern.integrations.syslog.message import MOST_BYTES, MOST_UDP_BYTES, Header, message

NAMES: Final = (
    "SYSLOG_ENABLED",
    "SYSLOG_HOST",
    "SYSLOG_PORT",
    "SYSLOG_TRANSPORT",
    "SYSLOG_CA",
    "SYSLOG_FACILITY",
    "SYSLOG_APP_NAME",
)
#: Of a name in the shortest message.
_MOST_CHARS: Final = 64
_ANY_LENGTH: Final = 1 << 30
#: Severities of RFC 5424.
WARNING, NOTICE, INFORMATION = 4, 5, 6


@dataclass(frozen=True, slots=True)
class Receiver:
    """Where messages go, and what is the same in all of them."""

    server: SyslogServer
    header: Header

    @property
    def most_bytes(self) -> int:
        return MOST_UDP_BYTES if self.server.transport is Transport.UDP else MOST_BYTES


def is_on() -> bool:
    """Whether the audit log is sent: it is switched on, and a host is entered."""
    values = preferences.get_many("SYSLOG_ENABLED", "SYSLOG_HOST")
    return bool(values["SYSLOG_ENABLED"]) and bool(values["SYSLOG_HOST"])


def stored_receiver() -> Receiver:
    return receiver_of(preferences.get_many(*NAMES))


def receiver_of(values: Mapping[str, Any]) -> Receiver:
    """The receiver with these values, which were validated."""
    host = urlsplit(preferences.get_str("SITE_URL")).hostname or socket.gethostname()
    return Receiver(
        SyslogServer(
            host=str(values["SYSLOG_HOST"]).strip(),
            port=int(values["SYSLOG_PORT"]),
            transport=Transport(values["SYSLOG_TRANSPORT"]),
            ca=str(values["SYSLOG_CA"] or ""),
        ),
        Header(int(values["SYSLOG_FACILITY"]), host, str(values["SYSLOG_APP_NAME"] or "postern")),
    )


def message_of(event: AuditEvent, receiver: Receiver) -> bytes:
    """An audit event. When it is too long, its values are left out, then all that is not in the structured data."""
    values = values_of(event)
    shorter = {**values, "old": None, "new": None, "values_left_out": True}
    for shown in (values, shorter):
        content = _message(event, receiver, shown, _ANY_LENGTH)
        if len(content) <= receiver.most_bytes:
            return content
    shortest = {"id": str(event.pk), "resource": event.resource[:_MOST_CHARS], "values_left_out": True}
    return _message(event, receiver, shortest, receiver.most_bytes)


def _message(event: AuditEvent, receiver: Receiver, values: Mapping[str, Any], most_bytes: int) -> bytes:
    return message(
        receiver.header,
        severity=WARNING if event.category == Category.REFUSALS else NOTICE,
        at=event.datetime,
        kind=event.event,
        params={
            "id": str(event.pk),
            "org": str(event.org_id),
            "sequence": str(event.sequence),
            "event": event.event,
            "category": event.category,
            "action": event.action,
            "user": event.user,
            "address": event.remote_addr or "",
        },
        text=json.dumps(values, ensure_ascii=False, separators=(",", ":")),
        most_bytes=most_bytes,
    )
