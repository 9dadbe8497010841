"""An SSH proxy without the rest of the proxy process: fake control plane, real sshd, real SSH front."""

import asyncio
import contextlib
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import asyncssh

from fakes.control_plane import FakeAsset, FakeControlPlane, FakeSystemUser, FakeUser
from fakes.recording import FakeRecordings
from peers.core_services import core_services
from peers.sshd import Sshd, make_key
from postern.contracts.enums import Protocol
from postern.kernel.dialing import DialPolicy
from postern.kernel.secret import Secret
from postern.proxies.core.control.client import HttpControlPlane
from postern.proxies.core.control.outbox import EventOutbox
from postern.proxies.core.control.patience import PatientControlPlane
from postern.proxies.core.control.registration import obtain_credential
from postern.proxies.core.limits import Limits
from postern.proxies.core.opening.services import CoreServices
from postern.proxies.core.sessions.detection import NewDetector
from postern.proxies.core.sessions.registry import SessionRegistry
from postern.proxies.core.sessions.services import SessionServices
from postern.proxies.core.settings import ProxyConfig
from postern.proxies.core.shared_settings import SharedSettings
from postern.proxies.gateways.limits import GatewayLimits
from postern.proxies.ssh.files.link import SshTarget
from postern.proxies.ssh.host_key import load_host_keys
from postern.proxies.ssh.limits import SshLimits
from postern.proxies.ssh.listener import SshListener
from postern.proxies.ssh.settings import SshSettings
from postern.proxies.ssh.target import SshTargets


@dataclass
class SshProxy:
    """The running SSH front and the objects that tests inspect."""

    listener: SshListener
    registry: SessionRegistry
    recordings: FakeRecordings
    plane: FakeControlPlane
    outbox: EventOutbox
    config: ProxyConfig
    services: CoreServices
    settings: SharedSettings
    directory: Path
    key: Path
    tasks: list["asyncio.Task[None]"] = field(default_factory=list)

    @property
    def port(self) -> int:
        return self.listener.port

    def options(self, *, key: Path | None = None) -> list[str]:
        """Options for ssh, sftp and scp of OpenSSH that ignore the configuration of the user who runs the tests."""
        return [
            "-F", "none", "-o", "UserKnownHostsFile=" + str(self.directory / "known_hosts"),
            "-o", "StrictHostKeyChecking=accept-new", "-o", "IdentitiesOnly=yes",
            "-o", "IdentityAgent=none", "-o", "BatchMode=yes", "-o", "LogLevel=ERROR",
            "-i", str(key or self.key),
        ]  # fmt: skip

    def ssh(self, login: str, *command: str, options: tuple[str, ...] = ()) -> list[str]:
        return ["ssh", *self.options(), "-p", str(self.port), *options, "-l", login, "127.0.0.1", *command]

    def sftp(self, login: str, *, options: tuple[str, ...] = ()) -> list[str]:
        return ["sftp", *self.options(), "-P", str(self.port), *options, "-o", f"User={login}", "127.0.0.1"]

    def scp(self, login: str, *paths: str, options: tuple[str, ...] = ()) -> list[str]:
        """Paths on the target begin with a colon."""
        where = [f"127.0.0.1{path}" if path.startswith(":") else path for path in paths]
        return ["scp", *self.options(), "-P", str(self.port), "-o", f"User={login}", *options, *where]


@dataclass(frozen=True)
class Ran:
    status: int | None
    out: bytes
    err: bytes


async def run(argv: list[str], *, stdin: bytes | None = None, timeout_s: float = 90) -> Ran:
    """Run a client to its end."""
    process = await asyncio.create_subprocess_exec(
        *argv,
        stdin=asyncio.subprocess.PIPE if stdin is not None else asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "LANG": "C.UTF-8", "LC_TEST": "ü"},
    )
    try:
        async with asyncio.timeout(timeout_s):
            out, err = await process.communicate(stdin)
    except TimeoutError:
        process.kill()
        out, err = await process.communicate()
        raise AssertionError(f"{argv[0]} did not end: {out[-2000:]!r} {err[-2000:]!r}") from None
    return Ran(process.returncode, out, err)


