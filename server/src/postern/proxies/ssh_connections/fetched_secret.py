"""`FetchedSignIn`: a sign-in whose secret is fetched once, when the server asks for it, and dropped after its use."""

import logging
from abc import abstractmethod

import asyncssh

from postern.contracts.access import Credential
from postern.kernel.secret import Secret
from postern.proxies.core.targets.ports import TargetFailed
from postern.proxies.ssh_connections.sign_in import SignIn

log = logging.getLogger(__name__)


class FetchedSignIn(SignIn):
    """Subclasses name the server and fetch its secret."""

    def __init__(self, subject: str) -> None:
        """`subject` names the sign-in in the log."""
        super().__init__()
        self._subject = subject
        self._has_fetched = False
        self._private_key = Secret("")
        self._password: Secret | None = None

    @abstractmethod
    async def fetch(self) -> Credential:
        """Return the secret. Raises `TargetFailed`, which ends the sign-in."""

    async def private_key(self) -> asyncssh.SSHKey | None:
        await self._fetch_once()
        if not self._private_key:
            return None
        try:
            return asyncssh.import_private_key(self._private_key.reveal())
        except (asyncssh.KeyImportError, asyncssh.KeyEncryptionError):
            log.warning("%s: the stored private key cannot be read", self._subject)
            return None
        finally:
            self._private_key = Secret("")

    async def password(self) -> str | None:
        await self._fetch_once()
        return self._password.reveal() if self._password else None

    @property
    def known_password(self) -> Secret:
        """The password if it was fetched, else an empty one."""
        return self._password or Secret("")

    async def _fetch_once(self) -> None:
        if self._has_fetched:
            return
        self._has_fetched = True
        try:
            credential = await self.fetch()
        except TargetFailed as failure:
            self.failure = failure
            raise
        self._private_key = Secret(credential.private_key)
        self._password = Secret(credential.password) if credential.password else None

    def forget(self) -> None:
        """Drop the secrets."""
        self._private_key = Secret("")
        self._password = None
