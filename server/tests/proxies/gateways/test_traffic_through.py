"""What passes through gateways arrives complete, with bounded memory: files, floods, browsers, other protocols."""

import asyncio
import hashlib
import os
import signal
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from uuid import uuid4

import asyncssh
import pytest

from fakes.control_plane import FakeGateway
from peers.gateways import gateway_of, send_signal
from peers.memory import held_bytes
from peers.odd_target import OddTarget, say_hello
from peers.ssh_proxy import World, run
from peers.sshd import Sshd
from postern.contracts.access import AuthorizeAnswer, Credential, HostKeyAnswer, Target
from postern.contracts.enums import EndReason, HostKeyVerdict, LoginFrom
from postern.contracts.events import FileTransferred, SessionEnded, SessionStarted
from postern.contracts.routes import Gateway, Route
from postern.kernel.dialing import DialPolicy
from postern.proxies.core.limits import Limits
from postern.proxies.gateways.dialer import Dialer
from postern.proxies.gateways.wire import GatewayWire
from proxies.terminal.conftest import plant
from proxies.terminal.plant import Plant
from proxies.toy.test_toy_protocol import Toy, toy

__all__ = ["plant", "toy"]  # fixtures

MIB = 1024 * 1024


@pytest.fixture(params=[True, False], ids=["fast", "stock"])
def fast(request: pytest.FixtureRequest) -> bool:
    """Everything here must hold with the fast data path and with the library's own."""
    return bool(request.param)


@pytest.fixture
async def edge(tmp_path: Path) -> AsyncIterator[Sshd]:
    async with Sshd(tmp_path / "edge") as server:
        yield server


@pytest.fixture
async def inner(tmp_path: Path) -> AsyncIterator[Sshd]:
    async with Sshd(tmp_path / "inner") as server:
        yield server


@pytest.fixture
def through(world: World, edge: Sshd, inner: Sshd) -> World:
    """The world with its target behind two gateways."""
    world.asset.way = [[gateway_of("edge", edge)], [gateway_of("inner", inner)]]
    return world


async def test_output_and_input_of_a_command_arrive_unaltered(through: World) -> None:
    block = os.urandom(24 * MIB)
    ran = await run(through.proxy.ssh(through.login, "tee >(sha256sum >&2)"), stdin=block, timeout_s=200)
    assert ran.status == 0
    assert hashlib.sha256(ran.out).digest() == hashlib.sha256(block).digest()
    assert ran.err.split()[0].decode() == hashlib.sha256(block).hexdigest()


@pytest.mark.parametrize("legacy", [False, True], ids=["sftp", "scp"])
async def test_files_pass_in_both_directions_and_are_logged(through: World, tmp_path: Path, legacy: bool) -> None:
    source, there, back = tmp_path / "source", tmp_path / "there", tmp_path / "back"
    source.write_bytes(os.urandom(5 * MIB))
    options = ("-O",) if legacy else ()
    for paths in ((str(source), f":{there}"), (f":{there}", str(back))):
        ran = await run(through.proxy.scp(through.login, *paths, options=options))
        assert ran.status == 0, ran.err
    assert back.read_bytes() == source.read_bytes()
    await through.plane.until(lambda: len(through.plane.of(FileTransferred)) == 2)
    assert [one.size for one in through.plane.of(FileTransferred)] == [5 * MIB, 5 * MIB]


async def test_reader_that_stops_holds_up_the_target_and_nobody_else(through: World) -> None:
    """Back-pressure passes both gateways: memory stays bounded, and other sessions on them go on."""
    size = 200 * MIB
    async with asyncssh.connect(
        "127.0.0.1", through.proxy.port, username=through.login, client_keys=[str(through.proxy.key)],
        known_hosts=None, config=None, agent_path=None,
    ) as connection:  # fmt: skip
        process = await connection.create_process(
            f"head -c {size} /dev/zero", encoding=None, window=1 << 30, max_pktsize=32768
        )
        await process.stdout.readexactly(1000)
        before = held_bytes(os.getpid())
        connection._transport.pause_reading()
        await asyncio.sleep(2)
        session = next(iter(through.proxy.registry._sessions.values()))
        passed = session.bytes_out
        assert passed < 40 * MIB
        assert held_bytes(os.getpid()) - before < 32 * MIB
        assert (await run(through.proxy.ssh(through.login, "echo fine"))).out == b"fine\n"
        assert session.bytes_out - passed < 4 * MIB
        connection._transport.resume_reading()
        rest = await asyncio.wait_for(process.stdout.read(), 200)
        assert len(rest) == size - 1000


async def test_target_that_stops_reading_holds_up_the_user(through: World) -> None:
    sent = 0
    async with asyncssh.connect(
        "127.0.0.1", through.proxy.port, username=through.login, client_keys=[str(through.proxy.key)],
        known_hosts=None, config=None, agent_path=None,
    ) as connection:  # fmt: skip
        # Without a terminal it outlives its connection, so it must end by itself.
        process = await connection.create_process("sleep 30", encoding=None)

        async def send() -> None:
            nonlocal sent
            for _ in range(200):
                process.stdin.write(b"x" * MIB)
                await process.stdin.drain()
                sent += 1

        with pytest.raises(TimeoutError):
            await asyncio.wait_for(send(), 3)
        assert sent < 40
        connection.abort()


