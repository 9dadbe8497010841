"""The browser's websocket endpoint: real frames, a control plane over HTTP, a target in memory."""

import asyncio
import time
from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from postern.contracts.access import REDEEM_TOKEN
from postern.contracts.browser import UNACKED_LIMIT
from postern.contracts.enums import EndReason
from postern.contracts.events import CommandSeen, SessionEnded, SessionStarted
from postern.contracts.terminals import ChangeLock, ShowMessage, StopWatching, TerminateSession
from postern.proxies.core.control.outbox import EventOutbox
from postern.proxies.core.control.outbox_room import OutboxRoom
from postern.proxies.core.sessions.event_ledger import NoRoomForEvents
from postern.proxies.core.targets.ports import Progress, Prompter, TargetFailed
from postern.proxies.terminal import browser_session, server
from proxies.terminal.stage import Stage

# Opening


async def test_open_gives_a_shell_that_is_recorded_before_it_is_shown(stage: Stage) -> None:
    async with stage.page() as page:
        opened, shell = await stage.open(page)
        assert (shell.pty.columns, shell.pty.rows) == (90, 30)
        assert opened["recorded"] is True
        assert opened["host_key"] == "SHA256:fake"
        assert opened["asset"] == "web1"
        states = [m["state"] for m in page.messages if m["type"] == "state"]
        assert states == ["connecting", "opening_shell"]
        await page.type("你好\x00\xff".encode("latin-1", "ignore") + b"\xff\x00")
        await page.shows(b"\xff\x00")
        (recorder,) = stage.recordings.recorders.values()
        assert bytes(recorder.written) == page.output == shell.typed
        await page.say(type="resize", columns=120, rows=0)
        await page.say(type="ping", t=1.5)
        assert (await page.message("pong"))["t"] == 1.5
        assert shell.sizes[-1] == (120, 24)
        assert recorder.sizes[-1] == (120, 24)
        started = await stage.plane.event(SessionStarted)
        assert (started.kind, started.terminal_columns, started.recording) == ("shell", 90, True)
        await page.say(type="close")
        assert (await page.message("ended"))["reason"] == "user_closed"
        assert shell.closed
        ended = await stage.plane.event(SessionEnded, reason=EndReason.USER_CLOSED)
        assert ended.bytes_out == len(page.output)


async def test_exit_of_the_target_is_reported_after_its_last_output(stage: Stage) -> None:
    async with stage.page() as page:
        _, shell = await stage.open(page)
        shell.show(b"x" * 300_000 + b"last words")
        shell.exit(3)
        ended = await page.message("ended")
        assert (ended["reason"], ended["exit_status"]) == ("target_closed", 3)
        assert page.output.endswith(b"last words")
        assert len(page.output) == 300_010
        assert page.messages[-1] is ended
        await stage.plane.until(lambda: len(stage.registry) == 0)


@pytest.mark.parametrize(
    ("language", "words"), [("en", "The target cannot be reached"), ("zh-hans", "无法连接目标主机")]
)
async def test_target_that_cannot_be_opened_is_explained_in_the_users_language(
    stage: Stage, language: str, words: str
) -> None:
    async def fail(_prompter: Prompter, _progress: Progress) -> None:
        message = {"en": "The target cannot be reached.", "zh-hans": "无法连接目标主机。"}[language]
        raise TargetFailed(EndReason.UNREACHABLE, message, "refused")

    stage.targets.before_open = fail
    stage.alice.language = language
    async with stage.page(language=language) as page:
        await page.say(type="open", token=stage.token(), columns=80, rows=24)
        ended = await page.message("ended")
        assert ended["reason"] == "unreachable"
        assert words in ended["message"]
        await stage.plane.event(SessionEnded, reason=EndReason.UNREACHABLE, ever_active=False)


async def test_denied_token_and_absent_control_plane_are_reported(stage: Stage) -> None:
    async with stage.page() as page:
        await page.say(type="open", token="wrong", columns=80, rows=24)
        assert (await page.message("ended"))["reason"] == "token_unknown"
        await page.until(lambda: page.closed)
    stage.plane.down = True
    async with stage.page(language="zh-hans") as page:
        await page.say(type="open", token="any", columns=80, rows=24)
        ended = await page.message("ended")
        assert ended["reason"] == "control_unavailable"
        assert "暂时不可用" in ended["message"]
    assert stage.targets.shells == []


