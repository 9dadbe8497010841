"""The access plane, put together: recording, control plane, sessions, SSH front, browser endpoint.

Started in the order in which the parts need each other, stopped in the reverse. The proxy serves people as soon as it
has its credential; a control plane that is away later only means that no new session is given.
"""

import asyncio
import logging
import os
import platform
import sys
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import UUID

import uvloop

from postern.contracts.access import SessionGrant
from postern.contracts.events import RecordingSealed
from postern.contracts.recording.streams import STREAMS_VERSION
from postern.contracts.recording.trusted_keys import PRIVATE_KEY
from postern.contracts.terminals import HeartbeatAnswer, Registered
from postern.entrypoints.shutdown import StopBudget, StopSignals, supervised_shutdown_s
from postern.foundation.local_proxy import LOCAL_PROXY_FILE
from postern.foundation.open_files import raise_open_file_limit
from postern.foundation.part_board import SUPERVISOR_PID
from postern.foundation.private_files import private_folder
from postern.foundation.secret_files import read_or_create
from postern.foundation.settings import Settings
from postern.foundation.surroundings import look_around, own_services
from postern.kernel.clock import now
from postern.kernel.dialing import DialPolicy
from postern.kernel.errors import SettingsError
from postern.kernel.ids import new_id, new_token
from postern.kernel.secret import Secret
from postern.proxies.core.commands import CommandDetector
from postern.proxies.core.control.channel import ControlChannel
from postern.proxies.core.control.client import HttpControlPlane
from postern.proxies.core.control.heartbeat import HeartbeatSender, ProxyState
from postern.proxies.core.control.outbox import EventOutbox
from postern.proxies.core.control.patience import PatientControlPlane
from postern.proxies.core.control.registration import CredentialRenewal, obtain_credential
from postern.proxies.core.control.tickets import TicketKeeper
from postern.proxies.core.control.uploader import RecordingUploader
from postern.proxies.core.garbage import settle_garbage_collector
from postern.proxies.core.limits import Limits, within_open_files
from postern.proxies.core.opening.pace import OpeningPace
from postern.proxies.core.recording import Recorder, RecordingConfig, RecordingHeader, RecordingService, SnapshotClient
from postern.proxies.core.sessions.event_ledger import event_bytes
from postern.proxies.core.sessions.registry import SessionRegistry
from postern.proxies.core.sessions.services import SessionServices
from postern.proxies.core.sessions.watching import Picture
from postern.proxies.core.settings import ProxyConfig, split_address
from postern.proxies.core.shared_settings import SharedSettings
from postern.proxies.ssh.fast_transport_trial import fast_path_works
from postern.proxies.ssh.listener import SshListener
from postern.proxies.ssh.services import FrontServices
from postern.proxies.ssh.target import SshTargets
from postern.proxies.terminal.server import StreamServer

log = logging.getLogger(__name__)

_LAST_EVENTS_S: Final = 3.0


def config_from(settings: Settings) -> ProxyConfig:
    """The proxy's own settings on this machine. Raises SettingsError."""
    environ = os.environ
    token = settings.bootstrap_token
    control_url = environ.get("POSTERN_CONTROL_URL", "")
    # Where the control plane has the same data folder, its secret says so, and the proxy need not wait to be accepted.
    local = "" if control_url else read_or_create(settings.secrets_dir / LOCAL_PROXY_FILE, new_token)
    return ProxyConfig(
        state_dir=settings.home / "proxy",
        control_url=control_url or local_control_url(settings),
        ssh_address=str(settings.ssh),
        stream_address=environ.get("POSTERN_STREAM") or f"unix:{settings.run_dir / 'proxy-stream.sock'}",
        name=environ.get("POSTERN_PROXY_NAME") or platform.node() or "proxy",
        bootstrap_token=token or Secret(""),
        local_secret=Secret(local),
        limits=_limits(settings, supervised=SUPERVISOR_PID in environ),
        allow_local_targets=settings.allow_local_targets,
        blocked_networks=settings.blocked_networks,
        language=settings.language,
    )


def _limits(settings: Settings, *, supervised: bool) -> Limits:
    ssh = settings.ssh_limits
    limits = Limits(
        connections_total=ssh.connections,
        connections_unauthenticated=ssh.signing_in,
        connections_per_source=ssh.connections_per_address,
        unauthenticated_per_source=ssh.signing_in_per_address,
        new_connections_per_source_per_s=ssh.new_per_address_per_s,
        keys_per_source_per_s=ssh.keys_per_address_per_s,
    )
    if supervised:
        return replace(limits, drain_s=supervised_shutdown_s(settings))
    return limits if settings.shutdown_s is None else replace(limits, drain_s=float(settings.shutdown_s))


