"""The number of websockets of a sign-in is limited across processes.

Two `SocketSlots` stand for two processes. Redis is real.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from uuid import uuid4

import pytest
from django.conf import settings

from peers.redis_server import RedisServer
from postern.foundation.sockets.socket_slots import SocketSlots

WAIT_S = 30


@pytest.fixture
def redis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path)
    monkeypatch.setattr(settings, "POSTERN", SimpleNamespace(redis_url=server.url))
    yield server
    server.stop()


async def ended(*processes: SocketSlots) -> None:
    """Release all slots, and wait until none is being renewed: a command that the end of the loop cancels would leave
    its connection open.
    """
    renewing = [process._renewing for process in processes if process._renewing is not None]
    for process in processes:
        for person, slots in list(process._held.items()):
            for slot in list(slots):
                await process.release(person, slot)
    await asyncio.gather(*renewing)


async def test_processes_count_together_and_a_closed_socket_frees_a_slot(redis: RedisServer) -> None:
    here, there, person = SocketSlots("trial"), SocketSlots("trial"), uuid4()
    first = await here.take(person, most=2)
    second = await there.take(person, most=2)
    assert first is not None
    assert second is not None
    assert await here.take(person, most=2) is None
    assert await there.take(person, most=2) is None
    assert await there.take(uuid4(), most=2) is not None, "others have slots of their own"
    await here.release(person, first)
    assert await there.take(person, most=2) is not None


async def test_concurrent_requests_get_no_more_slots_than_there_are(redis: RedisServer) -> None:
    processes, person = [SocketSlots("trial") for _ in range(3)], uuid4()
    slots_taken = await asyncio.gather(*(processes[number % 3].take(person, most=5) for number in range(30)))
    assert sum(slot is not None for slot in slots_taken) <= 5
    assert await processes[0].take(person, most=40) is not None


async def test_slots_of_a_killed_process_expire_and_open_sockets_keep_theirs(redis: RedisServer) -> None:
    person = uuid4()
    killed = SocketSlots("trial", lease_s=1.0, renew_s=WAIT_S)
    alive = SocketSlots("trial", lease_s=1.0, renew_s=0.1)
    assert await killed.take(person, most=2) is not None
    assert await alive.take(person, most=2) is not None
    later = SocketSlots("trial", lease_s=1.0, renew_s=0.1)
    async with asyncio.timeout(WAIT_S):
        while await later.take(person, most=2) is None:  # noqa: ASYNC110 - until the lease of the killed one is over
            await asyncio.sleep(0.05)
    await asyncio.sleep(1.5)
    assert await later.take(person, most=2) is None, "renewed while they are open"
    await ended(killed, alive, later)


async def test_each_process_counts_alone_without_redis(redis: RedisServer) -> None:
    slots, person = SocketSlots("trial"), uuid4()
    redis.stop()
    slots_taken = [await slots.take(person, most=2) for _ in range(3)]
    assert [slot is not None for slot in slots_taken] == [True, True, False]
    assert slots_taken[0] is not None
    await slots.release(person, slots_taken[0])
    assert await slots.take(person, most=2) is not None
