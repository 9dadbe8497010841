"""`PageSocket`: the base of websockets of our own pages. It checks the origin, the sign-in, and the number of open
sockets before a subclass serves the visitor (K42: a websocket belongs to the origin and the sign-in of its page).
"""

from typing import Any, ClassVar, Final

from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.db import Error as DatabaseError

from postern.apps.authn.browser_sockets import Visitor, origin_is_ours, visitor_of
from postern.foundation.sockets.socket_database import in_thread
from postern.foundation.sockets.socket_slots import SocketSlots

CLOSE_MALFORMED: Final = 4400
CLOSE_SIGNED_OUT: Final = 4401
CLOSE_TOO_MANY: Final = 4429
CLOSE_TRY_AGAIN: Final = 1013


class PageSocket(AsyncWebsocketConsumer):  # type: ignore[misc]  # channels has no types
    """Subclasses set `slots`, accept the socket in `begin`, and release their resources in `end`."""

    #: Counts the open sockets of this kind per browser sign-in, and limits them.
    slots: ClassVar[SocketSlots]
    max_sockets: ClassVar[int]

    visitor: Visitor | None = None
    _slot: str | None = None

    async def connect(self) -> None:
        if not origin_is_ours(self.scope, settings.POSTERN):
            await self.close()  # before the handshake: the response is 403
            return
        try:
            visitor: Visitor | None = await in_thread(visitor_of)(self.scope, settings.POSTERN)
        except DatabaseError:
            await self.accept_and_close(CLOSE_TRY_AGAIN)
            return
        if visitor is None:
            await self.accept_and_close(CLOSE_SIGNED_OUT)
            return
        self._slot = await self.slots.take(visitor.login_session_id, most=self.max_sockets)
        if self._slot is None:
            await self.accept_and_close(CLOSE_TOO_MANY)
            return
        self.visitor = visitor
        await self.begin(visitor)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve the socket, and call `end` in every case.

        Sending to a disconnected client ends the socket without a `disconnect` message.
        """
        try:
            await super().__call__(scope, receive, send)
        finally:
            try:
                await self.end()
            finally:
                if self.visitor is not None and self._slot is not None:
                    await self.slots.release(self.visitor.login_session_id, self._slot)

    async def begin(self, visitor: Visitor) -> None:
        """Accept the socket of this visitor, or close it."""
        del visitor
        await self.accept()

    async def end(self) -> None:
        """Release the resources of the socket. Called once, also when the socket was not accepted."""

    async def accept_and_close(self, code: int) -> None:
        """Close with a code. Browsers report the code of a close to the page, but not the status of a refused
        handshake.
        """
        await self.accept()
        await self.close(code)
