"""The model of the asset menu: listing, paging, searching, choosing. A front reads the lines and draws."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum

from postern.contracts.access import ReachableAsset, ReachablePage, ReachableSystemUser
from postern.contracts.enums import Protocol
from postern.proxies.core.control.plane import ControlRefused, ControlUnavailable
from postern.proxies.core.opening.refused import Refused

#: A number of so many digits is looked for as a name as well: it may be part of one.
_LONGEST_NUMBER = 6

#: Asks the control plane for a page: search, offset, limit. Raises ControlUnavailable, ControlRefused.
Reach = Callable[[str, int, int], Awaitable[ReachablePage]]


class Command(Enum):
    """What a line at the menu's prompt asks for; anything that is no command names an asset."""

    NOTHING = "nothing"
    HELP = "help"
    QUIT = "quit"
    SEARCH = "search"
    FIRST_PAGE = "first page"
    RELOAD = "reload"
    NEXT_PAGE = "next page"
    PREVIOUS_PAGE = "previous page"
    GO = "go"


_WORDS = {
    "": Command.NOTHING,
    **dict.fromkeys(("?", "h", "help"), Command.HELP),
    **dict.fromkeys(("q", "Q", "quit", "exit"), Command.QUIT),
    **dict.fromkeys(("p", "P"), Command.FIRST_PAGE),
    **dict.fromkeys(("r", "R"), Command.RELOAD),
    **dict.fromkeys(("n", "N"), Command.NEXT_PAGE),
    **dict.fromkeys(("b", "B"), Command.PREVIOUS_PAGE),
}


def command_of(line: str) -> Command:
    """What a line asks for, without blanks around it."""
    return _WORDS.get(line) or (Command.SEARCH if line.startswith("/") else Command.GO)


class Miss(Enum):
    """Why a text names no single asset."""

    NO_SUCH_NUMBER = "no such number"
    NOTHING = "nothing"
    SEVERAL = "several"  # they are the page now


@dataclass(frozen=True)
class Position:
    """Where in the whole list the page is; counted from 1."""

    page: int
    pages: int
    count: int


class AssetMenu:
    """What one person is shown. Every method that asks the control plane raises `Refused`."""

    def __init__(self, reach: Reach, *, protocols: frozenset[Protocol], language: Callable[[], str]) -> None:
        """`protocols`: those that the front can carry; accounts of others are not offered."""
        self._reach = reach
        self._protocols = protocols
        self._language = language
        self.search = ""
        self.offset = 0
        self.page = ReachablePage(count=0, assets=())

    async def turn(self, command: Command, size: int) -> None:
        """Go to another page of `size` assets; any other command loads the present page again."""
        await self._load(self._offset_after(command, size), size)

    def _offset_after(self, command: Command, size: int) -> int:
        if command is Command.FIRST_PAGE:
            return 0
        if command is Command.NEXT_PAGE:
            following = self.offset + len(self.page.assets)
            return following if following < self.page.count else self.offset
        if command is Command.PREVIOUS_PAGE:
            return max(0, self.offset - size)
        return self.offset

    async def look_for(self, text: str, size: int) -> None:
        """The first page of what matches; everything when the text is empty."""
        self.search = text
        await self._load(0, size)

    async def _load(self, offset: int, size: int) -> None:
        self.page, self.offset = await self._ask(self.search, offset, size), offset

    async def _ask(self, search: str, offset: int, limit: int) -> ReachablePage:
        try:
            page = await self._reach(search, offset, limit)
        except (ControlUnavailable, ControlRefused) as error:
            raise Refused.away(self._language()) from error
        if page.denial is not None:
            raise Refused.by(page.denial)
        return page

    def position(self, size: int) -> Position:
        return Position(self.offset // size + 1, -(-self.page.count // size), self.page.count)

    async def find(self, text: str, size: int) -> ReachableAsset | Miss:
        """The asset that `text` means: a number of the page shown, an exact name or address, or the only match.

        Several matches become the page.
        """
        if text.isdecimal():
            index = int(text) - 1 - self.offset
            if 0 <= index < len(self.page.assets):
                return self.page.assets[index]
            if len(text) <= _LONGEST_NUMBER:
                return Miss.NO_SUCH_NUMBER
        found = await self._ask(text, 0, size)
        exact = [asset for asset in found.assets if text.lower() in {asset.hostname.lower(), asset.ip.lower()}]
        if len(exact) == 1:
            return exact[0]
        if not exact and found.count == 1:
            return found.assets[0]
        self.search, self.offset, self.page = text if found.assets else "", 0, found
        return Miss.SEVERAL if found.assets else Miss.NOTHING

    def accounts(self, asset: ReachableAsset) -> tuple[ReachableSystemUser, ...]:
        """The system users that the front can use on this asset, highest priority first."""
        return tuple(user for user in asset.system_users if user.protocol in self._protocols)


def chosen(accounts: tuple[ReachableSystemUser, ...], text: str) -> ReachableSystemUser | None:
    """The account that `text` means: its number from 1 on, or its name or login name when no other has it."""
    if text.isdecimal() and 1 <= int(text) <= len(accounts):
        return accounts[int(text) - 1]
    matches = [user for user in accounts if text in {user.name, user.username}]
    return matches[0] if len(matches) == 1 else None
