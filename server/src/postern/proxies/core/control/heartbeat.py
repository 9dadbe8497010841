"""Heartbeats: they send the state of this proxy, and their answers return open orders and shared settings."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from uuid import UUID

import psutil

import postern
from postern.contracts import PROTOCOL_VERSION
from postern.contracts.terminals import HEARTBEAT_INTERVAL_S, Heartbeat, HeartbeatAnswer, Order, UnknownOrder
from postern.kernel.ids import new_id
from postern.proxies.core.control.announcement import Announcement
from postern.proxies.core.control.outbox import EventOutbox
from postern.proxies.core.control.plane import ControlPlane, ControlRefused, ControlUnavailable
from postern.proxies.core.sessions.registry import SessionRegistry

log = logging.getLogger(__name__)

_RETRY_S: Final = 2.0
_LEAST_INTERVAL_S: Final = 1.0
_UNKNOWN_PROXY: Final = 401


@dataclass(frozen=True, kw_only=True)
class ProxyState:
    """What a heartbeat reports besides the sessions."""

    volume: Path  # the volume on which recordings are stored
    announcement: Callable[[], Announcement] = Announcement
    boot_id: UUID = field(default_factory=new_id)


@dataclass(frozen=True, kw_only=True)
class Measures:
    """The load of this machine. Memory and disk in percent."""

    cpu_load: float
    memory_used: float
    disk_used: float


class HeartbeatSender:
    """Sends a heartbeat at the interval of the settings, and sooner after a failure or a call of `beat_now`."""

    def __init__(
        self,
        plane: ControlPlane,
        registry: SessionRegistry,
        outbox: EventOutbox,
        state: ProxyState,
        *,
        on_orders: Callable[[tuple[Order | UnknownOrder, ...]], None],
        on_answer: Callable[[HeartbeatAnswer], None] = lambda _answer: None,
        on_renewal: Callable[[], None] = lambda: None,
    ) -> None:
        self._plane = plane
        self._registry = registry
        self._outbox = outbox
        self._state = state
        self._on_orders = on_orders
        self._on_answer = on_answer
        self._on_renewal = on_renewal
        self._interval_s: float = HEARTBEAT_INTERVAL_S
        self._measured = Measures(cpu_load=0.0, memory_used=0.0, disk_used=0.0)
        self._now = asyncio.Event()
        self.beating = asyncio.Event()  # set while the control plane answers
        self.unknown = asyncio.Event()  # set when the control plane does not know this proxy

    def beat_now(self) -> None:
        """Send the next heartbeat now."""
        self._now.set()

    async def run(self) -> None:
        """Send heartbeats until cancelled."""
        while True:
            wait_s = self._interval_s if await self.beat() else _RETRY_S
            try:
                async with asyncio.timeout(wait_s):
                    await self._now.wait()
            except TimeoutError:
                continue
            self._now.clear()

    async def beat(self) -> bool:
        """Send one heartbeat. Returns False if it was refused or not answered."""
        try:
            answer = await self._plane.heartbeat(self._heartbeat())
        except ControlUnavailable as error:
            if self.beating.is_set():
                log.warning("the control plane does not answer: %s", error.message)
            self.beating.clear()
            return False
        except ControlRefused as error:
            log.error("the control plane refuses this proxy: %s", error.message)  # noqa: TRY400 - no trace wanted
            self.beating.clear()
            if error.http_status == _UNKNOWN_PROXY:
                self.unknown.set()
            return False
        if not self.beating.is_set():
            log.info("the control plane answers")
        self.beating.set()
        self._registry.control_seen()
        self._interval_s = max(answer.settings.heartbeat_interval_s, _LEAST_INTERVAL_S)
        self._on_answer(answer)
        self._registry.end_over(answer.over)
        if answer.orders or answer.unknown_orders:
            self._on_orders((*answer.orders, *answer.unknown_orders))
        if answer.renew_credential:
            self._on_renewal()
        return True

    def _measure(self) -> Measures:
        """Measure the load; on failure, keep the previous values.

        A measurement fails without a free file descriptor or when a volume is gone. Without the heartbeat, every
        session would end.
        """
        try:
            self._measured = Measures(
                cpu_load=psutil.getloadavg()[0],
                memory_used=psutil.virtual_memory().percent,
                disk_used=psutil.disk_usage(str(self._state.volume)).percent,
            )
        except (OSError, psutil.Error) as error:
            log.warning("cannot measure the load of this machine: %s", error)
        return self._measured

    def _heartbeat(self) -> Heartbeat:
        measures, fronts = self._measure(), self._state.announcement()
        return Heartbeat(
            version=postern.__version__,
            protocol_version=PROTOCOL_VERSION,
            sessions=self._registry.ids(),
            cpu_load=measures.cpu_load,
            memory_used=measures.memory_used,
            disk_used=measures.disk_used,
            connections=fronts.connections,
            boot_id=self._state.boot_id,
            stream_address=fronts.stream_address,
            ssh_port=fronts.ssh_port,
            files_address=fronts.files_address,
            unsent_events=self._outbox.unsent,
            unreported=self._outbox.unreported(),
            draining=self._registry.draining,
        )
