"""The browser endpoint with a real sshd, real recording with its sealer, and command detection."""

import asyncio
import contextlib
import hashlib
import os
import shutil
import time
from uuid import UUID, uuid4

import pytest

from fakes.control_plane import FakeAsset, FakeSystemUser
from peers.browser_page import BrowserPage
from peers.memory import held_bytes
from peers.odd_target import OddTarget, say_hello
from postern.contracts.access import AuthorizeAnswer
from postern.contracts.enums import CommandKind, LoginFrom
from postern.contracts.events import CommandSeen, RecordingSealed, SessionEnded
from postern.contracts.terminals import TerminateSession
from postern.contracts.vt import Screen
from proxies.terminal.plant import Plant
from timing import soon_async


async def interrupt(page: BrowserPage) -> None:
    """Press Ctrl-C until the prompt is back. One sent before the shell hands its terminal to the command has no
    effect.
    """
    before = len(page.output)
    for _ in range(30):
        await page.type(b"\x03")
        with contextlib.suppress(AssertionError):
            return await page.until(lambda: page.output[before:].endswith(b"$ "), 2)
    raise AssertionError(f"not interrupted: {page.output[before:]!r}")


async def test_shell_echoes_and_its_commands_are_detected(plant: Plant) -> None:
    async with plant.page() as page:
        opened = await plant.open(page)
        for line, shown in (
            (b"echo sum=$((20+22))", b"sum=42"),
            (b"printf '%s\\n' \xe4\xbd\xa0\xe5\xa5\xbd-two", b"\r\xe4\xbd\xa0\xe5\xa5\xbd-two"),
            (b"stty size", b"24 80"),
        ):
            await page.type(line + b"\r")
            await page.shows(shown)
        await page.type(b"\x1b[A\x1b[A\x1b[A\x1b[A\r")
        await page.type(b"sleep 3000\r")
        # A long-running command is reported before it ends.
        await plant.plane.event(CommandSeen, input="sleep 3000")
        await interrupt(page)
        await page.type(b"exit 5\r")
        ended = await page.message("ended")
        assert ended["exit_status"] == 5
        session_id = UUID(opened["session_id"])
        await plant.plane.event(SessionEnded, session_id=session_id)
        await plant.plane.event(RecordingSealed, session_id=session_id)
        commands = [event for event in plant.plane.of(CommandSeen, session_id) if event.kind is not CommandKind.HIDDEN]
        inputs = [event.input for event in commands]
        assert inputs[1:4] == ["echo sum=$((20+22))", "printf '%s\\n' 你好-two", "stty size"]
        assert inputs[-2:] == ["sleep 3000", "exit 5"]
        assert commands[1].output == "sum=42"
        offsets = [event.offset_ms for event in commands]
        assert offsets == sorted(offsets)


async def test_watcher_starts_with_the_present_screen_within_a_second_and_both_can_be_stopped(plant: Plant) -> None:
    auditor = plant.plane.add_user("auditor")
    async with plant.page() as page, plant.page(user=auditor) as view:
        opened = await plant.open(page)
        await page.type(b"vi -u NONE -i NONE\r" if shutil.which("vi") else b"vim -u NONE -i NONE\r")
        await page.until(lambda: b"\x1b[?1049h" in page.output)
        await page.type(b"iwritten in the editor \xe4\xb8\xad\xe6\x96\x87")
        await page.shows(b"\xe4\xb8\xad\xe6\x96\x87")

        async def looked_in() -> float:
            async with plant.page(user=auditor) as another:
                started = time.monotonic()
                await plant.watch(another, auditor, opened["session_id"])
                await another.until(lambda: another.picture)
                return time.monotonic() - started

        await soon_async(looked_in, 1)
        await plant.watch(view, auditor, opened["session_id"])
        await view.until(lambda: view.picture)
        await view.until(lambda: view.received == page.received)
        person, watcher = Screen(80, 24), Screen(80, 24)
        person.feed(page.output)
        watcher.feed(view.picture + view.output)
        assert watcher.lines() == person.lines()
        assert watcher.cursor == person.cursor
        assert watcher.alternate
        await page.type(b" and on\x1b:q!\r")
        await page.until(lambda: b"\x1b[?1049l" in page.output)
        await page.type(b"echo back-in-$((1+1))-shells\r")
        await view.shows(b"back-in-2-shells")
        person, watcher = Screen(80, 24), Screen(80, 24)
        await page.until(lambda: page.output.endswith(b"$ "))
        await view.until(lambda: view.output.endswith(b"$ "))
        person.feed(page.output)
        watcher.feed(view.picture + view.output)
        assert watcher.lines() == person.lines()
        plant.registry.carry_out(
            TerminateSession(
                order_id=uuid4(), session_id=UUID(opened["session_id"]), by="admin", reason="terminated",
                message_zh="管理员终止", message_en="Stopped by admin",
            )
        )  # fmt: skip
        for each in (page, view):
            assert (await each.message("ended"))["reason"] == "terminated"


