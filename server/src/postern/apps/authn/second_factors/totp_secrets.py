"""Interface to the encrypted secrets of authenticator apps.

The vault, in a higher layer, registers the implementation.
"""

from typing import Final, Protocol
from uuid import UUID

from postern.foundation.provided import Provided
from postern.kernel.secret import Secret


class TotpSecrets(Protocol):
    """Encrypted secrets by the id of their `TotpDevice`."""

    def put(self, device_id: UUID, secret: Secret) -> None: ...

    def get(self, device_id: UUID) -> Secret | None:
        """The secret, or None when there is none. Raises when the stored secret cannot be decrypted."""

    def drop(self, device_id: UUID) -> None: ...


STORE: Final = Provided[TotpSecrets]("the vault")


def store() -> TotpSecrets:
    """The registered store of the secrets."""
    return STORE.value