@pytest.mark.parametrize("fault", ["lost", "reset", "502", "503"])
async def test_page_opens_through_a_restart_of_the_control_plane(stage: Stage, fault: str) -> None:
    """A token works once. Requested again because its answer was lost, it is the same attempt."""
    stage.plane.faults[REDEEM_TOKEN] = [fault, fault]
    async with stage.page() as page:
        opened, _shell = await stage.open(page)
        assert opened["asset"] == "web1"
    assert stage.plane.faults[REDEEM_TOKEN] == []
    assert len({message.attempt for path, message in stage.plane.calls if path == REDEEM_TOKEN}) == 1
    assert len(stage.targets.shells) == 1


async def test_token_of_another_user_opens_nothing(stage: Stage) -> None:
    mallory = stage.plane.add_user("mallory")
    async with stage.page(user=mallory) as page:
        await page.say(type="open", token=stage.token(), columns=80, rows=24)
        assert (await page.message("ended"))["reason"] == "token_unknown"
    assert stage.targets.shells == []
    assert len(stage.registry) == 0


async def test_manual_login_asks_in_the_page(stage: Stage) -> None:
    answers: list[str] = []

    async def ask(prompter: Prompter, _progress: Progress) -> None:
        answers.append(await prompter("Name: ", True))
        answers.append(await prompter("Password: ", False))

    stage.targets.before_open = ask
    async with stage.page() as page:
        await page.say(type="open", token=stage.token(), columns=80, rows=24)
        first = await page.message("prompt")
        assert (first["text"], first["echo"]) == ("Name: ", True)
        await page.say(type="answer", prompt_id=99, value="to no question")
        await page.say(type="answer", prompt_id=first["prompt_id"], value="root")
        second = await page.until(lambda: [m for m in page.messages if m["type"] == "prompt"][1:])
        assert second[0]["echo"] is False
        await page.say(type="answer", prompt_id=second[0]["prompt_id"], value="s3cret")
        await page.message("opened")
    assert answers == ["root", "s3cret"]


async def test_unanswered_question_ends_the_session(stage: Stage) -> None:
    async def ask(prompter: Prompter, _progress: Progress) -> None:
        await prompter("Password: ", False)

    stage.targets.before_open = ask
    services = stage.stream._services
    stage.stream._services = replace(services, limits=replace(services.limits, prompt_s=0.3))
    async with stage.page() as page:
        await page.say(type="open", token=stage.token(), columns=80, rows=24)
        assert (await page.message("ended"))["reason"] == "user_closed"


async def test_page_left_while_opening_ends_the_session_at_once(stage: Stage) -> None:
    async def wait(_prompter: Prompter, _progress: Progress) -> None:
        await asyncio.sleep(600)

    stage.targets.before_open = wait
    async with stage.page() as page:
        await page.say(type="open", token=stage.token(), columns=80, rows=24)
        await page.message("state")
    await stage.plane.event(SessionEnded, reason=EndReason.USER_CLOSED, ever_active=False)
    await stage.plane.until(lambda: len(stage.registry) == 0)


# Bad input


@pytest.mark.parametrize(
    "frame",
    ["", "{", "[]", '{"type":"nonsense"}', '{"type":"open"}', '{"type":"ack","received":0}', b"keys", "x" * 70_000],
    ids=["empty", "half", "list", "unknown", "incomplete", "not-first", "binary", "long"],
)
async def test_first_frame_that_is_not_understood_is_refused(stage: Stage, frame: str | bytes) -> None:
    async with stage.page() as page:
        await page.socket.send(frame)
        ended = await page.message("ended")
        assert ended["reason"] == "protocol"
        await page.until(lambda: page.closed)
    assert stage.targets.shells == []


async def test_frame_beyond_its_limit_closes_the_link(stage: Stage) -> None:
    async with stage.page() as page:
        await stage.open(page)
        await page.socket.send(b"x" * (1024 * 1024 + 1))
        await page.until(lambda: page.closed)
        assert page.socket.close_code == 1009


async def test_silent_page_is_closed(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "_FIRST_MESSAGE_S", 0.2)
    async with stage.page(language="zh-hans") as page:
        assert "没有及时" in (await page.message("ended"))["message"]


async def test_page_that_sends_too_many_frames_is_slowed_and_no_other(stage: Stage) -> None:
    async with stage.page() as noisy, stage.page() as other:
        started = time.monotonic()
        _, shell = await stage.open(noisy)
        await stage.open(other)

        async def flood() -> None:
            for _ in range(2000):
                await noisy.type(b"k")

        flooding = asyncio.create_task(flood())
        await other.type(b"still quick")
        await other.shows(b"still quick")
        assert len(shell.typed) < 2000
        await noisy.until(lambda: len(shell.typed) == 2000)
        await flooding
        assert time.monotonic() - started > 1.5


