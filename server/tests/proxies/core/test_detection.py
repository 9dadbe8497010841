"""Command detection stays behind the traffic, takes turns, and loses nothing (issue 6, 3: echo)."""

import asyncio
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from postern.proxies.core import detection as module
from postern.proxies.core.detection import Behind, Detection, Direction


class Notes:
    """A detector that notes what it reads; every piece takes `costs_s` of the given clock."""

    def __init__(self, clock: "Clock", costs_s: float) -> None:
        self.read: list[tuple[str, bytes]] = []
        self._clock = clock
        self._costs_s = costs_s

    def user_input(self, data: bytes, now_ms: int) -> None:
        self.read.append(("person", data))

    def target_output(self, data: bytes, now_ms: int) -> None:
        self.read.append(("target", data))
        self._clock.now_s += self._costs_s
        self._clock.workers.append(self)

    def resize(self, columns: int, rows: int) -> None:
        self.read.append(("size", b"%d" % columns))

    def close(self) -> None:
        self.read.append(("close", b""))


class Clock:
    """A clock that only work moves, and which detector worked when."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.workers: list[Notes] = []

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(module, "monotonic_s", clock)
    return clock


def made(clock: Clock, behind: Behind, costs_s: float = 0.0) -> tuple[Detection, Notes]:
    notes = Notes(clock, costs_s)
    new: Callable[..., Any] = lambda *_: notes  # noqa: E731 - a factory
    detection = Detection(
        uuid4(), behind, new, "utf-8", (80, 24), on_command=lambda _found: None, on_failure=lambda _at_ms: None
    )
    return detection, notes


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110 - the detection has no event for it
            await asyncio.sleep(0.001)


async def test_bytes_are_read_after_they_were_forwarded_and_in_order(clock: Clock) -> None:
    detection, notes = made(clock, Behind())
    detection.put(Direction.PERSON, b"l", 1)
    detection.put(Direction.TARGET, b"l", 2)
    detection.put(Direction.PERSON, b"s", 3)
    assert notes.read == []
    await asyncio.sleep(0)
    assert notes.read == []  # what was written meanwhile left in this turn of the loop

    await until(lambda: len(notes.read) == 3)
    assert notes.read == [("person", b"l"), ("target", b"l"), ("person", b"s")]


async def test_a_turn_is_short_and_sessions_take_turns(clock: Clock) -> None:
    """A reader that takes 0.6 ms for a slice gets two of them; then others, and the traffic, come first."""
    behind = Behind()
    flooded, slow = made(clock, behind, costs_s=0.0006)
    other, quick = made(clock, behind, costs_s=0.0006)
    flooded.put(Direction.TARGET, bytes(50 * module._SLICE_BYTES), 1)
    other.put(Direction.TARGET, b"x", 1)
    await until(lambda: len(slow.read) == 50)

    assert clock.workers[:3] == [slow, slow, quick]
    assert sum(len(data) for _, data in slow.read) == 50 * module._SLICE_BYTES


async def test_traffic_goes_on_between_two_turns(clock: Clock) -> None:
    detection, notes = made(clock, Behind(), costs_s=0.0006)
    detection.put(Direction.TARGET, bytes(50 * module._SLICE_BYTES), 1)
    turns = 0
    async with asyncio.timeout(10):
        while len(notes.read) < 50:
            await asyncio.sleep(0)
            turns += bool(notes.read)

    assert turns >= 20


async def test_what_waits_is_bounded(clock: Clock) -> None:
    detection, notes = made(clock, Behind())
    for _ in range(64):
        detection.put(Direction.TARGET, bytes(32 * 1024), 1)
    assert sum(len(data) for _, data in notes.read) >= 1024 * 1024


async def test_a_new_size_and_the_end_come_behind_what_waits(clock: Clock) -> None:
    detection, notes = made(clock, Behind())
    detection.put(Direction.TARGET, b"before", 1)
    detection.resize(100, 30)
    detection.put(Direction.TARGET, b"after", 2)
    detection.close()

    assert notes.read == [("target", b"before"), ("size", b"100"), ("target", b"after"), ("close", b"")]
    await asyncio.sleep(0.05)
    assert len(notes.read) == 4