async def test_cut_link_too_far_back_resumes_from_the_sealers_snapshot(plant: Plant) -> None:
    first = plant.page()
    async with first:
        opened = await plant.open(first)
        await first.type(b"seq 3000; echo end-of-$((1+1))\r")
        await first.shows(b"end-of-2")
        await first.until(lambda: first.output.endswith(b"$ "))
        await first.say(type="ping", t=1)
        await first.message("pong")
    async with plant.page() as second:
        await second.say(
            type="resume", session_id=opened["session_id"], resume_secret=opened["resume_secret"], received=10,
            columns=80, rows=24,
        )  # fmt: skip
        await second.message("screen")
        await second.until(lambda: second.picture)
        before, after = Screen(80, 24), Screen(80, 24)
        before.feed(first.output)
        after.feed(second.picture)
        assert after.lines() == before.lines()
        await second.type(b"echo goes-$((1+1))-on\r")
        await second.shows(b"goes-2-on")


async def test_flood_with_a_page_that_does_not_draw_uses_bounded_memory(plant: Plant) -> None:
    async with plant.page(acknowledges=False) as page, plant.page() as other:
        await plant.open(other)
        page._acknowledges = True
        await plant.open(page)
        page._acknowledges = False
        await page.type(b"yes flooding\r")
        await page.until(lambda: len(page.output) > 512 * 1024)
        before = held_bytes(os.getpid())
        await asyncio.sleep(2)
        assert held_bytes(os.getpid()) - before < 30e6
        assert len(page.output) < 1_200_000
        await other.type(b"echo not-$((1+1))-disturbed\r")
        await other.shows(b"not-2-disturbed")
        await page.type(b"\x03")
        await page.say(type="close")


@pytest.mark.parametrize("counts", [True, False], ids=["counts its input", "older release"])
async def test_large_paste_arrives_completely(plant: Plant, counts: bool) -> None:
    size = 8 * 1024 * 1024
    async with plant.page(counts_input=counts) as page:
        await plant.open(page)
        await page.type(b"stty raw -echo; echo re''ady; head -c %d | md5sum; stty sane\r" % size)
        await page.shows(b"ready")
        block = bytes(range(33, 123)) * 729
        data = (block * (size // len(block) + 1))[:size]
        for at in range(0, size, 64 * 1024):
            await page.type(data[at : at + 64 * 1024])
        await page.shows(hashlib.md5(data, usedforsecurity=False).hexdigest().encode(), 200)


@pytest.mark.spec("S3-036")
async def test_manual_sign_in_asks_again_after_a_wrong_password_and_stores_nothing(plant: Plant) -> None:
    async with OddTarget(say_hello) as target, plant.page() as page:
        account = FakeSystemUser("by hand", "", manual=True)
        asset = plant.plane.add_asset(FakeAsset("odd", "127.0.0.1", target.port, [account]))
        grant = plant.plane.grant(plant.alice, asset, account, login_from=LoginFrom.WEB_TERMINAL)
        plant.plane.tokens["by-hand"] = AuthorizeAnswer(grant=grant)
        await page.say(type="open", token="by-hand", columns=80, rows=24)
        for number, (echo, answer) in enumerate([(True, "carol"), (False, "wrong-one"), (False, "hunter2")]):
            asked = await page.until(lambda number=number: [m for m in page.messages if m["type"] == "prompt"][number:])
            assert asked[0]["echo"] is echo
            await page.say(type="answer", prompt_id=asked[0]["prompt_id"], value=answer)
        assert asked[0]["text"] == "The host did not accept it. Password of carol@odd: "
        await page.message("opened")
        ended = await plant.plane.event(SessionEnded, session_id=grant.session_id)
        sealed = await plant.plane.event(RecordingSealed, session_id=grant.session_id)
    assert ended.ever_active
    said = repr(page.messages) + repr(plant.plane.events) + repr(plant.plane.calls)
    assert "wrong-one" not in said
    assert "hunter2" not in said
    recording = bytes(plant.plane.recordings.get(sealed.session_id, b""))
    assert b"hunter2" not in recording
