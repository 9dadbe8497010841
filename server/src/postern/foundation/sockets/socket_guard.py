"""Around all websockets: whatever goes wrong, the client gets a close code that says so.

An exception that leaves a consumer would end the connection without a code, and fill the log with a stack for every
client that likes to see one.
"""

import logging
from typing import Any, Final

from django.core.exceptions import ObjectDoesNotExist
from django.db import Error as DatabaseError
from redis.exceptions import RedisError
from uvicorn.protocols.utils import ClientDisconnected

from postern.foundation.requests.body_guard import Application, Message, Receive, Scope, Send

log = logging.getLogger(__name__)

CLOSE_FAULT: Final = 1011
CLOSE_TRY_AGAIN: Final = 1013
#: There is no websocket at this path, or what it was about is gone.
CLOSE_NOT_FOUND: Final = 4404


async def unknown_path(scope: Scope, receive: Receive, send: Send) -> None:
    """The last route: closes with 4404. A browser shows the code of a close, but not the status of a refused handshake."""
    del scope
    if (await receive())["type"] == "websocket.connect":
        await send({"type": "websocket.accept"})
        await send({"type": "websocket.close", "code": CLOSE_NOT_FOUND, "reason": "no such websocket"})


class SocketGuard:
    """ASGI middleware around the websocket application."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        told = {"accepted": False, "closed": False}

        async def noting(message: Message) -> None:
            # One task of a consumer closes, another still sends what it was looking up: that goes nowhere.
            if told["closed"]:
                return
            was_open = told["accepted"]
            told["accepted"] |= message["type"] == "websocket.accept"
            told["closed"] |= message["type"] == "websocket.close"
            try:
                await send(message)
            except RuntimeError as error:
                if was_open:  # the server itself has closed, over a frame that broke the protocol
                    raise ClientDisconnected from error
                raise

        try:
            await self._application(scope, receive, noting)
        except ClientDisconnected:
            log.debug("%s: the client has gone", scope["path"])
        except ObjectDoesNotExist as error:
            log.info("%s: gone: %s", scope["path"], error)
            await _close(send, CLOSE_NOT_FOUND, **told)
        except (DatabaseError, RedisError, OSError) as error:
            log.warning("%s: a part of the service does not answer: %s", scope["path"], type(error).__name__)
            await _close(send, CLOSE_TRY_AGAIN, **told)
        except Exception:
            log.exception("%s failed", scope["path"])
            await _close(send, CLOSE_FAULT, **told)


async def _close(send: Send, code: int, *, accepted: bool, closed: bool) -> None:
    if closed:
        return
    close: dict[str, Any] = {"type": "websocket.close", "code": code}
    try:
        if not accepted:
            await send({"type": "websocket.accept"})
        await send(close)
    except (OSError, RuntimeError):  # the client has gone meanwhile
        log.debug("nobody is there to be told of %d", code)
