import asyncio
from typing import Any

import pytest

from postern.foundation.requests.turns import Turn, Turns

FOR_EVER_S = 3_600.0
WAIT_S = 30


def turns(**changed: Any) -> Turns:
    bounds: dict[str, Any] = {
        "at_once": 2, "most": 4, "most_waiting": 10, "wait_s": FOR_EVER_S, "patience_s": FOR_EVER_S, **changed,
    }  # fmt: skip
    return Turns(**bounds)


async def taken(of: Turns) -> Turn:
    turn = await of.take()
    assert turn is not None
    return turn


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_only_a_few_calls_run_at_once_and_the_others_follow_in_order() -> None:
    of = turns()
    running = [await taken(of) for _ in range(2)]
    order: list[int] = []

    async def wait(number: int) -> None:
        turn = await taken(of)
        order.append(number)
        turn.over()

    waiting = [asyncio.ensure_future(wait(number)) for number in range(5)]
    await settle()
    assert order == []
    running[0].over()
    await asyncio.gather(*waiting)
    assert order == [0, 1, 2, 3, 4]


async def test_new_call_waits_behind_those_that_wait_already() -> None:
    of = turns(at_once=1)
    running = await taken(of)
    first = asyncio.ensure_future(of.take())
    await settle()
    running.over()
    late = asyncio.ensure_future(of.take())
    held = await first
    await settle()
    assert held is not None
    assert not late.done()
    held.over()
    assert await late is not None


async def test_slow_call_gives_its_place_to_the_next_up_to_a_limit() -> None:
    """Two slow queries must not block everybody, but four use all connections."""
    of = turns(patience_s=0.01)
    running = [await asyncio.wait_for(taken(of), WAIT_S) for _ in range(4)]
    fifth = asyncio.ensure_future(of.take())
    await asyncio.sleep(0.05)
    assert not fifth.done()
    running[0].over()
    assert await asyncio.wait_for(fifth, WAIT_S) is not None


async def test_place_given_up_by_a_slow_call_is_returned_once() -> None:
    of = turns(at_once=1, patience_s=0.01)
    for _ in range(3):
        long = [await asyncio.wait_for(taken(of), WAIT_S) for _ in range(4)]
        for turn in long:
            turn.over()
    short = await taken(of)
    next_one = asyncio.ensure_future(of.take())
    await settle()
    assert not next_one.done(), "still one at a time"
    short.over()
    assert await next_one is not None


async def test_call_is_refused_when_too_many_wait_or_it_waits_too_long() -> None:
    of = turns(at_once=1, most_waiting=1, wait_s=0.05)
    running = await taken(of)
    waiting = asyncio.ensure_future(of.take())
    await settle()
    assert await of.take() is None
    assert await asyncio.wait_for(waiting, WAIT_S) is None
    running.over()
    assert await of.take() is not None


async def test_cancelled_waiting_call_does_not_lose_a_turn() -> None:
    of = turns(at_once=1)
    running = await taken(of)
    leaving = [asyncio.ensure_future(of.take()) for _ in range(3)]
    staying = asyncio.ensure_future(of.take())
    await settle()
    leaving[0].cancel()
    running.over()  # gives the turn to a call that is just being cancelled
    for task in leaving[1:]:
        task.cancel()
    await asyncio.gather(*leaving, return_exceptions=True)
    last = await asyncio.wait_for(staying, WAIT_S)
    assert last is not None


async def test_unconditional_turn_waits_however_many_wait() -> None:
    of = turns(at_once=1, most_waiting=0, wait_s=0.01)
    running = await taken(of)
    assert await of.take() is None
    patient = asyncio.ensure_future(of.take_in_any_case())
    await asyncio.sleep(0.05)
    assert not patient.done()
    running.over()
    (await patient).over()


@pytest.mark.parametrize("at_once", [1, 2, 8])
async def test_calls_never_exceed_the_connections(at_once: int) -> None:
    of = turns(at_once=at_once, most=2, patience_s=0.001)
    running = most = 0

    async def call() -> None:
        nonlocal running, most
        turn = await taken(of)
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.005)
        running -= 1
        turn.over()

    async with asyncio.timeout(WAIT_S):
        await asyncio.gather(*(call() for _ in range(10)))
    assert most <= 2
