"""A console tab that is connected to the websocket of site messages."""

import asyncio
import contextlib
from typing import Any

import msgspec
from asgiref.testing import ApplicationCommunicator
from channels.routing import URLRouter
from django.test import Client

from postern.apps.users.models import User
from postern.entrypoints.websockets import websocket_urlpatterns

PASSWORD = "violet anchor seventeen"
SIGN_IN = "/api/v1/authentication/sign-in/"
PATH = "/ws/notifications/site-msg/"
LIMIT_S = 60


class Tab:
    """The socket of one console tab."""

    def __init__(self, cookies: str, *, origin: str = "http://testserver") -> None:
        headers = [(b"host", b"testserver"), (b"origin", origin.encode()), (b"cookie", cookies.encode())]
        scope = {
            "type": "websocket",
            "path": PATH,
            "raw_path": PATH.encode(),
            "query_string": b"",
            "headers": headers,
            "client": ("127.0.0.1", 50_000),
            "server": ("testserver", 80),
            "subprotocols": [],
        }
        self._socket = ApplicationCommunicator(URLRouter(websocket_urlpatterns), scope)

    async def open(self) -> dict[str, Any]:
        """Open the socket; returns the answer to the handshake."""
        await self._socket.send_input({"type": "websocket.connect"})
        return await self.next()

    async def next(self) -> dict[str, Any]:
        answer: dict[str, Any] = await self._socket.receive_output(LIMIT_S)
        return answer

    async def count(self) -> int:
        """The number in the next message."""
        message = await self.next()
        assert message["type"] == "websocket.send", message
        body = msgspec.json.decode(message["text"])
        assert set(body) == {"type", "unread_count"}
        assert body["type"] == "unread_count"
        number: int = body["unread_count"]
        return number

    async def say(self, text: str) -> None:
        await self._socket.send_input({"type": "websocket.receive", "text": text})

    async def ended(self) -> None:
        """Wait until the application has finished with this socket. Raises the error that ended it."""
        await self._socket.wait(LIMIT_S)

    async def close(self) -> None:
        with contextlib.suppress(asyncio.CancelledError, TimeoutError):
            await self._socket.send_input({"type": "websocket.disconnect", "code": 1000})
            await self._socket.wait(LIMIT_S)


def sign_in(user: User) -> str:
    """The cookies of a browser in which the user has signed in."""
    client = Client()
    answer = client.post(SIGN_IN, {"username": user.username, "password": PASSWORD}, content_type="application/json")
    assert answer.status_code == 200, answer.content
    return "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())
