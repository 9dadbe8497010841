"""Sessions through SSH gateways: real sshds as gateways and targets, and OpenSSH's clients."""

import asyncio
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from fakes.control_plane import FakeControlPlane, FakeGateway
from peers.gateways import gateway_of, open_sockets, send_signal, silent_port
from peers.odd_target import OddTarget, say_hello
from peers.ports import free_port
from peers.ssh_proxy import Ran, World, make_world, run, ssh_proxy
from peers.sshd import Sshd, make_key
from peers.terminal import Terminal
from postern.contracts import access
from postern.contracts.enums import DenialCode, EndReason
from postern.contracts.events import SessionEnded, SessionStarted
from postern.kernel.dialing import DialPolicy
from postern.proxies.gateways.limits import GatewayLimits


@pytest.fixture
async def edge(tmp_path: Path) -> AsyncIterator[Sshd]:
    async with Sshd(tmp_path / "edge") as server:
        yield server


@pytest.fixture
async def inner(tmp_path: Path) -> AsyncIterator[Sshd]:
    async with Sshd(tmp_path / "inner") as server:
        yield server


@asynccontextmanager
async def password_gateway(methods: str = "password") -> AsyncIterator[int]:
    """The port of a gateway that accepts the password "right"."""
    async with OddTarget(say_hello, password="right", methods=methods) as server:
        server.forwards = True
        yield server.port


@asynccontextmanager
async def world_with(plane: FakeControlPlane, sshd: Sshd, folder: Path, **limits: float) -> AsyncIterator[World]:
    """A proxy with other limits of gateways."""
    async with ssh_proxy(plane, folder / "impatient", gateway_limits=GatewayLimits(**limits)) as proxy:  # type: ignore[arg-type]  # numbers
        yield make_world(proxy, plane, sshd)


async def echo(world: World) -> Ran:
    return await run(world.proxy.ssh(world.login, "echo through"))


async def ended(world: World) -> SessionEnded:
    event: SessionEnded = await world.plane.event(SessionEnded)
    return event


def asked(plane: FakeControlPlane) -> list[tuple[str, object]]:
    """What the proxy asked about the way and the target, in order: path, and gateway or None."""
    wanted = (access.HOST_KEY, access.GATEWAY_CREDENTIAL, access.CREDENTIAL)
    return [(path, getattr(message, "gateway_id", None)) for path, message in plane.calls if path in wanted]


def keys_seen(plane: FakeControlPlane) -> list[access.HostKeySeen]:
    return [message for path, message in plane.calls if path == access.HOST_KEY]


def dead_gateway(name: str = "dead") -> FakeGateway:
    return FakeGateway(name, "127.0.0.1", free_port(), "nobody")


# Ways that work


async def test_session_passes_one_gateway_and_its_secret_is_asked_for_after_its_key_was_judged(
    world: World, edge: Sshd
) -> None:
    gateway = gateway_of("edge", edge)
    world.asset.way = [[gateway]]
    ran = await echo(world)
    assert (ran.status, ran.out, ran.err) == (0, b"through\n", b"")
    assert (await world.plane.event(SessionStarted)).via == "edge"
    assert asked(world.plane) == [
        (access.HOST_KEY, gateway.id),
        (access.GATEWAY_CREDENTIAL, gateway.id),
        (access.HOST_KEY, None),
        (access.CREDENTIAL, None),
    ]
    assert [(seen.host, seen.port, seen.via) for seen in keys_seen(world.plane)] == [
        ("127.0.0.1", edge.port, ""),
        ("127.0.0.1", world.sshd.port, "edge"),
    ]


async def test_session_passes_a_chain_of_two(world: World, edge: Sshd, inner: Sshd) -> None:
    first, second = gateway_of("edge", edge), gateway_of("inner", inner)
    world.asset.way = [[first], [second]]
    ran = await echo(world)
    assert (ran.status, ran.out) == (0, b"through\n")
    assert (await world.plane.event(SessionStarted)).via == "edge → inner"
    assert [(seen.gateway_id, seen.via) for seen in keys_seen(world.plane)] == [
        (first.id, ""),
        (second.id, "edge"),
        (None, "edge → inner"),
    ]


