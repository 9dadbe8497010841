"""The `Way` of an OpenID Connect provider."""

from dataclasses import dataclass
from typing import Final

from django.utils.crypto import salted_hmac

from postern.apps.authn.external.providers import Visit
from postern.apps.authn.federation.signing_in import session_hash
from postern.apps.authn.federation.ways import FederatedWay, person_of
from postern.apps.authn.openid import provider_secrets
from postern.apps.authn.openid.addresses import callback_path
from postern.apps.authn.openid.models import OpenidProvider
from postern.foundation.network import outbound
from postern.integrations.openid import client as openid
from postern.integrations.openid.client import Flow, OpenidClient
from postern.integrations.web_apis.calls import WebCalls
from postern.integrations.web_apis.person import Person

KIND: Final = "openid"
#: The user waits for the provider.
LIMIT_S: Final = 5.0
_MOST_SID_CHARS: Final = 255


def calls() -> WebCalls:
    """A new `WebCalls` for one operation."""
    return WebCalls(check=outbound.check_dial, limit_s=LIMIT_S)


def client_of(row: OpenidProvider) -> OpenidClient:
    """Postern as the client of a stored provider. Reads the secret."""
    secret = provider_secrets.STORE.value.get(row.pk) if row.has_secret else None
    return OpenidClient(row.issuer, row.client_id, secret, row.scopes)


@dataclass(frozen=True, slots=True)
class OpenidWay(FederatedWay[OpenidProvider]):
    """A stored provider. `is_bare`: the browser uses the paths of the contract, without an id."""

    is_bare: bool = False

    @property
    def kind(self) -> str:
        return KIND

    def callback_path(self) -> str:
        return callback_path("" if self.is_bare else self.row.slug)

    def provider(self) -> "_Openid":
        return _Openid(self.row)


@dataclass(frozen=True, slots=True)
class _Openid:
    row: OpenidProvider

    def page(self, visit: Visit, user_agent: str) -> str:
        del user_agent
        return openid.authorize_url(client_of(self.row), calls(), _flow(visit))

    def person(self, visit: Visit, code: str) -> Person:
        claims = openid.claims_of(client_of(self.row), calls(), _flow(visit), code)
        sid = claims.get("sid")
        is_usable = isinstance(sid, str) and len(sid) <= _MOST_SID_CHARS
        session = session_hash(self.row.pk, str(sid)) if is_usable else ""
        return person_of(
            self.row,
            claims,
            tenant=self.row.issuer,
            subject=str(claims["sub"]),
            session=session,
            # An address that the provider has not verified may belong to another person.
            # Some providers send the boolean as text.
            is_mail_believed=str(claims.get("email_verified")).lower() != "false",
        )


def _flow(visit: Visit) -> Flow:
    """The nonce is derived from the state with the key of the installation, so it is stored nowhere."""
    nonce = salted_hmac("postern.openid.nonce", visit.state, algorithm="sha256").hexdigest()
    return Flow(visit.redirect_uri, visit.state, visit.verifier, nonce, visit.came_from, visit.asked_since)
