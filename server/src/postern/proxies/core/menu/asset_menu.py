"""The model of the asset menu: listing, paging, searching and choosing. A front reads and draws the lines."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum

from postern.contracts.access import ReachableAsset, ReachablePage, ReachableSystemUser
from postern.contracts.enums import Protocol
from postern.proxies.core.control.plane import ControlRefused, ControlUnavailable
from postern.proxies.core.opening.refused import Refused

#: A number with at most this many digits is not searched for as a name.
_LONGEST_NUMBER = 6

#: Requests a page from the control plane: search, offset, limit. Raises ControlUnavailable, ControlRefused.
Reach = Callable[[str, int, int], Awaitable[ReachablePage]]


class Command(Enum):
    """The commands that can be entered at the menu's prompt. Any other line names an asset."""

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
    """Return the command in a line that has been stripped of blanks."""
    return _WORDS.get(line) or (Command.SEARCH if line.startswith("/") else Command.GO)


class Miss(Enum):
    """Why a text does not identify a single asset."""

    NO_SUCH_NUMBER = "no such number"
    NOTHING = "nothing"
    SEVERAL = "several"  # the matches are now the menu's page


@dataclass(frozen=True)
class Position:
    """The position of the page in the whole list, counted from 1."""

    page: int
    pages: int
    count: int


class AssetMenu:
    """The menu of one user. Every method that asks the control plane raises `Refused`."""

    def __init__(self, reach: Reach, *, protocols: frozenset[Protocol], language: Callable[[], str]) -> None:
        """`protocols` are those that the front supports. Accounts with other protocols are not offered."""
        self._reach = reach
        self._protocols = protocols
        self._language = language
        self.search = ""
        self.offset = 0
        self.page = ReachablePage(count=0, assets=())

    async def turn(self, command: Command, size: int) -> None:
        """Load another page of `size` assets. Any command other than a paging command reloads the present page."""
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
        """Load the first page of assets that match `text`, or of all assets if it is empty."""
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
        """Return the asset that `text` identifies: a number on the page, an exact name or address, or the only match.

        Several matches become the menu's page.
        """
        if text.isdecimal():
            index = int(text) - 1 - self.offset
            if 0 <= index < len(self.page.assets):
                return self.page.assets[index]
            if len(text) <= _LONGEST_NUMBER:
                return Miss.NO_SUCH_NUMBER
        matches = await self._ask(text, 0, size)
        exact = [asset for asset in matches.assets if text.lower() in {asset.hostname.lower(), asset.ip.lower()}]
        if len(exact) == 1:
            return exact[0]
        if not exact and matches.count == 1:
            return matches.assets[0]
        self.search, self.offset, self.page = text if matches.assets else "", 0, matches
        return Miss.SEVERAL if matches.assets else Miss.NOTHING

    def accounts(self, asset: ReachableAsset) -> tuple[ReachableSystemUser, ...]:
        """Return the asset's system users that the front supports, highest priority first."""
        return tuple(user for user in asset.system_users if user.protocol in self._protocols)


def chosen(accounts: tuple[ReachableSystemUser, ...], text: str) -> ReachableSystemUser | None:
    """Return the account that `text` identifies: its number from 1, or a name or login name that no other account
    has.
    """
    if text.isdecimal() and 1 <= int(text) <= len(accounts):
        return accounts[int(text) - 1]
    matches = [user for user in accounts if text in {user.name, user.username}]
    return matches[0] if len(matches) == 1 else None
