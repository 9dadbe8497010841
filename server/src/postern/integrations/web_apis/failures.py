"""Why a service of another company gave no usable answer. Each sentence says what to change."""

import ssl
from enum import Enum
from typing import Final

from django.utils.translation import gettext_lazy as _

from postern.foundation.phrases import Phrase
from postern.kernel.errors import PosternError
from postern.kernel.sentences import Sentence

#: X509_V_ERR_… of OpenSSL (ssl.SSLCertVerificationError.verify_code).
_EXPIRED, _WRONG_NAMES, _UNKNOWN_ISSUERS = 10, {62, 64}, {18, 19, 20, 21}

_NAME: Final = Phrase(
    "web_api.name_unknown",
    _("The name %(host)s cannot be resolved. Check the address in the settings and the DNS server."),
)
_ADDRESS: Final = Phrase(
    "web_api.address_invalid", _("%(address)s cannot be used. Enter an address that begins with https://.")
)
_UNENCRYPTED: Final = Phrase(
    "web_api.unencrypted", _("Secrets are not sent to %(host)s without encryption. Enter an address with https://.")
)
_UNREACHABLE: Final = Phrase(
    "web_api.unreachable",
    _("%(host)s cannot be reached. Check the address in the settings, the firewall, and the network of this machine."),
)
_TIMEOUT: Final = Phrase(
    "web_api.timeout", _("%(host)s did not answer within %(seconds)d seconds. Check the firewall, or try again later.")
)
_TLS_EXPIRED: Final = Phrase(
    "web_api.tls_expired", _("The certificate of %(host)s has expired. It must be renewed there.")
)
_TLS_WRONG_NAME: Final = Phrase(
    "web_api.tls_wrong_name",
    _("The certificate of the server is not for %(host)s. Enter the host name that is in the certificate."),
)
_TLS_UNKNOWN_ISSUER: Final = Phrase(
    "web_api.tls_unknown_issuer",
    _(
        "The certificate of %(host)s was issued by an authority that this machine does not trust. Add the certificate of "
        "the authority to the trusted certificates of this machine."
    ),
)
_TLS_FAILED: Final = Phrase("web_api.tls_failed", _("TLS with %(host)s failed. Check the address in the settings."))
_BAD_ANSWER: Final = Phrase(
    "web_api.bad_answer",
    _(
        "What answers at %(host)s is not the expected service (HTTP status %(status)d). Check the address in the settings "
        "and the proxies on the way."
    ),
)
_TOO_LONG: Final = Phrase(
    "web_api.too_long", _("The answer of %(host)s is longer than expected. Check the address in the settings.")
)
_REFUSED: Final = Phrase(
    "web_api.refused",
    _(
        "%(service)s refused the request with code %(code)s. Look the code up in the developer documentation of the service."
    ),
)


class Fault(Enum):
    """What a failure is about, for the code that decides what happens next."""

    #: Connection, settings or rights of the application: an administrator can help.
    SERVICE = "service"
    #: The token of the application is no longer accepted: fetch another token.
    TOKEN = "token"  # noqa: S105 - a word, not a token
    #: The code of this sign-in is not accepted: it was used, has expired, or was made up.
    CODE = "code"


class WebApiFailed(PosternError):
    """The service gave no usable answer. `provider_code`: its own code; empty when it gave none."""

    code = "provider_failed"

    def __init__(self, sentence: Sentence, *, fault: Fault = Fault.SERVICE, provider_code: str = "") -> None:
        super().__init__(sentence)
        self.fault = fault
        self.provider_code = provider_code


def name_unknown(host: str) -> WebApiFailed:
    return WebApiFailed(_NAME.say(host=host))


def not_dialled(reason: PosternError) -> WebApiFailed:
    """The address must not be dialled."""
    return WebApiFailed(reason.sentence)


def address_invalid(address: str) -> WebApiFailed:
    return WebApiFailed(_ADDRESS.say(address=address[:200]))


def unencrypted(host: str) -> WebApiFailed:
    return WebApiFailed(_UNENCRYPTED.say(host=host))


def unreachable(host: str) -> WebApiFailed:
    return WebApiFailed(_UNREACHABLE.say(host=host))


def timeout(host: str, seconds: float) -> WebApiFailed:
    return WebApiFailed(_TIMEOUT.say(host=host, seconds=round(seconds)))


def tls(host: str, error: BaseException | None) -> WebApiFailed:
    """TLS could not be set up."""
    if isinstance(error, ssl.SSLCertVerificationError):
        if error.verify_code == _EXPIRED:
            return WebApiFailed(_TLS_EXPIRED.say(host=host))
        if error.verify_code in _WRONG_NAMES:
            return WebApiFailed(_TLS_WRONG_NAME.say(host=host))
        if error.verify_code in _UNKNOWN_ISSUERS:
            return WebApiFailed(_TLS_UNKNOWN_ISSUER.say(host=host))
    return WebApiFailed(_TLS_FAILED.say(host=host))


def bad_answer(host: str, status: int) -> WebApiFailed:
    """The answer is not what the documentation of the service describes: HTML, a redirect, a missing field."""
    return WebApiFailed(_BAD_ANSWER.say(host=host, status=status))


def too_long(host: str) -> WebApiFailed:
    return WebApiFailed(_TOO_LONG.say(host=host))


def refused(service: Sentence, code: str) -> WebApiFailed:
    """An error code without a sentence of its own."""
    return WebApiFailed(_REFUSED.say(service=service, code=code[:100]), provider_code=code)
