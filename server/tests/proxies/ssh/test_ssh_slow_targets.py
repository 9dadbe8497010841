"""Targets that respond slowly after login: an ended session runs nothing there, and nobody waits for them."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Self
from uuid import UUID, uuid4

import asyncssh
import pytest

from fakes.control_plane import FakeAsset, FakeControlPlane, FakeSystemUser
from peers.silent_names import silent_names
from peers.ssh_proxy import World
from postern.contracts.enums import Actions, EndReason
from postern.contracts.events import SessionEnded
from postern.contracts.terminals import TerminateSession
from postern.kernel.clock import now
from postern.proxies.ssh.person import Person


class SlowTarget:
    """Accepts any password, and opens channels only when told to. `commands`: what it was asked to run."""

    def __init__(self) -> None:
        self.opening = asyncio.Event()  # set while a client waits for a channel
        self.may_open = asyncio.Event()
        self.commands: list[str] = []
        self.connections = 0
        self.logged_in = asyncio.Event()
        self.gone = asyncio.Event()
        self.port = 0
        self._acceptor: asyncssh.SSHAcceptor | None = None

    async def __aenter__(self) -> Self:
        self._acceptor = await asyncssh.listen(
            "127.0.0.1",
            0,
            server_host_keys=[asyncssh.generate_private_key("ssh-ed25519")],
            server_factory=lambda: _Server(self),
            encoding=None,
            config=None,
            gss_host=None,
        )
        self.port = self._acceptor.get_port()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.may_open.set()
        if self._acceptor is not None:
            self._acceptor.close()
            await self._acceptor.wait_closed()


class _Server(asyncssh.SSHServer):
    def __init__(self, target: SlowTarget) -> None:
        self._target = target

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._target.connections += 1

    def connection_lost(self, exc: Exception | None) -> None:
        self._target.connections -= 1
        if not self._target.connections:
            self._target.gone.set()

    def auth_completed(self) -> None:
        self._target.logged_in.set()

    def password_auth_supported(self) -> bool:
        return True

    def validate_password(self, username: str, password: str) -> bool:
        return True

    async def session_requested(self) -> asyncssh.SSHServerSession[bytes]:
        self._target.opening.set()
        await self._target.may_open.wait()
        return _Session(self._target)


class _Session(asyncssh.SSHServerSession[bytes]):
    def __init__(self, target: SlowTarget) -> None:
        self._target = target
        self._channel: asyncssh.SSHServerChannel[bytes] | None = None

    def connection_made(self, chan: asyncssh.SSHServerChannel[bytes]) -> None:
        self._channel = chan

    def exec_requested(self, command: str) -> bool:
        self._target.commands.append(command)
        return True

    def session_started(self) -> None:
        assert self._channel is not None
        self._channel.write(b"it ran\n")
        self._channel.exit(0)


@pytest.fixture
async def slow(world: World, control_plane: FakeControlPlane) -> AsyncIterator[SlowTarget]:
    async with SlowTarget() as target:
        system_user = FakeSystemUser("root", "root", password="any")
        world.asset = control_plane.add_asset(FakeAsset("slow", "127.0.0.1", target.port, [system_user]))
        world.system_user = system_user
        yield target


def termination(session_id: UUID) -> TerminateSession:
    return TerminateSession(
        order_id=uuid4(), session_id=session_id, by="bob", reason="terminated", message_zh="停", message_en="stopped"
    )


async def client(world: World, *command: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *world.proxy.ssh(world.login, *command), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )


async def opened_ahead(world: World) -> UUID:
    """Return the session that sign-in started, once its target is connected."""
    [link] = world.proxy.listener._links
    person = link.get_owner()
    assert isinstance(person, Person)
    assert person._prepared is not None
    session, _connection = await person._prepared.result(nobody_answers)
    return session.grant.session_id


async def nobody_answers(text: str, _echo: bool) -> str:
    raise AssertionError(f"nobody was to be asked: {text}")


async def test_session_terminated_while_the_target_opens_it_ends_for_the_user_too(
    world: World, slow: SlowTarget
) -> None:
    process = await client(world, "reboot")
    await slow.opening.wait()
    [session_id] = world.plane.grants
    assert world.proxy.registry.carry_out(termination(session_id)) is True
    async with asyncio.timeout(30):
        _out, err = await process.communicate()
    assert process.returncode == 255
    assert b"stopped" in err
    await slow.gone.wait()
    slow.may_open.set()
    ended = await world.plane.event(SessionEnded, session_id=session_id)
    assert (ended.reason, ended.ever_active) == (EndReason.TERMINATED, False)
    assert slow.commands == []


async def test_permission_that_ends_while_the_target_opens_the_session_runs_nothing(
    world: World, slow: SlowTarget
) -> None:
    world.asset.expires_at = now() + timedelta(seconds=2)
    process = await client(world, "reboot")
    await slow.opening.wait()
    [session_id] = world.plane.grants
    ended = await world.plane.event(SessionEnded, session_id=session_id)
    slow.may_open.set()
    async with asyncio.timeout(30):
        _out, err = await process.communicate()
    assert ended.reason is EndReason.GRANT_EXPIRED
    assert b"Your permission has run out" in err
    assert slow.commands == []


async def test_unused_session_leaves_no_connection_at_the_target(world: World, slow: SlowTarget) -> None:
    """`ssh -N` asks for no channel. The connection opened in advance ends with its session, and the next channel gets
    its own.
    """
    slow.may_open.set()
    control = world.proxy.directory / "mux"
    master = await asyncio.create_subprocess_exec(*world.proxy.ssh(world.login, options=("-MN", "-S", str(control))))
    try:
        await slow.logged_in.wait()
        session_id = await opened_ahead(world)
        world.proxy.registry.carry_out(termination(session_id))
        async with asyncio.timeout(30):
            await slow.gone.wait()
        process = await asyncio.create_subprocess_exec(
            *world.proxy.ssh(world.login, "reboot", options=("-S", str(control))),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        async with asyncio.timeout(30):
            out, err = await process.communicate()
        assert err == b""
        assert (process.returncode, out) == (0, b"it ran\n")
    finally:
        master.terminate()
        await master.wait()


async def test_unresolvable_host_names_delay_no_other_session(world: World) -> None:
    with silent_names() as names:
        for number in range(12):
            world.plane.add_asset(
                FakeAsset(f"silent{number}", f"h{number}.silent.example", 22, [world.system_user], actions=Actions.ALL)
            )
        waiting = [
            await asyncio.create_subprocess_exec(
                *world.proxy.ssh(f"alice@deploy@silent{number}", "true"), stderr=asyncio.subprocess.DEVNULL
            )
            for number in range(12)
        ]
        await world.plane.until(lambda: len(names.asked) == 12)
        process = await client(world, "echo", "reached")
        out, _err = await process.communicate()
        assert (process.returncode, out) == (0, b"reached\n")
        assert [opening.returncode for opening in waiting] == [None] * 12, "those are still waiting"
        for opening in waiting:
            opening.kill()
            await opening.wait()