async def test_gateway_that_only_forwards_is_enough(world: World, tmp_path: Path) -> None:
    """No session, no agent and no environment is asked for: the one channel is `direct-tcpip`."""
    strict = "MaxSessions 0\nPermitTTY no\nAllowAgentForwarding no\nX11Forwarding no\nForceCommand /bin/false"
    async with Sshd(tmp_path / "strict", extra=strict) as gateway:
        world.asset.way = [[gateway_of("strict", gateway)]]
        assert (await echo(world)).out == b"through\n"


async def test_direct_session_names_no_way(world: World) -> None:
    assert (await echo(world)).status == 0
    assert (await world.plane.event(SessionStarted)).via == ""


@pytest.mark.parametrize("methods", ["password", "kbdint"])
async def test_gateway_with_a_password(world: World, methods: str) -> None:
    async with password_gateway(methods) as port:
        world.asset.way = [[FakeGateway("edge", "127.0.0.1", port, "jump", password="right")]]
        assert (await echo(world)).out == b"through\n"


# Falling back


@pytest.mark.parametrize("fault", ["refuses", "wrong secret", "forwards nothing", "no secret"])
async def test_another_gateway_of_the_stage_is_taken(world: World, edge: Sshd, tmp_path: Path, fault: str) -> None:
    strange = make_key(tmp_path / "strange").read_text()
    async with Sshd(tmp_path / "closed", extra="AllowTcpForwarding no") as closed:
        bad = {
            "refuses": dead_gateway(),
            "wrong secret": gateway_of("bad", edge, private_key=strange),
            "forwards nothing": gateway_of("bad", closed),
            "no secret": gateway_of("bad", edge, private_key=""),
        }[fault]
        world.asset.way = [[bad, gateway_of("edge", edge)]]
        ran = await echo(world)
    assert (ran.status, ran.out) == (0, b"through\n")
    assert (await world.plane.event(SessionStarted)).via == "edge"


async def test_gateway_that_hangs_costs_a_short_time_once(
    control_plane: FakeControlPlane, sshd: Sshd, edge: Sshd, tmp_path: Path
) -> None:
    async with (
        silent_port() as port,
        world_with(control_plane, sshd, tmp_path, answer_s=2.0) as world,
    ):
        world.asset.way = [[FakeGateway("hangs", "127.0.0.1", port, "x"), gateway_of("edge", edge)]]
        begun = time.monotonic()
        assert (await echo(world)).out == b"through\n"
        first_s = time.monotonic() - begun
        assert first_s >= 2
        begun = time.monotonic()
        assert (await echo(world)).out == b"through\n"
        assert time.monotonic() - begun < first_s - 1  # tried last for a while


async def test_time_of_the_control_plane_is_not_the_gateways(
    control_plane: FakeControlPlane, sshd: Sshd, edge: Sshd, tmp_path: Path
) -> None:
    async with world_with(control_plane, sshd, tmp_path, answer_s=1.5) as world:
        world.asset.way = [[gateway_of("edge", edge)]]
        control_plane.delay_s = 1.0
        assert (await echo(world)).out == b"through\n"


async def test_another_gateway_of_the_stage_before_is_taken(
    world: World, edge: Sshd, inner: Sshd, tmp_path: Path
) -> None:
    """The first gateway answers, but only the second may connect to the next stage."""
    async with Sshd(tmp_path / "fenced", extra="PermitOpen 127.0.0.1:1") as fenced:
        world.asset.way = [[gateway_of("fenced", fenced), gateway_of("edge", edge)], [gateway_of("inner", inner)]]
        assert (await echo(world)).out == b"through\n"
    assert (await world.plane.event(SessionStarted)).via == "edge → inner"


async def test_gateway_that_was_passed_is_not_tried_on_another_way(world: World, edge: Sshd, inner: Sshd) -> None:
    world.asset.port = free_port()
    both = [gateway_of("edge", edge), gateway_of("edge-2", edge)]
    world.asset.way = [both, [gateway_of("inner", inner)]]
    ran = await echo(world)
    assert ran.status == 255
    assert ran.err.count(b"The gateway inner cannot reach 127.0.0.1") == 1
    assert [seen.gateway_id for seen in keys_seen(world.plane)].count(world.asset.way[1][0].id) == 1


