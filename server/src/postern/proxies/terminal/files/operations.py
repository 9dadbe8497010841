"""The operations of `contracts/files.py`: what each needs, and what answers it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from aiohttp import web

from postern.contracts.enums import Actions
from postern.proxies.terminal.files import changes, content, deleting, folders, upload_requests
from postern.proxies.terminal.files.archive import archive
from postern.proxies.terminal.files.exchange import Exchange
from postern.proxies.terminal.files.file_browser import FileBrowser
from postern.proxies.terminal.files.uploads import Uploads

Answering = Callable[[Exchange, FileBrowser], Awaitable[web.StreamResponse]]
_Uploading = Callable[[Exchange, Uploads], Awaitable[web.StreamResponse]]


@dataclass(frozen=True, slots=True)
class Operation:
    """`needs` are actions of which one must be permitted. A transfer carries the content of files."""

    answer: Answering
    needs: Actions
    is_transfer: bool = False


def _plain(answer: Callable[[Exchange], Awaitable[web.StreamResponse]]) -> Answering:
    return lambda exchange, _browser: answer(exchange)


def _uploading(answer: _Uploading) -> Answering:
    return lambda exchange, browser: answer(exchange, browser.uploads)


_EITHER: Final = Actions.UPDOWNLOAD
_DOWN: Final = Actions.DOWNLOAD_FILE
_UP: Final = Actions.UPLOAD_FILE

#: By method and name. `*` stands for the id of an upload.
OPERATIONS: Final = {
    ("GET", "place"): Operation(_plain(folders.place), _EITHER),
    ("GET", "list"): Operation(_plain(folders.entries), _EITHER),
    ("GET", "entry"): Operation(_plain(folders.entry), _EITHER),
    ("GET", "content"): Operation(_plain(content.content), _DOWN, is_transfer=True),
    ("HEAD", "content"): Operation(_plain(content.content), _DOWN),
    ("GET", "picture"): Operation(_plain(content.picture), _DOWN, is_transfer=True),
    ("GET", "text"): Operation(lambda exchange, browser: browser.texts.show(exchange), _DOWN, is_transfer=True),
    ("PUT", "text"): Operation(lambda exchange, browser: browser.texts.save(exchange), _UP, is_transfer=True),
    ("GET", "archive"): Operation(_plain(archive), _DOWN, is_transfer=True),
    ("POST", "folder"): Operation(_plain(changes.make_folder), _UP),
    ("POST", "move"): Operation(_plain(changes.move), _UP),
    ("POST", "name"): Operation(_plain(changes.make_name), _EITHER),
    ("POST", "delete"): Operation(_plain(deleting.delete), _UP),
    ("POST", "mode"): Operation(_plain(changes.change_mode), _UP),
    ("POST", "upload"): Operation(_uploading(upload_requests.begin), _UP),
    ("PUT", "upload/*"): Operation(_uploading(upload_requests.put), _UP, is_transfer=True),
    ("POST", "upload/*/finish"): Operation(_uploading(upload_requests.finish), _UP),
    ("DELETE", "upload/*"): Operation(_uploading(upload_requests.cancel), _UP),
}


def find(method: str, path: str) -> tuple[Operation | None, str]:
    """Return the operation of a request, and the id of the upload in its path. `path` follows that of the session."""
    name, _, rest = path.partition("/")
    if name != "upload" or not rest:
        return OPERATIONS.get((method, path)), ""
    upload_id, slash, rest = rest.partition("/")
    return OPERATIONS.get((method, f"upload/*{slash}{rest}")), upload_id
