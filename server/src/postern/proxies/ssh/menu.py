"""The asset menu: list, search, choose, connect, come back."""

import asyncio
import logging
from typing import Final, Protocol

from postern.contracts.access import ReachableAsset, ReachablePage, ReachableSystemUser, UserIdentity
from postern.contracts.enums import EndReason
from postern.contracts.enums import Protocol as AssetProtocol
from postern.kernel.errors import PosternError
from postern.proxies.core.control.plane import ControlRefused, ControlUnavailable
from postern.proxies.core.opening.opening import Opening
from postern.proxies.core.opening.refused import Refused
from postern.proxies.core.opening.services import CoreServices
from postern.proxies.core.texts import Text
from postern.proxies.ssh.line_editor import LineEditor, LineEnd, fit
from postern.proxies.ssh.target import TargetConnection

log = logging.getLogger(__name__)

_LARGEST_PAGE: Final = 500
_FRAME_ROWS: Final = 6  # lines around the table
_SMALLEST_PAGE: Final = 5


#: Exit status of a menu that a shutdown ends; what ssh itself uses for a connection that failed.
_SHUT_DOWN: Final = 255


class _ShuttingDown(Exception):
    """The proxy is being stopped."""


class Screen(Protocol):
    """The person's terminal: `person_session.PersonSession`."""

    columns: int
    rows: int

    @property
    def language(self) -> str: ...
    @property
    def user(self) -> UserIdentity: ...
    def say(self, text: str) -> None: ...
    async def read_line(self, prompt: str, *, echo: bool = True, history: list[str] | None = None) -> LineEditor: ...
    async def carry_shell(self, opening: Opening[TargetConnection]) -> EndReason:
        """Run a shell until it ends; says why when it did not end by itself."""


class Starter(Protocol):
    """Asks for the person and starts their sessions: `person.Person`."""

    def open(self, asset: str, system_user: str, language: str) -> Opening[TargetConnection]: ...
    async def reachable(self, search: str, offset: int, limit: int) -> ReachablePage: ...


