"""Many keys of one address are looked up immediately, a flood of keys at a bounded rate, without refusals."""

import asyncio

import pytest

from fakes.pace_clock import PaceClock
from postern.proxies.ssh.key_pace import KeyPace
from postern.proxies.ssh.limits import SshLimits

#: What the control plane answers one proxy within a minute (`apps/sessions/terminals/api/internal.py`).
MOST_QUESTIONS = 12_000


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> PaceClock:
    return PaceClock(monkeypatch)


async def seconds_for(pace: KeyPace, time: PaceClock, count: int, address: str) -> float:
    begun_s = time.now_s
    for _ in range(count):
        await pace.turn(address)
    return time.now_s - begun_s


async def test_fifty_connections_with_ten_keys_each_do_not_wait(time: PaceClock) -> None:
    assert await seconds_for(KeyPace(SshLimits()), time, 500, "192.0.2.1") == 0


async def test_flood_of_keys_is_looked_up_at_the_rate_of_the_limit(time: PaceClock) -> None:
    pace = KeyPace(SshLimits(keys_per_source_per_s=50))
    assert await seconds_for(pace, time, 5_500, "192.0.2.1") == pytest.approx(100, abs=0.1)
    assert await seconds_for(pace, time, 1, "2001:db8::1") == 0, "another address does not wait for it"


async def test_keys_of_many_addresses_stay_below_what_a_proxy_may_ask_in_a_minute(time: PaceClock) -> None:
    pace, asked = KeyPace(SshLimits()), list[float]()
    while time.now_s < 1120:
        for number in range(40):
            await pace.turn(f"192.0.2.{number}")
            asked.append(time.now_s)
    for first in (0, len(asked) // 2):
        assert len([at for at in asked if 0 <= at - asked[first] < 60]) < MOST_QUESTIONS


async def test_flooding_addresses_do_not_delay_another() -> None:
    """Each address has one key in the common queue, however many of its connections wait."""
    pace, done = KeyPace(SshLimits(keys_per_source_per_s=1000, keys_per_s=20)), list[str]()

    async def show(address: str) -> None:
        await pace.turn(address)
        done.append(address)

    for _ in range(200):
        await pace.turn("192.0.2.1")
    flood = [asyncio.create_task(show(f"192.0.2.{number}")) for number in (1, 2) for _ in range(100)]
    await asyncio.sleep(0)
    async with asyncio.timeout(20):
        await show("198.51.100.9")
    assert len(done) < 10
    for task in flood:
        task.cancel()
    await asyncio.gather(*flood, return_exceptions=True)


async def test_addresses_of_one_client_share_a_pace(time: PaceClock) -> None:
    pace = KeyPace(SshLimits(keys_per_source_per_s=1))
    assert await seconds_for(pace, time, 10, "2001:db8::1") == 0
    assert await seconds_for(pace, time, 1, "2001:db8::2") > 0


async def test_idle_sources_are_removed(time: PaceClock) -> None:
    pace = KeyPace(SshLimits())
    for number in range(20_000):
        await pace.turn(f"10.0.{number >> 8}.{number & 255}")
        time.now_s += 1
    assert len(pace._pace._sources) <= 8_192


async def test_key_whose_client_gives_up_does_not_delay_others() -> None:
    pace = KeyPace(SshLimits(keys_per_source_per_s=1))
    for _ in range(10):
        await pace.turn("192.0.2.1")
    waiting = [asyncio.create_task(pace.turn("192.0.2.1")) for _ in range(200)]
    await asyncio.sleep(0)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    async with asyncio.timeout(20):
        await pace.turn("192.0.2.1")