# Flow control and resuming


async def test_page_that_does_not_draw_stops_the_target(stage: Stage) -> None:
    async with stage.page(acknowledges=False) as page:
        _, shell = await stage.open(page)
        for _ in range(200):
            shell.show(b"y" * 32 * 1024)
        await page.until(lambda: page.received >= UNACKED_LIMIT)
        await stage.plane.until(lambda: shell.paused)
        assert not page.closed
        assert page.received <= UNACKED_LIMIT + 64 * 1024
        assert len(shell.held) > 100
        # The page draws again, so the target continues up to the end.
        page._acknowledges = True
        await page.say(type="ack", received=page.received)
        await page.until(lambda: page.received == 200 * 32 * 1024)
        assert (shell.paused, page.closed) == (False, False)
        assert page.output == b"y" * (200 * 32 * 1024)


async def test_false_acknowledgements_change_nothing(stage: Stage) -> None:
    async with stage.page(acknowledges=False) as page:
        _, shell = await stage.open(page)
        for number in (-5, 10**15, 2**63):
            await page.say(type="ack", received=number)
        shell.show(b"fine")
        await page.shows(b"fine")


async def test_link_lost_before_the_new_secret_arrived_resumes_with_the_old_secret(stage: Stage) -> None:
    async with stage.page() as first:
        opened, shell = await stage.open(first)
    resume = {
        "type": "resume", "session_id": opened["session_id"], "resume_secret": opened["resume_secret"],
        "received": 0, "columns": 80, "rows": 24,
    }  # fmt: skip
    # This page leaves immediately: as far as its browser knows, the answer never arrived.
    async with stage.page(acknowledges=False) as second:
        await second.say(**resume)
        await second.message("resumed")
    async with stage.page() as third:
        await third.say(**resume)
        await third.message("resumed")
        shell.show(b"here again")
        await third.shows(b"here again")


async def test_lost_link_resumes_without_gap_or_repeat(stage: Stage) -> None:
    async with stage.page(acknowledges=False) as first:
        opened, shell = await stage.open(first)
        shell.show(b"one two three ")
        await first.shows(b"three")
    shell.show(b"while away ")
    async with stage.page() as second:
        await second.say(
            type="resume", session_id=opened["session_id"], resume_secret=opened["resume_secret"], received=8,
            columns=100, rows=40,
        )  # fmt: skip
        resumed = await second.message("resumed")
        assert resumed["offset"] == 8
        assert resumed["resume_secret"] != opened["resume_secret"]
        await second.shows(b"while away ")
        assert second.output == b"three while away "
        await second.type(b"typed")
        await second.shows(b"typed")
        assert shell.sizes[-1] == (100, 40)
        # The old secret is used up.
        async with stage.page() as thief:
            await thief.say(
                type="resume", session_id=opened["session_id"], resume_secret=opened["resume_secret"], received=0,
                columns=100, rows=40,
            )  # fmt: skip
            assert (await thief.message("ended"))["reason"] == "session_unknown"
        await second.type(b" still mine")
        await second.shows(b" still mine")


async def test_resume_from_too_far_back_starts_with_the_screen(stage: Stage) -> None:
    async with stage.page() as first:
        opened, shell = await stage.open(first)
        shell.show(b"long forgotten ")
        await first.shows(b"forgotten")
        await first.say(type="ping", t=0)  # the previous acknowledgement has been processed
        await first.message("pong")
    async with stage.page() as second:
        await second.say(
            type="resume", session_id=opened["session_id"], resume_secret=opened["resume_secret"], received=3,
            columns=90, rows=30,
        )  # fmt: skip
        screen = await second.message("screen")
        await second.until(lambda: second.picture)
        assert second.picture == b"long forgotten "
        assert screen["offset"] == 15
        shell.show(b"and on")
        await second.shows(b"and on")
        assert second.output == b"and on"


async def test_resume_needs_the_same_user(stage: Stage) -> None:
    mallory = stage.plane.add_user("mallory")
    async with stage.page() as first:
        opened, _ = await stage.open(first)
        async with stage.page(user=mallory) as thief:
            await thief.say(
                type="resume", session_id=opened["session_id"], resume_secret=opened["resume_secret"], received=0,
                columns=90, rows=30,
            )  # fmt: skip
            assert (await thief.message("ended"))["reason"] == "session_unknown"
        await first.type(b"undisturbed")
        await first.shows(b"undisturbed")


