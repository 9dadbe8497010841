"""Sends due messages to the endpoints, several endpoints at the same time. Runs in the worker, which has the key file."""

import asyncio
import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from postern.apps.forwarding.webhooks import deliveries, errors, secrets
from postern.apps.forwarding.webhooks.models import Webhook, WebhookDelivery
from postern.foundation.network import outbound
from postern.integrations.web_apis.failures import WebApiFailed
from postern.integrations.webhooks.client import Post, send
from postern.kernel import clock
from postern.kernel.clock import monotonic_s
from postern.kernel.sentences import Sentence

log = logging.getLogger(__name__)

#: For one try.
LIMIT_S: Final = 15.0
#: For the tries of one claim, so that they end before the lease of the rows.
_CLAIM_S: Final = 30.0
_RUN_S: Final = 45.0
_ENDPOINTS: Final = 20
_ROWS: Final = 20
_GONE: Final = 410
_TOO_MANY: Final = 429
#: One run at a time in a process.
_TURN: Final = threading.Lock()


@dataclass(slots=True)
class _Tried:
    """What became of the claimed rows of an endpoint. `rest`: why the others of the endpoint wait."""

    webhook: Webhook
    accepted: list[tuple[WebhookDelivery, int]] = field(default_factory=list)
    refused: list[tuple[WebhookDelivery, Sentence, int | None]] = field(default_factory=list)
    untried: Sequence[WebhookDelivery] = ()
    rest: Sentence | None = None
    is_gone: bool = False


def send_due() -> int:
    """Send what is due; returns how many messages were accepted."""
    if not _TURN.acquire(blocking=False):
        return 0
    try:
        deliveries.fail_late(clock.now())
        return _send_due()
    finally:
        _TURN.release()


def _send_due() -> int:
    sent, until_s = 0, monotonic_s() + _RUN_S
    while monotonic_s() < until_s:
        claims = []
        for webhook in deliveries.due_webhooks()[:_ENDPOINTS]:
            rows = deliveries.claim(webhook, _ROWS)
            keys = secrets.keys_of(webhook.pk, with_former=_has_former(webhook)) if rows else []
            if rows and not keys:
                for row in rows:
                    deliveries.refused(row, errors.NO_SECRET.say())
                deliveries.rest(webhook, errors.NO_SECRET.say())
            elif rows:
                claims.append((webhook, rows, keys))
        if not claims:
            break
        for tried in asyncio.run(_try_all(claims)):
            sent += _settle(tried)
    return sent


async def _try_all(claims: Sequence[tuple[Webhook, list[WebhookDelivery], list[bytes]]]) -> list[_Tried]:
    return await asyncio.gather(*(_try(*claim) for claim in claims))


async def _try(webhook: Webhook, rows: list[WebhookDelivery], keys: list[bytes]) -> _Tried:
    """One message after the other, until one fails for a reason that concerns all."""
    tried, until_s = _Tried(webhook), monotonic_s() + _CLAIM_S
    for number, row in enumerate(rows):
        if monotonic_s() > until_s or tried.rest is not None or tried.is_gone:
            tried.untried = rows[number:]
            break
        post = Post(webhook.address, row.message_id, row.body.encode(), keys)
        try:
            status = await send(post, check=outbound.check_dial, limit_s=LIMIT_S)
        except WebApiFailed as error:
            tried.refused.append((row, error.sentence, None))
            tried.rest = error.sentence
            continue
        if 200 <= status < 300:
            tried.accepted.append((row, status))
            continue
        reason = reason_of(status)
        tried.refused.append((row, reason, status))
        tried.is_gone = status == _GONE
        if status == _TOO_MANY or status >= 500 or 300 <= status < 400:
            tried.rest = reason
    return tried


def _settle(tried: _Tried) -> int:
    for row, status in tried.accepted:
        deliveries.accepted(row, status)
    for row, reason, last_status in tried.refused:
        deliveries.refused(row, reason, status=last_status, is_final=last_status == _GONE)
    deliveries.release(tried.untried)
    if tried.is_gone:
        deliveries.switch_off(tried.webhook, errors.GONE.say())
    elif tried.rest is not None:
        log.warning("webhook %s does not take messages: %s", tried.webhook.pk, tried.rest.code)
        deliveries.rest(tried.webhook, tried.rest)
    return len(tried.accepted)


def reason_of(status: int) -> Sentence:
    """Why an answer with this status is no acceptance."""
    if status == _GONE:
        return errors.GONE.say()
    return (errors.REDIRECT if 300 <= status < 400 else errors.STATUS).say(status=status)


def _has_former(webhook: Webhook) -> bool:
    return webhook.former_until is not None and webhook.former_until > clock.now()
