"""Sends due messages by mail. Runs in the worker, which has the key file; the runner of jobs has not."""

import html
import logging
import re
import threading
from typing import Final

import nh3
from django.conf import settings
from django.utils import translation
from django.utils.html import format_html
from django.utils.translation import gettext as _

from postern.apps.notifications import deliveries, link_letters
from postern.apps.notifications.models import MessageDelivery
from postern.apps.preferences import facade as preferences
from postern.foundation.network import outbound
from postern.integrations.mail_server.client import send
from postern.integrations.mail_server.failures import MailFailed
from postern.integrations.mail_server.letter import Correspondent, Letter
from postern.kernel.clock import monotonic_s
from postern.kernel.secret import Secret

log = logging.getLogger(__name__)

#: For one message, from the lookup of the name to the last answer.
LIMIT_S: Final = 30.0
#: One run ends after this time or this number of messages, so that it occupies a thread of the worker not for long.
_RUN_S: Final = 45.0
_MOST: Final = 100
#: One run at a time in a process: while the mail server hangs, runs would occupy all threads of the worker.
_TURN: Final = threading.Lock()

_ENDS_OF_LINES: Final = re.compile(r"<br ?/?>|</(?:p|li|tr|ul|ol|table)>")


def send_due() -> int:
    """Send the messages that are due; returns how many the mail server has accepted."""
    if not _TURN.acquire(blocking=False):
        return 0
    try:
        return _send_due()
    finally:
        _TURN.release()


def _send_due() -> int:
    deliveries.fail_late()
    if not preferences.is_mail_configured():
        return 0
    sent, until_s = 0, monotonic_s() + _RUN_S
    account: preferences.MailAccount | None = None
    for _number in range(_MOST):
        row = deliveries.claim() if monotonic_s() < until_s else None
        if row is None:
            break
        address = row.user.email
        token, reason = link_letters.token_of(row)
        reason = deliveries.not_sent(row) or reason
        if reason is not None:
            deliveries.refused(row, address, reason, is_final=True)
            continue
        account = account or preferences.mail_account()
        if account is None:
            break
        try:
            send(account.server, letter_of(row, account, token), check=outbound.check_mail_server, limit_s=LIMIT_S)
        except MailFailed as error:
            reason = link_letters.without_token(error.sentence, token)
            deliveries.refused(row, address, reason, is_final=error.is_final)
            if not error.is_about_message:
                log.warning("mail is not sent: %s", error.sentence.code)
                deliveries.rest(reason)
                break
        else:
            deliveries.accepted(row, address)
            sent += 1
    return sent


def letter_of(row: MessageDelivery, account: preferences.MailAccount, token: Secret | None = None) -> Letter:
    """The message as a letter, in the language in which it was written for its user, with the link of the token."""
    message, user = row.message, row.user
    with translation.override(user.language or settings.LANGUAGE_CODE):
        site = preferences.get_str("SITE_URL")
        footer = _("Sent by Postern")
        body = message.message + (link_letters.paragraph_of(token, row) if token is not None else "")
        text = f"{text_of(body)}\n\n-- \n{footer}: {site}\n"
        head = format_html(
            '<!DOCTYPE html><html lang="{}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            '<title>{}</title></head><body style="overflow-wrap:anywhere">',
            translation.get_language(),
            message.subject,
        )
        foot = format_html('<hr><p>{}: <a href="{}">{}</a></p></body></html>', footer, site, site)
    return Letter(
        sender=account.sender,
        recipient=Correspondent(user.email, user.name),
        subject=account.subject(message.subject),
        text=text,
        html=f"{head}{body}{foot}",  # the message was sanitised before it was stored
        message_id=row.mail_id,
        date=message.date_created,
    )


def text_of(sanitised: str) -> str:
    """The text of sanitised HTML, a paragraph in a line."""
    lines = html.unescape(nh3.clean(_ENDS_OF_LINES.sub("\n", sanitised), tags=set())).splitlines()
    return "\n".join(line.strip() for line in lines).strip()
