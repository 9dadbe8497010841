"""Input that the target does not accept yet: it waits in order and bounded, and blocks nothing behind it."""

import asyncio
import contextlib
from uuid import UUID

import pytest
from websockets.exceptions import ConnectionClosed

from postern.contracts.enums import EndReason
from postern.contracts.events import SessionEnded
from postern.proxies.core.sessions.detection import KEYS_AT_ONCE_BYTES
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.terminal import browser_session
from postern.proxies.terminal.limits import TerminalLimits
from proxies.terminal.stage import Stage

WINDOW = TerminalLimits().input_window_bytes
EXCESS = TerminalLimits().input_excess_bytes


async def test_page_is_answered_while_its_paste_waits_for_the_target(stage: Stage) -> None:
    async with stage.page(acknowledges=False) as page:
        _, shell = await stage.open(page)
        shell.events.on_target_pause()
        await page.type(b"a" * WINDOW)
        shell.show(b"output " * 100_000)
        await page.until(lambda: page.received > 512 * 1024)
        await page.say(type="ack", received=page.received)
        await page.until(lambda: page.received == 700_000)
        await page.say(type="resize", columns=99, rows=33)
        await page.say(type="ping", t=7)
        assert (await page.message("pong"))["t"] == 7
        assert shell.sizes[-1] == (99, 33)
        assert shell.typed == b""
        await page.say(type="close")
        assert (await page.message("ended"))["reason"] == "user_closed"
        assert shell.typed == b""
    await stage.plane.event(SessionEnded, reason=EndReason.USER_CLOSED)


