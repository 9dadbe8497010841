"""Send a test message to a syslog receiver with settings that may not be saved yet."""

from collections.abc import Mapping
from typing import Any, Final

from django.db import transaction
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.forwarding.syslog.errors import FieldRefused
from postern.apps.forwarding.syslog.receiver import INFORMATION, NAMES, Receiver, receiver_of
from postern.apps.preferences import facade as preferences
from postern.foundation.caller.actor import Actor
from postern.foundation.network import outbound
from postern.integrations.syslog.client import SyslogFailed, Transport, send
from postern.integrations.syslog.message import message
from postern.kernel import clock
from postern.kernel.ids import ROOT_ORG_ID

#: The person waits for the answer.
LIMIT_S: Final = 10.0
_TEXT: Final = "This is a test of Postern. Nothing has happened."


def send_test(*, actor: Actor, entered: Mapping[str, Any]) -> str:
    """Send a test message; returns what became of it. Every test is audited.

    `entered`: validated values; for those that are left out the stored values count. Raises SyslogFailed, FieldRefused.
    """
    values = {**preferences.get_many(*NAMES), **entered}
    if not values["SYSLOG_HOST"]:
        raise FieldRefused("SYSLOG_HOST", _("Enter the host of the receiver."))
    receiver = receiver_of(values)
    try:
        send(receiver.server, [_message(receiver)], check=outbound.check_syslog_server, limit_s=LIMIT_S)
    except SyslogFailed as error:
        _record(actor, values, error.sentence.code or error.code)
        raise
    _record(actor, values, "")
    if receiver.server.transport is Transport.UDP:
        return _("A test message was sent. Over UDP nobody can know whether it arrived: look for it at the receiver.")
    return _("The receiver has taken a test message.")


def _message(receiver: Receiver) -> bytes:
    return message(
        receiver.header,
        severity=INFORMATION,
        at=clock.now(),
        kind="postern.test",
        params={"event": "postern.test"},
        text=_TEXT,
        most_bytes=receiver.most_bytes,
    )


def _record(actor: Actor, values: Mapping[str, Any], reason: str) -> None:
    """`reason`: the code of the failure; empty when the message was sent."""
    shown = {name: values[name] for name in ("SYSLOG_HOST", "SYSLOG_PORT", "SYSLOG_TRANSPORT")}
    with transaction.atomic():
        audits.record(
            actor=actor,
            org_id=ROOT_ORG_ID,
            event=audits.Event.SYSLOG_TESTED,
            object_type="PreferenceValue",
            object_name="syslog",
            new={**shown, "accepted": not reason, "reason": reason},
        )
