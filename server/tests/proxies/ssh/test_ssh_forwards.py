"""Port forwarding to the host itself: the real OpenSSH client, a real sshd, and programs that listen on the host."""

import asyncio
import contextlib
import os
import re
import signal
import struct
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncssh
import pytest

from fakes.control_plane import FakeControlPlane
from peers.ports import free_port
from peers.ssh_proxy import World, make_world, run, ssh_proxy
from peers.sshd import Sshd
from postern.contracts.access import ActionsUntil
from postern.contracts.enums import Actions, EndReason
from postern.contracts.events import ForwardClosed, ForwardOpened, RequestRefused, SessionEnded, SessionStarted
from postern.contracts.terminals import ChangeGrant, ChangeLock, TerminateSession
from postern.kernel.clock import now
from postern.proxies.ssh.limits import SshLimits

#: More than the windows of both legs and the sockets take.
MUCH = 24_000_000


@pytest.fixture(params=[True, False], ids=["fast", "stock"])
def fast(request: pytest.FixtureRequest) -> bool:
    """Everything here must hold with the fast data path and with the library's own."""
    return bool(request.param)


@pytest.fixture
def world(world: World) -> World:
    """The permission includes port forwarding."""
    world.asset.actions = Actions.EVERY
    return world


class Service:
    """A program on the host that sends back what it gets, after a greeting. `held`: it reads nothing until `go`."""

    def __init__(self) -> None:
        self.port = 0
        self.received = 0
        self.connections = 0
        self.go = asyncio.Event()
        self.go.set()
        self.writers: list[asyncio.StreamWriter] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.writers.append(writer)
        with contextlib.suppress(ConnectionError):
            writer.write(b"hello\n")
            while True:
                await self.go.wait()
                data = await reader.read(65536)
                if not data:
                    break
                self.received += len(data)
                writer.write(data)
                await writer.drain()
            writer.write(b"bye\n")
            await writer.drain()
        writer.close()


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    service = Service()
    tcp = await asyncio.start_server(service.serve, "127.0.0.1", 0)
    unix = await asyncio.start_unix_server(service.serve, str(tmp_path / "s"))
    service.port = tcp.sockets[0].getsockname()[1]
    try:
        yield service
    finally:
        for server in (tcp, unix):
            server.close()
        for writer in service.writers:
            writer.transport.abort()


@contextlib.asynccontextmanager
async def client(world: World, login: str = "") -> AsyncIterator[asyncssh.SSHClientConnection]:
    async with asyncssh.connect(
        "127.0.0.1", world.proxy.port, username=login or world.login, client_keys=[str(world.proxy.key)],
        known_hosts=None, config=None, agent_path=None,
    ) as connection:  # fmt: skip
        yield connection