async def test_resume_does_not_wait_for_a_stalled_link(stage: Stage) -> None:
    async with stage.page(acknowledges=False) as stalled:
        opened, shell = await stage.open(stalled)
        assert stalled._reader is not None
        stalled._reader.cancel()
        stalled.socket.transport.pause_reading()
        for _ in range(40):
            shell.show(b"z" * 32 * 1024)
        await asyncio.sleep(0.3)
        async with stage.page() as fresh:
            await fresh.say(
                type="resume", session_id=opened["session_id"], resume_secret=opened["resume_secret"], received=0,
                columns=90, rows=30,
            )  # fmt: skip
            # The stalled link is never read again. If the proxy waited for it, this would not arrive.
            await fresh.until(lambda: fresh.received == 40 * 32 * 1024)
            assert fresh.output == b"z" * (40 * 32 * 1024)


async def test_browser_that_does_not_come_back_ends_its_session(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser_session, "RESUME_GRACE_S", 0.3)
    async with stage.page() as page:
        _, shell = await stage.open(page)
    await stage.plane.event(SessionEnded, reason=EndReason.USER_CLOSED)
    await stage.plane.until(lambda: shell.closed and stage.stream._sessions == {})


async def test_end_while_the_browser_is_away_is_reported_on_its_return(stage: Stage) -> None:
    async with stage.page() as first:
        opened, shell = await stage.open(first)
    shell.show(b"bye")
    shell.exit(0)
    async with stage.page() as second:
        await second.say(
            type="resume", session_id=opened["session_id"], resume_secret=opened["resume_secret"], received=0,
            columns=90, rows=30,
        )  # fmt: skip
        assert (await second.message("ended"))["reason"] == "target_closed"
        assert second.output == b"bye"


# Watching and stopping


async def test_watcher_sees_the_present_screen_then_everything(stage: Stage) -> None:
    async with stage.page() as page:
        opened, shell = await stage.open(page)
        shell.show(b"before ")
        token, _, auditor = stage.watch_token(opened["session_id"])
        async with stage.page(user=auditor) as view:
            await view.say(type="watch", token=token)
            assert (await view.message("watching"))["asset"] == "web1"
            await view.until(lambda: view.picture)
            assert view.picture == b"before "
            for number in range(50):
                shell.show(b"%d," % number)
            await page.say(type="resize", columns=70, rows=20)
            await view.message("resized")
            await view.shows(b"49,")
            assert view.output == b"".join(b"%d," % number for number in range(50))
            await view.type(b"rm -rf /\r")
            await view.say(type="close")
            await view.say(type="ping", t=2)
            await view.message("pong")
            assert shell.typed == b""
            order = TerminateSession(
                order_id=uuid4(), session_id=UUID(opened["session_id"]), by="admin", reason="terminated",
                message_zh="管理员终止", message_en="Stopped by admin",
            )  # fmt: skip
            stage.registry.carry_out(order)
            for each in (page, view):
                ended = await each.message("ended")
                assert ended["reason"] == "terminated"
            assert "Stopped by admin" in (await page.message("ended"))["message"]
            assert shell.closed


async def test_watching_can_be_stopped_alone(stage: Stage) -> None:
    async with stage.page() as page:
        opened, _ = await stage.open(page)
        token, watch, auditor = stage.watch_token(opened["session_id"])
        async with stage.page(user=auditor) as view:
            await view.say(type="watch", token=token)
            await view.until(lambda: any(m["type"] == "screen" for m in view.messages))
            stage.registry.carry_out(StopWatching(order_id=uuid4(), watch_id=watch.watch_id))
            await view.message("ended")
        await page.type(b"goes on")
        await page.shows(b"goes on")


async def test_tokens_work_for_their_own_purpose_only(stage: Stage) -> None:
    async with stage.page() as page:
        opened, _ = await stage.open(page)
        token, _, auditor = stage.watch_token(opened["session_id"])
        async with stage.page(user=auditor) as view:
            await view.say(type="open", token=token, columns=80, rows=24)
            assert (await view.message("ended"))["reason"] == "protocol"
        async with stage.page() as other:
            await other.say(type="watch", token=stage.token())
            assert (await other.message("ended"))["reason"] == "protocol"
        assert len(stage.targets.shells) == 1


async def test_watching_an_ended_session_is_explained(stage: Stage) -> None:
    token, _, auditor = stage.watch_token(uuid4())
    async with stage.page(user=auditor) as view:
        await view.say(type="watch", token=token)
        assert (await view.message("ended"))["reason"] == "session_unknown"


