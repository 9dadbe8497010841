"""Services that every front uses: recording and reporting, the connection to the control plane, the live sessions."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final
from uuid import UUID

from postern.contracts.access import SessionGrant
from postern.contracts.events import RecordingSealed
from postern.contracts.recording.format import Content
from postern.contracts.recording.trusted_keys import PRIVATE_KEY
from postern.contracts.terminals import HeartbeatAnswer, Registered
from postern.entrypoints.dialing import dial_policy_of
from postern.foundation.settings import Settings
from postern.kernel.ids import new_id
from postern.proxies.core.commands import CommandDetector
from postern.proxies.core.control.channel import ControlChannel
from postern.proxies.core.control.client import HttpControlPlane
from postern.proxies.core.control.heartbeat import HeartbeatSender, ProxyState
from postern.proxies.core.control.outbox import EventOutbox
from postern.proxies.core.control.patience import PatientControlPlane
from postern.proxies.core.control.registration import CredentialRenewal
from postern.proxies.core.control.tickets import TicketKeeper
from postern.proxies.core.control.uploader import RecordingUploader
from postern.proxies.core.control.web_plane import WebPlane
from postern.proxies.core.opening.outbound import Outbound
from postern.proxies.core.opening.pace import OpeningPace
from postern.proxies.core.opening.services import CoreServices
from postern.proxies.core.parts.budget import StopBudget
from postern.proxies.core.parts.part import DrainStage, Part
from postern.proxies.core.parts.running import Running
from postern.proxies.core.recording import Recorder, RecordingConfig, RecordingService
from postern.proxies.core.sessions.event_ledger import event_bytes
from postern.proxies.core.sessions.pictures import SealerPictures
from postern.proxies.core.sessions.recording_header import header_of
from postern.proxies.core.sessions.registry import SessionRegistry
from postern.proxies.core.sessions.services import SessionServices
from postern.proxies.core.settings import ProxyConfig
from postern.proxies.core.shared_settings import SharedSettings
from postern.proxies.core.targets.connectors import Connectors
from postern.proxies.gateways.dialer import Dialer

_LAST_EVENTS_S: Final = 3.0


class Ground:
    """Recording, reporting, and sealing what a killed proxy left behind. Needs no credential."""

    def __init__(self, settings: Settings, config: ProxyConfig, budget: StopBudget) -> None:
        self._budget = budget
        self._has_stopped = False
        self.on_sealed: Callable[[], None] = lambda: None
        self.outbox = EventOutbox(config.outbox_dir, config.limits)
        self.recording = RecordingService(
            RecordingConfig(
                state_dir=config.state_dir,
                key_file=settings.secrets_dir / PRIVATE_KEY,
                reserve_mb=settings.recording_reserve_mb,
            ),
            on_checkpoint=lambda event: self.outbox.offer(event, event_bytes(event.chain)),
            on_sealed=self._sealed,
        )

    def parts(self) -> tuple[Part, ...]:
        return (
            Part(name="outbox", drain=self._flush, stage=DrainStage.REPORTS, stop=self._close),
            Part(
                name="recording",
                start=self.recording.start,
                drain=lambda _budget: self._stop_recording(),
                stage=DrainStage.RECORDINGS,
                stop=self._stop_recording,
            ),
        )

    def _sealed(self, event: RecordingSealed, _path: Path | None) -> None:
        self.outbox.tell(event)
        self.on_sealed()

    async def _stop_recording(self) -> None:
        if not self._has_stopped:
            self._has_stopped = True
            await self.recording.stop(self._budget.left(keep_s=2 * _LAST_EVENTS_S))

    async def _flush(self, budget: StopBudget) -> None:
        await self.outbox.flushed(min(_LAST_EVENTS_S, budget.left()))

    async def _close(self) -> None:
        self.outbox.close()


class Core:
    """Everything that needs the credential."""

    def __init__(
        self, settings: Settings, config: ProxyConfig, ground: Ground, credential: Registered, running: Running
    ) -> None:
        self._config = config
        self._outbox, self._recording = ground.outbox, ground.recording
        self._client = HttpControlPlane(config.control_url, credential, config.limits)
        self._plane = plane = PatientControlPlane(self._client, config.limits)
        web_plane = WebPlane(credential)
        self._shared = SharedSettings(config.language)
        self._tickets = TicketKeeper(plane)
        pictures = SealerPictures(self._recording.snapshots)
        self.registry = SessionRegistry(
            SessionServices(
                events=self._outbox,
                open_recorder=self._open_recorder,
                new_detector=CommandDetector,
                reviewers=plane,
                max_input_bytes=settings.recording_input_mb << 20,
                is_disk_full=self._recording.journal.is_at_reserve,
            ),
            config.limits,
            pictures,
        )
        self.services = CoreServices(
            plane=plane,
            web_plane=web_plane,
            tickets=self._tickets,
            registry=self.registry,
            connectors=Connectors(),
            settings=self._shared,
            openings=OpeningPace(self._shared),
            pictures=pictures,
            outbound=Outbound(
                plane, Dialer(config.limits, dial_policy_of(settings, config.control_url, running.addresses))
            ),
            limits=config.limits,
        )
        self._uploader = RecordingUploader(
            plane, self._recording, events_sent=lambda: self._outbox.flushed(_LAST_EVENTS_S)
        )
        ground.on_sealed = self._uploader.look
        self._channel = ControlChannel(
            config.control_url,
            credential,
            config.limits,
            carry_out=self.registry.carry_out,
            on_connected=self.registry.control_seen,
            on_settings=self._shared.update,
        )
        boot_id = new_id()
        users = (self._client, self._channel, web_plane)
        self._renewal = CredentialRenewal(config, credential, self._client, users=users, boot_id=boot_id)
        self.heartbeat = self._heartbeat(boot_id, running)

    def _open_recorder(
        self, grant: SessionGrant, columns: int, rows: int, content: Content | None = None, /
    ) -> Recorder:
        header = header_of(grant, columns, rows, content)
        return self._recording.journal.open_session(grant.session_id, columns, rows, header, grant.user.id)

    def _heartbeat(self, boot_id: UUID, running: Running) -> HeartbeatSender:
        return HeartbeatSender(
            self._plane,
            self.registry,
            self._outbox,
            ProxyState(volume=self._config.state_dir, announcement=running.announcement, boot_id=boot_id),
            on_orders=self._channel.take,
            on_answer=self._answered,
            on_renewal=self._renewal.ask,
        )

    def _answered(self, answer: HeartbeatAnswer) -> None:
        self._shared.take(answer)
        self.registry.control_seen()

    def parts(self, *, at_once: asyncio.Event) -> Sequence[Part]:
        """The parts of the core. `at_once` ends the wait for live sessions."""
        registry, tickets, limits = self.registry, self._tickets, self._config.limits

        async def drain_sessions(_budget: StopBudget) -> None:
            await registry.drain(limits.drain_s, at_once=at_once)

        async def report_tickets(budget: StopBudget) -> None:
            await tickets.reported(min(_LAST_EVENTS_S, budget.left()))

        return (
            Part(name="control plane", stop=self._client.close),
            Part(name="events", work=lambda: self._outbox.run(self._plane, registry.control_seen)),
            Part(name="sessions", work=registry.run, drain=drain_sessions, stage=DrainStage.SESSIONS),
            Part(name="tickets", work=tickets.run, drain=report_tickets, stage=DrainStage.REPORTS),
            Part(name="uploads", work=self._uploader.run),
            Part(name="control", work=self._channel.run),
            Part(name="credential", work=self._renewal.run),
            Part(name="heartbeat", work=self.heartbeat.run),
        )
