"""`/ws/notifications/site-msg/`: tells a console the number of its user's unread messages.

Every tab gets the number when the socket opens and whenever the number may have changed. Only our own pages with the
session of an allowed user may connect (K42: a websocket belongs to the origin and the sign-in of its page). When a
sign-in ends, its sockets are closed at once by a message. If that message is lost, a periodic check over all sockets of
the process closes them within seconds (K40: what ends, ends everywhere within seconds).
"""

import asyncio
import contextlib
import logging
from collections import defaultdict
from typing import Annotated, Any, ClassVar, Final
from uuid import UUID

import msgspec
from django.db import Error as DatabaseError
from django.urls import path
from redis.exceptions import RedisError

from postern.apps.authn import facade as authn
from postern.apps.authn.browser_sockets import Visitor
from postern.apps.authn.page_sockets import CLOSE_MALFORMED, CLOSE_SIGNED_OUT, CLOSE_TRY_AGAIN, PageSocket
from postern.apps.notifications import push, queries
from postern.apps.notifications.following import Following
from postern.foundation.rest.rights import Right, Rights
from postern.foundation.sockets.socket_database import in_thread
from postern.foundation.sockets.socket_slots import SocketSlots

log = logging.getLogger(__name__)

RECHECK_S: Final = 3.0
#: Open tabs per browser sign-in.
MAX_SOCKETS: Final = 50
_MAX_MESSAGE_CHARS: Final = 1024


class RefreshEvery(msgspec.Struct, frozen=True):
    """The client asks for the number periodically, not only on change. Seconds."""

    refresh_every_seconds: Annotated[int, msgspec.Meta(ge=5, le=3600)]


class FollowSessions(msgspec.Struct, frozen=True):
    """The client shows the live sessions of this organization and wants to know when they change; null ends that."""

    follow_sessions_of: UUID | None


def _read(text: str | None) -> RefreshEvery | FollowSessions:
    """Parse a message of the client. Raises MsgspecError, UnicodeError or RecursionError when it is malformed."""
    if text is None or len(text) > _MAX_MESSAGE_CHARS:
        raise msgspec.ValidationError("not a message")
    values = msgspec.json.decode(text, type=dict[str, Any])
    if "follow_sessions_of" in values:
        return msgspec.convert(values, FollowSessions)
    return msgspec.convert(values, RefreshEvery)


