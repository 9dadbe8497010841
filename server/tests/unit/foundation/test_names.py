"""Name lookups: a name whose servers do not answer delays only the callers that need it."""

import asyncio
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from peers.silent_names import SilentNames, silent_names
from postern.foundation.network.names import NameNotFound, Names

PATIENCE_S = 0.3


@pytest.fixture
def silence() -> Iterator[SilentNames]:
    with silent_names() as names:
        yield names


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_address_is_not_looked_up(silence: SilentNames, address: str) -> None:
    names = Names(most_at_once=0)
    [(_family, _kind, _protocol, _canonical, results)] = names.find(address, 22)
    assert results[:2] == (address, 22)


def test_unanswered_name_is_given_up_after_the_patience(silence: SilentNames) -> None:
    names = Names(patience_s=PATIENCE_S)
    with pytest.raises(NameNotFound):
        names.find("a.silent.example", 22)
    assert silence.asked == {"a.silent.example": 1}


def test_concurrent_callers_of_a_silent_name_share_one_lookup(silence: SilentNames) -> None:
    """A later caller waits only for the rest of the time, so request threads are not held one after another."""
    names = Names(patience_s=PATIENCE_S)

    def ask(_number: int) -> None:
        with pytest.raises(NameNotFound):
            names.find("a.silent.example", 22)

    begun_s = time.monotonic()
    with ThreadPoolExecutor(2) as two:
        list(two.map(ask, range(200)))
    assert time.monotonic() - begun_s < 100 * PATIENCE_S, "not one after the other"
    assert silence.asked == {"a.silent.example": 1}


def test_further_names_fail_at_once_while_the_maximum_of_names_is_silent(silence: SilentNames) -> None:
    names = Names(most_at_once=2, patience_s=PATIENCE_S)
    for host in ("a.silent.example", "b.silent.example"):
        with pytest.raises(NameNotFound):
            names.find(host, 22)
    with pytest.raises(NameNotFound, match="too many"):
        names.find("c.silent.example", 22)
    assert "c.silent.example" not in silence.asked
    assert names.find("127.0.0.1", 22), "addresses go on"


async def test_caller_who_stops_waiting_does_not_stop_the_others(silence: SilentNames) -> None:
    names = Names()
    first, second = (asyncio.create_task(names.find_soon("a.silent.example", port)) for port in (22, 2022))
    await asyncio.sleep(0)
    first.cancel()
    silence.answers.set()
    assert [entry[4][1] for entry in await second] == [2022]
    assert silence.asked == {"a.silent.example": 1}


async def test_answered_name_is_looked_up_again_the_next_time(silence: SilentNames) -> None:
    names = Names()
    silence.answers.set()
    await names.find_soon("a.silent.example", 22)
    await names.find_soon("a.silent.example", 22)
    assert silence.asked == {"a.silent.example": 2}


@pytest.mark.parametrize("nonsense", ["x" * 300, "a..b", "no\0name"])
async def test_invalid_name_is_not_found(nonsense: str) -> None:
    names = Names()
    with pytest.raises(NameNotFound):
        names.find(nonsense, 22)
    with pytest.raises(NameNotFound):
        await names.find_soon(nonsense, 22)