async def test_whole_way_has_a_limit_of_time(control_plane: FakeControlPlane, sshd: Sshd, tmp_path: Path) -> None:
    async with (
        silent_port() as port,
        world_with(control_plane, sshd, tmp_path, answer_s=3.0, way_s=2.0) as world,
    ):
        world.asset.way = [[FakeGateway(f"hangs-{number}", "127.0.0.1", port, "x") for number in range(8)]]
        ran = await echo(world)
        assert b"No gateway led to 127.0.0.1" in ran.err
        assert (await ended(world)).reason is EndReason.UNREACHABLE


# Refusals


async def test_empty_stage_is_unreachable_and_nothing_is_dialled(world: World, edge: Sshd) -> None:
    for way in ([[]], [[gateway_of("edge", edge)], []]):
        world.asset.way = way
        ran = await echo(world)
        assert ran.status == 255
        assert b"has no gateway in use" in ran.err
    assert not asked(world.plane)
    assert not edge.log.count("Accepted")
    assert (await ended(world)).reason is EndReason.UNREACHABLE


async def test_changed_host_key_of_a_gateway_is_refused_before_its_secret_is_asked_for(
    world: World, edge: Sshd
) -> None:
    world.asset.way = [[gateway_of("edge", edge)]]
    world.plane.host_keys["127.0.0.1", edge.port] = world.sshd.host_key.with_suffix(".pub").read_text()
    ran = await echo(world)
    assert ran.status == 255
    assert b"The host key of the gateway edge has changed" in ran.err
    assert [path for path, _ in asked(world.plane)] == [access.HOST_KEY]
    event = await ended(world)
    assert (event.reason, event.ever_active) == (EndReason.HOST_KEY_REFUSED, False)
    assert "gateway edge" in event.detail


async def test_changed_host_key_of_a_target_behind_a_gateway_is_refused(world: World, edge: Sshd) -> None:
    world.asset.way = [[gateway_of("edge", edge)]]
    assert (await echo(world)).status == 0
    assert world.plane.host_keys["127.0.0.1", world.sshd.port].split()[1] in (
        world.sshd.host_key.with_suffix(".pub").read_text()
    )
    world.plane.host_keys["127.0.0.1", world.sshd.port] = edge.host_key.with_suffix(".pub").read_text()
    ran = await echo(world)
    assert b"The host key of 127.0.0.1 has changed" in ran.err
    await world.plane.event(SessionEnded, reason=EndReason.HOST_KEY_REFUSED)


async def test_wrong_password_of_a_gateway_names_the_gateway_as_the_cause(world: World) -> None:
    async with password_gateway() as port:
        world.asset.way = [[FakeGateway("edge", "127.0.0.1", port, "jump", password="wrong")]]
        ran = await echo(world)
    assert b"The gateway edge did not accept the credential of jump. Your own account is not the cause." in ran.err
    assert access.CREDENTIAL not in [path for path, _ in world.plane.calls]
    event = await ended(world)
    assert event.reason is EndReason.UNREACHABLE
    assert "gateway edge refused the sign-in" in event.detail


async def test_target_that_refuses_is_named_with_its_gateway(world: World, edge: Sshd) -> None:
    world.asset.way = [[gateway_of("edge", edge)]]
    world.asset.port = port = free_port()
    ran = await echo(world)
    assert f"The gateway edge cannot reach 127.0.0.1:{port}: ".encode() in ran.err


async def test_gateway_that_forwards_nothing_is_named(world: World, tmp_path: Path) -> None:
    async with Sshd(tmp_path / "closed", extra="AllowTcpForwarding no") as closed:
        world.asset.way = [[gateway_of("closed", closed)]]
        ran = await echo(world)
    assert f"The gateway closed does not permit connections to 127.0.0.1:{world.sshd.port}".encode() in ran.err


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1", "0x7f000001", "2130706433", "localhost", "a.localhost.", "::1",
                                  "::ffff:127.0.0.1", "0.0.0.0", "169.254.169.254", "224.0.0.1"])  # fmt: skip
