"""Signing in on a gateway: its host key is judged first, then its secret is asked for, used and dropped."""

import logging

import asyncssh

from postern.contracts.enums import EndReason, HostKeyVerdict
from postern.contracts.routes import Gateway
from postern.kernel.secret import Secret
from postern.proxies.core.targets.ports import TargetFailed
from postern.proxies.core.targets.routing import Approver
from postern.proxies.core.texts import Text
from postern.proxies.gateways.answer_time import AnswerTime
from postern.proxies.ssh_connections.sign_in import SignIn

log = logging.getLogger(__name__)


class GatewayLogin(SignIn):
    """One sign-in on one gateway. The time in which the approver is asked does not count as the gateway's."""

    def __init__(self, gateway: Gateway, approver: Approver, via: str, language: str, time: AnswerTime) -> None:
        """`via` names the gateways on the way to this one."""
        super().__init__()
        self._gateway = gateway
        self._approver = approver
        self._via = via
        self._language = language
        self._time = time
        self._asked = False
        self._private_key = Secret("")
        self._password: Secret | None = None

    async def approve(self, key: asyncssh.SSHKey) -> None:
        public_key = key.export_public_key("openssh").decode("ascii").strip()
        try:
            with self._time.stopped():
                answer = await self._approver.judge(self._gateway, public_key, self._via)
        except TargetFailed as failure:
            self.failure = failure
            raise
        if answer.verdict is HostKeyVerdict.CHANGED:
            seen = key.get_fingerprint()
            message = Text.GATEWAY_KEY_CHANGED.say(
                self._language, gateway=self._gateway.name, pinned=answer.pinned_fingerprint, seen=seen
            )
            raise self.fail(EndReason.HOST_KEY_REFUSED, message, f"gateway {self._gateway.name} shown: {seen}")

    async def private_key(self) -> asyncssh.SSHKey | None:
        await self._credential()
        if not self._private_key:
            return None
        try:
            return asyncssh.import_private_key(self._private_key.reveal())
        except (asyncssh.KeyImportError, asyncssh.KeyEncryptionError):
            log.warning("the stored private key of the gateway %s cannot be read", self._gateway.id)
            return None
        finally:
            self._private_key = Secret("")

    async def password(self) -> str | None:
        await self._credential()
        return self._password.reveal() if self._password else None

    async def _credential(self) -> None:
        """Fetch the secret once, and only when the gateway asks for it."""
        if self._asked:
            return
        self._asked = True
        try:
            with self._time.stopped():
                credential = await self._approver.credential(self._gateway)
        except TargetFailed as failure:
            self.failure = failure
            raise
        self._private_key = Secret(credential.private_key)
        self._password = Secret(credential.password) if credential.password else None

    def forget(self) -> None:
        """Drop the secrets."""
        self._private_key = Secret("")
        self._password = None