class SiteMessages(PageSocket):
    """The message counter of one console. Sends `{"type": "unread_count", "unread_count": n}`; accepts `RefreshEvery`.

    After `FollowSessions` it also sends `{"type": "sessions_changed"}` when the list of live sessions has changed, or
    `{"type": "sessions_refused"}` once when the user may not read that list (any more).
    """

    rights: ClassVar[Rights] = Right.VALID_USER
    messages: ClassVar[tuple[type[msgspec.Struct], ...]] = (RefreshEvery, FollowSessions)

    slots = SocketSlots("bells")
    max_sockets = MAX_SOCKETS

    _refreshing: "asyncio.Task[None] | None" = None
    _following: Following | None = None

    async def begin(self, visitor: Visitor) -> None:
        WATCH.add(self, visitor.login_session_id)
        try:
            # Subscribe before reading: a message that arrives in between is then noticed by one of the two.
            for group in self._groups(visitor):
                await self.channel_layer.group_add(group, self.channel_name)
        except (RedisError, OSError):
            log.warning("consoles get no notice of new messages, because Redis does not answer")
            await self.accept_and_close(CLOSE_TRY_AGAIN)
            return
        await self.accept()
        await self._tell()

    async def end(self) -> None:
        if self._refreshing is not None:
            self._refreshing.cancel()
        if self.visitor is None:
            return
        WATCH.remove(self, self.visitor.login_session_id)
        with contextlib.suppress(RedisError, OSError):
            if self._following is not None:
                await self._following.leave()
            for group in self._groups(self.visitor):
                await self.channel_layer.group_discard(group, self.channel_name)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        del bytes_data
        try:
            wish = _read(text_data)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            await self.close(CLOSE_MALFORMED)
            return
        if isinstance(wish, FollowSessions):
            await self._follow(wish.follow_sessions_of)
            return
        if self._refreshing is not None:
            self._refreshing.cancel()
        self._refreshing = asyncio.create_task(self._refresh(wish.refresh_every_seconds))

    async def unread_changed(self, event: dict[str, Any]) -> None:
        """Channel layer handler: the number may have changed."""
        del event
        await self._tell()

    async def sessions_changed(self, event: dict[str, Any]) -> None:
        """Channel layer handler: a live session started, changed or ended."""
        del event
        if self._following is not None:
            self._following.changed()

    async def _follow(self, org_id: UUID | None) -> None:
        if self.visitor is None:
            return
        if self._following is None:
            self._following = Following(
                self.channel_layer, self.channel_name, self.visitor.login_session_id, self._tell_of_sessions
            )
        try:
            await self._following.follow(org_id)
        except (RedisError, OSError):
            log.warning("consoles get no notice of live sessions, because Redis does not answer")
            await self.close(CLOSE_TRY_AGAIN)

    async def _tell_of_sessions(self, permitted: bool) -> None:
        kind = "sessions_changed" if permitted else "sessions_refused"
        await self.send(text_data=msgspec.json.encode({"type": kind}).decode())

    async def signed_out(self, event: dict[str, Any]) -> None:
        """Channel layer handler: the sign-in has ended."""
        del event
        await self.close(CLOSE_SIGNED_OUT)

    async def _refresh(self, seconds: int) -> None:
        while True:
            await asyncio.sleep(seconds)
            await self._tell()

    async def _tell(self) -> None:
        if self.visitor is None:
            return
        try:
            count: int = await in_thread(queries.unread_total)(self.visitor.user_id)
        except DatabaseError:
            log.warning("the number of unread messages could not be sent to a console")
            return  # the next change or refresh sends it again
        body = msgspec.json.encode({"type": "unread_count", "unread_count": count})
        await self.send(text_data=body.decode())

    @staticmethod
    def _groups(visitor: Visitor) -> tuple[str, ...]:
        return (
            push.group_of(visitor.user_id),
            push.EVERYBODY,
            push.group_of_login_session(visitor.login_session_id),
        )


class SignInWatch:
    """Checks periodically, with one query for all sockets of this process, whether their sign-ins are still valid."""

    def __init__(self) -> None:
        self._sockets: dict[UUID, set[SiteMessages]] = defaultdict(set)
        self._task: asyncio.Task[None] | None = None

    def add(self, socket: SiteMessages, login_session_id: UUID) -> None:
        """Add a socket; the first socket starts the check."""
        self._sockets[login_session_id].add(socket)
        loop = asyncio.get_running_loop()
        if self._task is None or self._task.done() or self._task.get_loop() is not loop:
            self._task = loop.create_task(self._run())

    def remove(self, socket: SiteMessages, login_session_id: UUID) -> None:
        """Remove a closed socket; the check stops with the last socket."""
        self._sockets[login_session_id].discard(socket)
        if not self._sockets[login_session_id]:
            del self._sockets[login_session_id]
        if not self._sockets and self._task is not None:
            self._task.cancel()
            self._task = None

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(RECHECK_S)
            watched = frozenset(self._sockets)
            try:
                holding: frozenset[UUID] = await in_thread(authn.open_login_sessions)(watched)
            except DatabaseError:
                log.warning("the sign-ins of open consoles could not be checked")
                continue
            except Exception:  # keep the check running after any error, because nothing else would restart it
                log.exception("the sign-ins of open consoles could not be checked")
                continue
            ended = [socket for gone in watched - holding for socket in self._sockets.get(gone, ())]
            # Close them concurrently, so that a hanging connection does not keep the others open.
            outcomes = await asyncio.gather(*(_close(socket) for socket in ended), return_exceptions=True)
            for outcome in outcomes:
                if isinstance(outcome, Exception):
                    log.warning("the socket of an ended sign-in could not be closed: %r", outcome)


async def _close(socket: SiteMessages) -> None:
    async with asyncio.timeout(RECHECK_S):
        await socket.close(CLOSE_SIGNED_OUT)


WATCH: Final = SignInWatch()

websocket_urlpatterns = [path("ws/notifications/site-msg/", SiteMessages.as_asgi())]
