"""Interface to the encrypted secrets of providers. The vault, in a higher layer, provides the implementation."""

from typing import Protocol
from uuid import UUID

from postern.kernel.secret import Secret


class SealedSecrets(Protocol):
    """Encrypted secrets by the id of their provider."""

    def put(self, provider_id: UUID, secret: Secret) -> None: ...

    def get(self, provider_id: UUID) -> Secret | None:
        """The secret, or None when there is none. Raises when the stored secret cannot be decrypted."""

    def drop(self, provider_id: UUID) -> None: ...