async def test_k36_address_of_the_gateway_itself_is_not_dialled_through_it(
    control_plane: FakeControlPlane, sshd: Sshd, tmp_path: Path, host: str
) -> None:
    async with ssh_proxy(control_plane, tmp_path / "strict", policy=DialPolicy(allow_local=False)) as proxy:
        world = make_world(proxy, control_plane, sshd)
        world.asset.way = [[FakeGateway("edge", "192.0.2.1", 22, "jump", password="x")]]
        world.asset.host = host
        ran = await echo(world)
        assert b"may not be dialled through a gateway" in ran.err
        assert not asked(control_plane)


async def test_k36_gateway_on_this_machine_is_not_dialled(
    control_plane: FakeControlPlane, sshd: Sshd, edge: Sshd, tmp_path: Path
) -> None:
    async with ssh_proxy(control_plane, tmp_path / "strict", policy=DialPolicy(allow_local=False)) as proxy:
        world = make_world(proxy, control_plane, sshd)
        world.asset.host, world.asset.way = "192.0.2.2", [[gateway_of("edge", edge)]]
        assert b"Gateway edge: 127.0.0.1" in (await echo(world)).err
        assert not asked(control_plane)


async def test_control_plane_that_is_away_is_not_the_gateways_fault(world: World, edge: Sshd) -> None:
    world.asset.way = [[gateway_of("edge", edge), gateway_of("edge-2", edge)]]
    world.plane.faults[access.GATEWAY_CREDENTIAL] = ["400"]
    ran = await echo(world)
    assert b"Postern is temporarily unavailable" in ran.err
    assert [path for path, _ in asked(world.plane)] == [access.HOST_KEY]


async def test_session_that_gets_no_secret_tries_no_other_gateway(world: World, edge: Sshd) -> None:
    """The permission was withdrawn meanwhile: that is not a fault of the gateway."""
    world.asset.way = [[gateway_of("edge", edge), gateway_of("edge-2", edge)]]
    denial = access.Denial(code=DenialCode.PERMISSION_EXPIRED, message="Your permission has ended.")
    world.plane._gateway_credential = lambda _request: access.CredentialAnswer(denial=denial)  # type: ignore[method-assign]
    await world.plane.stop()
    await world.plane.start()
    ran = await echo(world)
    assert b"Your permission has ended." in ran.err
    assert [path for path, _ in asked(world.plane)] == [access.HOST_KEY, access.GATEWAY_CREDENTIAL]


# Ends


async def test_gateway_that_is_killed_ends_exactly_its_sessions(world: World, edge: Sshd, inner: Sshd) -> None:
    way = [[gateway_of("edge", edge)]]
    before = open_sockets()
    async with Terminal(world.proxy.ssh(world.login, options=("-tt",))) as direct:
        await direct.expect(r"[#$] ")
        world.asset.way = way
        async with Terminal(world.proxy.ssh(world.login, options=("-tt",))) as through:
            await through.expect("Connecting through edge")
            await through.expect(r"[#$] ")
            await through.type("echo last-$((40+2))\r")
            await through.expect("last-42")
            send_signal(edge, signal.SIGKILL)
            await through.expect("The connection to the gateway edge was lost, so the session has ended")
        event = await ended(world)
        assert (event.reason, event.ever_active) == (EndReason.UNREACHABLE, True)
        assert "the gateway edge was lost" in event.detail
        assert b"last-42" in bytes(world.proxy.recordings.recorders[event.session_id].written)
        await direct.type("echo still-$((40+2))\r")
        await direct.expect("still-42")
    await world.plane.until(lambda: open_sockets() <= before)
    assert not [task for task in asyncio.all_tasks() if "opening" in task.get_name()]


async def test_first_of_two_gateways_that_is_killed_is_the_one_that_is_named(
    world: World, edge: Sshd, inner: Sshd
) -> None:
    world.asset.way = [[gateway_of("edge", edge)], [gateway_of("inner", inner)]]
    async with Terminal(world.proxy.ssh(world.login, options=("-tt",))) as terminal:
        await terminal.expect("Connecting through edge → inner")
        await terminal.expect(r"[#$] ")
        send_signal(edge, signal.SIGKILL)
        await terminal.expect("The connection to the gateway edge was lost")


