"""Many sessions of one user wait their turn and leave credentials for others
(`SECURITY_PROXY_CREDENTIALS_PER_MINUTE`).
"""

import asyncio
from uuid import UUID, uuid4

import pytest

from fakes.pace_clock import PaceClock
from peers.ssh_proxy import World
from peers.sshd import make_key
from postern.contracts.terminals import ProxySettings
from postern.proxies.core.opening.pace import OpeningPace
from postern.proxies.core.shared_settings import SharedSettings

A_MINUTE = 600


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> PaceClock:
    return PaceClock(monkeypatch)


def openings(limit: int = A_MINUTE) -> OpeningPace:
    settings = SharedSettings()
    settings.current = ProxySettings(credentials_a_minute=limit)
    return OpeningPace(settings)


def most_in_a_minute(moments: list[float]) -> int:
    return max(sum(first <= at < first + 60 for at in moments) for first in moments)


async def test_playbook_starts_with_forty_hosts_at_once(time: PaceClock) -> None:
    queue, person = openings(), uuid4()
    for _ in range(40):
        await queue.turn(person)
    assert time.now_s == 1000.0


@pytest.mark.parametrize("limit", [10, 60, A_MINUTE, 6_000])
async def test_users_together_stay_within_the_proxys_credentials_per_minute(time: PaceClock, limit: int) -> None:
    queue, people, moments = openings(limit), [uuid4() for _ in range(5)], list[float]()
    while time.now_s < 1000.0 + 150:
        for person in people:
            await queue.turn(person)
            moments.append(time.now_s)
    assert 0.75 * limit <= most_in_a_minute(moments) <= limit


async def test_one_user_leaves_credentials_for_the_others(time: PaceClock) -> None:
    queue, person, moments = openings(), uuid4(), list[float]()
    while time.now_s < 1000.0 + 150:
        await queue.turn(person)
        moments.append(time.now_s)
    assert most_in_a_minute(moments) <= 0.75 * A_MINUTE
    before_s = time.now_s
    await queue.turn(uuid4())
    assert time.now_s == before_s


def live_settings(world: World, credentials_a_minute: int) -> None:
    world.proxy.settings.current = ProxySettings(credentials_a_minute=credentials_a_minute)


async def test_loop_of_one_user_delays_nobody_else(world: World) -> None:
    live_settings(world, 60)
    bob_key = make_key(world.proxy.directory / "bob_key")
    world.plane.add_user("bob", keys=[bob_key.with_suffix(".pub").read_text()])
    loop = [await ssh(world, world.login) for _ in range(12)]
    try:
        await world.plane.until(lambda: len(world.plane.grants) >= 4)  # as many as may be opened at once
        login = world.login.replace("alice", "bob")
        bob = await ssh(world, login, "-o", "IdentitiesOnly=yes", "-i", str(bob_key))
        out, err = await bob.communicate()
        assert (bob.returncode, out) == (0, b"in\n"), err
        assert any(process.returncode is None for process in loop), "those of the loop still wait"
        for process in loop:
            out, err = await process.communicate()
            assert (process.returncode, out) == (0, b"in\n"), err
    finally:
        await end(loop)


async def test_client_that_leaves_while_it_waits_opens_nothing(world: World) -> None:
    live_settings(world, 1)
    loop = [await ssh(world, world.login) for _ in range(6)]
    await world.plane.until(lambda: any(process.returncode == 0 for process in loop))
    opened = set[UUID](world.plane.grants)
    await end(loop)
    await world.plane.until(lambda: not world.proxy.listener._links)
    assert not [task for task in asyncio.all_tasks() if task.get_name() == "opening"]
    assert set(world.plane.grants) == opened


async def ssh(world: World, login: str, *options: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *world.proxy.ssh(login, "echo in", options=options),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def end(processes: list[asyncio.subprocess.Process]) -> None:
    for process in processes:
        if process.returncode is None:
            process.kill()
        await process.wait()
