"""The asset menu as users see it: both languages, narrow and wide screens, and common keys."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from fakes.control_plane import FakeAsset, FakeSystemUser
from peers.ssh_proxy import World
from peers.terminal import Terminal
from postern.contracts.access import AuthorizeRequest
from postern.contracts.enums import EndReason
from postern.contracts.events import SessionEnded, SessionStarted
from postern.contracts.terminals import ProxySettings, TerminateSession
from postern.kernel.ids import new_id


def menu(world: World, rows: int = 24) -> Terminal:
    return Terminal(world.proxy.ssh("alice", options=("-tt",)), rows=rows)


@asynccontextmanager
async def asking_menu(world: World) -> AsyncIterator[Terminal]:
    """Wait for the menu's prompt."""
    async with menu(world) as terminal:
        await terminal.expect("asset> ")
        yield terminal


async def ended_from_menu(world: World, terminal: Terminal, reason: str, message: str) -> None:
    """Open a session by its number, have it ended, and read why."""
    await terminal.type("1\r")
    await terminal.expect(r"[#$] ")
    started = await world.plane.event(SessionStarted)
    world.proxy.registry.carry_out(
        TerminateSession(
            order_id=new_id(), session_id=started.session_id, by="x", reason=reason,
            message_zh="停", message_en=message,
        )
    )  # fmt: skip
    await terminal.expect(message)


def many(world: World, count: int) -> None:
    for number in range(count):
        user = FakeSystemUser("deploy", "root")
        world.plane.add_asset(FakeAsset(f"host-{number:03d}", f"10.0.0.{number}", 22, [user], comment=f"row {number}"))


async def test_menu_lists_connects_by_number_and_returns(world: World) -> None:
    async with menu(world) as terminal:
        await terminal.expect("Welcome to Postern, alice")
        await terminal.expect("1 +web1 +127.0.0.1")
        await terminal.expect("Page 1 of 1, 1 in total")
        await terminal.expect("asset> ")
        await terminal.type("1\r")
        await terminal.expect("Connecting to")
        await terminal.expect(r"[#$] ")
        await terminal.type("echo in-$((40+2)); exit 5\r")
        await terminal.expect("in-42")
        await terminal.expect("back in the asset menu")
        await terminal.expect("asset> ")
        await terminal.type("q\r")
        await terminal.expect("Good-bye")
        assert await terminal.wait() == 0

    ended = await world.plane.event(SessionEnded)
    assert (ended.reason, ended.exit_status) == (EndReason.TARGET_CLOSED, 5)
    assert b"Welcome" not in world.proxy.recordings.recorders[ended.session_id].written


@pytest.mark.parametrize("choice", ["web1", "WEB1", "127.0.0.1", "第一台"])
async def test_menu_connects_by_name_address_or_unique_match(world: World, choice: str) -> None:
    many(world, 3)
    async with asking_menu(world) as terminal:
        await terminal.type(choice + "\r")
        await world.plane.event(SessionStarted)
        await terminal.expect(r"[#$] ")


async def test_menu_uses_chinese_by_default_and_aligns_wide_text(world: World) -> None:
    world.alice.language = "zh-hans"
    world.alice.name = "爱丽丝"
    world.plane.add_asset(FakeAsset("数据库主机", "10.0.0.9", 22, [FakeSystemUser("运维", "root")]))
    async with menu(world) as terminal:
        await terminal.expect("欢迎使用 Postern，爱丽丝")
        await terminal.expect("序号")
        await terminal.expect("资产> ")
        lines = terminal.seen.decode().splitlines()
        rows = [line for line in lines if "10.0.0.9" in line or "127.0.0.1" in line]
        offsets = {_cells(row.partition("1" if "127" in row else "10.0")[0].split("127")[0]) for row in rows}
        assert len(rows) == 2
        assert _cells(rows[0].partition("127.0.0.1")[0]) == _cells(rows[1].partition("10.0.0.9")[0]), offsets
        await terminal.type("?\r")
        await terminal.expect("按名称、地址或备注搜索")
        await terminal.type("没有这个\r")
        await terminal.expect("没有找到与“没有这个”匹配的资产")


def _cells(text: str) -> int:
    return sum(2 if ord(char) > 0x2E80 else 1 for char in text)


async def test_menu_pages_with_n_and_b_and_follows_the_screen_size(world: World) -> None:
    many(world, 29)
    async with menu(world, rows=16) as terminal:
        await terminal.expect("Page 1 of 3, 30 in total")
        await terminal.type("n\r")
        await terminal.expect("11 +host-009")
        await terminal.expect("Page 2 of 3")
        await terminal.type("n\rn\r")
        await terminal.expect("Page 3 of 3")
        await terminal.expect("Page 3 of 3")
        await terminal.type("b\r")
        await terminal.expect("Page 2 of 3")
        terminal.resize(100, 40)
        await terminal.type("p\r")
        await terminal.expect("Page 1 of 1")


async def test_menu_page_size_comes_from_the_settings(world: World) -> None:
    many(world, 29)
    world.proxy.settings.current = ProxySettings(asset_list_page_size="10")
    async with menu(world, rows=50) as terminal:
        await terminal.expect("Page 1 of 3, 30 in total")


async def test_menu_help_gives_the_command_for_this_address(world: World) -> None:
    async with asking_menu(world) as terminal:
        await terminal.type("?\r")
        await terminal.expect(f"ssh -p {world.proxy.port} alice=SYSTEMUSER=ASSET@127.0.0.1 ")
        world.proxy.settings.current = ProxySettings(ssh_host="bastion.example.com", ssh_port=22)
        await terminal.type("?\r")
        await terminal.expect("ssh -p 22 alice=SYSTEMUSER=ASSET@bastion.example.com ")


