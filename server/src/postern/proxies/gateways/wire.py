"""Connections that gateways carry: to the next gateway, and to the target."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from postern.contracts.routes import Gateway, via_of
from postern.proxies.core.targets.wires import OnLost, Wire
from postern.proxies.core.texts import Text
from postern.proxies.gateways.tunnel import Tunnel
from postern.proxies.ssh_connections.sign_in import ServerLink

ProtocolT = TypeVar("ProtocolT", bound=asyncio.Protocol)
#: The gateways that were passed, from the proxy to the target, each with the connection to it.
Passed = tuple[tuple[Gateway, ServerLink], ...]


def via_names(passed: Passed, *more: Gateway) -> str:
    """Return the names of the gateways that were passed and of those that follow."""
    return via_of((*(gateway.name for gateway, _ in passed), *(gateway.name for gateway in more)))


class TunnelWire(Wire):
    """A connection to the next gateway. Closing it leaves the connections to the gateways before it open."""

    def __init__(self, tunnel: Tunnel) -> None:
        self._tunnel = tunnel

    async def attach(self, factory: Callable[[], ProtocolT]) -> tuple[asyncio.Transport, ProtocolT]:
        return self._tunnel, self._tunnel.start(factory)

    def close(self) -> None:
        self._tunnel.abort()


class GatewayWire(TunnelWire):
    """Closing it closes the connections to all its gateways. A lost gateway is reported before any other reason."""

    def __init__(self, tunnel: Tunnel, passed: Passed, language: str) -> None:
        super().__init__(tunnel)
        self._passed = passed
        self._language = language
        self._lost: tuple[str, str] | None = None
        self._on_lost: list[OnLost] = []
        self.via = via_names(passed)
        tunnel.on_end = self._ended

    def on_lost(self, callback: OnLost) -> None:
        if self._lost is not None:
            callback(*self._lost)
        else:
            self._on_lost.append(callback)

    def _ended(self, error: Exception | None) -> None:
        if not self._tunnel.ended_by_us:
            # The first that is gone took those behind it with it.
            lost = next((gateway for gateway, link in self._passed if link.is_gone), None)
            if lost is not None:
                message = Text.GATEWAY_LOST.say(self._language, gateway=lost.name)
                self._lost = message, f"the gateway {lost.name} was lost: {error or 'it closed the connection'}"
        for _, link in reversed(self._passed):
            link.close()
        callbacks, self._on_lost = self._on_lost, []
        if self._lost is not None:
            for callback in callbacks:
                callback(*self._lost)