async def test_session_that_cannot_be_recorded_ends_and_says_so(stage: Stage) -> None:
    async with stage.page() as page:
        _, shell = await stage.open(page)
        (recorder,) = stage.recordings.recorders.values()
        recorder.break_writes = True
        shell.show(b"never seen")
        assert (await page.message("ended"))["reason"] == "cannot_record"
        assert b"never seen" not in page.output
    stage.recordings.refuse = True
    async with stage.page() as page:
        await page.say(type="open", token=stage.token(), columns=80, rows=24)
        assert (await page.message("ended"))["reason"] == "cannot_record"


async def test_session_in_the_browser_is_refused_when_it_cannot_be_logged(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_outbox: EventOutbox, _size: int) -> None:
        raise NoRoomForEvents("the disk is full")

    monkeypatch.setattr(EventOutbox, "hold", refuse)
    async with stage.page() as page:
        await page.say(type="open", token=stage.token(), columns=80, rows=24)
        ended = await page.message("ended")
    assert ended["reason"] == EndReason.CANNOT_RECORD
    assert "no room left to log" in ended["message"]
    assert stage.targets.shells == []


async def test_open_shell_in_the_browser_ends_when_a_command_cannot_be_logged(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_room: OutboxRoom, _record: bytes, *, held: int = 0) -> bool:
        raise NoRoomForEvents(f"the disk is full, {held} bytes or not")

    async with stage.page() as page:
        await stage.open(page)
        monkeypatch.setattr(OutboxRoom, "write", refuse)
        (session_id,) = stage.registry.ids()
        session = stage.registry.get(session_id)
        assert session is not None
        session.log.command("cat /etc/shadow")
        ended = await page.message("ended")
    assert ended["reason"] == EndReason.CANNOT_RECORD
    monkeypatch.undo()
    assert (await stage.plane.event(SessionEnded)).reason is EndReason.CANNOT_RECORD
    assert (await stage.plane.event(CommandSeen)).input == "cat /etc/shadow"


async def test_locked_page_types_into_nothing_and_a_resumed_page_is_told(stage: Stage) -> None:
    async def change(version: int, *, is_locked: bool) -> None:
        [session_id] = stage.registry.ids()
        order = ChangeLock(
            order_id=uuid4(), session_id=session_id, version=version, is_locked=is_locked, by="Olaf(olaf)"
        )
        assert stage.registry.carry_out(order)

    async with stage.page() as page:
        opened, shell = await stage.open(page)
        await page.type(b"before")
        await stage.plane.until(lambda: shell.typed == b"before")
        shell.events.on_target_pause()
        await page.type(b"queued")
        await stage.plane.until(lambda: page.input_sent == len(b"beforequeued"))
        await asyncio.sleep(0.2)
        await change(1, is_locked=True)
        assert (await page.message("notice"))["code"] == "lock"
        shell.events.on_target_resume()
        for _ in range(30):  # more than a page may send without new credit
            await page.type(b"x" * 32_000)
        shell.show(b"shown")
        await page.shows(b"shown")
    async with stage.page() as page:
        await page.say(
            type="resume", session_id=opened["session_id"], resume_secret=opened["resume_secret"], received=len(page.output),
            columns=80, rows=24,
        )  # fmt: skip
        await page.message("resumed")
        assert "Olaf(olaf) has locked this session" in (await page.message("notice"))["message"]
        await page.type(b"y")
        await asyncio.sleep(0.3)
        assert shell.typed == b"before"
        await change(2, is_locked=False)
        await page.until(lambda: any("has unlocked" in message.get("message", "") for message in page.messages))
        await page.type(b"after")
        await stage.plane.until(lambda: shell.typed == b"beforeafter")


async def test_message_for_a_page_that_is_away_is_shown_when_it_resumes(stage: Stage) -> None:
    def send(text: str) -> None:
        [session_id] = stage.registry.ids()
        order = ShowMessage(order_id=uuid4(), session_id=session_id, by="Olaf(olaf)", text=text)
        assert stage.registry.carry_out(order)

    async with stage.page() as page:
        opened, _shell = await stage.open(page)
    await asyncio.sleep(0.3)
    for text in ("one", "two"):
        send(text)
    async with stage.page() as page:
        await page.say(
            type="resume", session_id=opened["session_id"], resume_secret=opened["resume_secret"], received=0,
            columns=80, rows=24,
        )  # fmt: skip
        await page.message("resumed")
        send("three")
        await page.until(lambda: len([m for m in page.messages if m["type"] == "notice"]) == 3)
        shown = [m["message"] for m in page.messages if m["type"] == "notice"]
        assert shown == [f"Message from Olaf(olaf): {text}" for text in ("one", "two", "three")]
