"""All declared messages. A module of declarations is added here; everything else finds its messages by itself."""

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from postern.apps.notifications.declarations import expiries, letters, operations, personal, security, terminals
from postern.apps.notifications.declarations.declaration import Audience, MessageText, MessageType, Text

#: Messages between users.
FROM_PEOPLE: Final = "SiteMessage"

TEXTS: Final[tuple[MessageText[Any], ...]] = (
    *security.TEXTS,
    *terminals.TEXTS,
    *operations.TEXTS,
    *expiries.TEXTS,
    *personal.TEXTS,
    *letters.TEXTS,
)
_ALL: Final[Mapping[str, MessageType]] = {text.message_type.name: text.message_type for text in TEXTS}

#: The types that people and webhooks subscribe to.
MESSAGE_TYPES: Final[Mapping[str, MessageType]] = {
    name: kind for name, kind in _ALL.items() if kind.audience is Audience.SUBSCRIBERS
}
#: The type of mails with a link.
SET_PASSWORD_LINK: Final = letters.PASSWORD_RESET.message_type


def words_for(name: str) -> str:
    """The label in the language of the request."""
    return str(label_of(name))


def label_of(name: str) -> Text:
    """Label of a message type; the stored name for a type that no longer exists."""
    if name == FROM_PEOPLE:
        return _("Message")
    return _ALL[name].label if name in _ALL else name
