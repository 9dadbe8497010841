"""`Dialer`: finds a way to a target and returns an open connection.

Each stage of a route is passed by one of its gateways. If a gateway cannot be passed, the next one of its stage is tried;
if none of them can, another gateway of the stage before. A gateway that was passed without success is not tried again:
the hosts behind it do not depend on the way to it. So the number of tries is bounded, and so is the time.
"""

import asyncio
from collections.abc import Sequence
from typing import Final

import asyncssh

from postern.contracts.access import Target
from postern.contracts.enums import EndReason
from postern.contracts.routes import Gateway, Route
from postern.kernel.dialing import DialPolicy
from postern.kernel.log import printable
from postern.kernel.sentences import Sentence, Value, joined
from postern.proxies.core.limits import Limits
from postern.proxies.core.spoken import ENGLISH
from postern.proxies.core.targets.dialing import dial, refuse_behind_gateway
from postern.proxies.core.targets.ports import Progress, TargetFailed
from postern.proxies.core.targets.routing import Approver
from postern.proxies.core.targets.wires import SocketWire, Wire
from postern.proxies.core.texts import Text
from postern.proxies.gateways.answer_time import AnswerTime
from postern.proxies.gateways.failing import FailingGateways
from postern.proxies.gateways.limits import GatewayLimits
from postern.proxies.gateways.login import GatewayLogin
from postern.proxies.gateways.tunnel import Tunnel
from postern.proxies.gateways.wire import GatewayWire, Passed, TunnelWire, via_names
from postern.proxies.ssh_connections.fast_transport_trial import fast_path_works
from postern.proxies.ssh_connections.sign_in import ServerLink, SshClient

_MAX_DETAIL: Final = 200
#: Failed gateways that the message to the user names. All are in the audit log's detail.
_MAX_TOLD: Final = 4

#: Failures after which another gateway may help.
_NEXT: Final = frozenset((EndReason.UNREACHABLE, EndReason.HOST_KEY_REFUSED))


class Dialer:
    """Implements `core.targets.routing.RouteDialer`."""

    def __init__(
        self, limits: Limits, policy: DialPolicy, gateway_limits: GatewayLimits | None = None, *, fast: bool = True
    ) -> None:
        """`fast` enables the fast data path to gateways, which is tested first."""
        self.limits = gateway_limits or GatewayLimits()
        self.connect_s = limits.connect_s
        self.policy = policy
        self.failing = FailingGateways(self.limits)
        self._fast = fast
        self._client: SshClient | None = None
        self._testing = asyncio.Lock()

    async def dial(
        self, target: Target, route: Route, approver: Approver, *, language: str, progress: Progress
    ) -> Wire:
        """Return an open connection. Raises `TargetFailed`."""
        if not route.stages:
            progress("connecting")
            return SocketWire(await dial(target, self.policy, timeout_s=self.connect_s, language=language))
        return await _Search(self, target, route.stages, approver, language=language, progress=progress).find()

    async def client(self) -> SshClient:
        """Return the client for gateways. The first call tests the fast data path."""
        async with self._testing:
            if self._client is None:
                self._client = SshClient(
                    fast=self._fast and await fast_path_works(),
                    login_timeout_s=0,  # `AnswerTime` limits it
                    keepalive_s=self.limits.keepalive_s,
                    keepalive_count=self.limits.keepalive_count,
                )
            return self._client


