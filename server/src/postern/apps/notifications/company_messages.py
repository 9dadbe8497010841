"""Sends due messages over WeCom, DingTalk and FeiShu, to the accounts that users have bound there.

The services drop a second copy of a message, so a try whose answer was lost is repeated: at least once for us, and once
for the receiver within the time for which the service remembers (an hour or half of it; the day at DingTalk).
"""

import logging
import re
import threading
from collections.abc import Mapping, Sequence
from typing import Final

from django.utils.translation import gettext_lazy as _

from postern.apps.authn import facade as authn
from postern.apps.notifications import deliveries, queries
from postern.apps.notifications.mailing import text_of
from postern.apps.notifications.models import DeliveryChannel, MessageDelivery
from postern.apps.preferences import facade as preferences
from postern.foundation.network import outbound
from postern.foundation.phrases import Phrase
from postern.integrations.dingtalk import messages as dingtalk
from postern.integrations.dingtalk.client import DingtalkApp
from postern.integrations.feishu import messages as feishu
from postern.integrations.web_apis.calls import WebCalls
from postern.integrations.web_apis.failures import WebApiFailed
from postern.integrations.web_apis.messages import MOST_BYTES, Sent, shortened
from postern.integrations.wecom import messages as wecom
from postern.integrations.wecom.client import WecomApp
from postern.kernel.clock import monotonic_s

log = logging.getLogger(__name__)

#: For the calls of one claim: it must end before the lease of the rows (`deliveries.LEASE`).
LIMIT_S: Final = 15.0
_RUN_S: Final = 20.0
#: One run at a time in a process: a hanging service occupies one thread of the worker.
_TURN: Final = threading.Lock()
#: Receivers of one call. WeCom takes more, but each receiver is a claimed row.
_TOGETHER: Final[Mapping[DeliveryChannel, int]] = {
    DeliveryChannel.WECOM: min(wecom.MOST_RECEIVERS, 200),
    DeliveryChannel.DINGTALK: dingtalk.MOST_RECEIVERS,
    DeliveryChannel.FEISHU: 1,
}

#: What a service would not show as it is: WeCom makes links of `<a …>`, FeiShu mentions everybody for `<at …>`, and makes
#: links of `[text](address)`. Names and commands must do neither.
_MARKUP: Final = re.compile(r"<(?=[A-Za-z/!?])|(?<=\])\(")
_INSTEAD: Final = {"<": "＜", "(": "（"}

_NOT_BOUND: Final = Phrase("delivery.not_bound", _("The user has no account of this company bound any more."))
_INCOMPLETE: Final = Phrase(
    "delivery.service_incomplete",
    _("The settings of the service are not complete. Enter application and secret in the system settings."),
)


def send_due() -> int:
    """Send the messages that are due over each service that is switched on; returns how many were accepted."""
    if not _TURN.acquire(blocking=False):
        return 0
    try:
        return sum(_send_by(channel) for channel in _TOGETHER if queries.is_service_on(channel))
    finally:
        _TURN.release()


def _send_by(channel: DeliveryChannel) -> int:
    sent, until_s = 0, monotonic_s() + _RUN_S
    app: preferences.ProviderApp | None = None
    while monotonic_s() < until_s:
        rows = deliveries.claim_together(channel, _TOGETHER[channel])
        if not rows:
            break
        app = app or preferences.provider_app(preferences.Category(channel.value))
        if app is None:
            for row in rows:
                deliveries.refused(row, row.address, _INCOMPLETE.say(), is_final=False)
            deliveries.rest(_INCOMPLETE.say(), channel)
            break
        try:
            sent += _send(app, rows)
        except WebApiFailed as error:
            log.warning("messages are not sent by %s: %s", channel, error.sentence.code)
            for row in rows:
                deliveries.refused(row, row.address, error.sentence, is_final=False)
            deliveries.rest(error.sentence, channel)
            break
    return sent


def _send(app: preferences.ProviderApp, rows: Sequence[MessageDelivery]) -> int:
    """Send the message of these rows in one call where the service can. Raises WebApiFailed."""
    subjects = authn.external_subjects(rows[0].channel, [row.user_id for row in rows], tenant=_tenant_of(app))
    receivers: dict[str, MessageDelivery] = {}
    for row in rows:
        reason = deliveries.not_sent(row)
        if reason is None and row.user_id not in subjects:
            reason = _NOT_BOUND.say()
        if reason is not None:
            deliveries.refused(row, row.address, reason, is_final=True)
        else:
            receivers[subjects[row.user_id]] = row
    if not receivers:
        return 0
    sent = _call(app, receivers, text_for(rows[0]))
    for subject, row in receivers.items():
        refusal = sent.refused.get(subject)
        if refusal is not None:
            deliveries.refused(row, subject, refusal, is_final=True)
        else:
            deliveries.accepted(row, subject)
    return len(receivers) - len(sent.refused)


def _call(app: preferences.ProviderApp, receivers: Mapping[str, MessageDelivery], text: str) -> Sent:
    calls = WebCalls(check=outbound.check_dial, limit_s=LIMIT_S)
    if isinstance(app, WecomApp):
        return wecom.send(app, calls, list(receivers), text)
    if isinstance(app, DingtalkApp):
        return dingtalk.send(app, calls, list(receivers), text)
    ((subject, row),) = receivers.items()
    return feishu.send(app, calls, subject, text, str(row.pk))


def _tenant_of(app: preferences.ProviderApp) -> str:
    return app.tenant_key if not isinstance(app, WecomApp | DingtalkApp) else app.corp_id


def text_for(row: MessageDelivery) -> str:
    """The message as plain text that every service takes. The time makes equal texts of different messages differ."""
    message = row.message
    foot = f"\n\n{message.date_created:%Y-%m-%d %H:%M:%S} UTC · {preferences.get_str('SITE_URL')}"
    body = _MARKUP.sub(lambda match: _INSTEAD[match[0]], f"{message.subject}\n\n{text_of(message.message)}")
    return shortened(body, MOST_BYTES - len(foot.encode())) + foot
