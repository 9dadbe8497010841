"""The toy protocol's front and connector, for the composition root."""

import asyncio
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Self

from postern.contracts.enums import Protocol
from postern.kernel.errors import SettingsError
from postern.proxies.core.opening.services import CoreServices
from postern.proxies.core.parts.part import Part
from proxies.toy.conversation import Conversation
from proxies.toy.target import MAX_LINE_BYTES, ToyLink, ToyTargets


@dataclass(frozen=True, kw_only=True)
class ToyLimits:
    connections: int = 100

    @property
    def files(self) -> int:
        return self.connections

    def with_share_of_files(self, share: Fraction) -> Self:
        return replace(self, connections=int(self.connections * share))


@dataclass(frozen=True)
class ToyFront:
    """Serves `protocol` on a port of this machine."""

    port: int
    protocol: Protocol = Protocol.MYSQL
    limits: ToyLimits = field(default_factory=ToyLimits)

    def with_share_of_files(self, share: Fraction) -> Self:
        return replace(self, limits=self.limits.with_share_of_files(share))

    async def part(self, services: CoreServices) -> Part:
        services.connectors.add(self.protocol, ToyTargets(services), ToyLink)
        listener = ToyListener(self, services)
        return Part(
            name="toy",
            start=listener.start,
            close=listener.close,
            stop=listener.stop,
            addresses=lambda: (("127.0.0.1", self.port),),
        )


class ToyListener:
    def __init__(self, front: ToyFront, services: CoreServices) -> None:
        self._front = front
        self._services = services
        self._server: asyncio.Server | None = None
        self._conversations: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        try:
            self._server = await asyncio.start_server(self._meet, "127.0.0.1", self._front.port, limit=MAX_LINE_BYTES)
        except OSError as error:
            raise SettingsError(f"cannot listen on port {self._front.port}") from error

    def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._conversations) >= self._front.limits.connections:
            writer.close()
            return
        conversation = Conversation(self._services, self._front.protocol, reader, writer)
        task = asyncio.create_task(conversation.run(), name="toy conversation")
        self._conversations.add(task)
        task.add_done_callback(self._conversations.discard)

    def close(self) -> None:
        if self._server is not None:
            self._server.close()

    async def stop(self) -> None:
        self.close()
        for task in self._conversations:
            task.cancel()
        await asyncio.gather(*self._conversations, return_exceptions=True)
