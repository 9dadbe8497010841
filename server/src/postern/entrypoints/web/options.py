"""Options of uvicorn in every web process."""

from typing import Any, Final

from postern.contracts.access import WEB_KEEPS_IDLE_S
from postern.entrypoints.web.request_head import HeadGuard

#: Seconds for open requests at shutdown. Browser terminals reconnect and continue (contracts/browser.py).
SHUTDOWN_S: Final = 5
_MAX_WEBSOCKET_BYTES: Final = 1024 * 1024

OPTIONS: Final[dict[str, Any]] = {
    "loop": "uvloop",
    "http": HeadGuard,
    "ws": "websockets-sansio",
    "ws_max_size": _MAX_WEBSOCKET_BYTES,
    "ws_per_message_deflate": False,  # decompressing would let a small message grow beyond the size limit
    "timeout_keep_alive": WEB_KEEPS_IDLE_S,
    "timeout_graceful_shutdown": SHUTDOWN_S,
    "access_log": False,
    "log_config": None,
    "proxy_headers": False,  # our own middleware trusts only configured proxies
    "server_header": False,
    "lifespan": "off",
}
