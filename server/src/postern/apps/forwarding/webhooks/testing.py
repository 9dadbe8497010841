"""Send a test message to an endpoint whose values may not be saved yet."""

import asyncio
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.forwarding.webhooks import errors, payloads, secrets
from postern.apps.forwarding.webhooks.models import Webhook
from postern.apps.forwarding.webhooks.sending import LIMIT_S, reason_of
from postern.foundation.caller.actor import Actor
from postern.foundation.network import outbound
from postern.integrations.webhooks.client import Post, send
from postern.kernel import clock
from postern.kernel.errors import PosternError
from postern.kernel.ids import ROOT_ORG_ID, new_id

_NAME_CHARS: Final = 250


def send_test(*, actor: Actor, address: str, webhook: Webhook | None) -> int:
    """Send a test message; returns the status of the answer. Every test is audited.

    Signed with the secret of the stored endpoint, without one with a secret that nobody knows: the signature of a fixed text
    tells nothing. Raises `WebApiFailed`, `TestRefused`.
    """
    keys = secrets.keys_of(webhook.pk, with_former=False) if webhook is not None else []
    keys = keys or [secrets.key_of(secrets.new_secret())]
    body = payloads.of_test(clock.now()).encode()
    post = Post(address, f"msg_{new_id().hex}", body, keys)
    try:
        status = asyncio.run(send(post, check=outbound.check_dial, limit_s=LIMIT_S))
        if not 200 <= status < 300:
            reason = errors.STATUS.say(status=status) if status == 410 else reason_of(status)
            raise errors.TestRefused(reason)
    except PosternError as error:
        _record(actor, address, error.sentence.code or error.code)
        raise
    _record(actor, address, "")
    return status


def said(status: int, *, is_stored: bool) -> str:
    """What the person reads who has tested."""
    text = _("The receiver answered with the HTTP status %(status)d.") % {"status": status}
    if not is_stored:
        text += " " + _("The signature was not tested: an endpoint gets its secret when it is saved.")
    return text


def _record(actor: Actor, address: str, reason: str) -> None:
    """`reason`: the code of the failure; empty when the receiver accepted the message."""
    with transaction.atomic():
        audits.record(
            actor=actor,
            org_id=ROOT_ORG_ID,
            event=audits.Event.WEBHOOK_TESTED,
            object_type="Webhook",
            object_name=address[:_NAME_CHARS],
            new={"address": address, "accepted": not reason, "reason": reason},
        )
