"""Fixtures of the browser's terminal: the endpoint with a target in memory, and with a real target."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from fakes.control_plane import FakeAsset, FakeControlPlane, FakeSystemUser
from fakes.recording import FakeRecordings
from fakes.target import FakeLink, FakeTargets
from peers.core_services import core_services
from peers.ssh_proxy import World
from peers.sshd import Sshd
from postern.contracts.access import AuthorizeAnswer
from postern.contracts.enums import EndReason, Protocol
from postern.kernel.secret import Secret
from postern.proxies.core.commands import CommandDetector
from postern.proxies.core.control.client import HttpControlPlane
from postern.proxies.core.control.outbox import EventOutbox
from postern.proxies.core.control.patience import PatientControlPlane
from postern.proxies.core.control.registration import obtain_credential
from postern.proxies.core.limits import Limits
from postern.proxies.core.recording import RecordingConfig, RecordingService
from postern.proxies.core.sessions.pictures import SealerPictures
from postern.proxies.core.sessions.recording_header import header_of
from postern.proxies.core.sessions.registry import SessionRegistry
from postern.proxies.core.sessions.services import SessionServices
from postern.proxies.core.settings import ProxyConfig
from postern.proxies.ssh.files.link import SshTarget
from postern.proxies.ssh.limits import SshLimits
from postern.proxies.ssh.target import SshTargets
from postern.proxies.terminal.limits import TerminalLimits
from postern.proxies.terminal.part import TerminalFront
from postern.proxies.terminal.server import StreamServer
from proxies.terminal.file_desk import FileDesk
from proxies.terminal.plant import Plant
from proxies.terminal.stage import Stage


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    limits = Limits(snapshot_s=60)
    async with FakeControlPlane() as plane:
        config = ProxyConfig(
            state_dir=tmp_path / "state", control_url=plane.url,
            name="test", bootstrap_token=Secret(plane.bootstrap_token),
            limits=limits,
        )  # fmt: skip
        config.state_dir.mkdir(mode=0o700)
        outbox = EventOutbox(config.outbox_dir, limits)
        credential = await obtain_credential(config)
        async with HttpControlPlane(plane.url, credential, limits) as http:
            client = PatientControlPlane(http, limits)
            recordings, targets = FakeRecordings(), FakeTargets()
            registry = SessionRegistry(
                SessionServices(events=outbox, open_recorder=recordings.open), limits, recordings
            )
            services = core_services(client, registry, recordings, limits)
            services.connectors.add(Protocol.SSH, targets, FakeLink)
            stream = StreamServer(f"unix:{tmp_path}/stream.sock", services, TerminalLimits())
            await stream.start()
            tasks = [
                asyncio.create_task(outbox.run(client, registry.control_seen)),
                asyncio.create_task(registry.run()),
            ]
            alice = plane.add_user("alice")
            asset = plane.add_asset(FakeAsset("web1", "127.0.0.1", 22, [FakeSystemUser("deploy", "deploy")]))
            yield Stage(tmp_path / "stream.sock", plane, registry, recordings, targets, stream, alice, asset)
            registry.end_all(EndReason.DRAINED)
            await stream.stop()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            outbox.close()


@pytest.fixture
def gbk(stage: Stage) -> Stage:
    """Alice's next session is on a platform with the charset GBK."""
    made = Stage.token

    def token() -> str:
        new_token = made(stage)
        grant = stage.plane.tokens[new_token].grant
        assert grant is not None
        stage.plane.tokens[new_token] = AuthorizeAnswer(grant=msgspec.structs.replace(grant, charset="gbk"))
        return new_token

    stage.token = token  # type: ignore[method-assign]  # for this stage
    return stage


@pytest.fixture
async def plant(tmp_path: Path, sshd: Sshd, control_plane: FakeControlPlane) -> AsyncIterator[Plant]:
    limits = Limits(snapshot_s=60)
    config = ProxyConfig(
        state_dir=tmp_path / "state", control_url=control_plane.url,
        name="test",
        bootstrap_token=Secret(control_plane.bootstrap_token), limits=limits,
    )  # fmt: skip
    config.state_dir.mkdir(mode=0o700)
    outbox = EventOutbox(config.outbox_dir, limits)
    recording = RecordingService(
        RecordingConfig(state_dir=config.state_dir, key_file=tmp_path / "signing_key.pem", reserve_mb=1),
        on_checkpoint=outbox.append,
        on_sealed=lambda event, _path: outbox.append(event),
    )
    await recording.start()
    async with HttpControlPlane(control_plane.url, await obtain_credential(config), limits) as client:
        pictures = SealerPictures(recording.snapshots)
        registry = SessionRegistry(
            SessionServices(
                events=outbox,
                open_recorder=lambda grant, columns, rows, _content=None: recording.journal.open_session(
                    grant.session_id, columns, rows, header_of(grant, columns, rows)
                ),
                new_detector=CommandDetector,
                reviewers=client,
            ),
            limits,
            pictures,
        )
        services = core_services(client, registry, pictures, limits)
        targets = SshTargets(client, services.outbound, limits, SshLimits(), link_type=SshTarget)
        services.connectors.add(Protocol.SSH, targets, SshTarget)
        stream = StreamServer(f"unix:{tmp_path}/stream.sock", services, TerminalLimits())
        await stream.start()
        tasks = [asyncio.create_task(outbox.run(client, registry.control_seen)), asyncio.create_task(registry.run())]
        alice = control_plane.add_user("alice")
        system_user = FakeSystemUser("deploy", sshd.login, private_key=sshd.client_key.read_text())
        asset = control_plane.add_asset(FakeAsset("web1", "127.0.0.1", sshd.port, [system_user]))
        yield Plant(tmp_path / "stream.sock", control_plane, registry, alice, asset)
        registry.end_all(EndReason.DRAINED)
        await stream.stop()
        await recording.stop()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        outbox.close()


@pytest.fixture
async def desk(world: World, tmp_path: Path) -> AsyncIterator[FileDesk]:
    services = world.proxy.services
    stream_path, files_path = tmp_path / "stream.sock", tmp_path / "files.sock"
    front = TerminalFront(f"unix:{stream_path}", f"unix:{files_path}")
    part = await front.part(services)
    await part.start()
    async with FileDesk(world, stream_path, files_path) as made:
        yield made
    services.registry.end_all(EndReason.DRAINED)
    await part.stop()
