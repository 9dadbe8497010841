"""Every session that the control plane permitted is reported as ended, whatever client, order or answer is lost or
late.
"""

import asyncio
import contextlib
import random
from uuid import UUID, uuid4

import pytest

from fakes.control_plane import FakeControlPlane
from peers.ssh_proxy import World
from postern.contracts.enums import EndReason
from postern.contracts.events import SessionEnded
from postern.contracts.terminals import TerminateSession

CLIENTS = 40


def permitted(plane: FakeControlPlane) -> set[UUID]:
    """Session rows that the control plane created."""
    return set(plane.grants)


def over(plane: FakeControlPlane) -> set[UUID]:
    return {event.session_id for event in plane.of(SessionEnded)}


def termination(session_id: UUID) -> TerminateSession:
    return TerminateSession(
        order_id=uuid4(), session_id=session_id, by="bob", reason="terminated", message_zh="停", message_en="stopped"
    )


async def client(world: World, dice: random.Random) -> None:
    """A random client that is killed at some point, or ends on its own."""
    how = dice.choice((["-tt"], ["true"], ["cat"], ["-s", "sftp"]))
    options = tuple(word for word in how if word.startswith("-") and word != "-s")
    command = [word for word in how if word not in options]
    argv = world.proxy.ssh(world.login, *command, options=options)
    process = await asyncio.create_subprocess_exec(
        *argv, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        async with asyncio.timeout(dice.uniform(0.05, 1.5)):
            await process.wait()
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


@pytest.mark.parametrize("seed", range(2))
async def test_sessions_that_open_and_are_killed_in_random_order_all_end(world: World, seed: int) -> None:
    dice = random.Random(seed)
    world.plane.late_s = lambda: dice.choice((0.0, 0.0, dice.uniform(0, 0.4)))
    world.proxy.tasks.append(asyncio.create_task(orders(world, dice)))
    waiting = [asyncio.create_task(client(world, dice)) for _ in range(4)]
    for _ in range(CLIENTS):
        done, pending = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
        waiting = [*pending, *(asyncio.create_task(client(world, dice)) for _ in done)]
    await asyncio.gather(*waiting)
    assert len(permitted(world.plane)) > CLIENTS // 4
    await world.plane.until(lambda: over(world.plane) == permitted(world.plane))
    assert len(world.proxy.registry) == 0
    ended = [event.session_id for event in world.plane.of(SessionEnded)]
    assert len(ended) == len(set(ended)), "each ends once"


async def orders(world: World, dice: random.Random) -> None:
    """An administrator sometimes ends a session, often before the proxy has heard of it."""
    while True:
        await asyncio.sleep(dice.uniform(0, 0.2))
        if permitted(world.plane):
            world.proxy.registry.carry_out(termination(dice.choice(sorted(permitted(world.plane)))))


async def test_client_that_leaves_while_the_control_plane_answers_leaves_no_open_row(world: World) -> None:
    world.plane.late_s = lambda: 0.5
    process = await asyncio.create_subprocess_exec(*world.proxy.ssh(world.login, "true"))
    await world.plane.until(lambda: permitted(world.plane))
    process.kill()
    await process.wait()
    [session_id] = permitted(world.plane)
    ended = await world.plane.event(SessionEnded, session_id=session_id)
    assert (ended.reason, ended.ever_active) == (EndReason.USER_CLOSED, False)


async def test_order_that_overtakes_the_grant_ends_the_session_before_it_starts(world: World) -> None:
    world.plane.late_s = lambda: 0.5
    process = await asyncio.create_subprocess_exec(
        *world.proxy.ssh(world.login, "true"), stderr=asyncio.subprocess.PIPE
    )
    await world.plane.until(lambda: permitted(world.plane))
    [session_id] = permitted(world.plane)
    assert world.proxy.registry.carry_out(termination(session_id)) is False
    _out, err = await process.communicate()
    assert process.returncode == 255
    assert b"stopped" in err
    ended = await world.plane.event(SessionEnded, session_id=session_id)
    assert (ended.reason, ended.ever_active) == (EndReason.TERMINATED, False)
    assert world.proxy.registry.carry_out(termination(session_id)) is True, "it is known to be over"
