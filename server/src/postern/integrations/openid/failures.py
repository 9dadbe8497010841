"""Why a provider of OpenID Connect could not be used. Each sentence says what to change."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from postern.foundation.phrases import Phrase
from postern.integrations.web_apis.failures import Fault, WebApiFailed

_NO_METADATA: Final = Phrase(
    "openid.no_metadata",
    _(
        "%(host)s has no OpenID Connect metadata for this issuer (HTTP status %(status)d). Enter the issuer as the provider "
        "shows it, without /.well-known/openid-configuration."
    ),
)
_OTHER_ISSUER: Final = Phrase(
    "openid.other_issuer",
    _(
        "The provider calls itself %(found)s, but the settings name %(wanted)s. The two must be equal, letter for letter, "
        "also in a slash at the end."
    ),
)
_NO_ENDPOINT: Final = Phrase(
    "openid.no_endpoint",
    _(
        "The metadata of the provider have no usable %(name)s. Postern needs the authorization code flow of the provider."
    ),
)
_NO_KEYS: Final = Phrase(
    "openid.no_keys",
    _(
        "The provider has no key that Postern accepts. It must sign with RS256, PS256, ES256 or EdDSA; RSA keys have at "
        "least 2048 bits."
    ),
)
_NO_PKCE: Final = Phrase(
    "openid.no_pkce",
    _("The provider does not support PKCE with S256. Switch it on there, or use a newer version of the provider."),
)
_NO_ALGORITHM: Final = Phrase(
    "openid.no_algorithm",
    _(
        "The provider signs with %(found)s only. Choose RS256, PS256, ES256 or EdDSA for the ID token of this client there."
    ),
)
_CLIENT: Final = Phrase(
    "openid.client_refused",
    _(
        "The provider refuses the client ID or the client secret. Copy both from the page of the client at the provider again."
    ),
)
_REDIRECT: Final = Phrase(
    "openid.redirect_refused",
    _("The provider does not know the redirect address. Register %(address)s for this client at the provider."),
)
_CODE: Final = Phrase(
    "openid.code_refused",
    _(
        "The provider does not accept the code of this sign-in: it was used, has expired, or is not for us. Start again."
    ),
)
_REFUSED: Final = Phrase(
    "openid.refused", _("The provider refused the sign-in with the error %(error)s. Tell an administrator.")
)
_SIGNATURE: Final = Phrase(
    "openid.bad_signature",
    _(
        "The token of the provider is not signed with a key of the provider, so nobody was signed in. Tell an administrator."
    ),
)
_CLAIM: Final = Phrase(
    "openid.bad_claim",
    _("The token of the provider has a wrong or missing %(claim)s, so nobody was signed in. Tell an administrator."),
)
_EXPIRED: Final = Phrase(
    "openid.expired",
    _(
        "The token of the provider has expired already. Start again. If this happens each time, compare the clock of this "
        "machine with the clock of the provider."
    ),
)
_NOT_ASKED: Final = Phrase(
    "openid.not_asked",
    _("The provider did not ask you again who you are, so nothing was confirmed. Tell an administrator."),
)
_AHEAD: Final = Phrase(
    "openid.ahead",
    _(
        "The token of the provider comes from the future. The clock of this machine or of the provider is wrong: set both by "
        "a time server."
    ),
)
_CLOCK: Final = Phrase(
    "openid.clock",
    _(
        "The clock of the provider differs from the clock of this machine by %(seconds)d seconds; more than 60 are too many. "
        "Set both by a time server."
    ),
)
_NO_USERINFO: Final = Phrase(
    "openid.no_userinfo",
    _(
        "The userinfo endpoint of the provider did not return your data (HTTP status %(status)d), so nobody was signed in. "
        "Try again; if it stays so, tell an administrator."
    ),
)
_OTHER_PERSON: Final = Phrase(
    "openid.other_person",
    _(
        "The provider returned data of a person other than the one who signed in, so nobody was signed in. Tell an administrator."
    ),
)
_OTHER_SENDER: Final = Phrase(
    "openid.other_sender",
    _(
        "The answer came from a provider other than the one that was asked, so nobody was signed in. Tell an administrator."
    ),
)


def no_metadata(host: str, status: int) -> WebApiFailed:
    return WebApiFailed(_NO_METADATA.say(host=host, status=status))


def other_issuer(found: str, wanted: str) -> WebApiFailed:
    return WebApiFailed(_OTHER_ISSUER.say(found=found[:300], wanted=wanted))


def no_endpoint(name: str) -> WebApiFailed:
    return WebApiFailed(_NO_ENDPOINT.say(name=name))


def no_keys() -> WebApiFailed:
    return WebApiFailed(_NO_KEYS.say())


def no_pkce() -> WebApiFailed:
    return WebApiFailed(_NO_PKCE.say())


def no_algorithm(found: str) -> WebApiFailed:
    return WebApiFailed(_NO_ALGORITHM.say(found=found[:200]))


def clock_differs(seconds: float) -> WebApiFailed:
    return WebApiFailed(_CLOCK.say(seconds=round(seconds)))


def client_refused() -> WebApiFailed:
    return WebApiFailed(_CLIENT.say(), provider_code="invalid_client")


def token_refused(error: str, redirect_uri: str) -> WebApiFailed:
    """The token endpoint answered with an error (RFC 6749 section 5.2)."""
    if error in {"invalid_client", "unauthorized_client"}:
        return client_refused()
    if error == "redirect_uri_mismatch":
        return WebApiFailed(_REDIRECT.say(address=redirect_uri), provider_code=error)
    if error == "invalid_grant":
        return WebApiFailed(_CODE.say(), fault=Fault.CODE, provider_code=error)
    return refused(error)


def refused(error: str) -> WebApiFailed:
    """The provider refused the sign-in with an error code of OAuth."""
    shown = "".join(char for char in error if char.isascii() and (char.isalnum() or char in "_-."))[:60]
    return WebApiFailed(_REFUSED.say(error=shown or "unknown"), provider_code=shown)


def bad_signature() -> WebApiFailed:
    return WebApiFailed(_SIGNATURE.say())


def bad_claim(claim: str) -> WebApiFailed:
    return WebApiFailed(_CLAIM.say(claim=claim))


def expired() -> WebApiFailed:
    return WebApiFailed(_EXPIRED.say())


def not_asked() -> WebApiFailed:
    """The person was signed in there before, and was not asked again."""
    return WebApiFailed(_NOT_ASKED.say())


def ahead() -> WebApiFailed:
    return WebApiFailed(_AHEAD.say())


def no_userinfo(status: int) -> WebApiFailed:
    return WebApiFailed(_NO_USERINFO.say(status=status))


def other_person() -> WebApiFailed:
    return WebApiFailed(_OTHER_PERSON.say())


def other_sender() -> WebApiFailed:
    return WebApiFailed(_OTHER_SENDER.say())
