"""Many keys from one address are looked up at once, and a flood of them at a bounded rate, without a refusal."""

import asyncio

import pytest

from postern.proxies.core.limits import Limits
from postern.proxies.ssh import key_pace
from postern.proxies.ssh.key_pace import KeyPace


class Time:
    """A clock that goes on when somebody sleeps."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_s = 1000.0
        monkeypatch.setattr(key_pace, "monotonic_s", lambda: self.now_s)
        monkeypatch.setattr(asyncio, "sleep", self.sleep)

    async def sleep(self, seconds: float) -> None:
        self.now_s += seconds


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    return Time(monkeypatch)


async def seconds_for(pace: KeyPace, time: Time, count: int, address: str) -> float:
    begun_s = time.now_s
    for _ in range(count):
        await pace.turn(address)
    return time.now_s - begun_s


async def test_fifty_connections_with_ten_keys_each_do_not_wait(time: Time) -> None:
    assert await seconds_for(KeyPace(Limits()), time, 500, "192.0.2.1") == 0


async def test_flood_of_keys_is_looked_up_at_the_rate_of_the_limit(time: Time) -> None:
    pace = KeyPace(Limits(keys_per_source_per_s=50))
    assert await seconds_for(pace, time, 5_500, "192.0.2.1") == pytest.approx(100, abs=0.1)
    assert await seconds_for(pace, time, 1, "2001:db8::1") == 0, "another address does not wait for it"


async def test_addresses_of_one_client_share_a_pace(time: Time) -> None:
    pace = KeyPace(Limits(keys_per_source_per_s=1))
    assert await seconds_for(pace, time, 10, "2001:db8::1") == 0
    assert await seconds_for(pace, time, 1, "2001:db8::2") > 0


async def test_sources_that_are_idle_are_forgotten(time: Time) -> None:
    pace = KeyPace(Limits())
    for number in range(20_000):
        await pace.turn(f"10.0.{number >> 8}.{number & 255}")
        time.now_s += 1
    assert len(pace._sources) <= 8_192


async def test_key_whose_client_gives_up_costs_its_neighbours_nothing() -> None:
    pace = KeyPace(Limits(keys_per_source_per_s=1))
    for _ in range(10):
        await pace.turn("192.0.2.1")
    waiting = [asyncio.create_task(pace.turn("192.0.2.1")) for _ in range(200)]
    await asyncio.sleep(0)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    async with asyncio.timeout(20):
        await pace.turn("192.0.2.1")
