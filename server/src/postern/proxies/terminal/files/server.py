"""The endpoint to which the web plane forwards requests for files."""

import asyncio
import logging
from typing import Final

from aiohttp import web

from postern.contracts.browser import LANGUAGE_HEADER, USER_HEADER
from postern.contracts.files import KEY_HEADER, FileProblem
from postern.kernel.errors import SettingsError
from postern.kernel.ids import parse_id
from postern.proxies.core.control.web_plane import WebPlane
from postern.proxies.core.settings import split_address
from postern.proxies.core.targets.files import FilesFailed
from postern.proxies.terminal.files.exchange import Exchange, problem_answer
from postern.proxies.terminal.files.file_browser import FileBrowser
from postern.proxies.terminal.files.file_sessions import FileSessions
from postern.proxies.terminal.files.limits import IDLE_CONNECTION_S, READ_BYTES
from postern.proxies.terminal.files.operations import find
from postern.proxies.terminal.files.texts import Text
from postern.proxies.terminal.limits import TerminalLimits
from postern.proxies.terminal.listening import UNIX, private_socket

log = logging.getLogger(__name__)

#: How long requests may take to end when the proxy stops. Sessions have ended before.
_GOODBYE_S: Final = 1.0


class FilesServer:
    """Serves `contracts/files.py` on `address` (`unix:/path` or `host:port`; "" for nowhere)."""

    def __init__(
        self, address: str, sessions: FileSessions[FileBrowser], web_plane: WebPlane, limits: TerminalLimits
    ) -> None:
        self._address = address
        self._web_plane = web_plane
        self._limits = limits
        self._sessions = sessions
        self._requests = 0
        self._runner: web.AppRunner | None = None

    async def start(self) -> None:
        """Start listening. Raises SettingsError if the address cannot be used."""
        if not self._address:
            return
        app = web.Application()
        app.router.add_route("*", "/{session_id}/{operation:.*}", self._serve)
        self._runner = runner = web.AppRunner(
            app,
            access_log=None,
            handle_signals=False,
            keepalive_timeout=IDLE_CONNECTION_S,
            read_bufsize=READ_BYTES,
            shutdown_timeout=_GOODBYE_S,
            auto_decompress=False,
        )
        await runner.setup()
        try:
            if self._address.startswith(UNIX):
                with private_socket(self._address) as path:
                    await web.UnixSite(runner, path).start()
            else:
                host, port = split_address(self._address)
                await web.TCPSite(runner, host, port).start()
        except (OSError, ValueError) as error:
            await self.stop()
            raise SettingsError(f"cannot listen on {self._address}: {error}") from error

    async def stop(self) -> None:
        """Close all connections."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        language = request.headers.get(LANGUAGE_HEADER, "zh-hans")
        # An address of the network answers everybody. Whoever is not the web plane learns nothing (K63).
        if not self._web_plane.is_known(request.headers.get(KEY_HEADER, "")):
            log.warning("refused a request for files that does not come from the web plane")
            return problem_answer(FilesFailed(FileProblem.NO_SESSION, Text.NO_SESSION.say(language)))
        if self._requests >= self._limits.file_requests:
            return problem_answer(FilesFailed(FileProblem.TOO_MANY, Text.TOO_MANY.say(language)))
        self._requests += 1
        try:
            session_id, user_id = (
                parse_id(request.match_info["session_id"]),
                parse_id(request.headers.get(USER_HEADER, "")),
            )
            return await _answer(request, self._sessions.find(session_id, user_id, language))
        except FilesFailed as failure:
            return problem_answer(failure)
        finally:
            self._requests -= 1


async def _answer(request: web.Request, browser: FileBrowser) -> web.StreamResponse:
    """Carry out one operation of a session. A failure is answered, or breaks an answer that has begun."""
    files = browser.files
    operation, argument = find(request.method, request.match_info["operation"])
    if operation is None:
        raise files.failed(FileProblem.BAD_REQUEST, Text.UNKNOWN_OPERATION)
    exchange = Exchange(request, files, argument)
    try:
        with files.operation(is_transfer=operation.is_transfer):
            files.require(operation.needs)
            return await operation.answer(exchange, browser)
    except FilesFailed as failure:
        # What fails because the session has ended is told by its end.
        return exchange.fail(files.over() if browser.session.end_reason is not None else failure)
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if browser.session.end_reason is None or task is None:
            raise
        task.uncancel()  # it was `end_operations`
        return exchange.fail(files.over())
    except ConnectionError:  # the browser has left, which is no error
        return exchange.fail(files.failed(FileProblem.FAILED, Text.FAILED_HERE))
    except Exception:
        log.exception("an operation on files failed")
        return exchange.fail(files.failed(FileProblem.FAILED, Text.FAILED_HERE))
