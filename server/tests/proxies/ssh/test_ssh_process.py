"""The composed proxy process: recordings that survive `kill -9`, draining on SIGTERM, nothing left behind."""

import asyncio
import io
import os
import resource
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from fakes.control_plane import FakeAsset, FakeControlPlane, FakeSystemUser
from peers.ports import free_port
from peers.ssh_proxy import run
from peers.sshd import Sshd, make_key
from peers.terminal import Terminal
from postern.contracts.enums import EndReason, RecordingState
from postern.contracts.events import (
    CommandSeen,
    FileTransferred,
    RecordingSealed,
    SessionEnded,
    SessionStarted,
    TransferBegun,
)
from postern.contracts.recording import Recording, parse_public_key, verify
from postern.proxies.ssh import sftp_packets as sftp
from proxies.ssh.sftp_bytes import packet


@dataclass
class ProxyProcess:
    """`postern proxy` with its own folder."""

    plane: FakeControlPlane
    home: Path
    key: Path
    port: int = field(default_factory=free_port)
    process: asyncio.subprocess.Process | None = None

    async def start(self, *, open_files: int | None = None) -> None:
        """Start the process. `open_files` is its limit of open files."""

        def restrict() -> None:
            if open_files is not None:
                resource.setrlimit(resource.RLIMIT_NOFILE, (open_files, open_files))

        beats = len(self.plane.heartbeats)
        self.process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "postern.entrypoints", "proxy",
            env={
                **os.environ,
                "POSTERN_HOME": str(self.home),
                "POSTERN_SSH": f"127.0.0.1:{self.port}",
                "POSTERN_CONTROL_URL": self.plane.url,
                "POSTERN_BOOTSTRAP_TOKEN": self.plane.bootstrap_token,
                "POSTERN_ALLOW_LOCAL_TARGETS": "yes",
                "POSTERN_RECORDING_RESERVE_MB": "16",
                "POSTERN_SSH_NEW_PER_ADDRESS": "500",
                "POSTERN_SSH_SIGNING_IN_PER_ADDRESS": "500",
            },
            preexec_fn=restrict,
        )  # fmt: skip
        await self.plane.until(lambda: len(self.plane.heartbeats) > beats, 180)

    async def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        await self.process.wait()

    async def stop(self) -> int:
        assert self.process is not None
        if self.process.returncode is None:
            self.process.terminate()
        async with asyncio.timeout(180):
            return await self.process.wait()

    def ssh(self, *command: str, options: tuple[str, ...] = ()) -> list[str]:
        return [
            "ssh", "-F", "none", "-o", f"UserKnownHostsFile={self.home}/known", "-o", "StrictHostKeyChecking=accept-new",
            "-o", "IdentitiesOnly=yes", "-o", "IdentityAgent=none", "-o", "BatchMode=yes", "-o", "LogLevel=ERROR",
            "-i", str(self.key), "-p", str(self.port), *options, "-l", "alice@deploy@web1", "127.0.0.1", *command,
        ]  # fmt: skip

    def public_key(self) -> bytes:
        return parse_public_key((self.home / "secrets" / "recording_signing_key.pub").read_text())


@pytest.fixture
async def proxy_process(control_plane: FakeControlPlane, sshd: Sshd, tmp_path: Path) -> AsyncIterator[ProxyProcess]:
    key = make_key(tmp_path / "person")
    control_plane.add_user("alice", keys=[key.with_suffix(".pub").read_text()])
    user = FakeSystemUser("deploy", sshd.login, private_key=sshd.client_key.read_text())
    control_plane.add_asset(FakeAsset("web1", "127.0.0.1", sshd.port, [user]))
    running = ProxyProcess(control_plane, tmp_path / "home", key)
    await running.start()
    yield running
    await running.stop()


async def recording(running: ProxyProcess, state: RecordingState) -> tuple[Recording, bytes]:
    """Return the recording as the control plane has it, verified, and all its output."""
    sealed = await running.plane.event(RecordingSealed, timeout_s=120)
    assert sealed.state is state
    received = running.plane.recordings
    await running.plane.until(lambda: len(received.get(sealed.session_id, b"")) == sealed.size, 120)
    content = bytes(received[sealed.session_id])
    verdict = verify(io.BytesIO(content), running.public_key())
    assert (verdict.valid, verdict.reason, verdict.state) == (True, "ok", state.value)
    opened = Recording.open(io.BytesIO(content))
    return opened, b"".join(event.data for event in opened.events() if event.kind == ord("o"))


async def test_session_is_recorded_sealed_uploaded_and_its_commands_detected(proxy_process: ProxyProcess) -> None:
    async with Terminal(proxy_process.ssh(options=("-tt",))) as terminal:
        await terminal.expect(r"[#$] ")
        await terminal.type("echo it-works-$((40+2))\n")
        await terminal.expect("it-works-42")
        await terminal.expect(r"[#$] ")
        await terminal.type("exit 5\n")
        assert await terminal.wait() == 5

    ended = await proxy_process.plane.event(SessionEnded)
    assert (ended.reason, ended.exit_status) == (EndReason.TARGET_CLOSED, 5)
    _, output = await recording(proxy_process, RecordingState.SEALED)
    assert terminal.seen in output
    commands = await proxy_process.plane.until(lambda: proxy_process.plane.of(CommandSeen))
    assert commands[0].input == "echo it-works-$((40+2))"
    assert "it-works-42" in commands[0].output


