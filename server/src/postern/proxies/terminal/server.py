"""The endpoint to which the web plane's bridge connects browsers."""

import asyncio
import contextlib
import logging
import secrets
from typing import Any, Final
from uuid import UUID

from websockets.asyncio.server import Server, ServerConnection, serve, unix_serve

from postern.contracts.access import ATTEMPT_BYTES, AuthorizeAnswer, RedeemToken, SessionGrant
from postern.contracts.browser import (
    MAX_FRAME_BYTES,
    Ended,
    Open,
    OpenFiles,
    Ping,
    Pong,
    Resized,
    Resume,
    Screen,
    Watch,
    Watching,
)
from postern.contracts.enums import DenialCode
from postern.kernel.errors import PosternError, SettingsError
from postern.proxies.core.charset import Charset
from postern.proxies.core.opening.permission import permitted, take_up
from postern.proxies.core.opening.refused import Refused
from postern.proxies.core.opening.services import CoreServices
from postern.proxies.core.sessions.watching import Output, Picture, WatchEnded, Watcher
from postern.proxies.core.sessions.watching import Resized as SizeChanged
from postern.proxies.core.settings import split_address
from postern.proxies.core.texts import end_message
from postern.proxies.terminal.browser_session import BrowserSession
from postern.proxies.terminal.browser_terminal import BrowserTerminal
from postern.proxies.terminal.files.file_browser import FileBrowser
from postern.proxies.terminal.files.file_sessions import FileSessions
from postern.proxies.terminal.limits import TerminalLimits
from postern.proxies.terminal.link import BrowserLink, LinkGone, NotUnderstood
from postern.proxies.terminal.listening import UNIX, private_socket
from postern.proxies.terminal.texts import Text

log = logging.getLogger(__name__)

_FIRST_MESSAGE_S: Final = 10.0
_PING_S: Final = 20.0
_WRITE_BUFFER_BYTES: Final = 256 * 1024
_WAITING_FRAMES: Final = 8
#: How long all links together may take to close.
_GOODBYE_S: Final = 1.0