@contextlib.asynccontextmanager
async def openssh(
    world: World, *options: str, command: tuple[str, ...] = ()
) -> AsyncIterator[asyncio.subprocess.Process]:
    """The client of OpenSSH, which ends with the block."""
    process = await asyncio.create_subprocess_exec(
        *world.proxy.ssh(world.login, *command, options=options),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.communicate()


async def dial(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to a port that a client is about to open."""
    for _ in range(1000):
        with contextlib.suppress(OSError):
            return await asyncio.open_connection("127.0.0.1", port)
        await asyncio.sleep(0.02)
    raise AssertionError("the client does not listen")


async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, text: bytes = b"ping\n") -> None:
    """Exchange a line in each direction, and let both directions end one after the other."""
    assert await reader.readline() == b"hello\n"
    writer.write(text)
    assert await reader.readexactly(len(text)) == text
    writer.write_eof()
    assert await reader.read() == b"bye\n"
    writer.close()


async def test_l_of_openssh_without_a_session_channel_is_audited_and_counted(world: World, service: Service) -> None:
    local = free_port()
    async with openssh(world, "-N", "-L", f"{local}:localhost:{service.port}"):
        await talk(*await dial(local))
        await talk(*await dial(local), b"again\n")
        await world.plane.until(lambda: len(world.plane.of(ForwardClosed)) == 2)

    ended = await world.plane.event(SessionEnded, reason=EndReason.USER_CLOSED, ever_active=True)
    started = [event for event in world.plane.of(SessionStarted) if event.session_id == ended.session_id]
    assert [(event.kind, event.recording) for event in started] == [("forward", False)]
    first, second = world.plane.of(ForwardOpened, ended.session_id)
    assert (first.asked, first.opened) == (f"localhost:{service.port}", f"127.0.0.1:{service.port}")
    assert re.fullmatch(r"127\.0\.0\.1:\d+", first.originator)
    closed = {event.id: event for event in world.plane.of(ForwardClosed)}
    assert (closed[first.id].bytes_in, closed[first.id].bytes_out) == (5, 6 + 5 + 4)
    assert (closed[second.id].bytes_in, closed[second.id].bytes_out) == (6, 6 + 6 + 4)
    assert (ended.bytes_in, ended.bytes_out) == (11, 31)


async def test_socks_beside_a_shell_on_stdin_as_vs_code_does(world: World, service: Service) -> None:
    local = free_port()
    async with openssh(world, "-T", "-D", str(local), command=("bash",)) as ssh:
        assert ssh.stdin is not None
        assert ssh.stdout is not None
        ssh.stdin.write(f"echo listeningOn=={service.port}==\n".encode())
        assert await ssh.stdout.readline() == f"listeningOn=={service.port}==\n".encode()
        reader, writer = await dial(local)
        writer.write(b"\x05\x01\x00")
        assert await reader.readexactly(2) == b"\x05\x00"
        writer.write(b"\x05\x01\x00\x01\x7f\x00\x00\x01" + struct.pack(">H", service.port))
        assert (await reader.readexactly(10))[1] == 0
        await talk(reader, writer)
        await world.plane.event(ForwardClosed)
        ssh.stdin.write(b"exit 3\n")
        assert await ssh.wait() == 3

    kinds = sorted(event.kind for event in world.plane.of(SessionStarted))
    assert kinds == ["exec", "forward"], "a shell and what is forwarded are two sessions"


async def test_w_of_openssh_joins_stdin_and_stdout(world: World, service: Service) -> None:
    done = await run(world.proxy.ssh(world.login, options=("-W", f"127.0.0.1:{service.port}")), stdin=b"ping\n")

    assert (done.status, done.out) == (0, b"hello\nping\nbye\n")


async def test_socket_of_the_host_is_forwarded(world: World, service: Service, tmp_path: Path) -> None:
    local = free_port()
    async with openssh(world, "-N", "-L", f"{local}:{tmp_path}/s"):
        await talk(*await dial(local))
        opened = await world.plane.event(ForwardOpened)
        assert opened.asked == opened.opened == f"{tmp_path}/s"


@pytest.mark.parametrize("host", ["localhost", "LocalHost", "127.0.0.1", "127.1.2.3", "::1"])
async def test_forms_of_the_host_itself_are_one_address(world: World, service: Service, host: str) -> None:
    async with client(world) as connection:
        reader, writer = await connection.open_connection(host, service.port)
        assert await reader.readline() == b"hello\n"
        writer.close()

    assert (await world.plane.event(ForwardOpened)).opened == f"127.0.0.1:{service.port}"


@pytest.mark.parametrize("fast", [True], indirect=True)
async def test_other_places_are_refused_with_a_sentence_and_audited(world: World, service: Service) -> None:
    places: list[tuple[str, int, str]] = [
        ("10.1.1.1", 8080, "Only the host itself"),
        ("example.org", 8080, "Only the host itself"),
        ("0.0.0.0", service.port, "Only the host itself"),
        ("::ffff:127.0.0.1", service.port, "Only the host itself"),
        ("localhost.", service.port, "Only the host itself"),
        ("127.1", service.port, "Only the host itself"),
        ("", service.port, "Only the host itself"),
        ("127.0.0.1", 22, "Ports below 1024"),
        ("127.0.0.1", 1023, "Ports below 1024"),
        ("127.0.0.1", 0, "no port 0"),
        ("127.0.0.1", 70000, "no port 70000"),
        ("127.0.0.1", world.sshd.port, "SSH port"),
    ]
    async with client(world) as connection:
        for host, port, sentence in places:
            with pytest.raises(asyncssh.ChannelOpenError, match=sentence) as refused:
                await connection.open_connection(host, port)
            assert refused.value.code == asyncssh.OPEN_ADMINISTRATIVELY_PROHIBITED
        for path in ("/run/docker.sock", "/tmp/ssh-abc/agent.12", "relative", "/tmp/../run/docker.sock"):  # noqa: S108
            with pytest.raises(asyncssh.ChannelOpenError, match=r"Sockets of system|must be absolute"):
                await connection.open_unix_connection(path)
        reader, writer = await connection.open_connection("127.0.0.1", service.port)
        assert await reader.readline() == b"hello\n", "the connection lives on"
        writer.close()

    await world.plane.event(RequestRefused, request="direct-tcpip", detail="10.1.1.1:8080")
    await world.plane.event(RequestRefused, request="direct-streamlocal", detail="/run/docker.sock")
    assert len(world.plane.of(ForwardOpened)) == 1
    assert service.connections == 1


async def test_without_the_action_nothing_is_forwarded(world: World, service: Service) -> None:
    world.asset.actions = Actions.ALL
    async with client(world) as connection:
        for _ in range(2):
            with pytest.raises(asyncssh.ChannelOpenError, match="does not include port forwarding"):
                await connection.open_connection("127.0.0.1", service.port)
        process = await connection.create_process("cat")
        process.stdin.write("there\n")
        assert await process.stdout.readline() == "there\n"
        with pytest.raises(asyncssh.ChannelOpenError, match="does not include port forwarding"):
            await connection.open_connection("127.0.0.1", service.port)
        opened_before = len(world.plane.grants)
        process.stdin.write_eof()
        await process.wait()

    await world.plane.event(RequestRefused, request="direct-tcpip", detail=f"127.0.0.1:{service.port}")
    assert len(world.plane.grants) == opened_before
    assert service.connections == 0


async def test_user_name_without_asset_forwards_nothing(world: World, service: Service) -> None:
    async with client(world, "alice") as connection:
        with pytest.raises(asyncssh.ChannelOpenError, match="needs the asset in the user name"):
            await connection.open_connection("127.0.0.1", service.port)


async def test_host_that_refuses_is_named_and_audited(world: World) -> None:
    port = free_port()
    async with client(world) as connection:
        with pytest.raises(asyncssh.ChannelOpenError, match=f"could not connect to 127.0.0.1:{port}"):
            await connection.open_connection("localhost", port)

    closed = await world.plane.event(ForwardClosed)
    assert closed.reason.startswith("the host refused: ")
    started = await world.plane.event(SessionStarted)
    assert (started.session_id, started.kind) == (closed.session_id, "forward"), "the kind leads to the log of these"


@pytest.mark.parametrize("fast", [True], indirect=True)
async def test_the_host_opens_the_connection_and_not_the_proxy(
    control_plane: FakeControlPlane, tmp_path: Path, fast: bool, service: Service
) -> None:
    async with (
        Sshd(tmp_path / "closed", extra="AllowTcpForwarding no") as sshd,
        ssh_proxy(control_plane, tmp_path / "proxy", fast=fast) as proxy,
    ):
        world = make_world(proxy, control_plane, sshd)
        world.asset.actions = Actions.EVERY
        async with client(world) as connection:
            with pytest.raises(asyncssh.ChannelOpenError, match="could not connect"):
                await connection.open_connection("127.0.0.1", service.port)
    assert service.connections == 0


async def test_connections_are_limited(world: World, service: Service) -> None:
    async with client(world) as connection:
        opened = [await connection.open_connection("127.0.0.1", service.port) for _ in range(64)]
        with pytest.raises(asyncssh.ChannelOpenError, match="too many forwarded") as refused:
            await connection.open_connection("127.0.0.1", service.port)
        assert refused.value.code == asyncssh.OPEN_RESOURCE_SHORTAGE
        process = await connection.create_process("echo beside")
        assert (await process.wait()).stdout == "beside\n", "sessions have a limit of their own"
        opened[0][1].close()
        await opened[0][1].wait_closed()
        await world.plane.event(ForwardClosed)
        reader, _writer = await connection.open_connection("127.0.0.1", service.port)
        assert await reader.readline() == b"hello\n"
    await world.plane.until(lambda: len(world.plane.of(ForwardClosed)) == len(world.plane.of(ForwardOpened)) == 65)


async def test_many_that_are_asked_at_once_are_limited(world: World, service: Service) -> None:
    async with client(world) as connection:
        asked = [connection.open_connection("127.0.0.1", service.port) for _ in range(80)]
        answers = await asyncio.gather(*asked, return_exceptions=True)
    refused = [answer for answer in answers if isinstance(answer, asyncssh.ChannelOpenError)]
    assert len(refused) == 16
    await world.plane.event(SessionStarted)
    assert len({event.session_id for event in world.plane.of(SessionStarted)}) == 1


async def test_much_passes_whole_while_a_slow_host_holds_the_client_up(world: World, service: Service) -> None:
    data = os.urandom(1_000_000) * (MUCH // 1_000_000)
    service.go.clear()
    local = free_port()
    async with openssh(world, "-N", "-L", f"{local}:127.0.0.1:{service.port}"):
        reader, writer = await dial(local)
        assert await reader.readline() == b"hello\n"
        writer.write(data)
        [session] = [session for session in world.proxy.registry._sessions.values() if session.kind]
        counted = -1
        while session.bytes_in != counted:
            counted = session.bytes_in
            await asyncio.sleep(0.4)
        assert 0 < counted < MUCH // 2, "the proxy read on although the host did not"
        service.go.set()
        assert await reader.readexactly(MUCH) == data
        writer.write_eof()
        assert await reader.read() == b"bye\n"
        writer.close()
        closed = await world.plane.event(ForwardClosed)
    assert (closed.bytes_in, closed.bytes_out) == (MUCH, MUCH + 10)


async def opened(world: World, connection: asyncssh.SSHClientConnection, service: Service) -> tuple[Any, Any]:
    """A forwarded connection that works, the only session of the proxy."""
    reader, writer = await connection.open_connection("127.0.0.1", service.port)
    assert await reader.readline() == b"hello\n"
    await world.plane.event(SessionStarted)
    return reader, writer


def order(world: World, make: Callable[..., Any], **fields: Any) -> None:
    [session_id] = [id_ for id_, session in world.proxy.registry._sessions.items() if session.kind == "forward"]
    assert world.proxy.registry.carry_out(make(order_id=uuid4(), session_id=session_id, **fields))


async def test_termination_cuts_what_is_forwarded_and_the_next_has_a_session_of_its_own(
    world: World, service: Service
) -> None:
    async with client(world) as connection:
        reader, _writer = await opened(world, connection, service)
        order(world, TerminateSession, by="Olaf(olaf)", message_zh="停", message_en="stop", reason="terminated")
        assert await reader.read() == b""
        closed = await world.plane.event(ForwardClosed)
        assert closed.reason == "the session ended: terminated"
        ended = await world.plane.event(SessionEnded, reason=EndReason.TERMINATED)
        await opened(world, connection, service)
        first, _second = await world.plane.until(
            lambda: world.plane.of(SessionStarted)[1:] and world.plane.of(SessionStarted)
        )
    assert first.session_id == ended.session_id


async def test_locked_session_stands_still_in_both_directions(world: World, service: Service) -> None:
    async with client(world) as connection:
        reader, writer = await opened(world, connection, service)
        order(world, ChangeLock, version=1, is_locked=True, by="Olaf(olaf)")
        writer.write(b"ping\n")
        writer.write_eof()
        service.writers[0].write(b"news\n")
        waiting = asyncio.create_task(connection.open_connection("127.0.0.1", service.port))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(reader.readline(), 0.7)
        assert (service.received, service.connections, waiting.done()) == (0, 1, False)
        order(world, ChangeLock, version=2, is_locked=False, by="Olaf(olaf)")
        assert await reader.readline() == b"news\n"
        assert await reader.read() == b"ping\nbye\n"
        assert await (await waiting)[0].readline() == b"hello\n"


async def test_withdrawn_action_ends_what_is_forwarded(world: World, service: Service) -> None:
    async with client(world) as connection:
        reader, _writer = await opened(world, connection, service)
        ends = (ActionsUntil(actions=Actions.ALL, until=now() + timedelta(days=1)),)
        order(world, ChangeGrant, version=1, ends=ends)
        assert await reader.read() == b""
        ended = await world.plane.event(SessionEnded)
        assert ended.reason is EndReason.GRANT_WITHDRAWN


async def test_idle_session_ends_but_traffic_keeps_it(world: World, service: Service) -> None:
    world.asset.idle_timeout_s = 2
    async with client(world) as connection:
        reader, writer = await opened(world, connection, service)
        for _ in range(6):
            await asyncio.sleep(0.5)
            writer.write(b"x\n")
            assert await reader.readline() == b"x\n"
        assert await reader.read() == b""
        assert (await world.plane.event(SessionEnded)).reason is EndReason.IDLE


async def test_session_ends_some_time_after_its_last_connection(
    control_plane: FakeControlPlane, sshd: Sshd, tmp_path: Path, fast: bool, service: Service
) -> None:
    limits = replace(SshLimits(), forward_grace_s=0.5)
    async with ssh_proxy(control_plane, tmp_path / "proxy", ssh_limits=limits, fast=fast) as proxy:
        world = make_world(proxy, control_plane, sshd)
        world.asset.actions = Actions.EVERY
        async with client(world) as connection:
            await talk(*await connection.open_connection("127.0.0.1", service.port))
            ended = await control_plane.event(SessionEnded)
            assert (ended.reason, ended.ever_active) == (EndReason.USER_CLOSED, True)
            await talk(*await connection.open_connection("127.0.0.1", service.port))
        await control_plane.until(lambda: len(control_plane.of(SessionEnded)) == 2)


async def test_killed_client_and_killed_host_end_the_session(world: World, service: Service) -> None:
    local = free_port()
    async with openssh(world, "-N", "-L", f"{local}:127.0.0.1:{service.port}") as ssh:
        reader, writer = await dial(local)
        assert await reader.readline() == b"hello\n"
        ssh.kill()
        writer.close()
        ended = await world.plane.event(SessionEnded, ever_active=True)
        assert ended.reason is EndReason.USER_CLOSED
    assert (await world.plane.event(ForwardClosed)).reason.startswith("closed by the client")
    async with client(world) as connection:
        await opened(world, connection, service)
        for child in Path(f"/proc/{world.sshd.pid}/task/{world.sshd.pid}/children").read_text().split():
            os.kill(int(child), signal.SIGKILL)
        ended = await world.plane.event(SessionEnded, reason=EndReason.TARGET_CLOSED)
    await world.plane.until(lambda: len(world.proxy.registry) == 0)