class Menu:
    """One person's menu on one channel."""

    def __init__(self, services: CoreServices, screen: Screen, starter: Starter) -> None:
        self._services = services
        self._screen = screen
        self._starter = starter
        self._search = ""
        self._offset = 0
        self._page = ReachablePage(count=0, assets=())
        self._history: list[str] = []

    async def run(self) -> int:
        """Until the person leaves. Returns the exit status."""
        self._say(Text.MENU_TITLE, name=self._screen.user.name or self._screen.user.username)
        self._say(Text.MENU_INTRO)
        await self._load(0)
        while True:
            try:
                line = await self._ask(Text.MENU_PROMPT, history=self._history)
            except _ShuttingDown:
                self._say_shutdown()
                return _SHUT_DOWN
            if line.end is LineEnd.EOF:
                self._say(Text.MENU_GOODBYE)
                return 0
            if line.end is LineEnd.INTERRUPT:
                continue
            text = line.text.strip()
            if text in {"q", "Q", "quit", "exit"}:
                self._say(Text.MENU_GOODBYE)
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
        if text in {"?", "h", "help"}:
            self._say(Text.MENU_HELP, user=self._screen.user.username)
        elif text.startswith("/"):
            self._search = text[1:].strip()
            await self._load(0)
        elif text in {"", "p", "r", "P", "R"}:
            if text:
                await self._load(self._offset if text in "rR" else 0)
        elif text in {"n", "N"}:
            following = self._offset + len(self._page.assets)
            await self._load(following if following < self._page.count else self._offset)
        elif text in {"b", "B"}:
            await self._load(max(0, self._offset - self._page_size()))
        else:
            return await self._go(text)
        return None

    # The list

    def _page_size(self) -> int:
        wanted = self._services.settings.current.asset_list_page_size
        if wanted == "all":
            return _LARGEST_PAGE
        if wanted.isdecimal() and int(wanted) > 0:
            return min(int(wanted), _LARGEST_PAGE)
        return max(_SMALLEST_PAGE, self._screen.rows - _FRAME_ROWS)

    async def _load(self, offset: int) -> None:
        page = await self._reachable(self._search, offset, self._page_size())
        self._page, self._offset = page, offset
        if not page.assets:
            if self._search:
                self._say(Text.MENU_NOTHING_FOUND, search=self._search)
            else:
                self._say(Text.MENU_EMPTY)
            return
        self._show(page.assets, offset)
        size = self._page_size()
        note = Text.MENU_PAGE.say(
            self._screen.language, page=offset // size + 1, pages=-(-page.count // size), count=page.count
        )
        if self._search:
            note += "  " + Text.MENU_SEARCHING.say(self._screen.language, search=self._search)
        self._screen.say(note)

    async def _reachable(self, search: str, offset: int, limit: int) -> ReachablePage:
        try:
            page = await self._starter.reachable(search, offset, limit)
        except (ControlUnavailable, ControlRefused) as error:
            raise Refused.away(self._screen.language) from error
        if page.denial is not None:
            raise Refused.by(page.denial)
        return page

    def _show(self, assets: tuple[ReachableAsset, ...], offset: int) -> None:
        language = self._screen.language
        titles = [
            title.say(language)
            for title in (
                Text.MENU_COLUMN_NUMBER,
                Text.MENU_COLUMN_NAME,
                Text.MENU_COLUMN_ADDRESS,
                Text.MENU_COLUMN_ORG,
                Text.MENU_COLUMN_COMMENT,
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
        """Widths of number, name, address, organization, comment: what gets narrow first goes first."""
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
            self._say(Text.MENU_BACK)
        return reason

    async def _find(self, text: str) -> ReachableAsset | None:
        """The asset that `text` means: a number of the list shown, an exact name or address, or a search."""
        if text.isdecimal():
            index = int(text) - 1 - self._offset
            if 0 <= index < len(self._page.assets):
                return self._page.assets[index]
            if len(text) < 7:
                self._say(Text.MENU_NO_SUCH_NUMBER, number=text)
                return None
        found = await self._reachable(text, 0, self._page_size())
        exact = [a for a in found.assets if text.lower() in {a.hostname.lower(), a.ip.lower()}]
        if len(exact) == 1:
            return exact[0]
        if not exact and found.count == 1:
            return found.assets[0]
        self._search, self._offset, self._page = text, 0, found
        if not found.assets:
            self._say(Text.MENU_NOTHING_FOUND, search=text)
            self._search = ""
            return None
        self._say(Text.MENU_SEVERAL)
        self._show(found.assets, 0)
        return None

    async def _choose_system_user(self, asset: ReachableAsset) -> ReachableSystemUser | None:
        usable = [user for user in asset.system_users if user.protocol is AssetProtocol.SSH]
        if not usable:
            self._say(Text.MENU_NO_SYSTEM_USER)
            return None
        if len(usable) == 1:
            return usable[0]
        self._say(Text.MENU_CHOOSE_SYSTEM_USER, asset=asset.hostname)
        for number, user in enumerate(usable, 1):
            self._screen.say(f"  {number}  {user.name}" + (f" ({user.username})" if user.username else ""))
        while True:
            line = await self._ask(Text.MENU_SYSTEM_USER_PROMPT)
            text = line.text.strip()
            if line.end is not LineEnd.ENTER or not text:
                return None
            if text.isdecimal() and 1 <= int(text) <= len(usable):
                return usable[int(text) - 1]
            matches = [user for user in usable if text in {user.name, user.username}]
            if len(matches) == 1:
                return matches[0]
            self._say(Text.MENU_NO_SUCH_NUMBER, number=text)

    async def _ask(self, prompt: Text, *, history: list[str] | None = None) -> LineEditor:
        """A line from the person. Raises `_ShuttingDown` when the proxy is stopped: no session can be opened any more."""
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
        self._screen.say("\n" + Text.MENU_SHUTDOWN.say(self._screen.language))

    def _say(self, text: Text, **values: object) -> None:
        self._screen.say(text.say(self._screen.language, **values))