class StreamServer:
    """Serves `contracts/browser.py` on `address` (`unix:/path` or `host:port`)."""

    def __init__(
        self,
        address: str,
        services: CoreServices,
        limits: TerminalLimits,
        files: FileSessions[FileBrowser] | None = None,
    ) -> None:
        """`files` are the sessions of the file manager; None if this proxy has no endpoint for their files."""
        self._address = address
        self._services = services
        self._limits = limits
        self._files = files
        self._sessions: dict[UUID, BrowserSession] = {}
        self._server: Server | None = None

    async def start(self) -> None:
        """Start listening. Raises SettingsError if the address cannot be used."""
        options: dict[str, Any] = {
            "compression": None,
            "max_size": MAX_FRAME_BYTES,
            "max_queue": _WAITING_FRAMES,
            "write_limit": _WRITE_BUFFER_BYTES,
            "ping_interval": _PING_S,
            "ping_timeout": _PING_S,
            "server_header": None,
        }
        try:
            if self._address.startswith(UNIX):
                with private_socket(self._address) as path:
                    self._server = await unix_serve(self._serve, path, **options)
            else:
                host, port = split_address(self._address)
                self._server = await serve(self._serve, host, port, **options)
        except (OSError, ValueError) as error:
            raise SettingsError(f"cannot listen on {self._address}: {error}") from error

    async def stop(self) -> None:
        """Close all links. Sessions have ended before."""
        if self._server is not None:
            self._server.close()
            with contextlib.suppress(TimeoutError):  # links that do not close end with the process
                async with asyncio.timeout(_GOODBYE_S):
                    await self._server.wait_closed()
            self._server = None

    async def _serve(self, socket: ServerConnection) -> None:
        link = BrowserLink(socket)
        try:
            first = await link.receive_first(_FIRST_MESSAGE_S)
            if isinstance(first, Open):
                await self._open(first, link)
            elif isinstance(first, OpenFiles):
                await self._open_files(first, link)
            elif isinstance(first, Resume):
                await self._resume(first, link)
            elif isinstance(first, Watch):
                await self._watch(first, link)
            else:
                await link.end(_ended("protocol", Text.NOT_UNDERSTOOD, link))
        except LinkGone:
            return
        except Refused as refusal:
            await link.end(Ended(reason=refusal.why, message=" ".join(refusal.sentences)))
        except TimeoutError:
            await link.end(_ended("protocol", Text.TOO_LATE, link))
        except NotUnderstood:
            await link.end(_ended("protocol", Text.NOT_UNDERSTOOD, link))

    async def _redeem(self, token: str, link: BrowserLink) -> AuthorizeAnswer:
        """Return the control plane's positive answer for this user. Raises `Refused`."""
        if link.user_id is None:
            raise _wrong_person(link)
        request = RedeemToken(
            token=token,
            user_id=link.user_id,
            remote_addr=link.remote_addr,
            language=link.language,
            attempt=secrets.token_hex(ATTEMPT_BYTES),
        )
        answer = await permitted(self._services.plane.redeem_token(request), link.language)
        owner = answer.grant.user.id if answer.grant is not None else answer.watch.watcher.id if answer.watch else None
        if owner != link.user_id:
            if answer.grant is not None:
                self._services.registry.decline(answer.grant, "the token was redeemed for somebody else")
            raise _wrong_person(link)
        return answer

    async def _grant(self, token: str, link: BrowserLink) -> SessionGrant:
        """Return the grant of a token for a session, when it is this user's turn to open one."""
        if link.user_id is not None:
            await self._services.openings.turn(link.user_id)
        answer = await self._redeem(token, link)
        if answer.grant is None:
            raise NotUnderstood  # a watch token; its unused view ends with the session
        return answer.grant

    async def _open(self, message: Open, link: BrowserLink) -> None:
        session = take_up(self._services.registry, await self._grant(message.token, link))
        terminal = BrowserTerminal(
            session,
            link,
            columns=message.columns,
            rows=message.rows,
            services=self._services,
            limits=self._limits,
            on_gone=self._gone,
        )
        link.counts_input = message.counts_input
        await self._run(terminal, link)

    async def _open_files(self, message: OpenFiles, link: BrowserLink) -> None:
        if self._files is None:
            raise Refused(Text.NO_FILES.say(link.language))
        session = take_up(self._services.registry, await self._grant(message.token, link))
        browser = FileBrowser(session, link, services=self._services, sessions=self._files, on_gone=self._gone)
        await self._run(browser, link)

    async def _run(self, session: BrowserSession, link: BrowserLink) -> None:
        self._sessions[session.grant.session_id] = session
        session.start()
        await session.serve(link)

    def _gone(self, session: BrowserSession) -> None:
        self._sessions.pop(session.grant.session_id, None)

    async def _resume(self, message: Resume, link: BrowserLink) -> None:
        session = self._sessions.get(message.session_id)
        if session is None or not session.accepts(message, link):
            await link.end(_ended(DenialCode.SESSION_UNKNOWN.value, Text.SESSION_GONE, link))
            return
        link.counts_input = message.counts_input
        await session.resume(message, link)
        await session.serve(link)

    async def _watch(self, message: Watch, link: BrowserLink) -> None:
        answer = await self._redeem(message.token, link)
        if answer.watch is None:
            if answer.grant is not None:
                self._services.registry.decline(
                    answer.grant, "the token was shown where only a watch token opens something"
                )
            raise NotUnderstood
        session = self._services.registry.get(answer.watch.session_id)
        try:
            watcher = self._services.registry.watch(answer.watch)
        except PosternError as error:
            await link.end(Ended(reason=error.code, message=error.message))
            return
        # From here on the session reserves a place for this view. The `finally` releases it whatever happens to the
        # link.
        try:
            if session is not None:
                grant = session.grant
                await link.say(
                    Watching(
                        session_id=grant.session_id,
                        user=f"{grant.user.name}({grant.user.username})",
                        asset=grant.asset_name,
                        system_user=grant.system_user_name,
                    )
                )
            await _view(watcher, link, Charset(session.grant.charset if session is not None else ""))
        finally:
            watcher.close()


async def _view(watcher: Watcher, link: BrowserLink, charset: Charset) -> None:
    reader = asyncio.create_task(_answer_pings(link))
    reader.add_done_callback(lambda _task: watcher.close())
    try:
        await _show(watcher, link, charset)
    finally:
        reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)


async def _show(watcher: Watcher, link: BrowserLink, charset: Charset) -> None:
    """Send a view to its link until one of them ends. Snapshots are already UTF-8; output has the host's charset."""
    async for event in watcher:
        if isinstance(event, Picture):
            charset.restart()
            await link.say(Screen(columns=event.columns, rows=event.rows, offset=event.offset))
            await link.output(event.data)
        elif isinstance(event, Output):
            if page_output := charset.to_utf8(event.data):
                await link.output(page_output)
        elif isinstance(event, SizeChanged):
            await link.say(Resized(columns=event.columns, rows=event.rows))
        elif isinstance(event, WatchEnded):
            reason = event.reason.value if event.reason is not None else "watch_ended"
            message = event.message or (end_message(event.reason, link.language) if event.reason is not None else "")
            await link.end(Ended(reason=reason, message=message))


async def _answer_pings(link: BrowserLink) -> None:
    """Answer pings of a watcher. Everything else is ignored, in particular keystrokes."""
    while True:
        message = await link.receive()
        if isinstance(message, Ping):
            link.tell(Pong(t=message.t))


def _wrong_person(link: BrowserLink) -> Refused:
    return Refused(Text.WRONG_PERSON.say(link.language), denial=DenialCode.TOKEN_UNKNOWN)


def _ended(reason: str, text: Text, link: BrowserLink) -> Ended:
    return Ended(reason=reason, message=text.say(link.language))
