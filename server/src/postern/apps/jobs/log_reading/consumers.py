r"""`/ws/ops/tasks/log/`: the log of a job as it grows (contract: ops, logs).

The client sends `{"task": id}`, and `offset` if it has read that much before. The server sends `{"message": ".", "task"}`
twice a second until the log exists, then `{"message": "\r\n"}`, then pieces with `\r\n` at the ends of lines, each with
the `offset` behind it. When the job is over and everything was sent, `{"end": true, "task"}` follows. Bytes are read from
the file when the client has taken the piece before, so a slow client costs nothing.
"""

import asyncio
import logging
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final
from uuid import UUID

import msgspec
from django.conf import settings
from django.db import Error as DatabaseError
from django.urls import path

from postern.apps.authn import facade as authn
from postern.apps.authn.browser_sockets import Visitor
from postern.apps.authn.page_sockets import CLOSE_MALFORMED, CLOSE_TRY_AGAIN, PageSocket
from postern.apps.jobs.engine import policy
from postern.apps.jobs.engine.models import Job
from postern.apps.jobs.logs.files import LogReader
from postern.apps.jobs.logs.text import whole_characters
from postern.foundation.caller.scope import OrgScope
from postern.foundation.rest.rights import Right, Rights
from postern.foundation.sockets.socket_database import in_thread
from postern.foundation.sockets.socket_slots import SocketSlots
from postern.kernel import clock

log = logging.getLogger(__name__)

CLOSE_NOT_FOUND: Final = 4404
#: Open logs per browser sign-in.
MAX_SOCKETS: Final = 20
PIECE_BYTES: Final = 32 * 1024
_MAX_MESSAGE_CHARS: Final = 1024
_WAIT_S: Final = 0.5
_GROWTH_S: Final = 0.3
#: How often the right to read and the state of the job are looked up.
_RECHECK_S: Final = 2.0


class ReadLog(msgspec.Struct, frozen=True):
    """The client wants the log of this job. `type` exists for clients of the contract and has no effect."""

    task: UUID
    type: str = "celery"
    offset: Annotated[int, msgspec.Meta(ge=0, le=2**53)] = 0


@dataclass(frozen=True, slots=True)
class _Seen:
    """The state of the row."""

    is_open: bool


class JobLogs(PageSocket):
    """One log at a time; another `ReadLog` changes to another log."""

    rights: ClassVar[Rights] = Right.VALID_USER
    messages: ClassVar[tuple[type[msgspec.Struct], ...]] = (ReadLog,)

    slots = SocketSlots("job logs")
    max_sockets = MAX_SOCKETS

    _reading: "asyncio.Task[None] | None" = None

    async def end(self) -> None:
        if self._reading is not None:
            self._reading.cancel()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        del bytes_data
        try:
            if text_data is None or len(text_data) > _MAX_MESSAGE_CHARS:
                raise msgspec.ValidationError("not a message")
            wish = msgspec.json.decode(text_data, type=ReadLog)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            await self.close(CLOSE_MALFORMED)
            return
        if self._reading is not None:
            self._reading.cancel()
        self._reading = asyncio.create_task(self._read_and_close(wish))

    async def _read_and_close(self, wish: ReadLog) -> None:
        try:
            await self._read(wish)
        except DatabaseError:
            log.warning("the log of a job could not be followed, because the database does not answer")
            await self.close(CLOSE_TRY_AGAIN)
        except Exception:  # whatever fails, the client must learn that it has to try again
            log.exception("the log of a job could not be read")
            await self.close(CLOSE_TRY_AGAIN)

    async def _read(self, wish: ReadLog) -> None:
        visitor = self.visitor
        if visitor is None:
            return
        file = LogReader(settings.POSTERN.home, wish.task)
        offset, looked_at, seen, waited = wish.offset, 0.0, _Seen(is_open=True), False
        while True:
            is_stale = clock.monotonic_s() - looked_at >= _RECHECK_S
            if is_stale or not seen.is_open:
                latest: _Seen | None = await in_thread(_look)(visitor, wish.task)
                if latest is None:
                    await self.close(CLOSE_NOT_FOUND)
                    return
                seen, looked_at = latest, clock.monotonic_s()
            # The state was read before the file: what a job that has ended wrote is all there.
            piece: bytes = await asyncio.to_thread(file.read, offset, PIECE_BYTES)
            piece = whole_characters(piece, is_last=not seen.is_open)
            if piece:
                if waited:
                    await self._tell(wish.task, "\r\n", offset)
                    waited = False
                offset += len(piece)
                await self._tell(wish.task, piece.decode("utf-8", "replace").replace("\n", "\r\n"), offset)
            elif not seen.is_open:
                await self.send(text_data=msgspec.json.encode({"task": wish.task, "end": True}).decode())
                return
            elif offset == 0:
                waited = True
                await self._tell(wish.task, ".", 0)
                await asyncio.sleep(_WAIT_S)
            else:
                await asyncio.sleep(_GROWTH_S)

    async def _tell(self, job_id: UUID, message: str, offset: int) -> None:
        body = {"message": message, "task": job_id, "offset": offset}
        await self.send(text_data=msgspec.json.encode(body).decode())


def _look(visitor: Visitor, job_id: UUID) -> _Seen | None:
    """The job, if it exists and the person is signed in and may read it."""
    job = Job.objects.filter(pk=job_id).only("pk", "org_id", "kind", "state", "created_by_id").first()
    if job is None:
        return None
    scope = OrgScope(job.org_id)
    actor = authn.actor_in(visitor.login_session_id, scope)
    if actor is None or not policy.may_read(actor, scope, job):
        return None
    return _Seen(is_open=job.is_open)


websocket_urlpatterns = [path("ws/ops/tasks/log/", JobLogs.as_asgi())]