async def test_session_whose_page_leaves_while_its_paste_waits_is_ended(
    stage: Stage,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(browser_session, "RESUME_GRACE_S", 0.3)
    async with stage.page() as page:
        _, shell = await stage.open(page)
        shell.events.on_target_pause()
        await page.type(b"a" * WINDOW)
    ended = await stage.plane.event(SessionEnded)
    assert ended.detail == "the browser did not come back"
    assert shell.closed


async def test_credit_follows_the_input_that_the_target_accepted(stage: Stage) -> None:
    async with stage.page() as page:
        opened, shell = await stage.open(page)
        assert opened["input_until"] == WINDOW
        shell.events.on_target_pause()
        await page.type(b"a" * WINDOW)
        await page.say(type="ping", t=1)
        await page.message("pong")
        assert [m for m in page.messages if m["type"] == "input_credit"] == []
        shell.events.on_target_resume()
        await page.until(lambda: page.input_until == 2 * WINDOW)
        credit = [m for m in page.messages if m["type"] == "input_credit"][-1]
        assert (credit["taken"], credit["until"]) == (WINDOW, 2 * WINDOW)
        assert shell.typed == b"a" * WINDOW
        # Single keys are not worth a message each.
        message_count = len(page.messages)
        for _ in range(100):
            await page.type(b"k")
        await page.until(lambda: len(page.output) == WINDOW + 100)
        assert len(page.messages) == message_count


async def test_keys_of_a_replaced_link_come_before_those_of_the_next(stage: Stage) -> None:
    old = b"".join(b"%07d " % number for number in range(4 * KEYS_AT_ONCE_BYTES // 8))
    async with stage.page() as first, stage.page() as second:
        opened, shell = await stage.open(first)
        shell.events.on_target_pause()
        await first.type(old)
        await first.say(type="ping", t=1)
        await first.message("pong")
        await second.say(
            type="resume", session_id=opened["session_id"], resume_secret=opened["resume_secret"], received=0,
            columns=80, rows=24,
        )  # fmt: skip
        resumed = await second.message("resumed")
        assert (resumed["input_received"], resumed["input_until"]) == (len(old), WINDOW)
        await second.type(b"B" * KEYS_AT_ONCE_BYTES)
        await second.say(type="ping", t=2)
        await second.message("pong")
        shell.events.on_target_resume()
        await second.until(lambda: len(second.output) >= len(old) + KEYS_AT_ONCE_BYTES)
        assert shell.typed == old + b"B" * KEYS_AT_ONCE_BYTES


async def test_page_that_returns_may_send_as_the_target_accepts_queued_input(stage: Stage) -> None:
    async with stage.page() as first, stage.page() as second:
        opened, shell = await stage.open(first)
        shell.events.on_target_pause()
        await first.type(b"a" * WINDOW)
        await first.say(type="ping", t=1)
        await first.message("pong")
        await second.say(
            type="resume", session_id=opened["session_id"], resume_secret=opened["resume_secret"], received=0,
            columns=80, rows=24,
        )  # fmt: skip
        await second.message("resumed")
        assert second.input_sent == second.input_until == WINDOW
        shell.events.on_target_resume()
        await second.type(b"b" * WINDOW)
        await second.until(lambda: len(second.output) == 2 * WINDOW)
        assert shell.typed == b"a" * WINDOW + b"b" * WINDOW


@pytest.mark.parametrize("counts", [True, False], ids=["counts its input", "older release"])
async def test_page_that_far_exceeds_its_credit_is_ended_with_a_reason(stage: Stage, counts: bool) -> None:
    async with stage.page(acknowledges=False, counts_input=counts) as page:
        _, shell = await stage.open(page)
        # A page of an older release is read further only if its acknowledgements may follow behind its input.
        shell.show(b"z" * 600_000)
        await page.until(lambda: page.received == 600_000)
        shell.events.on_target_pause()
        with contextlib.suppress(ConnectionClosed):
            for _ in range(4 * (WINDOW + EXCESS) // 65_536):
                await page.socket.send(b"a" * 65_536)
        ended = await page.message("ended")
        assert ended["reason"] == "limit"
        assert "faster than the target takes it" in ended["message"]
        assert shell.typed == b""
    event = await stage.plane.event(SessionEnded, reason=EndReason.LIMIT)
    assert event.detail == "the page sent more input than it may"
    assert event.bytes_in == 0


async def test_page_of_an_older_release_waits_for_a_slow_target(stage: Stage) -> None:
    data = bytes(range(256)) * (4 * (WINDOW + EXCESS) // 256)
    async with stage.page(counts_input=False) as page:
        opened, shell = await stage.open(page)
        terminal = stage.stream._sessions[UUID(opened["session_id"])]
        shell.events.on_target_pause()

        async def paste() -> None:
            for at in range(0, len(data), 65_536):
                await page.type(data[at : at + 65_536])

        pasting = asyncio.create_task(paste())
        await stage.plane.until(lambda: not terminal._input.has_room)
        await asyncio.sleep(0.2)  # time for further frames if the page were read
        assert len(terminal._input._waiting) <= WINDOW + 65_536
        shell.events.on_target_resume()
        await pasting
        await page.until(lambda: len(page.output) == len(data))
        assert shell.typed == data
        assert not any(m["type"] == "input_credit" for m in page.messages)


async def test_input_is_recorded_once_in_write_order_and_before_writing(
    stage: Stage,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    noted = b""
    take = LiveSession.user_input

    def note(session: LiveSession, data: bytes) -> bool:
        nonlocal noted
        assert stage.targets.shells[-1].typed == noted
        assert len(data) <= KEYS_AT_ONCE_BYTES
        noted += data
        return take(session, data)

    monkeypatch.setattr(LiveSession, "user_input", note)
    data = b"".join(b"%07d\n" % number for number in range(WINDOW // 16))
    async with stage.page() as page:
        _, shell = await stage.open(page)
        await page.type(b"straight through\n")
        await page.shows(b"through\n")
        shell.events.on_target_pause()
        await page.type(data)
        await page.say(type="ping", t=1)
        await page.message("pong")
        assert noted == b"straight through\n"
        shell.events.on_target_resume()
        await page.until(lambda: len(page.output) == len(data) + 17)
        assert noted == shell.typed == b"straight through\n" + data


async def test_paste_in_another_charset_gets_its_whole_credit_back(gbk: Stage) -> None:
    text = "价格 € 报告 é\r" * 40_000
    async with gbk.page() as page:
        _, shell = await gbk.open(page)
        shell.events.on_target_pause()
        pasting = asyncio.create_task(page.type(text.encode()))
        await gbk.plane.until(lambda: page.input_sent == WINDOW)
        shell.events.on_target_resume()
        await pasting
        await gbk.plane.until(lambda: len(shell.typed) >= len(text.encode("gbk", "replace")))
        assert shell.typed == text.encode("gbk", "replace")
