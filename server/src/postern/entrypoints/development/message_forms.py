"""Every form of a message, made by the functions that make it for its receivers. Nothing is stored or sent."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.utils import translation

from postern.apps.forwarding.webhooks import payloads
from postern.apps.notifications import actions, company_messages, mailing
from postern.apps.notifications.declarations.declaration import Audience, Notice
from postern.apps.notifications.models import DeliveryChannel, MessageDelivery
from postern.apps.preferences import facade as preferences
from postern.apps.users.models import User
from postern.integrations.mail_server.letter import Correspondent
from postern.integrations.mail_server.server import Encryption, MailServer
from postern.kernel.ids import new_id
from postern.kernel.secret import Secret

LANGUAGES: Final = tuple(code for code, _name in settings.LANGUAGES)
_TOKEN: Final = Secret("an-example-of-a-token")
_LINK_LASTS: Final = timedelta(hours=24)
_SERVER: Final = MailServer(host="mail.example.com", port=587, encryption=Encryption.STARTTLS)


@dataclass(frozen=True, slots=True)
class SiteForm:
    """The message in the console."""

    subject: str
    html: str


@dataclass(frozen=True, slots=True)
class MailForm:
    """The message as a letter."""

    subject: str
    html: str
    text: str


@dataclass(frozen=True, slots=True)
class MessageForms:
    """A message in one language. A form is None if messages of this type never have it."""

    site: SiteForm | None
    mail: MailForm
    chat: str | None
    webhook: str | None


def forms_of(notice: Notice, language: str) -> MessageForms:
    """The forms of a message in this language."""
    audience = notice.message_type.audience
    with translation.override(language):
        message = actions.system_message(notice, "")
        posted = actions.posted_message(notice)
    user = User(username="li", name="Li Na", email="li@example.com", language=language)
    row = MessageDelivery(
        message=message,
        user=user,
        channel=DeliveryChannel.EMAIL,
        mail_id=f"{new_id()}@example.com",
        date_created=message.date_created,
        give_up_at=message.date_created + _LINK_LASTS,
    )
    is_link = audience is Audience.MAIL
    letter = mailing.letter_of(row, _account(), _TOKEN if is_link else None)
    return MessageForms(
        site=None if is_link else SiteForm(message.subject, message.message),
        mail=MailForm(letter.subject, letter.html, letter.text),
        chat=None if is_link else company_messages.text_for(row),
        webhook=payloads.of_message(posted)[1] if audience is Audience.SUBSCRIBERS else None,
    )


def _account() -> preferences.MailAccount:
    """An example account, because the real one need not exist. The prefix of subjects is that of the settings."""
    prefix = preferences.get_str("EMAIL_SUBJECT_PREFIX")
    return preferences.MailAccount(_SERVER, Correspondent("postern@example.com", "Postern"), prefix)