class _Search:
    """One search for a way to one target."""

    def __init__(
        self,
        dialer: Dialer,
        target: Target,
        stages: Sequence[Sequence[Gateway]],
        approver: Approver,
        *,
        language: str,
        progress: Progress,
    ) -> None:
        self._dialer = dialer
        self._target = target
        self._stages = stages
        self._approver = approver
        self._language = language
        self._progress = progress
        self._failures: list[TargetFailed] = []
        #: Gateways that were passed, or refused us: another way to them changes nothing.
        self._settled: set[Gateway] = set()

    async def find(self) -> Wire:
        where: dict[str, Value] = {"host": self._target.host, "port": self._target.port}
        if not all(self._stages):
            message = Text.NO_GATEWAY.sentence(self._language, **where)
            raise TargetFailed(EndReason.UNREACHABLE, message, "a stage of the route has no gateway")
        refuse_behind_gateway(self._target, self._dialer.policy, self._language)
        try:
            async with asyncio.timeout(self._dialer.limits.way_s):
                wire = await self._onward(())
        except TimeoutError as error:
            self._failures.append(_unreachable(Text.WAY_TIMEOUT.sentence(self._language, **where), "the way timed out"))
            raise self._failure() from error
        if wire is None:
            raise self._failure()
        return wire

    async def _onward(self, passed: Passed) -> Wire | None:
        """Go on behind the gateways that were passed. Returns None if there is no way from here."""
        if len(passed) == len(self._stages):
            return await self._to_target(passed)
        for gateway in self._dialer.failing.in_order(self._stages[len(passed)]):
            if gateway in self._settled:
                continue
            self._progress("connecting", via_names(passed, gateway))
            link = await self._enter(gateway, passed)
            if link is None:
                continue
            self._settled.add(gateway)
            wire = None
            try:
                wire = await self._onward((*passed, (gateway, link)))
            finally:
                if wire is None:
                    link.abort()
            if wire is not None:
                return wire
        return None

    async def _enter(self, gateway: Gateway, passed: Passed) -> ServerLink | None:
        """Sign in on a gateway. Returns None if that fails."""
        client = await self._dialer.client()
        time = AnswerTime(self._dialer.limits.answer_s)
        login = GatewayLogin(gateway, self._approver, via_names(passed), self._language, time)
        try:
            async with time:
                wire = await self._wire_to(gateway, passed)
                link = await client.connect(
                    wire, login, host=gateway.host, port=gateway.port, login_name=gateway.login_name
                )
        except (TargetFailed, asyncssh.Error, OSError) as error:  # a TimeoutError is an OSError
            failure = self._explain(login.failure or error, gateway, login)
            if failure.reason not in _NEXT:
                raise failure from error
            self._failures.append(failure)
            self._dialer.failing.failed(gateway)
            return None
        finally:
            login.forget()
        self._dialer.failing.answered(gateway)
        return link

    async def _wire_to(self, gateway: Gateway, passed: Passed) -> Wire:
        address = Target(host=gateway.host, port=gateway.port)
        if not passed:
            limit_s = self._dialer.limits.answer_s
            return SocketWire(await dial(address, self._dialer.policy, timeout_s=limit_s, language=self._language))
        refuse_behind_gateway(address, self._dialer.policy, self._language)
        return TunnelWire(await self._tunnel(passed, address))

    async def _to_target(self, passed: Passed) -> Wire | None:
        gateway = passed[-1][0]
        try:
            async with asyncio.timeout(self._dialer.connect_s):
                tunnel = await self._tunnel(passed, self._target)
        except TargetFailed as failure:
            self._failures.append(failure)
        except TimeoutError:
            where: dict[str, Value] = {"host": self._target.host, "port": self._target.port}
            message = Text.GATEWAY_WAITS.sentence(self._language, gateway=gateway.name, **where)
            self._failures.append(_unreachable(message, f"through {gateway.name}: timed out"))
        else:
            return GatewayWire(tunnel, passed, self._language)
        return None

    async def _tunnel(self, passed: Passed, to: Target) -> Tunnel:
        """Let the last gateway connect to `to`. Raises `TargetFailed`."""
        gateway, link = passed[-1]
        try:
            return await Tunnel.open(link, to.host, to.port, goodbye_s=self._dialer.limits.goodbye_s)
        except (asyncssh.Error, OSError) as error:
            if isinstance(error, TimeoutError):
                raise
            detail = printable(str(error))[:_MAX_DETAIL]
            values: dict[str, Value] = {"gateway": gateway.name, "host": to.host, "port": to.port, "detail": detail}
            if link.is_gone:
                text = Text.GATEWAY_LOST
            elif (
                isinstance(error, asyncssh.ChannelOpenError) and error.code == asyncssh.OPEN_ADMINISTRATIVELY_PROHIBITED
            ):
                text = Text.GATEWAY_PROHIBITS
            else:
                text = Text.GATEWAY_CANNOT_REACH
            raise _unreachable(text.sentence(self._language, **values), f"through {gateway.name}: {detail}") from error

    def _explain(self, error: Exception, gateway: Gateway, login: GatewayLogin) -> TargetFailed:
        """Turn any failure to pass a gateway into a message that names it."""
        language = self._language
        where: dict[str, Value] = {"host": gateway.host, "port": gateway.port}
        if isinstance(error, TargetFailed) and error.reason is not EndReason.UNREACHABLE:
            return error  # a refused host key, or the control plane refuses: shown in its own words
        if isinstance(error, TimeoutError):
            message = Text.GATEWAY_SILENT.sentence(language, gateway=gateway.name, **where)
            return _unreachable(message, f"gateway {gateway.name}: timed out")
        if isinstance(error, asyncssh.PermissionDenied) or login.too_many_tries(error):
            self._settled.add(gateway)
            message = Text.GATEWAY_LOGIN_REFUSED.sentence(
                language,
                gateway=gateway.name,
                login=gateway.login_name,
                story=login.walk.story(language, Text.GATEWAY_NONE_FITS),
            )
            story = login.walk.story(ENGLISH, Text.GATEWAY_NONE_FITS).text
            return _unreachable(message, f"gateway {gateway.name} refused the sign-in: {story}")
        if isinstance(error, TargetFailed):
            message, detail = error.sentence, error.detail
        else:
            detail = printable(str(error))[:_MAX_DETAIL]
            message = Text.CONNECT_NOT_SSH.sentence(language, **where, detail=detail)
        message = Text.GATEWAY_FAILED.sentence(language, gateway=gateway.name, message=message)
        return _unreachable(message, f"gateway {gateway.name}: {detail}")

    def _failure(self) -> TargetFailed:
        """Return what became of all tries. A refused host key is the most important."""
        refused = [failure for failure in self._failures if failure.reason is EndReason.HOST_KEY_REFUSED]
        reason = EndReason.HOST_KEY_REFUSED if refused else EndReason.UNREACHABLE
        # Two gateways may fail with the same sentence, which is shown once.
        by_text = {failure.message: failure.sentence for failure in reversed((*refused, *self._failures))}
        messages = [
            by_text[text] for text in dict.fromkeys(failure.message for failure in (*refused, *self._failures))
        ][:_MAX_TOLD]
        detail = "; ".join(dict.fromkeys(failure.detail for failure in self._failures))
        if len(messages) == 1:
            return TargetFailed(reason, messages[0], detail)
        intro = Text.NO_WAY.sentence(self._language, host=self._target.host, port=self._target.port)
        return TargetFailed(reason, joined("\r\n  ", (intro, *messages)), detail)


def _unreachable(message: Sentence, detail: str) -> TargetFailed:
    return TargetFailed(EndReason.UNREACHABLE, message, detail)
