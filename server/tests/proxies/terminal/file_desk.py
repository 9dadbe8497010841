"""The file manager's endpoints with a real sshd behind them, and a page that uses both."""

import base64
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote
from uuid import UUID, uuid4

import aiohttp
import msgspec

from fakes.control_plane import FakeAsset, FakeUser
from peers.browser_page import BrowserPage
from peers.core_services import WEB_PLANE_KEY
from peers.ssh_proxy import World
from postern.contracts.access import AuthorizeAnswer
from postern.contracts.browser import LANGUAGE_HEADER, USER_HEADER
from postern.contracts.enums import LoginFrom
from postern.contracts.files import KEY_HEADER
from postern.contracts.terminals import ChangeLock, TerminateSession
from postern.proxies.core.sessions.registry import SessionRegistry


def name_id(name: str | bytes) -> str:
    data = name.encode() if isinstance(name, str) else name
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def path_ids(path: Path | bytes) -> str:
    """A path as the page sends it."""
    return "/".join(name_id(name) for name in bytes(path).split(b"/") if name)


@dataclass
class Reply:
    status: int
    headers: Any
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.body.splitlines()]

    @property
    def problem(self) -> tuple[int, str]:
        return self.status, self.json["code"]


class FilePage:
    """A page with an open session: its websocket, and requests as the web plane forwards them."""

    def __init__(self, desk: "FileDesk", page: BrowserPage, opened: dict[str, Any]) -> None:
        self.desk, self.page, self.opened = desk, page, opened
        self.session_id = UUID(opened["session_id"])
        self.user = desk.world.alice

    def url(self, operation: str, *paths: Path | bytes, **query: str) -> str:
        pairs = [f"path={path_ids(path)}" for path in paths] + [f"{k}={quote(v)}" for k, v in query.items()]
        return f"http://proxy/{self.session_id}/{operation}" + ("?" + "&".join(pairs) if pairs else "")

    def ask(self, method: str, url: str, *, user: FakeUser | None = None, headers: Any = None, **more: Any) -> Any:
        """A request whose answer is read by the test."""
        whose = {USER_HEADER: str((user or self.user).id), LANGUAGE_HEADER: "en", KEY_HEADER: WEB_PLANE_KEY}
        return self.desk.http.request(method, url, headers={**whose, **(headers or {})}, **more)

    async def get(self, operation: str, *paths: Path | bytes, method: str = "GET", **more: Any) -> Reply:
        query = more.pop("query", {})
        if isinstance(more.get("data"), bytes):
            more["data"] = BytesIO(more["data"])
        async with self.ask(method, self.url(operation, *paths, **query), **more) as answer:
            return Reply(answer.status, answer.headers, await answer.read())

    async def post(self, operation: str, **message: Any) -> Reply:
        return await self.get(operation, method="POST", data=json.dumps(message))

    async def begin(self, path: Path | bytes, data: bytes, *, modified: int = 1_000_000_000, **more: Any) -> Reply:
        return await self.post("upload", path=path_ids(path), size=len(data), modified=modified, **more)

    async def slice(self, upload_id: str, offset: int, data: Any, **more: Any) -> Reply:
        return await self.get(f"upload/{upload_id}", method="PUT", query={"offset": str(offset)}, data=data, **more)

    async def upload(self, path: Path | bytes, data: bytes, **more: Any) -> Reply:
        """Upload a file as the page does."""
        state = await self.begin(path, data, **more)
        if state.status != 200:
            return state
        upload_id, offset, step = state.json["id"], state.json["offset"], state.json["slice_bytes"]
        while offset < len(data):
            part = await self.slice(upload_id, offset, data[offset : offset + step])
            if part.status != 200:
                return part
            offset = part.json["offset"]
        return await self.post(f"upload/{upload_id}/finish", replace=more.get("replace", False))

    def terminate(self) -> None:
        self.desk.registry.carry_out(
            TerminateSession(
                order_id=uuid4(), session_id=self.session_id, by="admin", reason="terminated",
                message_zh="管理员终止", message_en="Stopped by admin",
            )
        )  # fmt: skip

    def lock(self, version: int, *, is_locked: bool) -> None:
        order = ChangeLock(
            order_id=uuid4(), session_id=self.session_id, version=version, is_locked=is_locked, by="admin"
        )
        self.desk.registry.carry_out(order)


class FileDesk:
    """The endpoints, and everything around them that a test inspects."""

    def __init__(self, world: World, stream: Path, files: Path) -> None:
        self.world = world
        self._stream, self._files = stream, files
        self.registry: SessionRegistry = world.proxy.services.registry

    async def __aenter__(self) -> Self:
        connector = aiohttp.UnixConnector(str(self._files), limit=0)
        self.http = aiohttp.ClientSession(connector=connector, auto_decompress=False)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.http.close()

    def page(self, user: FakeUser | None = None) -> BrowserPage:
        return BrowserPage(self._stream, (user or self.world.alice).id)

    def token(self, asset: FakeAsset | None = None, **grant_fields: Any) -> str:
        asset = asset or self.world.asset
        grant = self.world.plane.grant(
            self.world.alice, asset, asset.system_users[0], login_from=LoginFrom.WEB_TERMINAL
        )
        token = uuid4().hex
        grant = msgspec.structs.replace(grant, **grant_fields)
        self.world.plane.tokens[token] = AuthorizeAnswer(grant=grant)
        return token

    @contextlib.asynccontextmanager
    async def open(self, asset: FakeAsset | None = None, **grant_fields: Any) -> AsyncIterator[FilePage]:
        """A page with an open session of the file manager."""
        async with self.page() as page:
            await page.say(type="open_files", token=self.token(asset, **grant_fields))
            await page.until(lambda: any(m["type"] in {"files_opened", "ended"} for m in page.messages))
            yield FilePage(self, page, await page.message("files_opened"))