async def test_gateway_that_is_killed_while_the_target_is_silent_is_named(world: World, edge: Sshd) -> None:
    async with silent_port() as port:
        world.asset.port, world.asset.way = port, [[gateway_of("edge", edge)]]
        opening = asyncio.create_task(echo(world))
        await world.plane.until(lambda: edge.log.count("Accepted publickey"))
        await asyncio.sleep(0.5)  # the tunnel opens
        send_signal(edge, signal.SIGKILL)
        ran = await opening
    assert b"The connection to the gateway edge was lost" in ran.err
    assert (await ended(world)).reason is EndReason.UNREACHABLE


async def test_gateway_that_stops_answering_is_noticed(
    control_plane: FakeControlPlane, sshd: Sshd, edge: Sshd, tmp_path: Path
) -> None:
    async with world_with(control_plane, sshd, tmp_path, keepalive_s=1.0, keepalive_count=2) as world:
        world.asset.way = [[gateway_of("edge", edge)]]
        async with Terminal(world.proxy.ssh(world.login, options=("-tt",))) as terminal:
            await terminal.expect(r"[#$] ")
            send_signal(edge, signal.SIGSTOP)
            try:
                await terminal.expect("The connection to the gateway edge was lost")
            finally:
                send_signal(edge, signal.SIGCONT)


async def test_target_that_closes_behind_a_gateway_ends_as_a_target(world: World, edge: Sshd) -> None:
    world.asset.way = [[gateway_of("edge", edge)]]
    async with Terminal(world.proxy.ssh(world.login, options=("-tt",))) as terminal:
        await terminal.expect(r"[#$] ")
        send_signal(world.sshd, signal.SIGKILL)
        event = await ended(world)
    assert event.reason is EndReason.TARGET_CLOSED


# Leaving


async def test_ctrl_c_in_the_menu_ends_the_dial_at_once(world: World) -> None:
    before = open_sockets()
    async with silent_port() as port:
        world.asset.way = [[FakeGateway("hangs", "127.0.0.1", port, "x")]]
        async with Terminal(world.proxy.ssh("alice", options=("-tt",))) as terminal:
            await terminal.expect("asset> ")
            await terminal.type("1\r")
            await terminal.expect("Connecting through hangs")
            begun = time.monotonic()
            await terminal.type("typed ahead\x03")
            await terminal.expect("The connection was cancelled")
            await terminal.expect("asset> ")
            assert time.monotonic() - begun < 5
            assert (await ended(world)).reason is EndReason.USER_CLOSED
            await terminal.type("q\r")
    await world.plane.until(lambda: open_sockets() <= before)


async def test_client_that_leaves_ends_the_dial_at_once(world: World) -> None:
    before = open_sockets()
    async with silent_port() as port:
        world.asset.way = [[FakeGateway("hangs", "127.0.0.1", port, "x")]]
        process = await asyncio.create_subprocess_exec(*world.proxy.ssh(world.login, "true"))
        await world.plane.until(lambda: world.plane.grants)
        process.kill()
        await process.wait()
        begun = time.monotonic()
        assert (await ended(world)).reason is EndReason.USER_CLOSED
        assert time.monotonic() - begun < 5
    await world.plane.until(lambda: open_sockets() <= before)


async def test_nothing_stays_open_after_a_session(world: World, edge: Sshd, inner: Sshd) -> None:
    world.asset.way = [[gateway_of("edge", edge)], [gateway_of("inner", inner)]]
    assert (await echo(world)).status == 0
    before = open_sockets()
    for _ in range(3):
        assert (await echo(world)).status == 0
    await world.plane.until(lambda: open_sockets() <= before)


async def test_menu_names_the_way(world: World, edge: Sshd) -> None:
    world.asset.way = [[dead_gateway(), gateway_of("edge", edge)]]
    async with Terminal(world.proxy.ssh("alice", options=("-tt",))) as terminal:
        await terminal.expect("asset> ")
        await terminal.type("1\r")
        await terminal.expect("Connecting through dead …")
        await terminal.expect("Connecting through edge …")
        await terminal.expect(r"[#$] ")
