"""Parts of a proxy: started in order, drained in stages, stopped in reverse order, whatever fails."""

import asyncio

import pytest

from postern.proxies.core.control.announcement import Announcement
from postern.proxies.core.parts.budget import StopBudget
from postern.proxies.core.parts.part import DrainStage, Part
from postern.proxies.core.parts.running import Running


class Steps:
    """Records the steps in order."""

    def __init__(self) -> None:
        self.done: list[str] = []

    def part(self, name: str, stage: DrainStage = DrainStage.SESSIONS, *, fails: bool = False) -> Part:
        async def start() -> None:
            self.done.append(f"start {name}")
            if fails:
                raise OSError("the port is taken")

        async def work() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                self.done.append(f"cancel {name}")

        async def drain(budget: StopBudget) -> None:
            assert budget.left() > 0
            self.done.append(f"drain {name}")

        async def stop() -> None:
            self.done.append(f"stop {name}")

        return Part(
            name=name, start=start, work=work, close=lambda: self.done.append(f"close {name}"), drain=drain,
            stage=stage, stop=stop,
        )  # fmt: skip


async def test_everything_is_closed_before_anything_is_drained_and_stages_come_in_order() -> None:
    steps, end = Steps(), asyncio.Event()
    async with Running(StopBudget(10)) as running:
        await running.start(steps.part("outbox", DrainStage.REPORTS), steps.part("journal", DrainStage.RECORDINGS))
        await running.start(steps.part("sessions"))
        asyncio.get_running_loop().call_later(0.05, end.set)
        assert await running.serve(end) is True
    assert steps.done == [
        "start outbox", "start journal", "start sessions",
        "close outbox", "close journal", "close sessions",
        "drain sessions", "drain journal", "drain outbox",
        "cancel outbox", "cancel journal", "cancel sessions",
        "stop sessions", "stop journal", "stop outbox",
    ]  # fmt: skip


async def test_part_that_cannot_start_leaves_none_running() -> None:
    steps = Steps()
    with pytest.raises(OSError, match="the port is taken"):
        async with Running(StopBudget(10)) as running:
            await running.start(steps.part("outbox"), steps.part("ssh", fails=True), steps.part("terminal"))
    assert steps.done == ["start outbox", "start ssh", "stop outbox"]


async def test_work_that_returns_on_its_own_stops_the_proxy_in_order() -> None:
    async def break_down() -> None:
        raise RuntimeError("unexpected")

    steps = Steps()
    async with Running(StopBudget(10)) as running:
        await running.start(steps.part("sessions"), Part(name="uploads", work=break_down))
        assert await running.serve(asyncio.Event()) is False
    assert steps.done[1:] == ["close sessions", "drain sessions", "cancel sessions", "stop sessions"]


async def test_parts_combine_their_addresses_and_heartbeat_fields() -> None:
    async with Running(StopBudget(10)) as running:
        await running.start(
            Part(name="quiet"),
            Part(
                name="ssh",
                addresses=lambda: (("localhost", 2222),),
                announces=lambda: Announcement(ssh_port=2222, connections=3),
            ),
            Part(name="terminal", announces=lambda: Announcement(stream_address="unix:/x", connections=1)),
        )
        assert running.addresses() == [("localhost", 2222)]
        assert running.announcement() == Announcement(ssh_port=2222, stream_address="unix:/x", connections=4)