@cache
def _rsa_host_key() -> tuple[str, bytes]:
    """Name and content of an RSA host key as the product makes it. New fronts share it, because a key of their own
    takes 0.1 s of CPU time. Their Ed25519 keys, which clients prefer, differ.
    """
    with tempfile.TemporaryDirectory() as folder:
        load_host_keys(Path(folder))
        (path,) = Path(folder).glob("*rsa*")
        return path.name, path.read_bytes()


def _make_state(folder: Path) -> None:
    """Make the folder of a new front. A front that was started before keeps what it has."""
    if not folder.exists():
        folder.mkdir(mode=0o700)
        name, content = _rsa_host_key()
        (folder / name).write_bytes(content)
        (folder / name).chmod(0o600)


@contextlib.contextmanager
def _own_keys_are_valid() -> Iterator[None]:
    """Within the block, the host keys are read without computing whether they are valid: 0.1 s of CPU time for each
    front, and `_rsa_host_key` has read them with it.
    """
    asyncssh.set_default_skip_rsa_key_validation(True)
    try:
        yield
    finally:
        asyncssh.set_default_skip_rsa_key_validation(False)


@contextlib.asynccontextmanager
async def ssh_proxy(
    plane: FakeControlPlane,
    directory: Path,
    *,
    limits: Limits | None = None,
    ssh_limits: SshLimits | None = None,
    policy: DialPolicy | None = None,
    gateway_limits: GatewayLimits | None = None,
    new_detector: NewDetector | None = None,
    fast: bool = True,
    max_input_bytes: int = 1 << 30,
) -> AsyncIterator[SshProxy]:
    """Start an SSH front. The caller's event loop checks that it leaves nothing behind."""
    limits = limits or Limits()
    await asyncio.to_thread(directory.mkdir, parents=True, exist_ok=True)
    config = ProxyConfig(
        state_dir=directory / "state",
        control_url=plane.url,
        name="test",
        bootstrap_token=Secret(plane.bootstrap_token),
        limits=limits,
    )
    await asyncio.to_thread(_make_state, config.state_dir)
    key = make_key(directory / "person_key")
    outbox = EventOutbox(config.outbox_dir, limits)
    recordings = FakeRecordings()
    credential = await obtain_credential(config)
    async with HttpControlPlane(plane.url, credential, limits) as http:
        client = PatientControlPlane(http, limits)
        registry = SessionRegistry(
            SessionServices(
                events=outbox,
                open_recorder=recordings.open,
                new_detector=new_detector,
                max_input_bytes=max_input_bytes,
                reviewers=client,
            ),
            limits,
            recordings,
        )
        services = core_services(client, registry, recordings, limits, policy, gateway_limits=gateway_limits, fast=fast)
        front = SshSettings(
            address="127.0.0.1:0", host_key_dir=config.state_dir, limits=ssh_limits or SshLimits(), fast_transport=fast
        )
        targets = SshTargets(client, services.outbound, limits, front.limits, link_type=SshTarget, fast=fast)
        services.connectors.add(Protocol.SSH, targets, SshTarget)
        with _own_keys_are_valid():
            listener = SshListener(front, services, fast=fast)
        await listener.start()
        tasks = [
            asyncio.create_task(outbox.run(client, registry.control_seen)),
            asyncio.create_task(registry.run()),
            asyncio.create_task(services.tickets.run()),
        ]
        try:
            yield SshProxy(
                listener,
                registry,
                recordings,
                plane,
                outbox,
                config,
                services,
                services.settings,
                directory,
                key,
                tasks,
            )
        finally:
            await listener.stop()
            await outbox.flushed(2)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            outbox.close()


@dataclass
class World:
    """Alice, an asset on the real sshd, and a system user with the key of the asset."""

    proxy: SshProxy
    plane: FakeControlPlane
    sshd: Sshd
    alice: FakeUser
    asset: FakeAsset
    system_user: FakeSystemUser

    @property
    def login(self) -> str:
        return f"alice@{self.system_user.name}@{self.asset.hostname}"


def make_world(proxy: SshProxy, plane: FakeControlPlane, sshd: Sshd) -> World:
    alice = plane.add_user("alice", keys=[proxy.key.with_suffix(".pub").read_text()])
    system_user = FakeSystemUser("deploy", sshd.login, private_key=sshd.client_key.read_text())
    asset = plane.add_asset(FakeAsset("web1", "127.0.0.1", sshd.port, [system_user], comment="第一台 web"))
    return World(proxy, plane, sshd, alice, asset, system_user)
