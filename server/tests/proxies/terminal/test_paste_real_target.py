"""A large paste into a real shell whose program echoes its input, so that output and input block each other."""

import asyncio
import os
from typing import Any, Final
from uuid import UUID

from peers.browser_page import BrowserPage
from peers.memory import held_bytes
from postern.contracts.browser import UNACKED_LIMIT
from postern.contracts.events import SessionEnded
from proxies.terminal.plant import Plant

SIZE: Final = 8 * 1024 * 1024
DATA: Final = b"".join(b"%015x " % number for number in range(SIZE // 16))
#: Acknowledges this much less often than the console does.
LAZY_BYTES: Final = 300 * 1024


async def repeats(page: BrowserPage, plant: Plant) -> dict[str, Any]:
    """Return a session in which `cat` echoes its input. Its output so far is consumed."""
    opened = await plant.open(page)
    await page.type(b"stty raw -echo; echo re''ady; cat\r")
    await page.shows(b"ready")
    await page.until(lambda: page.output.endswith(b"ready\r\n") or page.output.endswith(b"ready\n"))
    page.output = b""
    return opened


async def draw_slowly(page: BrowserPage) -> None:
    """Acknowledge received output seldom and late, like a page on a slow machine."""
    drawn = page.received
    while True:
        await page.until(lambda drawn=drawn: page.received - drawn >= LAZY_BYTES or len(page.output) >= SIZE)
        await asyncio.sleep(0.01)
        drawn = page.received
        await page.say(type="ack", received=drawn)
        if len(page.output) >= SIZE:
            return


async def stuck(page: BrowserPage) -> None:
    """Wait until the page has used its credit and draws nothing, so that nothing moves any more."""
    await page.until(lambda: page.received >= UNACKED_LIMIT)
    seen: list[tuple[int, int]] = []
    # Half a second without a byte in either direction, and no credit left.
    while len(seen) < 2 or seen[-1] != seen[-2] or page.input_sent != page.input_until:
        seen.append((page.input_sent, page.received))
        await asyncio.sleep(0.5)
    await page.say(type="ping", t=1)
    await page.message("pong")


async def test_large_paste_is_echoed_completely_to_a_page_that_draws_slowly(plant: Plant) -> None:
    async with plant.page(acknowledges=False) as page:
        await repeats(page, plant)
        drawing = asyncio.create_task(draw_slowly(page))
        await page.type(DATA)
        await drawing
        assert page.output == DATA


async def test_session_can_be_closed_while_neither_direction_moves(plant: Plant) -> None:
    async with plant.page(acknowledges=False) as page:
        opened = await repeats(page, plant)
        pasting = asyncio.create_task(page.type(DATA * 4))
        await stuck(page)
        held = held_bytes(os.getpid())
        assert not pasting.done()
        await asyncio.sleep(1)
        assert held_bytes(os.getpid()) - held < 2e6
        pasting.cancel()
        await page.say(type="close")
        await plant.plane.event(SessionEnded, session_id=UUID(opened["session_id"]))


async def test_paste_continues_over_a_lost_link_without_gap_or_repeat(plant: Plant) -> None:
    async with plant.page(acknowledges=False) as first:
        opened = await repeats(first, plant)
        typed, shown = first.input_sent, first.received
        pasting = asyncio.create_task(first.type(DATA))
        await stuck(first)
        pasting.cancel()
    # Cut while both directions are blocked. Input that had arrived waits for the target.
    async with plant.page(acknowledges=False) as second:
        second.output, second.received = first.output, first.received
        await second.say(
            type="resume", session_id=opened["session_id"], resume_secret=opened["resume_secret"],
            received=first.received, columns=80, rows=24,
        )  # fmt: skip
        resumed = await second.message("resumed")
        assert resumed["offset"] == first.received
        arrived = resumed["input_received"] - typed
        assert 0 < arrived <= first.input_sent - typed
        drawing = asyncio.create_task(draw_slowly(second))
        await second.type(DATA[arrived:])
        await drawing
        assert second.output == DATA
        assert second.received - shown == SIZE
