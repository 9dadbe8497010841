"""Locked sessions with the real OpenSSH client and a real sshd: what is typed or sent meanwhile never reaches the host."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest

from peers.ssh_proxy import World, run
from peers.terminal import Terminal
from postern.contracts.access import SessionGrant
from postern.contracts.enums import EndReason
from postern.contracts.events import SessionEnded, SessionStarted
from postern.contracts.terminals import ChangeLock, ShowMessage, TerminateSession
from postern.proxies.core.sessions.live_session import LiveSession
from proxies.holding.stage import settle

BY = "Olaf(olaf)"
LOCKED = "Olaf.olaf. has locked this session"
UNLOCKED = "Olaf.olaf. has unlocked this session"
#: Long enough for keys or data to pass, if they did.
PASSING_S = 0.7


@pytest.fixture(params=[True, False], ids=["fast", "stock"])
def fast(request: pytest.FixtureRequest) -> bool:
    """Everything here must hold with the fast data path and with the library's own."""
    return bool(request.param)


@pytest.fixture
def change_lock(world: World) -> Callable[[bool], None]:
    """Lock or unlock the only session of the proxy, as an order of the control plane does."""
    version = 0

    def change(is_locked: bool) -> None:
        nonlocal version
        version += 1
        [session_id] = world.proxy.registry.ids()
        order = ChangeLock(order_id=uuid4(), session_id=session_id, version=version, is_locked=is_locked, by=BY)
        assert world.proxy.registry.carry_out(order)

    return change


async def test_keys_typed_while_locked_never_reach_the_host_and_output_goes_on(
    world: World, change_lock: Callable[[bool], None], tmp_path: Path
) -> None:
    async with Terminal(world.proxy.ssh(world.login, options=("-tt",))) as terminal:
        await terminal.expect(r"[#$] ")
        await terminal.type("(sleep 1; echo late-$((40+2))) & cat > /dev/null\r")
        await settle()
        change_lock(True)
        await terminal.expect(LOCKED)
        await terminal.type(f"\x03\x04touch {tmp_path}/typed\r\x03touch {tmp_path}/typed\r")
        await terminal.expect("late-42")
        await asyncio.sleep(PASSING_S)
        change_lock(False)
        await terminal.expect(UNLOCKED)
        await terminal.type("\x03")
        await terminal.expect(r"[#$] ")
        await settle()
        await terminal.type(f"echo back-$((1+1)) > {tmp_path}/back; exit\r")
        await terminal.wait()
    assert (tmp_path / "back").read_text() == "back-2\n"
    assert not (tmp_path / "typed").exists()
    ended = await world.plane.event(SessionEnded)
    recorder = world.proxy.recordings.recorders[ended.session_id]
    assert b"late-42" in recorder.written
    assert b"/typed" not in recorder.written
    assert [b"Locked by" in data for _kind, data in recorder.events if b"ocked by Olaf(olaf)" in data] == [True, False]


