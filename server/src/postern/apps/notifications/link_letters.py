"""Mails with a set-password link.

A link is a secret. The message holds none: the token is encrypted at the place of its delivery, is read when the letter
is sent, and is deleted when the delivery ends. So no list, log or audit record contains it.
"""

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.utils import translation
from django.utils.html import format_html, linebreaks
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from postern.apps.audits import facade as audits
from postern.apps.notifications import deliveries, link_tokens
from postern.apps.notifications.actions import MAX_SUBJECT_CHARS
from postern.apps.notifications.message_types import SET_PASSWORD_LINK
from postern.apps.notifications.models import MessageDelivery, SiteMessage
from postern.apps.notifications.sanitising import clean_html
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
_CUSTOM: Final = (
    "EMAIL_CUSTOM_USER_CREATED_SUBJECT",
    "EMAIL_CUSTOM_USER_CREATED_HONORIFIC",
    "EMAIL_CUSTOM_USER_CREATED_BODY",
    "EMAIL_CUSTOM_USER_CREATED_SIGNATURE",
)


@transaction.atomic
def queue(actor: Actor, user: User, link: users.IssuedLink, reason: users.LinkReason) -> bool:
    """Queue the mail with this link, in the language of its user. False when no mail can be sent to them.

    The mail is tried until the link ends.
    """
    if not user.email or not preferences.is_mail_configured():
        return False
    with translation.override(user.language or settings.LANGUAGE_CODE):
        subject, html = _TEXTS[reason](user)
    message = SiteMessage.objects.create(
        subject=subject[:MAX_SUBJECT_CHARS],
        message=clean_html(html),
        message_type=SET_PASSWORD_LINK.name,
        addressed_to=[str(user)],
        sender_id=actor.user_id,
        sender_display=actor.label[:260],
    )
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


def _welcome(user: User) -> tuple[str, str]:
    """Subject and HTML for a new user. The texts of the settings are plain text."""
    texts = preferences.get_many(*_CUSTOM)
    subject, honorific, body, signature = (str(texts[name] or "").strip() for name in _CUSTOM)
    parts = (
        honorific or _("Hello %(name)s,") % {"name": user.name},
        body or _("an account was created for you."),
        _("Your username: %(username)s") % {"username": user.username},
        signature,
    )
    return subject or _("Your account was created"), _paragraphs(parts)


def _reset(user: User) -> tuple[str, str]:
    parts = (
        _("Hello %(name)s,") % {"name": user.name},
        _("an administrator has reset your password. Your former password does not work any more."),
        _("Your username: %(username)s") % {"username": user.username},
    )
    return _("Set a new password"), _paragraphs(parts)


def _forgotten(user: User) -> tuple[str, str]:
    parts = (
        _("Hello %(name)s,") % {"name": user.name},
        _("somebody asked for a new password for your account. Your password stays valid until you choose another."),
        _("If it was not you, do nothing, and tell an administrator if you get more of these mails."),
        _("Your username: %(username)s") % {"username": user.username},
    )
    return _("Choose a new password"), _paragraphs(parts)


#: Subject and HTML by the reason of a link.
_TEXTS: Final = {
    users.LinkReason.CREATED: _welcome,
    users.LinkReason.RESET: _reset,
    users.LinkReason.FORGOTTEN: _forgotten,
}


def _paragraphs(parts: tuple[str, ...]) -> str:
    return "".join(linebreaks(part, autoescape=True) for part in parts if part)
