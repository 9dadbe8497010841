"""Doorway to the vault, which lies above this app in the stack: where the secrets of authenticator apps are sealed."""

from typing import Final, Protocol
from uuid import UUID

from postern.foundation.provided import Provided
from postern.kernel.secret import Secret


class TotpSecrets(Protocol):
    """Sealed secrets by the id of their `TotpDevice`."""

    def put(self, device_id: UUID, secret: Secret) -> None: ...

    def get(self, device_id: UUID) -> Secret | None:
        """The secret, None when there is none. Raises when what is stored does not open."""

    def drop(self, device_id: UUID) -> None: ...


STORE: Final = Provided[TotpSecrets]("the vault")


def store() -> TotpSecrets:
    """Where the secrets are."""
    return STORE.value
