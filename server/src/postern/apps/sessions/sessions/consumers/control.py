"""The control channel: a websocket that a proxy keeps open to receive orders at once."""

import logging
from typing import Any, ClassVar, Final
from uuid import UUID

import msgspec
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings

from postern.apps.authn.browser_sockets import header
from postern.apps.sessions.sessions.actions import lifecycle, orders
from postern.apps.sessions.terminals import channel, queries
from postern.apps.sessions.terminals.actions import sightings
from postern.apps.sessions.terminals.models import Terminal
from postern.contracts.terminals import Order, OrderDone, SettingsUpdate
from postern.foundation.requests.middleware import client_address
from postern.foundation.rest.rights import Right, Rights
from postern.foundation.sockets.socket_database import in_thread

log = logging.getLogger(__name__)

_MAX_MESSAGE_BYTES: Final = 64 * 1024
_MAX_HEADER_BYTES: Final = 1024
#: Close codes: 4400 unreadable message, 4401 not (or no longer) a registered terminal.
CLOSE_MALFORMED: Final = 4400
CLOSE_UNKNOWN: Final = 4401


def _terminal_of(credential: str, remote_addr: str) -> Terminal | None:
    terminal = queries.terminal_by_credential(credential)
    if terminal is not None and sightings.is_elsewhere(terminal, remote_addr):
        sightings.note(terminal, remote_addr)
    return terminal


class ControlChannel(AsyncWebsocketConsumer):  # type: ignore[misc]  # channels has no types
    """Sends every pending order once per connection. Accepts only `OrderDone`."""

    rights: ClassVar[Rights] = Right.TERMINAL
    messages: ClassVar[tuple[type[msgspec.Struct], ...]] = (OrderDone,)

    terminal_id: UUID

    async def connect(self) -> None:
        terminal = await self._authenticate()
        if terminal is None:
            await self.close(CLOSE_UNKNOWN)
            return
        self.terminal_id = terminal.pk
        self._sent: set[UUID] = set()
        self._decoder = msgspec.json.Decoder(OrderDone)
        self._encoder = msgspec.json.Encoder()
        # Subscribe before reading: an order created in between is then noticed by one of the two.
        await self.channel_layer.group_add(channel.group_of(self.terminal_id), self.channel_name)
        await self.accept()
        await self._send_orders()

    async def disconnect(self, code: int) -> None:
        del code
        if hasattr(self, "terminal_id"):
            await self.channel_layer.group_discard(channel.group_of(self.terminal_id), self.channel_name)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        data = text_data.encode() if text_data is not None else bytes_data or b""
        try:
            if len(data) > _MAX_MESSAGE_BYTES:
                raise msgspec.ValidationError("message too long")
            done = self._decoder.decode(data)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            await self.close(CLOSE_MALFORMED)
            return
        await in_thread(lifecycle.order_done)(terminal_id=self.terminal_id, done=done)
        self._sent.discard(done.order_id)

    async def orders_waiting(self, event: dict[str, Any]) -> None:
        """Channel layer handler: there are new orders."""
        del event
        await self._send_orders()

    async def settings_changed(self, event: dict[str, Any]) -> None:
        """Channel layer handler: the settings that terminals share have changed."""
        del event
        update = SettingsUpdate(settings=await in_thread(queries.proxy_settings)())
        await self.send(text_data=self._encoder.encode(update).decode())

    async def terminal_closed(self, event: dict[str, Any]) -> None:
        """Channel layer handler: this terminal was deleted or is no longer accepted."""
        del event
        await self.close(CLOSE_UNKNOWN)

    async def _send_orders(self) -> None:
        waiting: tuple[Order, ...] = await in_thread(orders.open_orders)(self.terminal_id)
        for order in waiting:
            if order.order_id not in self._sent:
                self._sent.add(order.order_id)
                await self.send(text_data=self._encoder.encode(order).decode())

    async def _authenticate(self) -> Terminal | None:
        for name, value in self.scope["headers"]:
            if name == b"authorization" and len(value) <= _MAX_HEADER_BYTES:
                scheme, _, credential = value.decode("latin-1").partition(" ")
                if scheme.lower() == "terminal":
                    peer = (self.scope.get("client") or ("", 0))[0] or ""
                    forwarded = header(self.scope, b"x-forwarded-for")
                    remote_addr = client_address(peer, forwarded, settings.POSTERN.trusted_proxies)
                    terminal: Terminal | None = await in_thread(_terminal_of)(credential.strip(), remote_addr)
                    return terminal
        return None