async def test_keys_that_wait_for_a_busy_host_and_those_behind_them_do_not_arrive_later(
    world: World, change_lock: Callable[[bool], None], tmp_path: Path
) -> None:
    there, go = tmp_path / "there", tmp_path / "go"
    command = f"stty raw -echo; echo ready; while [ ! -e {go} ]; do sleep 0.1; done; cat > {there}"
    process = await asyncio.create_subprocess_exec(
        *world.proxy.ssh(world.login, command, options=("-tt",)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    await process.stdout.readuntil(b"ready")
    process.stdin.transport.set_write_buffer_limits(0)
    process.stdin.write(b"x" * 12_000_000)
    [session_id] = world.proxy.registry.ids()
    session = world.proxy.registry.get(session_id)
    assert session is not None
    passed = -1
    while passed != session.bytes_in or not passed:  # the host takes no more
        passed = session.bytes_in
        await asyncio.sleep(PASSING_S)
    change_lock(True)
    await asyncio.wait_for(process.stdin.drain(), 60)  # read and dropped
    await asyncio.sleep(PASSING_S)
    change_lock(False)
    go.touch()
    await asyncio.sleep(PASSING_S)
    process.stdin.write(b"END")
    await world.plane.until(lambda: there.exists() and there.read_bytes().endswith(b"END"))
    assert there.stat().st_size == passed + len(b"END") < 12_000_000
    process.kill()
    await process.wait()


async def test_input_of_a_command_stops_and_goes_on_without_a_gap(
    world: World, change_lock: Callable[[bool], None], tmp_path: Path
) -> None:
    target = tmp_path / "there"
    process = await asyncio.create_subprocess_exec(
        *world.proxy.ssh(world.login, f"cat > {target}; echo done"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    process.stdin.write(b"first\n")
    await world.plane.until(lambda: target.exists() and target.read_bytes() == b"first\n")
    change_lock(True)
    rest = os.urandom(300_000)
    process.stdin.write(rest)
    process.stdin.close()
    await asyncio.sleep(PASSING_S)
    assert target.read_bytes() == b"first\n"
    change_lock(False)
    out, err = await process.communicate()
    assert (process.returncode, out) == (0, b"done\n")
    assert b"Transfers, input and output of the program wait" in err
    assert target.read_bytes() == b"first\n" + rest


@pytest.mark.parametrize("direction", ["put", "get"])
async def test_a_file_transfer_stands_still_while_locked(
    world: World, change_lock: Callable[[bool], None], tmp_path: Path, direction: str
) -> None:
    source, target = tmp_path / "source", tmp_path / "there"
    await asyncio.to_thread(source.write_bytes, os.urandom(6_000_000))
    client = asyncio.create_task(
        run(
            world.proxy.sftp(world.login, options=("-l", "8000", "-b", "-")),
            stdin=f'{direction} "{source}" "{target}"\n'.encode(),
        )
    )
    await world.plane.event(SessionStarted)
    await world.plane.until(lambda: target.exists() and target.stat().st_size > 0)
    change_lock(True)
    before = -1
    while before != target.stat().st_size:  # what the client or the host had already takes its time on a busy machine
        before = target.stat().st_size
        await asyncio.sleep(PASSING_S)
    assert before < source.stat().st_size
    change_lock(False)
    result = await client
    assert (result.status, b"has locked this session" in result.err) == (0, True)
    assert target.read_bytes() == source.read_bytes()


async def test_a_locked_session_ends_at_once_when_it_is_terminated(
    world: World, change_lock: Callable[[bool], None]
) -> None:
    client = asyncio.create_task(run(world.proxy.ssh(world.login, "sleep 300")))
    await world.plane.event(SessionStarted)
    [session_id] = world.proxy.registry.ids()
    change_lock(True)
    order = TerminateSession(
        order_id=uuid4(), session_id=session_id, by=BY, reason="terminated", message_zh="结束", message_en="Over."
    )
    world.proxy.registry.carry_out(order)
    result = await client
    assert b"Over." in result.err
    assert (await world.plane.event(SessionEnded)).reason is EndReason.TERMINATED


async def test_a_command_of_a_session_that_was_locked_before_it_says_why_it_waits(
    world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    registry = world.proxy.registry
    take_up = registry.open

    def open_locked(grant: SessionGrant) -> LiveSession:
        session = take_up(grant)
        session.lock.change(1, is_on=True, by=BY)
        return session

    monkeypatch.setattr(registry, "open", open_locked)
    client = asyncio.create_task(run(world.proxy.ssh(world.login, f"touch {tmp_path}/there")))
    await world.plane.until(registry.ids)
    await asyncio.sleep(PASSING_S)
    assert not (tmp_path / "there").exists()
    [session_id] = registry.ids()
    order = ChangeLock(order_id=uuid4(), session_id=session_id, version=2, is_locked=False, by=BY)
    await asyncio.sleep(PASSING_S)
    assert registry.carry_out(order)
    result = await client
    assert (result.status, b"has locked this session" in result.err) == (0, True)
    assert (tmp_path / "there").exists()


async def test_a_message_appears_on_a_line_of_its_own(world: World) -> None:
    async with Terminal(world.proxy.ssh(world.login, options=("-tt",))) as terminal:
        await terminal.expect(r"[#$] ")
        [session_id] = world.proxy.registry.ids()
        text = "Please finish by noon."
        order = ShowMessage(order_id=uuid4(), session_id=session_id, by=BY, text=text)
        assert world.proxy.registry.carry_out(order)
        await terminal.expect(r"\r\nMessage from Olaf\(olaf\): Please finish by noon\.\r\n")
        await terminal.type("exit\r")
        await terminal.wait()
