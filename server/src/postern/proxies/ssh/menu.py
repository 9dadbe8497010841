"""The asset menu on an SSH channel: reads lines, draws pages, connects and returns. `core.menu` holds the model."""

import asyncio
import logging
from collections.abc import Awaitable
from typing import Final, Protocol

from postern.contracts.access import ReachableAsset, ReachablePage, ReachableSystemUser, UserIdentity
from postern.contracts.enums import EndReason
from postern.contracts.enums import Protocol as AssetProtocol
from postern.kernel.errors import PosternError
from postern.proxies.core.menu.asset_menu import AssetMenu, Command, Miss, chosen, command_of
from postern.proxies.core.opening.opening import Opening
from postern.proxies.core.opening.refused import Refused
from postern.proxies.core.opening.services import CoreServices
from postern.proxies.core.spoken import Spoken
from postern.proxies.core.texts import Text
from postern.proxies.ssh.line_editor import LineEditor, LineEnd, fit
from postern.proxies.ssh.menu_texts import MenuText
from postern.proxies.ssh.target import TargetConnection

log = logging.getLogger(__name__)

_LARGEST_PAGE: Final = 500
_FRAME_ROWS: Final = 6  # lines besides the table's rows
_SMALLEST_PAGE: Final = 5
#: The protocols for which this front opens shells.
_CARRIED: Final = frozenset({AssetProtocol.SSH})


#: Exit status of a menu that a shutdown ends. ssh itself uses it for a failed connection.
_SHUT_DOWN: Final = 255


class _ShuttingDown(Exception):
    """The proxy is being stopped."""


class Screen(Protocol):
    """The user's terminal: `person_session.PersonSession`."""

    columns: int
    rows: int

    @property
    def language(self) -> str: ...
    @property
    def user(self) -> UserIdentity: ...
    def say(self, text: str) -> None: ...
    async def read_line(self, prompt: str, *, echo: bool = True, history: list[str] | None = None) -> LineEditor: ...
    async def carry_shell(self, opening: Opening[TargetConnection]) -> EndReason:
        """Run a shell until it ends. Returns the end reason."""


class Starter(Protocol):
    """Requests assets for the user and starts their sessions: `person.Person`."""

    @property
    def own_address(self) -> tuple[str, int]:
        """Host and port that the user's SSH client connects to."""

    def open(self, asset: str, system_user: str, language: str) -> Opening[TargetConnection]: ...
    async def reachable(self, search: str, offset: int, limit: int) -> ReachablePage: ...


