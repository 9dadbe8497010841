"""The provider at which a user confirms their identity."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import QuerySet

from postern.apps.authn.credentials.models import LoginSession
from postern.apps.authn.federation.models import FederatedIdentity
from postern.apps.authn.federation.ways import FederatedWay
from postern.apps.authn.openid.queries import PROVIDERS as OPENID
from postern.apps.authn.openid.ways import KIND as OPENID_KIND
from postern.apps.authn.openid.ways import OpenidWay
from postern.apps.authn.saml.queries import PROVIDERS as SAML
from postern.apps.authn.saml.ways import KIND as SAML_KIND
from postern.apps.authn.saml.ways import SamlWay
from postern.apps.users.models import Source, User


@dataclass(frozen=True, slots=True)
class _Protocol:
    """`rows`: the active providers with this issuer. `way`: the `Way` of a provider, for visits."""

    rows: Callable[[str], QuerySet[Any]]
    way: Callable[[Any], FederatedWay[Any]]


_PROTOCOLS: Final = {
    Source.OPENID: _Protocol(lambda issuer: OPENID.active().filter(issuer=issuer), OpenidWay),
    Source.SAML: _Protocol(lambda issuer: SAML.active().filter(idp_entity_id=issuer), SamlWay),
}
#: The kinds of providers at which identity can be confirmed.
KINDS: Final = (OPENID_KIND, SAML_KIND)


def way_of(user: User, login_session: LoginSession) -> FederatedWay[Any] | None:
    """An active provider with an identity of this user: preferably the provider of this sign-in, otherwise the first."""
    protocol = _PROTOCOLS.get(Source(user.source))
    identity = FederatedIdentity.objects.filter(user=user, source=user.source).first() if protocol is not None else None
    if protocol is None or identity is None:
        return None
    ways = [way for way in map(protocol.way, protocol.rows(identity.issuer)) if way.is_on]
    ways.sort(
        key=lambda way: way.backend != login_session.backend
    )  # stable: the others keep the order of the sign-in page
    return ways[0] if ways else None


def crosses_sites(way: FederatedWay[Any]) -> bool:
    """Whether the browser posts the answer of this provider from another site."""
    return isinstance(way, SamlWay)
