"""Close codes for websockets: whatever goes wrong, the client gets a close code that says so.

An exception that leaves a consumer would end the connection without a code, and fill the log with a stack trace for
every client that provokes an error.
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
    """The route for unknown paths: accepts, then closes with 4404, because browsers hide the status of a refused
    handshake.
    """
    del scope
    if (await receive())["type"] == "websocket.connect":
        await send({"type": "websocket.accept"})
        await send({"type": "websocket.close", "code": CLOSE_NOT_FOUND, "reason": "no such websocket"})


class SocketGuard:
    """ASGI middleware around the websocket application."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        state = {"accepted": False, "closed": False}

        async def track_and_send(message: Message) -> None:
            # One task of the consumer has closed while another still sends: drop the message.
            if state["closed"]:
                return
            was_open = state["accepted"]
            state["accepted"] |= message["type"] == "websocket.accept"
            state["closed"] |= message["type"] == "websocket.close"
            try:
                await send(message)
            except RuntimeError as error:
                if was_open:  # the server closed the connection after a frame that violates the protocol
                    raise ClientDisconnected from error
                raise

        try:
            await self._application(scope, receive, track_and_send)
        except ClientDisconnected:
            log.debug("%s: the client has gone", scope["path"])
        except ObjectDoesNotExist as error:
            log.info("%s: the object no longer exists: %s", scope["path"], error)
            await _close(send, CLOSE_NOT_FOUND, **state)
        except (DatabaseError, RedisError, OSError) as error:
            log.warning("%s: a part of the service does not answer: %s", scope["path"], type(error).__name__)
            await _close(send, CLOSE_TRY_AGAIN, **state)
        except Exception:
            log.exception("%s failed", scope["path"])
            await _close(send, CLOSE_FAULT, **state)


async def _close(send: Send, code: int, *, accepted: bool, closed: bool) -> None:
    if closed:
        return
    close: dict[str, Any] = {"type": "websocket.close", "code": code}
    try:
        if not accepted:
            await send({"type": "websocket.accept"})
        await send(close)
    except (OSError, RuntimeError):  # the client disconnected meanwhile
        log.debug("the client disconnected before close code %d was sent", code)
