"""The model of the asset menu: commands, pages, and the asset that an answer selects."""

from uuid import uuid4

import pytest

from postern.contracts.access import Denial, ReachableAsset, ReachablePage, ReachableSystemUser
from postern.contracts.enums import DenialCode, Protocol
from postern.proxies.core.control.plane import ControlUnavailable
from postern.proxies.core.menu.asset_menu import AssetMenu, Command, Miss, Position, chosen, command_of
from postern.proxies.core.opening.refused import Refused

SIZE = 3


def account(name: str, protocol: Protocol = Protocol.SSH) -> ReachableSystemUser:
    return ReachableSystemUser(
        id=uuid4(), name=name, username=name.lower(), protocol=protocol, priority=10, manual=False
    )


def asset(hostname: str, *accounts: ReachableSystemUser) -> ReachableAsset:
    return ReachableAsset(
        id=uuid4(), hostname=hostname, ip=f"10.0.0.{len(hostname)}", platform="Linux", comment="", org_name="",
        system_users=accounts,
    )  # fmt: skip


class Assets:
    """Answers from a list, as the control plane would."""

    def __init__(self, *assets: ReachableAsset) -> None:
        self.assets = assets
        self.answer: ReachablePage | Exception | None = None

    async def reach(self, search: str, offset: int, limit: int) -> ReachablePage:
        if isinstance(self.answer, Exception):
            raise self.answer
        matching = tuple(asset for asset in self.assets if search in asset.hostname)
        return self.answer or ReachablePage(count=len(matching), assets=matching[offset : offset + limit])

    def menu(self, *protocols: Protocol) -> AssetMenu:
        return AssetMenu(self.reach, protocols=frozenset(protocols or {Protocol.SSH}), language=lambda: "en")


def names(menu: AssetMenu) -> list[str]:
    return [asset.hostname for asset in menu.page.assets]


async def test_pages_turn_forward_and_back_and_stop_at_both_ends() -> None:
    menu = Assets(*(asset(f"host-{number}") for number in range(7))).menu()
    await menu.turn(Command.FIRST_PAGE, SIZE)
    assert (names(menu), menu.position(SIZE)) == (["host-0", "host-1", "host-2"], Position(1, 3, 7))
    for command, offset in (
        (Command.NEXT_PAGE, 3), (Command.NEXT_PAGE, 6), (Command.NEXT_PAGE, 6), (Command.PREVIOUS_PAGE, 3),
        (Command.RELOAD, 3), (Command.PREVIOUS_PAGE, 0), (Command.PREVIOUS_PAGE, 0), (Command.NEXT_PAGE, 3),
        (Command.FIRST_PAGE, 0),
    ):  # fmt: skip
        await menu.turn(command, SIZE)
        assert menu.offset == offset, command


async def test_text_selects_a_page_number_a_name_or_address_or_the_only_match() -> None:
    web, web2, db = asset("web"), asset("web-22"), asset("database")
    menu = Assets(web, web2, db).menu()
    await menu.turn(Command.FIRST_PAGE, SIZE)
    assert await menu.find("2", SIZE) is web2
    assert await menu.find("web", SIZE) is web  # exact, although two match
    assert await menu.find("data", SIZE) is db  # the only one that matches
    assert await menu.find("4", SIZE) is Miss.NO_SUCH_NUMBER
    assert await menu.find("nowhere", SIZE) is Miss.NOTHING
    assert menu.search == ""
    assert await menu.find("we", SIZE) is Miss.SEVERAL
    assert (names(menu), menu.search) == (["web", "web-22"], "we")
    assert await menu.find("2", SIZE) is web2


async def test_accounts_of_other_protocols_are_not_offered() -> None:
    ssh, telnet, again = account("Deploy"), account("Console", Protocol.TELNET), account("Root")
    host = asset("web", ssh, telnet, again)
    assert Assets().menu().accounts(host) == (ssh, again)
    assert Assets().menu(Protocol.SSH, Protocol.TELNET).accounts(host) == (ssh, telnet, again)
    assert [chosen((ssh, again), text) for text in ("2", "deploy", "Root", "0", "3", "nobody")] == [
        again, ssh, again, None, None, None,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "denial"),
    [
        (ControlUnavailable("away"), DenialCode.CONTROL_UNAVAILABLE),
        (
            ReachablePage(count=0, assets=(), denial=Denial(code=DenialCode.SIGN_IN_ENDED, message="Signed out.")),
            DenialCode.SIGN_IN_ENDED,
        ),
    ],
)
async def test_menu_without_the_control_plane_says_why(answer: ReachablePage | Exception, denial: DenialCode) -> None:
    assets = Assets(asset("web"))
    assets.answer = answer
    with pytest.raises(Refused) as refused:
        await assets.menu().find("web", SIZE)
    assert refused.value.denial is denial


def test_lines_that_are_not_commands_name_an_asset() -> None:
    commands = [command_of(line) for line in ("", "?", "q", "/web", "p", "R", "n", "b", "web", "12", "P1")]
    assert commands == [
        Command.NOTHING, Command.HELP, Command.QUIT, Command.SEARCH, Command.FIRST_PAGE, Command.RELOAD,
        Command.NEXT_PAGE, Command.PREVIOUS_PAGE, Command.GO, Command.GO, Command.GO,
    ]  # fmt: skip