async def test_browser_terminal_is_told_its_way(plant: Plant, edge: Sshd) -> None:
    plant.asset.way = [[gateway_of("edge", edge)]]
    async with plant.page() as page:
        await plant.open(page)
        await page.type(b"echo sum=$((20+22))\r")
        await page.shows(b"sum=42")
        states = [(message["state"], message["via"]) for message in page.messages if message["type"] == "state"]
        assert states == [("connecting", "edge"), ("authenticating", ""), ("opening_shell", "")]
        await page.type(b"exit\r")
        await page.message("ended")
    assert (await plant.plane.event(SessionStarted)).via == "edge"


async def test_browser_that_leaves_ends_the_dial(plant: Plant) -> None:
    async def silent(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(600)

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    gateway = gateway_of("hangs", Sshd(plant.socket.parent / "unused", port=port))
    plant.asset.way = [[gateway]]
    grant = plant.plane.grant(plant.alice, plant.asset, plant.asset.system_users[0], login_from=LoginFrom.WEB_TERMINAL)
    token = uuid4().hex
    plant.plane.tokens[token] = AuthorizeAnswer(grant=grant)
    async with plant.page() as page:
        await page.say(type="open", token=token, columns=80, rows=24)
        await page.until(lambda: any(message.get("via") == "hangs" for message in page.messages))
    assert (await plant.plane.event(SessionEnded, timeout_s=5)).reason is EndReason.USER_CLOSED
    server.close()


async def test_toy_protocol_passes_gateways_without_a_word_about_them(toy: Toy, edge: Sshd, inner: Sshd) -> None:
    toy.asset.way = [[gateway_of("edge", edge)], [gateway_of("inner", inner)]]
    async with toy.person() as person:
        assert await person.reads() == "ready"
        assert await person.asks("select 1") == "SELECT 1"
    assert (await toy.plane.event(SessionStarted)).via == "edge → inner"
    assert (await toy.plane.event(SessionEnded)).reason is EndReason.USER_CLOSED


async def test_dialling_needs_no_session(edge: Sshd, tmp_path: Path) -> None:
    """A job outside of any session uses the same code: it answers for the gateways itself."""
    approved: list[str] = []

    class Job:
        async def judge(self, gateway: Gateway, public_key: str, via: str) -> HostKeyAnswer:
            approved.append(f"{gateway.name} after {via or 'nothing'}: {public_key.split(maxsplit=1)[0]}")
            return HostKeyAnswer(verdict=HostKeyVerdict.MATCH, pinned_fingerprint="")

        async def credential(self, gateway: Gateway) -> Credential:
            return Credential(login_name=gateway.login_name, private_key=edge.client_key.read_text())

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write((await reader.read()).upper())
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    target = Target(host="127.0.0.1", port=server.sockets[0].getsockname()[1])
    route = Route(stages=((gateway_of("edge", edge).sent,),))
    wire = await Dialer(Limits(), DialPolicy(allow_local=True)).dial(
        target, route, Job(), language="en", progress=lambda _state, _via="": None
    )
    reader, writer = await wire.streams(limit=1000)
    writer.write(b"half a conversation")
    writer.write_eof()
    assert await reader.read() == b"HALF A CONVERSATION"
    writer.close()
    await writer.wait_closed()
    server.close()
    assert approved == ["edge after nothing: ssh-ed25519"]


class _Drips(asyncssh.SSHTCPSession[bytes]):
    """Sends numbers, each byte in a packet of its own."""

    SENT = b"".join(b"%d," % number for number in range(1000))

    def connection_made(self, chan: asyncssh.SSHTCPChannel[bytes]) -> None:
        self._chan = chan

    def session_started(self) -> None:
        for byte in self.SENT:
            self._chan.write(bytes((byte,)))


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 - nothing tells of the library's buffer
            await asyncio.sleep(0.01)


async def test_single_bytes_that_wait_take_little_room() -> None:
    """With a cipher whose packets our data path does not join."""

    class Trusting:
        async def judge(self, gateway: Gateway, public_key: str, via: str) -> HostKeyAnswer:
            return HostKeyAnswer(verdict=HostKeyVerdict.MATCH, pinned_fingerprint="")

        async def credential(self, gateway: Gateway) -> Credential:
            return Credential(login_name=gateway.login_name, password="right")

    cipher = ["chacha20-poly1305@openssh.com"]
    async with OddTarget(say_hello, password="right", encryption_algs=cipher) as gateway:
        gateway.answers_itself = _Drips
        known = FakeGateway("drips", "127.0.0.1", gateway.port, "jump")
        wire = await Dialer(Limits(connect_s=60), DialPolicy(allow_local=True)).dial(
            Target(host="127.0.0.1", port=9), Route(stages=((known.sent,),)), Trusting(),
            language="en", progress=lambda _state, _via="": None,
        )  # fmt: skip
        assert isinstance(wire, GatewayWire)
        waiting = wire._tunnel._channel._recv_buf  # type: ignore[union-attr]
        await until(lambda: sum(len(piece) for piece, _ in waiting) == len(_Drips.SENT))
        assert len(waiting) < 40
        # The reader pauses again and again, because its limit is small.
        reader, writer = await wire.streams(limit=1000)
        async with asyncio.timeout(60):
            assert await reader.readexactly(len(_Drips.SENT)) == _Drips.SENT
        writer.close()


async def test_toy_session_ends_when_its_gateway_is_killed(toy: Toy, edge: Sshd) -> None:
    toy.asset.way = [[gateway_of("edge", edge)]]
    async with toy.person() as person:
        assert await person.reads() == "ready"
        send_signal(edge, signal.SIGKILL)
        assert (await person.reads()).startswith("ended unreachable: The connection to the gateway edge was lost")
