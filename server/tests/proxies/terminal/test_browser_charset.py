"""A GBK host: the page uses UTF-8, and host and recording use the original bytes."""

import random
from uuid import UUID, uuid4

from postern.contracts.enums import CommandKind
from postern.contracts.terminals import ChangeLock
from postern.proxies.core.charset import Charset, DetectorInUtf8
from postern.proxies.core.commands import CommandDetector, DetectedCommand
from proxies.terminal.stage import Stage

SAID = "文件 /tmp/报告.txt 不存在\r\n"


async def test_page_of_a_gbk_host_shows_and_sends_utf8_and_the_recording_keeps_the_hosts_bytes(gbk: Stage) -> None:
    async with gbk.page() as page:
        _, shell = await gbk.open(page)
        assert shell.pty.environment == {}, "the host's own locale stays"
        host_bytes = SAID.encode("gbk")
        for at in range(len(host_bytes)):  # cut inside every character
            shell.show(host_bytes[at : at + 1])
        await page.shows(SAID.encode())
        typed = "cat 报告.txt 😀\r".encode()
        for at in range(len(typed)):
            await page.type(typed[at : at + 1])
        await page.shows("cat 报告.txt ?\r".encode())
        assert shell.typed == "cat 报告.txt ?\r".encode("gbk")
        (recorder,) = gbk.recordings.recorders.values()
        assert bytes(recorder.written) == host_bytes + shell.typed
        assert page.output.decode() == SAID + "cat 报告.txt ?\r"


async def test_half_a_character_before_the_lock_is_no_part_of_the_keys_after_it(gbk: Stage) -> None:
    async with gbk.page() as page:
        opened, shell = await gbk.open(page)
        await page.type("x报".encode()[:3])
        await gbk.plane.until(lambda: shell.typed == b"x")
        await page.say(type="ping", t=1.0)
        await page.message("pong")
        for version, is_locked in ((1, True), (2, False)):
            order = ChangeLock(
                order_id=uuid4(), session_id=UUID(opened["session_id"]), version=version, is_locked=is_locked, by="Olaf"
            )
            assert gbk.registry.carry_out(order)
        await page.type(b"y")
        await page.shows(b"y")
        assert shell.typed == b"xy"


async def test_page_of_a_gbk_host_resumes_where_it_was(gbk: Stage) -> None:
    async with gbk.page(acknowledges=False) as page:
        opened, shell = await gbk.open(page)
        shell.show("报告".encode("gbk"))
        await page.shows("报告".encode())
    async with gbk.page() as second:
        await second.say(
            type="resume", session_id=opened["session_id"], resume_secret=opened["resume_secret"], received=3,
            columns=80, rows=24,
        )  # fmt: skip
        assert (await second.message("resumed"))["offset"] == 3
        await second.shows("告".encode())
        shell.show("完".encode("gbk"))
        await second.shows("告完".encode())
        assert second.output.decode() == "告完"


async def test_page_of_a_gbk_host_that_lost_too_much_resumes_after_the_snapshot(gbk: Stage) -> None:
    async with gbk.page() as page:
        opened, shell = await gbk.open(page)
        shell.show("报告".encode("gbk"))
        await page.shows("报告".encode())
        await page.say(type="ping", t=1.0)  # the previous acknowledgement has been processed
        await page.message("pong")
    async with gbk.page() as second:
        await second.say(
            type="resume", session_id=opened["session_id"], resume_secret=opened["resume_secret"], received=1,
            columns=80, rows=24,
        )  # fmt: skip
        await second.until(lambda: second.picture)
        screens = [message for message in second.messages if message["type"] == "screen"]
        assert screens[0]["offset"] == 6, "in the page's bytes, not in the host's four"
        shell.show("完".encode("gbk"))
        await second.shows("完".encode())


async def test_watcher_of_a_gbk_host_sees_utf8(gbk: Stage) -> None:
    async with gbk.page() as page:
        opened, shell = await gbk.open(page)
        token, _watch, auditor = gbk.watch_token(opened["session_id"])
        async with gbk.page(user=auditor) as view:
            await view.say(type="watch", token=token)
            await view.message("screen")
            host_bytes = SAID.encode("gbk")
            shell.show(host_bytes[:5])
            shell.show(host_bytes[5:])
            await view.shows(SAID.encode())


def test_commands_at_a_gbk_host_are_detected() -> None:
    commands: list[DetectedCommand] = []
    detector = DetectorInUtf8(CommandDetector(80, 24, commands.append), "gbk")
    now_ms = 0
    detector.target_output("主机$ ".encode("gbk"), now_ms)
    for character in "cat 报告.txt":
        for byte in character.encode("gbk"):  # a terminal may send and echo half characters
            now_ms += 20
            detector.user_input(bytes([byte]), now_ms)
            detector.target_output(bytes([byte]), now_ms)
    detector.user_input(b"\r", now_ms)
    detector.target_output("\r\n不存在\r\n主机$ ".encode("gbk"), now_ms + 5)
    detector.resize(100, 30)
    detector.user_input(b"x", now_ms + 500)
    detector.close()
    assert [(command.kind, command.input, command.output) for command in commands][:1] == [
        (CommandKind.ECHO, "cat 报告.txt", "不存在")
    ]


def test_escape_sequences_pass_a_charset_wherever_the_bytes_are_cut() -> None:
    text = "\x1b[31m红\x1b[0m\x1b]0;标题\x07\x1b[2J丂[\\"
    data, source = text.encode("gbk"), random.Random(5)
    for _ in range(200):
        charset, output, at = Charset("gbk"), b"", 0
        while at < len(data):
            step = source.randint(1, 4)
            output += charset.to_utf8(data[at : at + step])
            at += step
        assert output.decode() == text


def test_byte_outside_the_charset_swallows_no_escape_sequence() -> None:
    output = Charset("gbk").to_utf8(b"\xb1\x1b[0m\xff\x1b[1mx").decode()
    assert "\x1b[0m" in output
    assert "\x1b[1mx" in output


def test_utf8_host_is_passed_through_unchanged() -> None:
    charset, raw = Charset("utf8"), b"\xff\xfe\x80 half \xe4\xbd"
    assert charset.is_utf8
    assert charset.to_utf8(raw) is raw
    assert charset.from_utf8(raw) is raw
