"""Interface to our encrypted keys for providers. The vault, in a higher layer, provides the implementation."""

from typing import Final, Protocol
from uuid import UUID

from postern.foundation.provided import Provided
from postern.kernel.secret import Secret


class SigningKeys(Protocol):
    """Encrypted private keys (PEM) by the id of the provider for which Postern signs."""

    def put(self, provider_id: UUID, key: Secret) -> None: ...

    def get(self, provider_id: UUID) -> Secret | None:
        """The key, or None when there is none. Raises when the stored key cannot be decrypted."""

    def drop(self, provider_id: UUID) -> None: ...


STORE: Final = Provided[SigningKeys]("the vault for keys that sign SAML messages")