def local_control_url(settings: Settings) -> str:
    """The web part of the same machine."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.http.host, settings.http.host)
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.http.port}"


def _within(open_files: int, config: ProxyConfig) -> ProxyConfig:
    """The same settings, with limits that fit the number of files that this process may hold."""
    limits = within_open_files(config.limits, open_files)
    if limits != config.limits:
        log.warning(
            "the system allows this proxy %d open files: it takes %d connections and %d sessions at once, instead of %d and %d",
            open_files,
            limits.connections_total,
            limits.sessions,
            config.limits.connections_total,
            config.limits.sessions,
        )
    return replace(config, limits=limits)


class SealerPictures:
    """The sealer's snapshots as the registry asks for them."""

    def __init__(self, client: SnapshotClient) -> None:
        self._client = client

    async def picture(self, session_id: UUID, at_least_offset: int) -> Picture:
        snapshot = await self._client.snapshot(session_id, at_least_offset)
        return Picture(columns=snapshot.columns, rows=snapshot.rows, offset=snapshot.offset, data=snapshot.repaint)


def header_of(grant: SessionGrant, columns: int, rows: int) -> RecordingHeader:
    """What the recording says about its session. A size of 0 means that there is no terminal."""
    return RecordingHeader(
        session_id=grant.session_id,
        started_at=now(),
        columns=columns,
        rows=rows,
        user=f"{grant.user.name}({grant.user.username})",
        asset=grant.asset_name,
        system_user=grant.system_user_name,
        login_name=grant.login_name,
        protocol=grant.protocol.value,
        remote_addr=grant.remote_addr,
        org_id=str(grant.org_id),
        charset="gb18030" if grant.charset == "gbk" else "utf-8",
        record_input=grant.recording.record_input,
        streams=0 if columns else STREAMS_VERSION,
    )


def dial_policy_of(settings: Settings, config: ProxyConfig, ssh_port: Callable[[], int]) -> DialPolicy:
    """What this proxy never dials: everything that Postern runs, as far as it is known here (K36)."""
    services = [*own_services(settings), split_address(config.ssh_address)]
    if not config.stream_address.startswith("unix:"):
        services.append(split_address(config.stream_address))
    control = urlsplit(config.control_url)
    services.append((control.hostname or "localhost", control.port or (443 if control.scheme == "https" else 80)))
    return DialPolicy(
        allow_local=config.allow_local_targets,
        blocked_networks=config.blocked_networks,
        # The port that was really taken, when the setting leaves it open.
        look_around=lambda: look_around([*services, ("localhost", ssh_port())]),
    )