async def test_k30_killed_proxy_loses_no_byte_that_was_shown(proxy_process: ProxyProcess) -> None:
    async with Terminal(proxy_process.ssh(options=("-tt",))) as terminal:
        await terminal.expect(r"[#$] ")
        await terminal.type("for i in $(seq 1 2000); do echo line-$i-of-many; done\n")
        await terminal.expect("line-900-of-many")
        await proxy_process.kill()
        await terminal.wait()
        seen = terminal.seen
    await proxy_process.start()

    _, output = await recording(proxy_process, RecordingState.INCOMPLETE)
    # The client adds its own message about the lost connection. Everything before it came from the target.
    target_output = seen.partition(b"Connection to")[0].partition(b"client_loop")[0].rstrip()
    assert b"line-900-of-many" in target_output
    assert target_output in output
    assert (await run(proxy_process.ssh("echo again"))).out == b"again\n"


@pytest.mark.parametrize("way", ["sftp", "scp"])
async def test_killed_proxy_leaves_the_open_file_in_the_log(
    proxy_process: ProxyProcess, sshd: Sshd, tmp_path: Path, way: str
) -> None:
    pipe = tmp_path / "endless"
    os.mkfifo(pipe)
    command, first = {
        "sftp": (("-s", "sftp"), packet(sftp.INIT, 3) + packet(sftp.OPEN, 1, bytes(pipe), sftp.FLAG_READ, 0)),
        "scp": ((f"scp -t {tmp_path}",), b"C0644 1000 report\n"),
    }[way]
    options = command[:1] if way == "sftp" else ()
    client = await asyncio.create_subprocess_exec(
        *proxy_process.ssh(*command[len(options) :], options=options),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert client.stdin is not None
    assert client.stdout is not None
    if way == "scp":
        assert await client.stdout.readexactly(1) == b"\0"
    client.stdin.write(first)
    begun = await proxy_process.plane.event(TransferBegun)
    at_target = psutil.Process(sshd.pid).children(recursive=True)
    await proxy_process.kill()
    await client.wait()
    await proxy_process.start()

    # Events are sent in order. Once this session's end has arrived, everything that the killed proxy left has arrived.
    await run(proxy_process.ssh("true"))
    await proxy_process.plane.event(SessionEnded)
    # The target's SFTP server waits for a writer of the pipe. The end of its connection does not wake it.
    while psutil.wait_procs(at_target, timeout=0.05)[1]:
        os.close(os.open(pipe, os.O_RDWR | os.O_NONBLOCK))
    assert begun.path == (str(pipe) if way == "sftp" else f"report -> {tmp_path}")
    assert proxy_process.plane.of(FileTransferred) == []


async def test_drain_lets_a_short_session_end_by_itself(proxy_process: ProxyProcess) -> None:
    task = asyncio.create_task(run(proxy_process.ssh("sleep 1; echo whole")))
    await proxy_process.plane.event(SessionStarted)
    status = await proxy_process.stop()
    result = await task

    assert (status, result.status, result.out) == (0, 0, b"whole\n")
    assert proxy_process.plane.of(SessionEnded)[0].reason is EndReason.TARGET_CLOSED


async def test_stop_leaves_no_process_behind(proxy_process: ProxyProcess) -> None:
    assert proxy_process.process is not None
    family = psutil.Process(proxy_process.process.pid).children(recursive=True)
    assert family  # the sealer
    await proxy_process.stop()
    _, alive = psutil.wait_procs(family, timeout=60)
    assert alive == []


async def test_web_plane_restart_drops_no_session(proxy_process: ProxyProcess) -> None:
    async with Terminal(proxy_process.ssh(options=("-tt",))) as terminal:
        await terminal.expect(r"[#$] ")
        await proxy_process.plane.event(SessionStarted)
        await proxy_process.plane.stop()
        await terminal.type("echo alive-$((40+2))\n")
        await terminal.expect("alive-42")
        await proxy_process.plane.start()
        await proxy_process.plane.until(lambda: proxy_process.plane.channels, 120)
        await terminal.type("exit\n")
        assert await terminal.wait() == 0
    assert (await proxy_process.plane.event(SessionEnded)).reason is EndReason.TARGET_CLOSED


async def test_second_signal_ends_sessions_immediately_and_their_recordings_are_complete(
    proxy_process: ProxyProcess,
) -> None:
    async with Terminal(proxy_process.ssh(options=("-tt",))) as terminal:
        await terminal.expect(r"[#$] ")
        await proxy_process.plane.event(SessionStarted)
        assert proxy_process.process is not None
        proxy_process.process.send_signal(signal.SIGTERM)
        await terminal.expect("may go on for 60 seconds")
        proxy_process.process.send_signal(signal.SIGTERM)
        await terminal.expect("shutting down")
        await terminal.wait()
        assert await proxy_process.process.wait() == 0
    assert (await proxy_process.plane.event(SessionEnded)).reason is EndReason.DRAINED
    await recording(proxy_process, RecordingState.SEALED)


async def test_second_signal_does_not_harm(proxy_process: ProxyProcess) -> None:
    assert proxy_process.process is not None
    proxy_process.process.send_signal(signal.SIGTERM)
    proxy_process.process.send_signal(signal.SIGINT)
    assert await proxy_process.stop() == 0
