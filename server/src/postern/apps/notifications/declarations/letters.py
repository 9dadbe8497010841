"""Mails with a set-password link. The link is added when the mail is sent: see `link_letters`."""

from dataclasses import dataclass
from typing import Final

from django.utils.html import linebreaks
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from postern.apps.notifications.declarations.categories import SECURITY
from postern.apps.notifications.declarations.declaration import Audience, MessageText, MessageType, Written, one_line
from postern.apps.preferences import facade as preferences

_LINK: Final = MessageType("SetPasswordLinkMessage", gettext_lazy("Link to set a password"), *SECURITY, Audience.MAIL)
_CUSTOM: Final = (
    "EMAIL_CUSTOM_USER_CREATED_SUBJECT",
    "EMAIL_CUSTOM_USER_CREATED_HONORIFIC",
    "EMAIL_CUSTOM_USER_CREATED_BODY",
    "EMAIL_CUSTOM_USER_CREATED_SIGNATURE",
)


@dataclass(frozen=True, slots=True)
class LinkOwner:
    """The user who gets the link."""

    name: str
    username: str


def _welcome(facts: LinkOwner) -> Written:
    """The texts of the settings are plain text."""
    texts = preferences.get_many(*_CUSTOM)
    subject, honorific, body, signature = (str(texts[name] or "").strip() for name in _CUSTOM)
    return _letter(
        subject or _("Your account was created"),
        honorific or _greeting(facts),
        body or _("an account was created for you."),
        _username(facts),
        signature,
    )


def _reset(facts: LinkOwner) -> Written:
    return _letter(
        _("Set a new password"),
        _greeting(facts),
        _("an administrator has reset your password. Your former password does not work any more."),
        _username(facts),
    )


def _forgotten(facts: LinkOwner) -> Written:
    return _letter(
        _("Choose a new password"),
        _greeting(facts),
        _("somebody asked for a new password for your account. Your password stays valid until you choose another."),
        _("If it was not you, do nothing, and tell an administrator if you get more of these mails."),
        _username(facts),
    )


def _greeting(facts: LinkOwner) -> str:
    return _("Hello %(name)s,") % {"name": one_line(facts.name)}


def _username(facts: LinkOwner) -> str:
    return _("Your username: %(username)s") % {"username": one_line(facts.username)}


def _letter(subject: str, *parts: str) -> Written:
    return Written(one_line(subject), "".join(linebreaks(part, autoescape=True) for part in parts if part))


_OWNER: Final = LinkOwner("Li Na", "li")
ACCOUNT_CREATED: Final = MessageText(_LINK, _welcome, (_OWNER,))
PASSWORD_RESET: Final = MessageText(_LINK, _reset, (_OWNER,))
PASSWORD_FORGOTTEN: Final = MessageText(_LINK, _forgotten, (_OWNER,))

TEXTS: Final = (ACCOUNT_CREATED, PASSWORD_RESET, PASSWORD_FORGOTTEN)
