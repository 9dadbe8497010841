"""The SSH front in its own process, composed as in the product (with recording and command detection), but with an
in-memory control plane. Started by `bench/ssh.py`; prints one JSON line when it listens.

    python bench/peers/ssh_gateway.py FOLDER TARGET_PORT TARGET_LOGIN TARGET_KEY PERSON_PUBLIC_KEY JUMP_PORT JUMP_KEY [--stock]

The asset `behind` is the same target, reached through the sshd on JUMP_PORT.
"""

import asyncio
import json
import logging
import os
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "server" / "src"), str(ROOT / "server" / "tests")]

import uvloop  # noqa: E402 - sys.path is extended above

from fakes.control_plane import FakeAsset, FakeControlPlane, FakeGateway, FakeSystemUser  # noqa: E402 - sys.path is extended above
from fakes.recording import FakeRecordings  # noqa: E402 - sys.path is extended above
from peers.core_services import core_services  # noqa: E402 - sys.path is extended above
from postern.contracts.access import SessionGrant  # noqa: E402 - sys.path is extended above
from postern.contracts.enums import Actions, Protocol  # noqa: E402 - sys.path is extended above
from postern.contracts.terminals import ProxySettings  # noqa: E402 - sys.path is extended above
from postern.kernel.secret import Secret  # noqa: E402 - sys.path is extended above
from postern.proxies.core.commands import CommandDetector  # noqa: E402 - sys.path is extended above
from postern.proxies.core.control.client import HttpControlPlane  # noqa: E402 - sys.path is extended above
from postern.proxies.core.control.outbox import EventOutbox  # noqa: E402 - sys.path is extended above
from postern.proxies.core.control.registration import obtain_credential  # noqa: E402 - sys.path is extended above
from postern.proxies.core.garbage import settle_garbage_collector  # noqa: E402 - sys.path is extended above
from postern.proxies.core.limits import Limits  # noqa: E402 - sys.path is extended above
from postern.proxies.core.recording import Recorder, RecordingConfig, RecordingService  # noqa: E402 - sys.path is extended above
from postern.proxies.core.sessions.recording_header import header_of  # noqa: E402 - sys.path is extended above
from postern.proxies.core.sessions.registry import SessionRegistry  # noqa: E402 - sys.path is extended above
from postern.proxies.core.sessions.services import SessionServices  # noqa: E402 - sys.path is extended above
from postern.proxies.core.settings import ProxyConfig  # noqa: E402 - sys.path is extended above
from postern.proxies.ssh.limits import SshLimits  # noqa: E402 - sys.path is extended above
from postern.proxies.ssh.listener import SshListener  # noqa: E402 - sys.path is extended above
from postern.proxies.ssh.settings import SshSettings  # noqa: E402 - sys.path is extended above
from postern.proxies.ssh.target import SshTargets, TargetConnection  # noqa: E402 - sys.path is extended above

LIMITS: Final = Limits()
SSH_LIMITS: Final = SshLimits(
    new_connections_per_source_per_s=1000,
    connections_per_source=2000,
    unauthenticated_per_source=1000,
)


async def serve(folder: Path, port: int, login: str, key: str, person: str, jump: FakeGateway, *, fast: bool) -> None:  # noqa: PLR0917 - the arguments of the command
    async with FakeControlPlane() as world:
        world.add_user("alice", keys=[person])
        accounts = [FakeSystemUser("su", login, private_key=key)]
        rooted = FakeSystemUser("rooted", login, private_key=key, sftp_root=str(folder.parent))
        world.add_asset(FakeAsset("target", "127.0.0.1", port, [*accounts, rooted], actions=Actions.EVERY))
        world.add_asset(FakeAsset("behind", "127.0.0.1", port, accounts, way=[[jump]]))
        config = ProxyConfig(
            state_dir=folder, control_url=world.url, name="bench",
            bootstrap_token=Secret(world.bootstrap_token), limits=LIMITS,
        )  # fmt: skip
        outbox = EventOutbox(config.outbox_dir, LIMITS)
        recording = RecordingService(
            RecordingConfig(
                state_dir=folder,
                key_file=folder / "recording_signing_key.pem",
                reserve_mb=64,
            ),
            on_checkpoint=outbox.tell,
            on_sealed=lambda event, _path: outbox.tell(event),
        )
        await recording.start()

        def open_recorder(grant: SessionGrant, columns: int, rows: int, _content: object = None, /) -> Recorder:
            return recording.journal.open_session(grant.session_id, columns, rows, header_of(grant, columns, rows))

        async with HttpControlPlane(world.url, await obtain_credential(config), LIMITS) as plane:
            registry = SessionRegistry(
                SessionServices(
                    events=outbox,
                    open_recorder=open_recorder,
                    new_detector=CommandDetector,
                ),
                LIMITS,
            )
            services = core_services(plane, registry, FakeRecordings(), LIMITS, fast=fast)
            # The benchmark must not run into the limit on credentials.
            services.settings.current = ProxySettings(credentials_a_minute=100_000)
            targets = SshTargets(plane, services.outbound, LIMITS, SSH_LIMITS, fast=fast)
            services.connectors.add(Protocol.SSH, targets, TargetConnection)
            front = SshSettings(address="127.0.0.1:0", host_key_dir=folder, limits=SSH_LIMITS)
            listener = SshListener(front, services, fast=fast)
            await listener.start()
            tasks = [
                asyncio.create_task(outbox.run(plane, registry.control_seen)),
                asyncio.create_task(registry.run()),
            ]
            settle_garbage_collector()
            sys.stdout.write(json.dumps({"port": listener.port, "pid": os.getpid()}) + "\n")
            sys.stdout.flush()
            await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
            for task in tasks:
                task.cancel()
            await listener.stop()
            await recording.stop(0)


def main() -> None:
    logging.basicConfig(level=logging.ERROR)
    folder, port, login, key, person, jump_port, jump_key = sys.argv[1:8]
    jump = FakeGateway("jump", "127.0.0.1", int(jump_port), login, private_key=Path(jump_key).read_text())
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(
            serve(
                Path(folder), int(port), login, Path(key).read_text(), Path(person).read_text(), jump,
                fast="--stock" not in sys.argv,
            )
        )  # fmt: skip


if __name__ == "__main__":
    main()