async def test_menu_searches_with_slash_and_clears(world: World) -> None:
    many(world, 12)
    async with asking_menu(world) as terminal:
        await terminal.type("/row 1\r")
        await terminal.expect("host-001")
        await terminal.expect("3 in total  Search: row 1")
        await terminal.type("1\x15/nothing-like-it\r")
        await terminal.expect("No asset matches “nothing-like-it”")
        await terminal.type("/\r")
        await terminal.expect("13 in total")


async def test_menu_several_matches_are_listed_to_choose_from(world: World) -> None:
    many(world, 12)
    async with asking_menu(world) as terminal:
        await terminal.type("host-01\r")
        await terminal.expect("Several assets match")
        await terminal.expect("2 +host-011")


async def test_menu_asks_which_system_user(world: World) -> None:
    world.asset.system_users.append(FakeSystemUser("other", "nobody"))
    async with asking_menu(world) as terminal:
        await terminal.type("1\r")
        await terminal.expect("System users of web1:")
        await terminal.expect(r"2  other \(nobody\)")
        await terminal.type("9\r")
        await terminal.expect("no number 9")
        await terminal.type("\r")
        await terminal.expect("asset> ")
        await terminal.type("1\rdeploy\r")
        await terminal.expect(r"[#$] ")


async def test_menu_line_can_be_edited_with_utf8_and_cursor_keys(world: World) -> None:
    async with asking_menu(world) as terminal:
        await terminal.type("数b据\x7f\x7f\x7fwb1\x1b[D\x1b[De\r")
        await world.plane.event(SessionStarted)


async def test_menu_history_and_control_keys(world: World) -> None:
    async with asking_menu(world) as terminal:
        await terminal.type("/one\r")
        await terminal.expect("matches “one”")
        await terminal.expect("asset> ")
        await terminal.type("garbage\x03")
        await terminal.expect(r"\^C")
        await terminal.type("\x1b[A\r")
        await terminal.expect("matches “one”")
        await terminal.type("half a line\x17\x17\x17\x15\x04")
        await terminal.expect("Good-bye")
        assert await terminal.wait() == 0


async def test_menu_failed_target_is_explained_and_the_menu_continues(world: World) -> None:
    world.plane.add_asset(FakeAsset("bad", "no-such-host.invalid", 22, [FakeSystemUser("x", "root")]))
    async with asking_menu(world) as terminal:
        await terminal.type("bad\r")
        await terminal.expect("no-such-host.invalid cannot be resolved")
        await terminal.expect("asset> ")
        await terminal.type("1\r")
        await terminal.expect(r"[#$] ")


async def test_menu_control_plane_away_is_explained_and_the_menu_continues(world: World) -> None:
    async with asking_menu(world) as terminal:
        world.plane.down = True
        await terminal.type("r\r")
        await terminal.expect("temporarily unavailable")
        world.plane.down = False
        await terminal.type("r\r")
        await terminal.expect("Page 1 of 1")


async def test_menu_terminated_session_returns_to_the_menu_with_the_reason(world: World) -> None:
    async with asking_menu(world) as terminal:
        await ended_from_menu(world, terminal, "terminated", "Stopped by x.")
        await terminal.expect("asset> ")


async def test_menu_closed_account_ends_the_connection(world: World) -> None:
    async with asking_menu(world) as terminal:
        await ended_from_menu(world, terminal, "account_closed", "Your account is closed.")
        assert await terminal.wait() == 255


async def test_menu_without_reachable_assets_says_so(world: World) -> None:
    world.plane.assets.clear()
    async with menu(world) as terminal:
        await terminal.expect("no asset that you may reach")


async def test_menu_hostile_names_cannot_control_the_terminal(world: World) -> None:
    world.asset.hostname = "evil\x1b]0;owned\x07\x1b[2Jname"
    world.asset.comment = "a\rb\nc\u202e"
    async with asking_menu(world) as terminal:
        await terminal.type("/evil\r")
        await terminal.expect("1 in total")
        assert b"\x1b]0;" not in terminal.seen
        assert b"\x1b[2J" not in terminal.seen
        assert "\u202e".encode() not in terminal.seen


async def test_k40_one_sign_in_opens_many_sessions_and_ends_with_its_connection(world: World) -> None:
    async with menu(world) as terminal:
        for _ in range(2):
            await terminal.expect("asset> ")
            await terminal.type("1\r")
            await terminal.expect(r"[#$] ")
            await terminal.type("exit\r")
            await terminal.expect("back in the asset menu")
        (ticket,) = world.plane.tickets
        used = [call.ticket for _path, call in world.plane.calls if isinstance(call, AuthorizeRequest)]
        assert used == [ticket, ticket]
        await terminal.expect("asset> ")
        await terminal.type("q\r")
        assert await terminal.wait() == 0
    await world.plane.until(lambda: world.plane.tickets_closed == [ticket])
    assert not world.plane.tickets


async def test_k40_menu_of_an_ended_sign_in_opens_nothing(world: World) -> None:
    async with asking_menu(world) as terminal:
        world.plane.tickets.clear()
        await terminal.type("1\r")
        await terminal.expect("Your sign-in has ended")
        await terminal.expect("asset> ")
        await terminal.type("r\r")
        await terminal.expect("Your sign-in has ended")
        assert not world.plane.of(SessionStarted)
        # The next report tells the proxy as well. Nothing is open, so the connection ends.
        assert await world.proxy.services.tickets.report() is True
        assert await terminal.wait() == 255
