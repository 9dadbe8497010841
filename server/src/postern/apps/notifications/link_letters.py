"""Mails with a set-password link.

A link is a secret. The message holds none: the token is encrypted at the place of its delivery, is read when the letter
is sent, and is deleted when the delivery ends. So no list, log or audit record contains it.
"""

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.utils import translation
from django.utils.html import format_html
from django.utils.translation import gettext_lazy, ngettext

from postern.apps.audits import facade as audits
from postern.apps.notifications import deliveries, link_tokens
from postern.apps.notifications.actions import system_message
from postern.apps.notifications.declarations import letters
from postern.apps.notifications.declarations.catalogue import SET_PASSWORD_LINK
from postern.apps.notifications.models import MessageDelivery
from postern.apps.preferences import facade as preferences
from postern.apps.users import facade as users
from postern.apps.users.models import User
from postern.foundation.caller.actor import Actor
from postern.foundation.phrases import Phrase
from postern.kernel.ids import ROOT_ORG_ID
from postern.kernel.secret import Secret
from postern.kernel.sentences import Sentence

_LINK_OVER: Final = Phrase(
    "delivery.link_over",
    gettext_lazy("The link was used, replaced, or is no longer valid. Reset the password of the user again."),
)
_ADDRESS_CHANGED: Final = Phrase(
    "delivery.address_changed",
    gettext_lazy(
        "The mail address of the user was changed after the link was made. Reset the password of the user again."
    ),
)
_ANSWER_HIDDEN: Final = Phrase(
    "delivery.answer_hidden",
    gettext_lazy("The mail server refused the message. Its answer is not shown, because it contains the link."),
)
#: The text by the reason of a link.
_TEXTS: Final = {
    users.LinkReason.CREATED: letters.ACCOUNT_CREATED,
    users.LinkReason.RESET: letters.PASSWORD_RESET,
    users.LinkReason.FORGOTTEN: letters.PASSWORD_FORGOTTEN,
}


@transaction.atomic
def queue(actor: Actor, user: User, link: users.IssuedLink, reason: users.LinkReason) -> bool:
    """Queue the mail with this link, in the language of its user. False when no mail can be sent to them.

    The mail is tried until the link ends.
    """
    if not user.email or not preferences.is_mail_configured():
        return False
    with translation.override(user.language or settings.LANGUAGE_CODE):
        notice = _TEXTS[reason].about(letters.LinkOwner(name=user.name, username=user.username))
        message = system_message(notice, "", lambda: [str(user)])
    message.sender_id, message.sender_display = actor.user_id, actor.label[:260]
    message.save(force_insert=True)
    (row,) = deliveries.enqueue(message, [user.pk], give_up_at=link.expires_at)
    link_tokens.put(row.pk, link.token)
    audits.record(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event=audits.Event.SET_PASSWORD_LINK_MAILED,
        action="create",
        object_type="MessageDelivery",
        object_id=str(row.pk),
        object_name=message.subject,
        new={"user": str(user), "address": row.address},
    )
    return True


def token_of(row: MessageDelivery) -> tuple[Secret | None, Sentence | None]:
    """The token of a mail with a link, or why the mail is not sent any more. Both are None for other messages."""
    if row.message.message_type != SET_PASSWORD_LINK.name:
        return None, None
    if row.user.email != row.address:
        return None, _ADDRESS_CHANGED.say()
    token = link_tokens.get(row.pk)
    if token is None or not users.read_link(token.reveal())[1]:
        return None, _LINK_OVER.say()
    return token, None


def paragraph_of(token: Secret, row: MessageDelivery) -> str:
    """The HTML of the link, in the active language. In the fragment, so that no server log contains the token."""
    url = f"{preferences.get_str('SITE_URL').rstrip('/')}/ui/set-password#{token.reveal()}"
    # The delivery ends with its link.
    hours = max(round((row.give_up_at - row.date_created) / timedelta(hours=1)), 1)
    how = ngettext(
        "Choose your password on this page. The link works once, within %(hours)d hour:",
        "Choose your password on this page. The link works once, within %(hours)d hours:",
        hours,
    ) % {"hours": hours}
    return str(format_html('<p>{}</p><p><a href="{}">{}</a></p>', how, url, url))


def without_token(reason: Sentence, token: Secret | None) -> Sentence:
    """The reason, without the answer of a mail server that repeats the link."""
    return _ANSWER_HIDDEN.say() if token is not None and token.reveal() in reason.text else reason
