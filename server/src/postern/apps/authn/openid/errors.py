"""Refusals of writes of providers."""

from django.utils.translation import gettext as _

from postern.apps.authn.federation.errors import ProviderRefused


class SecretRequired(ProviderRefused):
    """The stored secret belongs to another issuer or client."""

    def __init__(self) -> None:
        super().__init__(
            "client_secret",
            _(
                "Enter the secret: the stored one is only sent to the issuer, and for the client ID, that it is stored for."
            ),
        )
