"""Why a provider of SAML could not be used. Each sentence says what to change."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from postern.foundation.phrases import Phrase
from postern.integrations.web_apis.failures import WebApiFailed

_NOT_XML: Final = Phrase(
    "saml.not_xml", _("The provider sent something that is not a SAML document. Start again, or tell an administrator.")
)
_NOT_PLAIN: Final = Phrase(
    "saml.not_plain",
    _(
        "The document of the provider contains a document type, a comment or more than expected, so it was not read. "
        "Tell an administrator."
    ),
)
_NOT_A_RESPONSE: Final = Phrase(
    "saml.not_a_response",
    _("The provider sent another document than a SAML 2.0 response. Choose SAML 2.0 and the POST binding there."),
)
_WRAPPED: Final = Phrase(
    "saml.wrapped",
    _(
        "The signed part of the answer is not where it must be, or there is more than one, so nobody was signed in. "
        "Tell an administrator."
    ),
)
_ENCRYPTED: Final = Phrase(
    "saml.encrypted",
    _(
        "The provider encrypts its assertions, and decrypting them is switched off here. An administrator switches on "
        "Decrypt assertions in the settings, or switches encryption off for Postern at the provider."
    ),
)
_ENCRYPTED_PARTS: Final = Phrase(
    "saml.encrypted_parts",
    _(
        "The provider encrypts the name or attributes of the person alone. Choose encryption of the whole assertion there."
    ),
)
_WEAK_ENCRYPTION: Final = Phrase(
    "saml.weak_encryption",
    _(
        "The provider encrypts with %(found)s, which is not safe or not known. Choose AES-GCM with RSA-OAEP there, or "
        "switch encryption of assertions off; the answer travels over TLS."
    ),
)
_NOT_DECRYPTED: Final = Phrase(
    "saml.not_decrypted",
    _(
        "The assertion of the provider could not be decrypted, so nobody was signed in. Give the provider the metadata of "
        "Postern again: it may use another certificate."
    ),
)
_UNSIGNED: Final = Phrase(
    "saml.unsigned",
    _("The answer of the provider is not signed. Switch on signing of the assertion or the response there."),
)
_SIGNATURE: Final = Phrase(
    "saml.bad_signature",
    _(
        "The answer is not signed with a certificate that is stored for this provider, so nobody was signed in. If the "
        "provider has a new certificate, an administrator must add it in the settings."
    ),
)
_ALGORITHM: Final = Phrase(
    "saml.weak_algorithm",
    _("The provider signs with %(found)s, which is not safe or not known. Choose RSA or ECDSA with SHA-256 there."),
)
_EXPIRED_CERTIFICATES: Final = Phrase(
    "saml.certificates_expired",
    _(
        "No stored certificate of the provider is valid today. An administrator must add the new certificate of the "
        "provider in the settings."
    ),
)
_BAD_CERTIFICATE: Final = Phrase(
    "saml.bad_certificate",
    _("This is not a certificate. Paste it whole, from BEGIN CERTIFICATE to END CERTIFICATE, and no private key."),
)
_CERTIFICATE_COUNT: Final = Phrase(
    "saml.certificate_count", _("Enter at least one certificate of the provider and at most %(most)d.")
)
_WEAK_KEY: Final = Phrase(
    "saml.weak_key",
    _(
        "The key of the certificate %(subject)s is too weak or of an unknown kind. The provider must use RSA with at least "
        "2048 bits, or ECDSA on P-256, P-384 or P-521."
    ),
)
_STATUS: Final = Phrase(
    "saml.status",
    _(
        "The provider refused the sign-in with the status %(status)s. Try again, or ask the administrator of the provider."
    ),
)
_ISSUER: Final = Phrase(
    "saml.other_issuer",
    _(
        "The answer comes from %(found)s, but the settings name %(wanted)s. The entity ID must be equal, letter for letter."
    ),
)
_ADDRESS: Final = Phrase(
    "saml.other_address",
    _("The answer is for the address %(found)s. Register %(wanted)s as assertion consumer service at the provider."),
)
_REQUEST: Final = Phrase(
    "saml.other_request",
    _(
        "The answer does not belong to the sign-in that was started here. Start on the sign-in page of Postern, not at the "
        "provider."
    ),
)
_NO_AUDIENCE: Final = Phrase(
    "saml.no_audience",
    _("The answer does not say for whom it is. Register the entity ID %(wanted)s as audience at the provider."),
)
_AUDIENCE: Final = Phrase(
    "saml.other_audience",
    _("The answer is for %(found)s. Register the entity ID %(wanted)s as audience at the provider."),
)
_VALUE: Final = Phrase(
    "saml.bad_value",
    _("The answer of the provider has a wrong or missing %(name)s, so nobody was signed in. Tell an administrator."),
)
_TRANSIENT: Final = Phrase(
    "saml.transient",
    _(
        "The provider gives the person another name at each sign-in (transient NameID). Choose a persistent NameID there, "
        "or name an attribute that identifies people in the settings."
    ),
)
_EXPIRED: Final = Phrase(
    "saml.expired",
    _(
        "The answer of the provider has expired already. Start again. If this happens each time, compare the clock of this "
        "machine with the clock of the provider."
    ),
)
_NOT_ASKED: Final = Phrase(
    "saml.not_asked",
    _("The provider did not ask you again who you are, so nothing was confirmed. Tell an administrator."),
)
_AHEAD: Final = Phrase(
    "saml.ahead",
    _(
        "The answer of the provider comes from the future. The clock of this machine or of the provider is wrong: set both "
        "by a time server."
    ),
)
_REPLAYED: Final = Phrase(
    "saml.replayed", _("This answer of the provider was used before, so nobody was signed in. Start again.")
)

_NOT_METADATA: Final = Phrase(
    "saml.not_metadata",
    _("This is not the metadata of a SAML 2.0 identity provider. Paste the whole XML file of the provider."),
)
_SEVERAL: Final = Phrase(
    "saml.several_providers",
    _("The metadata describe %(number)d identity providers. Paste the part (EntityDescriptor) of yours."),
)
_NO_REDIRECT: Final = Phrase(
    "saml.no_redirect",
    _(
        "The metadata name no https address for single sign-on by HTTP-Redirect. Switch this binding on at the provider."
    ),
)
_UNSIGNED_MESSAGE: Final = Phrase(
    "saml.unsigned_message",
    _("The logout message of the provider is not signed. Switch on signing of logout messages there."),
)
_NOT_A_LOGOUT: Final = Phrase(
    "saml.not_a_logout", _("The provider sent another document than a SAML 2.0 logout request.")
)


def not_xml() -> WebApiFailed:
    return WebApiFailed(_NOT_XML.say())


def not_plain() -> WebApiFailed:
    return WebApiFailed(_NOT_PLAIN.say())


def not_a_response() -> WebApiFailed:
    return WebApiFailed(_NOT_A_RESPONSE.say())


def wrapped() -> WebApiFailed:
    """The document is built so that something else than the signed element could be read."""
    return WebApiFailed(_WRAPPED.say())


def encrypted() -> WebApiFailed:
    return WebApiFailed(_ENCRYPTED.say())


def encrypted_parts() -> WebApiFailed:
    return WebApiFailed(_ENCRYPTED_PARTS.say())


def weak_encryption(found: str) -> WebApiFailed:
    return WebApiFailed(_WEAK_ENCRYPTION.say(found=_shown(found)))


def not_decrypted() -> WebApiFailed:
    """Every failure to decrypt has this message, so that nobody learns by altering a ciphertext."""
    return WebApiFailed(_NOT_DECRYPTED.say())


def unsigned() -> WebApiFailed:
    return WebApiFailed(_UNSIGNED.say())


def bad_signature() -> WebApiFailed:
    return WebApiFailed(_SIGNATURE.say())


def weak_algorithm(found: str) -> WebApiFailed:
    return WebApiFailed(_ALGORITHM.say(found=_shown(found)))


def certificates_expired() -> WebApiFailed:
    return WebApiFailed(_EXPIRED_CERTIFICATES.say())


def bad_certificate() -> WebApiFailed:
    return WebApiFailed(_BAD_CERTIFICATE.say())


def certificate_count(most: int) -> WebApiFailed:
    return WebApiFailed(_CERTIFICATE_COUNT.say(most=most))


def weak_key(subject: str) -> WebApiFailed:
    return WebApiFailed(_WEAK_KEY.say(subject=_shown(subject)))


def status(found: str) -> WebApiFailed:
    return WebApiFailed(_STATUS.say(status=_shown(found)), provider_code=_shown(found)[:60])


def other_issuer(found: str, wanted: str) -> WebApiFailed:
    return WebApiFailed(_ISSUER.say(found=_shown(found), wanted=wanted))


def other_address(found: str, wanted: str) -> WebApiFailed:
    return WebApiFailed(_ADDRESS.say(found=_shown(found), wanted=wanted))


def other_request() -> WebApiFailed:
    return WebApiFailed(_REQUEST.say())


def no_audience(wanted: str) -> WebApiFailed:
    return WebApiFailed(_NO_AUDIENCE.say(wanted=wanted))


def other_audience(found: str, wanted: str) -> WebApiFailed:
    return WebApiFailed(_AUDIENCE.say(found=_shown(found), wanted=wanted))


def bad_value(name: str) -> WebApiFailed:
    return WebApiFailed(_VALUE.say(name=name))


def transient() -> WebApiFailed:
    return WebApiFailed(_TRANSIENT.say())


def expired() -> WebApiFailed:
    return WebApiFailed(_EXPIRED.say())


def not_asked() -> WebApiFailed:
    """The person was signed in there before, and was not asked again."""
    return WebApiFailed(_NOT_ASKED.say())


def ahead() -> WebApiFailed:
    return WebApiFailed(_AHEAD.say())


def replayed() -> WebApiFailed:
    return WebApiFailed(_REPLAYED.say())


def not_metadata() -> WebApiFailed:
    return WebApiFailed(_NOT_METADATA.say())


def several_providers(number: int) -> WebApiFailed:
    return WebApiFailed(_SEVERAL.say(number=number))


def no_redirect() -> WebApiFailed:
    return WebApiFailed(_NO_REDIRECT.say())


def unsigned_message() -> WebApiFailed:
    return WebApiFailed(_UNSIGNED_MESSAGE.say())


def not_a_logout() -> WebApiFailed:
    return WebApiFailed(_NOT_A_LOGOUT.say())


def _shown(text: str) -> str:
    """A value of the other side, made safe for a sentence."""
    return "".join(char for char in text if char.isprintable())[:200] or "-"
