"""The browser's websocket endpoint with a control plane over HTTP and a target in memory."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from fakes.control_plane import FakeAsset, FakeControlPlane, FakeUser
from fakes.recording import FakeRecordings
from fakes.target import FakeShell, FakeTargets
from peers.browser_page import BrowserPage
from postern.contracts.access import AuthorizeAnswer, WatchGrant
from postern.contracts.enums import LoginFrom
from postern.proxies.core.sessions.registry import SessionRegistry
from postern.proxies.terminal.server import StreamServer


@dataclass
class Stage:
    """The endpoint with everything around it that a test inspects."""

    socket: Path
    plane: FakeControlPlane
    registry: SessionRegistry
    recordings: FakeRecordings
    targets: FakeTargets
    stream: StreamServer
    alice: FakeUser
    asset: FakeAsset

    def token(self) -> str:
        """Return a connection token of Alice."""
        grant = self.plane.grant(self.alice, self.asset, self.asset.system_users[0], login_from=LoginFrom.WEB_TERMINAL)
        token = uuid4().hex
        self.plane.tokens[token] = AuthorizeAnswer(grant=grant)
        return token

    def watch_token(self, session_id: Any) -> tuple[str, WatchGrant, FakeUser]:
        auditor = self.plane.add_user("auditor")
        watch = WatchGrant(session_id=session_id, watcher=auditor.identity, watch_id=uuid4())
        token = uuid4().hex
        self.plane.tokens[token] = AuthorizeAnswer(watch=watch)
        return token, watch, auditor

    def page(self, **more: Any) -> BrowserPage:
        return BrowserPage(self.socket, more.pop("user", self.alice).id, **more)

    async def open(self, page: BrowserPage) -> tuple[dict[str, Any], FakeShell]:
        """Open a session on a page."""
        await page.say(type="open", token=self.token(), columns=90, rows=30)
        await page.until(lambda: any(m["type"] in ("opened", "ended") for m in page.messages))
        return await page.message("opened"), self.targets.shells[-1]
