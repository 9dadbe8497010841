"""How uvicorn serves in every web process."""

from typing import Any, Final

from postern.contracts.access import WEB_KEEPS_IDLE_S

#: Seconds that open requests get at shutdown; browser terminals reconnect and go on (contracts/browser.py).
SHUTDOWN_S: Final = 5
_MAX_HEADER_BYTES: Final = 64 * 1024
_MAX_WEBSOCKET_BYTES: Final = 1024 * 1024

OPTIONS: Final[dict[str, Any]] = {
    "loop": "uvloop",
    "http": "httptools",
    "ws": "websockets-sansio",
    "ws_max_size": _MAX_WEBSOCKET_BYTES,
    "ws_per_message_deflate": False,  # a compressed bomb must not grow here (K54)
    "h11_max_incomplete_event_size": _MAX_HEADER_BYTES,
    "timeout_keep_alive": WEB_KEEPS_IDLE_S,
    "timeout_graceful_shutdown": SHUTDOWN_S,
    "access_log": False,
    "log_config": None,
    "proxy_headers": False,  # our own middleware trusts configured proxies only (K9)
    "server_header": False,
    "lifespan": "off",
}
