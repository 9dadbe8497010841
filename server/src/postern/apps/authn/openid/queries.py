"""Reads of OpenID Connect providers."""

from typing import Final

from postern.apps.authn.federation.queries import StoredProviders
from postern.apps.authn.openid.models import OpenidProvider

PROVIDERS: Final = StoredProviders(OpenidProvider)
