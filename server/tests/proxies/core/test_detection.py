"""Command detection runs behind the traffic, takes turns and loses nothing (issue 6, 3: echo)."""

import asyncio
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from postern.proxies.core.sessions import detection as module
from postern.proxies.core.sessions.detection import Behind, Detection, Direction


class Notes:
    """A detector that records what it reads. Each piece takes `costs_s` on the given clock."""

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
    """A clock that only work advances, and a record of which detector worked when."""

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


def made(clock: Clock, behind: Behind, costs_s: float = 0.0, **calls: Callable[..., Any]) -> tuple[Detection, Notes]:
    notes = Notes(clock, costs_s)
    new: Callable[..., Any] = lambda *_: notes  # noqa: E731 - a factory
    heard = {"on_command": lambda _found: None, "on_failure": lambda _at_ms: None, **calls}
    return Detection(uuid4(), behind, new, "utf-8", (80, 24), **heard), notes


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
    assert notes.read == []  # data written meanwhile was forwarded in this turn of the loop

    await until(lambda: len(notes.read) == 3)
    assert notes.read == [("person", b"l"), ("target", b"l"), ("person", b"s")]


async def test_a_turn_is_short_and_sessions_take_turns(clock: Clock) -> None:
    """A reader that takes 0.6 ms per slice gets two slices. Then other sessions and the traffic get their turn."""
    behind = Behind()
    flooded, slow = made(clock, behind, costs_s=0.0006)
    other, quick = made(clock, behind, costs_s=0.0006)
    flooded.put(Direction.TARGET, bytes(50 * module._SLICE_BYTES), 1)
    other.put(Direction.TARGET, b"x", 1)
    await until(lambda: len(slow.read) == 50)

    assert clock.workers[:3] == [slow, slow, quick]
    assert sum(len(data) for _, data in slow.read) == 50 * module._SLICE_BYTES


async def test_traffic_continues_between_two_turns(clock: Clock) -> None:
    detection, notes = made(clock, Behind(), costs_s=0.0006)
    detection.put(Direction.TARGET, bytes(50 * module._SLICE_BYTES), 1)
    turns = 0
    async with asyncio.timeout(10):
        while len(notes.read) < 50:
            await asyncio.sleep(0)
            turns += bool(notes.read)

    assert turns >= 20


async def test_queue_is_bounded_by_pausing_both_sides(clock: Clock) -> None:
    reports: list[tuple[bool, int]] = []
    detection, notes = made(
        clock, Behind(), costs_s=0.0006, on_caught_up=lambda: reports.append((detection.is_full, len(notes.read)))
    )
    pieces = 0
    while not detection.is_full:
        detection.put(Direction.TARGET, bytes(1024), 1)
        pieces += 1
    assert notes.read == []  # nobody waits for the detector in the middle of a transfer
    assert pieces * 1024 <= 64 * 1024

    await until(lambda: bool(reports))
    ((is_full, read),) = reports
    assert not is_full
    assert 2 < read < pieces
    await until(lambda: len(notes.read) == pieces)


async def test_keys_and_sizes_are_weighted_by_their_cost(clock: Clock) -> None:
    detection, _ = made(clock, Behind())
    detection.put(Direction.PERSON, bytes(8 * 1024 + 1), 1)
    assert detection.is_full

    other, notes = made(clock, Behind())
    for columns in range(10_000):  # dragging of a window, or a flooding client
        other.resize(columns, 30)
    assert not other.is_full
    other.close()
    assert notes.read == [("size", b"9999"), ("close", b"")]


async def test_new_sizes_between_bytes_stay_in_order(clock: Clock) -> None:
    detection, notes = made(clock, Behind())
    for columns in (100, 101):
        detection.resize(columns, 30)
        detection.put(Direction.TARGET, b"%d" % columns, 1)
    await until(lambda: len(notes.read) == 4)
    assert notes.read == [("size", b"100"), ("target", b"100"), ("size", b"101"), ("target", b"101")]


async def test_end_of_a_session_is_cheap_and_reports_unread_commands(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "thread_s", clock)
    gaps: list[int] = []
    detection, notes = made(clock, Behind(), costs_s=0.04, on_failure=gaps.append)
    for at_ms in range(8):
        detection.put(Direction.TARGET, b"x", at_ms)
    detection.close()

    assert len(notes.read) == 4  # three slices of 40 ms, and the end
    assert notes.read[-1] == ("close", b"")
    assert gaps == [3]


async def test_session_ended_by_a_command_is_not_closed_inside_its_detector(clock: Clock) -> None:
    """Reporting a command ends the session if there is no space. Its detector must be idle at that point."""
    order: list[str] = []

    class Telling(Notes):
        inside = False

        def target_output(self, data: bytes, now_ms: int) -> None:
            assert not self.inside
            self.inside = True
            self.found(data.decode())
            self.inside = False
            super().target_output(data, now_ms)

        def close(self) -> None:
            assert not self.inside
            self.found("last")
            super().close()

    notes = Telling(clock, 0)

    def new(_columns: int, _rows: int, on_command: Callable[[Any], None]) -> Any:
        notes.found = on_command  # type: ignore[attr-defined]  # made before the detection that it is told of
        return notes

    def on_command(command: Any) -> None:
        order.append(command)
        detection.close()

    detection = Detection(uuid4(), Behind(), new, "utf-8", (80, 24), on_command=on_command, on_failure=lambda _at: None)
    detection.put(Direction.TARGET, b"first", 1)
    detection.put(Direction.TARGET, b"second", 2)
    await until(lambda: len(notes.read) == 3)

    assert order == ["first", "second", "last"]
    assert notes.read == [("target", b"first"), ("target", b"second"), ("close", b"")]
    assert not detection.is_full


async def test_unreportable_command_stops_neither_this_session_nor_others(clock: Clock) -> None:
    behind = Behind()

    class Telling(Notes):
        def target_output(self, data: bytes, now_ms: int) -> None:
            self.found(data)
            super().target_output(data, now_ms)

    notes = Telling(clock, 0)

    def new(_columns: int, _rows: int, on_command: Callable[[Any], None]) -> Any:
        notes.found = on_command  # type: ignore[attr-defined]  # made before the detection that it is told of
        return notes

    def refuse(_command: Any) -> None:
        raise RuntimeError("cannot be told")

    detection = Detection(uuid4(), behind, new, "utf-8", (80, 24), on_command=refuse, on_failure=lambda _at: None)
    other, quick = made(clock, behind)
    detection.put(Direction.TARGET, b"first", 1)
    other.put(Direction.TARGET, b"x", 1)
    await until(lambda: bool(notes.read) and bool(quick.read))
    detection.put(Direction.TARGET, b"second", 2)
    await until(lambda: len(notes.read) == 2)


async def test_resize_and_end_are_processed_after_queued_bytes(clock: Clock) -> None:
    detection, notes = made(clock, Behind())
    detection.put(Direction.TARGET, b"before", 1)
    detection.resize(100, 30)
    detection.put(Direction.TARGET, b"after", 2)
    detection.close()

    assert notes.read == [("target", b"before"), ("size", b"100"), ("target", b"after"), ("close", b"")]
    await asyncio.sleep(0.05)
    assert len(notes.read) == 4
