"""Doorway to the vault, which lies above this app in the stack: where the secrets of authenticator apps are sealed."""

from typing import Protocol
from uuid import UUID

from postern.kernel.errors import Unavailable
from postern.kernel.secret import Secret


class TotpSecrets(Protocol):
    """Sealed secrets by the id of their `TotpDevice`."""

    def put(self, device_id: UUID, secret: Secret) -> None: ...

    def get(self, device_id: UUID) -> Secret | None:
        """The secret, None when there is none. Raises when what is stored does not open."""

    def drop(self, device_id: UUID) -> None: ...


class _Hook:
    store: TotpSecrets | None = None


def register(store: TotpSecrets) -> None:
    """Called once, by the vault, when the app registry is ready."""
    _Hook.store = store


def store() -> TotpSecrets:
    """The registered store."""
    if _Hook.store is None:
        raise Unavailable("no vault is installed")
    return _Hook.store
