"""The web part: uvicorn with the ASGI application of `postern.entrypoints.asgi`."""

import logging
import socket
from typing import Final

import uvicorn

from postern.foundation.settings import Address, Settings
from postern.kernel.errors import SettingsError

#: Open requests get this long at shutdown; browser terminals reconnect and go on (contracts/browser.py).
_SHUTDOWN_S: Final = 5
_MAX_HEADER_BYTES: Final = 64 * 1024
_MAX_WEBSOCKET_BYTES: Final = 1024 * 1024


def serve(settings: Settings, *, reload: bool = False) -> int:
    """Serve until SIGTERM. Returns an exit status. Raises SettingsError when the address cannot be used."""
    _refuse_unusable(settings.http)
    logging.getLogger("uvicorn.error").addFilter(without_stack_of_bad_text)
    uvicorn.run(
        "postern.entrypoints.asgi:application",
        host=settings.http.host,
        port=settings.http.port,
        loop="uvloop",
        http="httptools",
        ws="websockets-sansio",
        ws_max_size=_MAX_WEBSOCKET_BYTES,
        ws_per_message_deflate=False,  # a compressed bomb must not grow here (K54)
        h11_max_incomplete_event_size=_MAX_HEADER_BYTES,
        timeout_graceful_shutdown=_SHUTDOWN_S,
        access_log=False,
        log_config=None,
        proxy_headers=False,  # our own middleware trusts configured proxies only (K9)
        server_header=False,
        lifespan="off",
        reload=reload,
        reload_dirs=["server/src"] if reload else None,
    )
    return 0


def without_stack_of_bad_text(record: logging.LogRecord) -> bool:
    """A filter: a client that sends bytes which are no text gets its close code (1007); the log gets one line."""
    if record.exc_info and isinstance(record.exc_info[1], UnicodeDecodeError):
        record.exc_info = None
        record.levelno, record.levelname = logging.INFO, logging.getLevelName(logging.INFO)
    return True


def _refuse_unusable(address: Address) -> None:
    """An address that is taken, or not ours, is a wrong setting: starting again would not help."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address.host, address.port))
        except OSError as error:
            raise SettingsError(f"cannot listen on POSTERN_HTTP {address}: {error.strerror or error}") from error
