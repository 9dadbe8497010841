"""Refusals of writes of providers."""

from django.utils.translation import gettext as _

from postern.kernel.errors import PosternError


class ProviderRefused(PosternError):
    """A value that cannot be stored; the response is a field error."""

    code = "invalid"

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.fields: dict[str, list[str]] = {field: [message]}


class SecretWanted(ProviderRefused):
    """The stored secret belongs to another issuer or client."""

    def __init__(self) -> None:
        super().__init__(
            "client_secret",
            _(
                "Enter the secret: the stored one is only sent to the issuer, and for the client ID, that it is stored for."
            ),
        )
