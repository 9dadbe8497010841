"""The browser's websocket endpoint with a real sshd, real recording with its sealer, and command detection."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from fakes.control_plane import FakeAsset, FakeControlPlane, FakeUser
from peers.browser_page import BrowserPage
from postern.contracts.access import AuthorizeAnswer, WatchGrant
from postern.contracts.enums import LoginFrom
from postern.proxies.core.sessions.registry import SessionRegistry


@dataclass
class Plant:
    """Everything from the browser's frame to the target's shell."""

    socket: Path
    plane: FakeControlPlane
    registry: SessionRegistry
    alice: FakeUser
    asset: FakeAsset

    def page(self, **more: Any) -> BrowserPage:
        return BrowserPage(self.socket, more.pop("user", self.alice).id, **more)

    async def open(self, page: BrowserPage, *, columns: int = 80, rows: int = 24) -> dict[str, Any]:
        grant = self.plane.grant(self.alice, self.asset, self.asset.system_users[0], login_from=LoginFrom.WEB_TERMINAL)
        token = uuid4().hex
        self.plane.tokens[token] = AuthorizeAnswer(grant=grant)
        await page.say(type="open", token=token, columns=columns, rows=rows)
        opened = await page.message("opened")
        await page.type(b"exec env LC_ALL=C.UTF-8 PS1='$ ' HISTFILE=/dev/null bash --norc --noprofile\r")
        await page.until(lambda: page.output.count(b"$ ") and page.output.endswith(b"$ "))
        return opened

    async def watch(self, view: BrowserPage, auditor: FakeUser, session_id: str) -> None:
        token = uuid4().hex
        watch = WatchGrant(session_id=UUID(session_id), watcher=auditor.identity, watch_id=uuid4())
        self.plane.tokens[token] = AuthorizeAnswer(watch=watch)
        await view.say(type="watch", token=token)
