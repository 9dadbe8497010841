"""Signing in on a gateway: its host key is judged first, then its secret is asked for, used and dropped."""

import asyncssh

from postern.contracts.access import Credential
from postern.contracts.enums import EndReason, HostKeyVerdict
from postern.contracts.routes import Gateway
from postern.proxies.core.targets.ports import TargetFailed
from postern.proxies.core.targets.routing import Approver
from postern.proxies.core.texts import Text
from postern.proxies.gateways.answer_time import AnswerTime
from postern.proxies.ssh_connections.fetched_secret import FetchedSignIn


class GatewayLogin(FetchedSignIn):
    """One sign-in on one gateway. The time in which the approver is asked does not count as the gateway's."""

    def __init__(self, gateway: Gateway, approver: Approver, via: str, language: str, time: AnswerTime) -> None:
        """`via` names the gateways on the way to this one."""
        super().__init__(f"the gateway {gateway.id}")
        self._gateway = gateway
        self._approver = approver
        self._via = via
        self._language = language
        self._time = time

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
            message = Text.GATEWAY_KEY_CHANGED.sentence(
                self._language, gateway=self._gateway.name, pinned=answer.pinned_fingerprint, seen=seen
            )
            raise self.fail(EndReason.HOST_KEY_REFUSED, message, f"gateway {self._gateway.name} shown: {seen}")

    async def fetch(self) -> Credential:
        with self._time.stopped():
            return await self._approver.credential(self._gateway)
