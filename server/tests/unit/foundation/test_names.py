"""Names are looked up so that one whose servers are silent holds up only who asks for it."""

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
    [(_family, _kind, _protocol, _canonical, found)] = names.find(address, 22)
    assert found[:2] == (address, 22)


def test_name_without_an_answer_is_waited_for_no_longer_than_the_patience(silence: SilentNames) -> None:
    names = Names(patience_s=PATIENCE_S)
    with pytest.raises(NameNotFound):
        names.find("a.silent.example", 22)
    assert silence.asked == {"a.silent.example": 1}


def test_many_who_ask_for_a_silent_name_wait_for_one_lookup_together(silence: SilentNames) -> None:
    """Who comes later waits the rest: threads that answer requests are not held one after the other."""
    names = Names(patience_s=PATIENCE_S)

    def ask(_number: int) -> None:
        with pytest.raises(NameNotFound):
            names.find("a.silent.example", 22)

    begun_s = time.monotonic()
    with ThreadPoolExecutor(2) as two:
        list(two.map(ask, range(200)))
    assert time.monotonic() - begun_s < 100 * PATIENCE_S, "not one after the other"
    assert silence.asked == {"a.silent.example": 1}


def test_further_names_fail_at_once_while_as_many_as_may_be_are_silent(silence: SilentNames) -> None:
    names = Names(most_at_once=2, patience_s=PATIENCE_S)
    for host in ("a.silent.example", "b.silent.example"):
        with pytest.raises(NameNotFound):
            names.find(host, 22)
    with pytest.raises(NameNotFound, match="too many"):
        names.find("c.silent.example", 22)
    assert "c.silent.example" not in silence.asked
    assert names.find("127.0.0.1", 22), "addresses go on"


async def test_who_stops_waiting_does_not_stop_the_others(silence: SilentNames) -> None:
    names = Names()
    first, second = (asyncio.create_task(names.find_soon("a.silent.example", port)) for port in (22, 2022))
    await asyncio.sleep(0)
    first.cancel()
    silence.answers.set()
    assert [entry[4][1] for entry in await second] == [2022]
    assert silence.asked == {"a.silent.example": 1}


async def test_name_that_was_answered_is_looked_up_anew_the_next_time(silence: SilentNames) -> None:
    names = Names()
    silence.answers.set()
    await names.find_soon("a.silent.example", 22)
    await names.find_soon("a.silent.example", 22)
    assert silence.asked == {"a.silent.example": 2}


@pytest.mark.parametrize("nonsense", ["x" * 300, "a..b", "no\0name"])
async def test_what_is_no_name_is_not_found(nonsense: str) -> None:
    names = Names()
    with pytest.raises(NameNotFound):
        names.find(nonsense, 22)
    with pytest.raises(NameNotFound):
        await names.find_soon(nonsense, 22)