class Menu:
    """One user's menu on one channel."""

    def __init__(self, services: CoreServices, screen: Screen, starter: Starter) -> None:
        self._services = services
        self._screen = screen
        self._starter = starter
        self._menu = AssetMenu(starter.reachable, protocols=_CARRIED, language=lambda: screen.language)
        self._history: list[str] = []

    async def run(self) -> int:
        """Run until the user leaves. Returns the exit status."""
        self._say(MenuText.TITLE, name=self._screen.user.name or self._screen.user.username)
        self._say(MenuText.INTRO)
        await self._show_page(self._menu.turn(Command.FIRST_PAGE, self._page_size()))
        while True:
            try:
                line = await self._ask(MenuText.PROMPT, history=self._history)
            except _ShuttingDown:
                self._say_shutdown()
                return _SHUT_DOWN
            if line.end is LineEnd.EOF:
                self._say(MenuText.GOODBYE)
                return 0
            if line.end is LineEnd.INTERRUPT:
                continue
            text = line.text.strip()
            if command_of(text) is Command.QUIT:
                self._say(MenuText.GOODBYE)
                return 0
            try:
                if await self._obey(text) is EndReason.ACCOUNT_CLOSED:
                    return 255
            except _ShuttingDown:
                self._say_shutdown()
                return _SHUT_DOWN
            except Refused as refusal:
                self._screen.say("\n  ".join(refusal.sentences))
            except PosternError as error:
                self._screen.say(error.message)

    async def _obey(self, text: str) -> EndReason | None:
        command, size = command_of(text), self._page_size()
        if command is Command.HELP:
            host, port = self._starter.own_address
            self._say(MenuText.HELP, user=self._screen.user.username, host=host, port=port)
        elif command is Command.SEARCH:
            await self._show_page(self._menu.look_for(text[1:].strip(), size))
        elif command is Command.GO:
            return await self._go(text)
        elif command is not Command.NOTHING:
            await self._show_page(self._menu.turn(command, size))
        return None

    # The list

    def _page_size(self) -> int:
        wanted = self._services.settings.current.asset_list_page_size
        if wanted == "all":
            return _LARGEST_PAGE
        if wanted.isdecimal() and int(wanted) > 0:
            return min(int(wanted), _LARGEST_PAGE)
        return max(_SMALLEST_PAGE, self._screen.rows - _FRAME_ROWS)

    async def _show_page(self, loading: Awaitable[None]) -> None:
        await loading
        menu = self._menu
        if not menu.page.assets:
            if menu.search:
                self._say(MenuText.NOTHING_FOUND, search=menu.search)
            else:
                self._say(MenuText.EMPTY)
            return
        self._show(menu.page.assets, menu.offset)
        at = menu.position(self._page_size())
        note = MenuText.PAGE.say(self._screen.language, page=at.page, pages=at.pages, count=at.count)
        if menu.search:
            note += "  " + MenuText.SEARCHING.say(self._screen.language, search=menu.search)
        self._screen.say(note)

    def _show(self, assets: tuple[ReachableAsset, ...], offset: int) -> None:
        language = self._screen.language
        titles = [
            title.say(language)
            for title in (
                MenuText.COLUMN_NUMBER,
                MenuText.COLUMN_NAME,
                MenuText.COLUMN_ADDRESS,
                MenuText.COLUMN_ORG,
                MenuText.COLUMN_COMMENT,
            )
        ]
        widths = self._widths()
        rows = [
            [str(offset + index + 1), asset.hostname, asset.ip, asset.org_name, asset.comment]
            for index, asset in enumerate(assets)
        ]
        lines = [
            " ".join(fit(cell, width) for cell, width in zip(row, widths, strict=True) if width)
            for row in (titles, *rows)
        ]
        self._screen.say("\n".join(line.rstrip() for line in lines))

    def _widths(self) -> tuple[int, int, int, int, int]:
        """Return the widths of number, name, address, organization and comment. On narrow screens the last two are left
        out.
        """
        free = self._screen.columns - 5 - 4
        if free < 40:
            name = max(8, free // 2)
            return 4, name, max(8, free - name), 0, 0
        name = free * 30 // 100
        address = min(40, max(15, free * 20 // 100))
        org = free * 15 // 100
        return 4, name, address, org, max(0, free - name - address - org - 1)

    # Choosing

    async def _go(self, text: str) -> EndReason | None:
        asset = await self._find(text)
        if asset is None:
            return None
        system_user = await self._choose_system_user(asset)
        if system_user is None:
            return None
        self._say(
            Text.CONNECTING, login=system_user.username or system_user.name, asset=f"{asset.hostname} ({asset.ip})"
        )
        opening = self._starter.open(str(asset.id), str(system_user.id), self._screen.language)
        reason = await self._screen.carry_shell(opening)
        if reason is not EndReason.ACCOUNT_CLOSED:
            self._say(MenuText.BACK)
        return reason

    async def _find(self, text: str) -> ReachableAsset | None:
        match = await self._menu.find(text, self._page_size())
        if isinstance(match, ReachableAsset):
            return match
        if match is Miss.NO_SUCH_NUMBER:
            self._say(MenuText.NO_SUCH_NUMBER, number=text)
        elif match is Miss.NOTHING:
            self._say(MenuText.NOTHING_FOUND, search=text)
        else:
            self._say(MenuText.SEVERAL)
            self._show(self._menu.page.assets, 0)
        return None

    async def _choose_system_user(self, asset: ReachableAsset) -> ReachableSystemUser | None:
        accounts = self._menu.accounts(asset)
        if not accounts:
            self._say(MenuText.NO_SYSTEM_USER)
            return None
        if len(accounts) == 1:
            return accounts[0]
        self._say(MenuText.CHOOSE_SYSTEM_USER, asset=asset.hostname)
        for number, user in enumerate(accounts, 1):
            self._screen.say(f"  {number}  {user.name}" + (f" ({user.username})" if user.username else ""))
        while True:
            line = await self._ask(MenuText.SYSTEM_USER_PROMPT)
            text = line.text.strip()
            if line.end is not LineEnd.ENTER or not text:
                return None
            account = chosen(accounts, text)
            if account is not None:
                return account
            self._say(MenuText.NO_SUCH_NUMBER, number=text)

    async def _ask(self, prompt: MenuText, *, history: list[str] | None = None) -> LineEditor:
        """Read a line. Raises `_ShuttingDown` when the proxy is being stopped, because no session can be opened any
        more.
        """
        shutdown = self._services.registry.shutdown
        if shutdown.is_set():
            raise _ShuttingDown
        line = asyncio.ensure_future(self._screen.read_line(prompt.say(self._screen.language), history=history))
        stopped = asyncio.ensure_future(shutdown.wait())
        try:
            await asyncio.wait({line, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if line.done():
                return line.result()
        finally:
            line.cancel()
            stopped.cancel()
        raise _ShuttingDown

    def _say_shutdown(self) -> None:
        self._screen.say("\n" + MenuText.SHUTDOWN.say(self._screen.language))

    def _say(self, text: Spoken, **values: object) -> None:
        self._screen.say(text.say(self._screen.language, **values))
