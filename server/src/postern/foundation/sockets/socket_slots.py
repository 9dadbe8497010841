"""Limits the open websockets of a browser sign-in across all web processes.

Each open socket has an entry in Redis that expires after `LEASE_S` and is renewed while the socket is open, so entries
of a killed process disappear. While Redis does not answer, each process counts only its own sockets.
"""

import asyncio
import contextlib
import logging
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final
from uuid import UUID

from django.conf import settings
from redis.asyncio import Redis
from redis.exceptions import RedisError

from postern.kernel.ids import new_id

log = logging.getLogger(__name__)

LEASE_S: Final = 60
_RENEW_S: Final = 20
_ANSWER_S: Final = 2.0


class SocketSlots:
    """Slots for one kind of websocket; `name` is part of the Redis keys."""

    def __init__(self, name: str, *, lease_s: float = LEASE_S, renew_s: float = _RENEW_S) -> None:
        self._name = name
        self._lease_s = lease_s
        self._renew_s = renew_s
        self._held: defaultdict[UUID, set[str]] = defaultdict(set)
        self._renewing: asyncio.Task[None] | None = None
        #: Set to end `_renewing` between two commands: a cancelled command would leave its connection open.
        self._over = asyncio.Event()

    async def take(self, login_session_id: UUID, *, most: int) -> str | None:
        """A slot that must be returned with `release`; None when the sign-in holds `most` slots already."""
        if len(self._held.get(login_session_id, ())) >= most:
            return None
        slot = str(new_id())
        self._held[login_session_id].add(slot)
        self._keep_renewing()
        try:
            is_free = await self._count_with(login_session_id, slot) <= most
        except BaseException:  # the client disconnected meanwhile
            self._forget(login_session_id, slot)
            raise
        if not is_free:
            await self.release(login_session_id, slot)
            return None
        return slot

    async def release(self, login_session_id: UUID, slot: str) -> None:
        """Return the slot of a closed socket."""
        self._forget(login_session_id, slot)
        with contextlib.suppress(RedisError, OSError):
            async with _redis() as redis:
                await redis.zrem(self._key(login_session_id), slot)

    def _forget(self, login_session_id: UUID, slot: str) -> None:
        self._held[login_session_id].discard(slot)
        if not self._held[login_session_id]:
            del self._held[login_session_id]
        if not self._held:
            self._over.set()
            self._renewing = None

    async def _count_with(self, login_session_id: UUID, slot: str) -> int:
        """Number of slots of the sign-in, including this new one."""
        key, now = self._key(login_session_id), time.time()
        try:
            async with _redis() as redis, redis.pipeline(transaction=True) as together:
                together.zremrangebyscore(key, "-inf", now)
                together.zadd(key, {slot: now + self._lease_s})
                together.zcard(key)
                together.expire(key, int(self._lease_s) + 1)
                answers = await together.execute()
        except (RedisError, OSError):
            return len(self._held[login_session_id])
        return int(answers[2])

    def _keep_renewing(self) -> None:
        loop = asyncio.get_running_loop()
        if self._renewing is None or self._renewing.done() or self._renewing.get_loop() is not loop:
            self._over = asyncio.Event()
            self._renewing = loop.create_task(self._renew(self._over))

    async def _renew(self, over: asyncio.Event) -> None:
        while not await _is_set(over, self._renew_s):
            end = time.time() + self._lease_s
            try:
                async with _redis() as redis, redis.pipeline(transaction=False) as together:
                    for login_session_id, slots in self._held.items():
                        together.zadd(self._key(login_session_id), dict.fromkeys(slots, end))
                        together.expire(self._key(login_session_id), int(self._lease_s) + 1)
                    await together.execute()
            except (RedisError, OSError):
                log.debug("cannot renew the slots of open websockets in Redis")

    def _key(self, login_session_id: UUID) -> str:
        return f"sockets:{self._name}:{login_session_id}"


async def _is_set(event: asyncio.Event, timeout_s: float) -> bool:
    """Wait for the event, at most this long."""
    try:
        async with asyncio.timeout(timeout_s):
            return await event.wait()
    except TimeoutError:
        return False


@asynccontextmanager
async def _redis() -> AsyncIterator["Redis"]:
    """A client for a few commands. Connections belong to an event loop, so they are not cached."""
    client = Redis.from_url(settings.POSTERN.redis_url, socket_timeout=_ANSWER_S, socket_connect_timeout=_ANSWER_S)
    try:
        yield client
    finally:
        await client.aclose()
