"""Interface to the encrypted values of secret settings. The vault, in a higher layer, provides the implementation."""

from typing import Final, Protocol

from postern.foundation.provided import Provided
from postern.kernel.secret import Secret


class SettingSecrets(Protocol):
    """Encrypted secrets by the name of their setting."""

    def put(self, name: str, secret: Secret) -> None: ...

    def get(self, name: str) -> Secret | None:
        """The secret, or None when there is none. Raises when the stored secret cannot be decrypted."""

    def drop(self, name: str) -> None: ...


STORE: Final = Provided[SettingSecrets]("the vault for secret settings")
