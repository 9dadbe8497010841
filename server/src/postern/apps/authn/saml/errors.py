"""Reasons why a SAML provider cannot be used with its settings."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from postern.foundation.phrases import Phrase
from postern.integrations.web_apis.failures import WebApiFailed

_NO_SUBJECT: Final = Phrase(
    "saml.no_subject",
    _(
        "%(provider)s did not send exactly one value of the attribute %(claim)s, which identifies people. Tell an administrator."
    ),
)
_NO_HTTPS: Final = Phrase(
    "saml.no_https",
    _(
        "The browser posts the answer of the provider to %(address)s, and sends its cookie there only over https. Set up "
        "https, and enter the address in the basic settings."
    ),
)
_NO_KEY: Final = Phrase(
    "saml.no_key", _("The key with which Postern signs is lost. Delete %(provider)s in the settings and add it again.")
)


def no_subject(provider: str, claim: str) -> WebApiFailed:
    return WebApiFailed(_NO_SUBJECT.say(provider=provider, claim=claim))


def no_https(address: str) -> WebApiFailed:
    return WebApiFailed(_NO_HTTPS.say(address=address))


def no_key(provider: str) -> WebApiFailed:
    return WebApiFailed(_NO_KEY.say(provider=provider))