async def run(settings: Settings, open_files: int) -> int:
    """Serve until SIGTERM; then drain. Returns an exit status. Raises SettingsError. `open_files`: how many there may be."""
    config = _within(open_files, config_from(settings))
    private_folder(config.state_dir)
    signals = StopSignals(supervised=SUPERVISOR_PID in os.environ)
    signals.listen(asyncio.get_running_loop())
    stopping = signals.stopping

    async with AsyncExitStack() as stack:
        outbox = EventOutbox(config.outbox_dir, config.limits)
        stack.callback(outbox.close)
        uploads: list[RecordingUploader] = []

        def sealed(event: RecordingSealed, _path: Path | None) -> None:
            outbox.tell(event)
            for uploader in uploads:
                uploader.look()

        recording = RecordingService(
            RecordingConfig(
                state_dir=config.state_dir,
                key_file=settings.secrets_dir / PRIVATE_KEY,
                reserve_mb=settings.recording_reserve_mb,
            ),
            on_checkpoint=lambda event: outbox.offer(event, event_bytes(event.chain)),
            on_sealed=sealed,
        )
        await recording.start()
        recording_ends = AsyncExitStack()
        budget = StopBudget()

        async def stop_recording() -> None:
            await recording.stop(budget.left(keep_s=2 * _LAST_EVENTS_S))

        recording_ends.push_async_callback(stop_recording)
        await stack.enter_async_context(recording_ends)

        credential = await _unless(stopping, obtain_credential(config))
        if credential is None:
            return 0
        client = await stack.enter_async_context(HttpControlPlane(config.control_url, credential, config.limits))
        plane = PatientControlPlane(client, config.limits)

        def open_recorder(grant: SessionGrant, columns: int, rows: int) -> Recorder:
            header = header_of(grant, columns, rows)
            return recording.journal.open_session(grant.session_id, columns, rows, header, grant.user.id)

        pictures = SealerPictures(recording.snapshots)
        registry = SessionRegistry(
            SessionServices(
                events=outbox,
                open_recorder=open_recorder,
                new_detector=CommandDetector,
                max_input_bytes=settings.recording_input_mb << 20,
                is_disk_full=recording.journal.is_at_reserve,
            ),
            config.limits,
            pictures,
        )
        shared = SharedSettings(config.language)
        fast = config.fast_transport and await fast_path_works()
        targets = SshTargets(
            plane,
            config.limits,
            dial_policy_of(settings, config, lambda: listener.port),
            fast=fast,
        )
        tickets = TicketKeeper(plane)
        openings = OpeningPace(shared)
        listener = SshListener(
            config,
            FrontServices(
                plane=plane,
                tickets=tickets,
                registry=registry,
                targets=targets,
                settings=shared,
                openings=openings,
                limits=config.limits,
            ),
            fast=fast,
        )
        stream = StreamServer(
            config.stream_address,
            plane=plane,
            registry=registry,
            openings=openings,
            connector=targets,
            pictures=pictures,
            limits=config.limits,
        )
        uploader = RecordingUploader(plane, recording, events_sent=lambda: outbox.flushed(_LAST_EVENTS_S))
        uploads.append(uploader)
        channel = ControlChannel(
            config.control_url,
            credential,
            config.limits,
            carry_out=registry.carry_out,
            on_connected=registry.control_seen,
        )

        boot_id = new_id()
        renewal = CredentialRenewal(config, credential, client, users=(client, channel), boot_id=boot_id)

        def answered(answer: HeartbeatAnswer) -> None:
            shared.take(answer)
            registry.control_seen()

        await listener.start()
        stack.push_async_callback(listener.stop)
        await stream.start()
        stack.push_async_callback(stream.stop)
        heartbeat = HeartbeatSender(
            plane,
            registry,
            outbox,
            ProxyState(
                stream_address=config.stream_address,
                ssh_port=listener.port,
                volume=config.state_dir,
                connections=lambda: listener.admission.connections,
                boot_id=boot_id,
            ),
            on_orders=channel.take,
            on_answer=answered,
            on_renewal=renewal.ask,
        )
        background = [
            asyncio.create_task(work, name=name)
            for name, work in (
                ("events", outbox.run(plane, registry.control_seen)),
                ("heartbeat", heartbeat.run()),
                ("control", channel.run()),
                ("limits", registry.run()),
                ("uploads", uploader.run()),
                ("tickets", tickets.run()),
                ("credential", renewal.run()),
            )
        ]
        settle_garbage_collector()
        unknown = asyncio.create_task(heartbeat.unknown.wait(), name="unknown")
        ended = asyncio.create_task(stopping.wait(), name="stopping")
        done, _ = await asyncio.wait({*background, unknown, ended}, return_when=asyncio.FIRST_COMPLETED)
        status = 0
        if unknown in done:
            # Not accepted any more, revoked, deleted, or the control plane was set up anew: the next start asks which.
            log.warning("the control plane does not take this proxy's credential any more; starting again")
            status = 1
        for task in done & set(background):
            log.error("%s stopped: %r", task.get_name(), task.exception())
            status = 1
        listener.close()
        await registry.drain(config.limits.drain_s, at_once=signals.at_once)
        # What has just ended is sealed, told and sent while the line to the control plane is still there.
        await recording_ends.aclose()
        await outbox.flushed(min(_LAST_EVENTS_S, budget.left()))
        await tickets.reported(min(_LAST_EVENTS_S, budget.left()))
        for task in (*background, unknown, ended):
            task.cancel()
        await asyncio.gather(*background, unknown, ended, return_exceptions=True)
        return status


async def _unless(stopping: asyncio.Event, work: Coroutine[Any, Any, Registered]) -> Registered | None:
    """The result of `work`, or None when the end is asked for first."""
    task, end = asyncio.create_task(work), asyncio.create_task(stopping.wait())
    await asyncio.wait({task, end}, return_when=asyncio.FIRST_COMPLETED)
    end.cancel()
    if task.done():
        return task.result()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return None


def serve(settings: Settings) -> int:
    """Run the proxy in this process."""
    if sys.platform == "win32":
        raise SettingsError("the proxy needs a Unix system")
    open_files = raise_open_file_limit()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(run(settings, open_files))
