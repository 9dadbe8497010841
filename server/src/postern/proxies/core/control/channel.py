"""The control channel: a websocket to the control plane, over which orders arrive immediately."""

import asyncio
import logging
import secrets
from collections import deque
from collections.abc import Callable
from typing import Final

import aiohttp
import msgspec

from postern.contracts.terminals import (
    CONTROL_CHANNEL,
    Order,
    OrderDone,
    ProxySettings,
    Registered,
    SettingsUpdate,
    UnknownOrder,
)
from postern.proxies.core.control.client import authorization, http_session
from postern.proxies.core.control.received_orders import read_message
from postern.proxies.core.limits import Limits

log = logging.getLogger(__name__)

_FIRST_PAUSE_S: Final = 0.3
_LONGEST_PAUSE_S: Final = 10.0
_PING_S: Final = 15.0
_MAX_ORDER_BYTES: Final = 64 * 1024
_REMEMBERED: Final = 1000


class ControlChannel:
    """Keeps the channel open, carries out each order and reports its result. Also accepts orders from heartbeats."""

    def __init__(
        self,
        url: str,
        credential: Registered,
        limits: Limits,
        *,
        carry_out: Callable[[Order], bool],
        on_connected: Callable[[], None] = lambda: None,
        on_settings: Callable[[ProxySettings], None] = lambda _: None,
    ) -> None:
        self._url = url.rstrip("/") + CONTROL_CHANNEL
        self._headers = authorization(credential)
        self._limits = limits
        self._carry_out = carry_out
        self._on_connected = on_connected
        self._on_settings = on_settings
        self._encoder = msgspec.json.Encoder()
        self._answers: deque[OrderDone] = deque(maxlen=_REMEMBERED)
        self._answer_waiting = asyncio.Event()
        self.connected = asyncio.Event()

    def use(self, credential: Registered) -> None:
        """Use this credential for the next connection."""
        self._headers = authorization(credential)

    def take(self, orders: tuple[Order | UnknownOrder, ...]) -> None:
        """Carry out orders now. The results are sent as soon as the channel is open."""
        for order in orders:
            if isinstance(order, UnknownOrder):
                self._answers.append(OrderDone(order_id=order.order_id, ok=False, detail="unknown order"))
                continue
            try:
                done = OrderDone(order_id=order.order_id, found=self._carry_out(order))
            except Exception as error:  # a failing order must not block the following orders
                log.exception("an order failed: %r", order)
                done = OrderDone(order_id=order.order_id, ok=False, detail=type(error).__name__)
            self._answers.append(done)
        if orders:
            self._answer_waiting.set()

    async def run(self) -> None:
        """Connect, and reconnect with growing pauses, until cancelled."""
        pause_s = _FIRST_PAUSE_S
        while True:
            if await self._one_connection():
                pause_s = _FIRST_PAUSE_S
            # Spread the reconnects of many proxies after a restart of the control plane.
            await asyncio.sleep(pause_s * (0.75 + secrets.randbelow(500) / 1000))
            pause_s = min(_LONGEST_PAUSE_S, pause_s * 2)

    async def _one_connection(self) -> bool:
        """Open the channel and serve it until it closes. Returns whether it was ever open."""
        was_open = False
        try:
            async with (
                http_session(self._limits) as http,
                http.ws_connect(
                    self._url, headers=self._headers, heartbeat=_PING_S, max_msg_size=_MAX_ORDER_BYTES
                ) as socket,
            ):
                was_open = True
                self.connected.set()
                self._on_connected()
                log.info("the control channel is open")
                sender = asyncio.create_task(self._send_answers(socket), name="control channel answers")
                try:
                    await self._receive(socket)
                finally:
                    sender.cancel()
                    await asyncio.gather(sender, return_exceptions=True)
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            if was_open:
                log.warning("the control channel was lost: %s", error)
            else:
                log.debug("the control channel cannot be opened: %s", error)
        finally:
            self.connected.clear()
        return was_open

    async def _receive(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        async for message in socket:
            if message.type in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY):
                received = read_message(message.data)
                if isinstance(received, SettingsUpdate):
                    self._on_settings(received.settings)
                elif received is not None:
                    self.take((received,))

    async def _send_answers(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        while True:
            while self._answers:
                await socket.send_str(self._encoder.encode(self._answers[0]).decode("utf-8"))
                self._answers.popleft()
            self._answer_waiting.clear()
            await self._answer_waiting.wait()
