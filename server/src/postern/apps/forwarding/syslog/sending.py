"""Sends the audit log to the syslog receiver, from the stored position on.

One process sends at a time: it holds the row of the stream for a while. The position moves after the receiver has taken a
chunk, so after `kill -9` the chunk is sent again by whoever holds the stream next. After a break the position goes back a
few seconds, because a receiver that stopped may not have stored what it had read. Events carry their id, so a receiver can
drop copies.
"""

import logging
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction

from postern.apps.audits import facade as audits
from postern.apps.forwarding.streams import reading
from postern.apps.forwarding.streams.models import AuditStream
from postern.apps.forwarding.streams.waking import SYSLOG
from postern.apps.forwarding.syslog.receiver import is_on, message_of, stored_receiver
from postern.apps.preferences import facade as preferences
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.network import outbound
from postern.foundation.phrases import stored
from postern.integrations.syslog.client import SyslogFailed, send
from postern.kernel import clock
from postern.kernel.clock import monotonic_s
from postern.kernel.ids import ROOT_ORG_ID, new_token
from postern.kernel.sentences import Sentence

log = logging.getLogger(__name__)

STREAM: Final = SYSLOG
#: How long a process holds the stream. Longer than a chunk may take.
HELD: Final = timedelta(seconds=60)
#: For one chunk, from the lookup of the name until the receiver has read everything.
LIMIT_S: Final = 30.0
#: Events of one connection: what is in memory, and what is sent again after a break.
CHUNK: Final = 500
#: What a receiver may have read and not stored when it stopped.
RESENT: Final = timedelta(seconds=10)
_RUN_S: Final = 45.0


def send_new_events() -> int:
    """Send what is new; returns the number of events that were sent."""
    if not is_on():
        AuditStream.objects.filter(name=STREAM).delete()
        return 0
    stream, _is_new = AuditStream.objects.get_or_create(name=STREAM, defaults={"date_started": _switched_on_at()})
    holder = new_token()[:64]
    if not _hold(stream, holder):
        return 0
    try:
        return _send_as(stream, holder)
    finally:
        AuditStream.objects.filter(pk=stream.pk, holder=holder).update(holder="", held_until=None)


def _switched_on_at() -> datetime:
    return preferences.date_set("SYSLOG_ENABLED") or clock.now()


def _hold(stream: AuditStream, holder: str) -> bool:
    """Become the holder of the stream, or stay it; False while another process is."""
    now = clock.now()
    rows = AuditStream.objects.filter(pk=stream.pk)
    free = rows.filter(holder="") | rows.filter(holder=holder) | rows.filter(held_until__lte=now)
    return bool(free.update(holder=holder, held_until=now + HELD))


def _send_as(stream: AuditStream, holder: str) -> int:
    receiver, sent, until_s = stored_receiver(), 0, monotonic_s() + _RUN_S
    reading.begin_chains(stream)
    while monotonic_s() < until_s:
        before = reading.positions_of(stream)
        chunk = reading.read_on(before, CHUNK)
        if not chunk.events or not _hold(stream, holder):
            break
        messages = [message_of(event, receiver) for event in chunk.events]
        try:
            send(receiver.server, messages, check=outbound.check_syslog_server, limit_s=LIMIT_S)
        except SyslogFailed as error:
            _failed(stream, holder, error.sentence)
            break
        if not _taken(stream, holder, chunk, before):
            break
        sent += len(messages)
    return sent


@transaction.atomic
def _taken(stream: AuditStream, holder: str, chunk: reading.Chunk, before: reading.Positions) -> bool:
    """Store the position behind a chunk; False when another process holds the stream by now."""
    row = AuditStream.objects.select_for_update().filter(pk=stream.pk, holder=holder).first()
    if row is None:
        return False
    reading.store(row, chunk.positions, before)
    row.sent += len(chunk.events)
    row.date_sent, row.failing_since, row.reason = clock.now(), None, None
    row.save(update_fields=["sent", "date_sent", "failing_since", "reason"])
    return True


@transaction.atomic
def _failed(stream: AuditStream, holder: str, reason: Sentence) -> None:
    """Note the failure. At the first failure the position goes back, and the audit log records the break."""
    row = AuditStream.objects.select_for_update().filter(pk=stream.pk, holder=holder).first()
    if row is None:
        return
    is_first = row.failing_since is None
    if is_first:
        row.failing_since = clock.now()
        if row.date_sent is not None:
            reading.go_back(row, row.date_sent - RESENT)
    row.reason = stored(reason)
    row.save(update_fields=["failing_since", "reason"])
    if is_first:
        log.warning("the audit log is not sent: %s", reason.code)
        audits.record(
            actor=SYSTEM,
            org_id=ROOT_ORG_ID,
            event=audits.Event.SYSLOG_FAILED,
            object_type="AuditStream",
            object_id=str(row.pk),
            object_name=STREAM,
            new={"reason": reason.text},
        )
