"""The internal API of recordings: proxies upload them in parts. It only translates between HTTP and the actions."""

from collections.abc import Iterator
from typing import Final
from uuid import UUID

import msgspec
from django.http import HttpResponse
from django.urls import path
from rest_framework.request import Request

from postern.apps.sessions.body_limits import PART_BYTES
from postern.apps.sessions.recordings import policy
from postern.apps.sessions.recordings.actions import upload
from postern.apps.sessions.recordings.storage import replay_storage
from postern.apps.sessions.terminals.api.internal import InternalView
from postern.apps.sessions.terminals.errors import MalformedMessage
from postern.contracts import access, events

_MAX_RECORDING_BYTES: Final = 64 * 1024**3
_CHUNK_BYTES: Final = 256 * 1024


class UploadState(msgspec.Struct, frozen=True, kw_only=True):
    """Progress of an upload. `stored`: complete, verified and accepted."""

    received: int
    stored: bool


class RecordingContentView(InternalView):
    """`PUT` one part of a recording, `GET` the progress of its upload."""

    def get(self, request: Request, session_id: UUID) -> HttpResponse:
        del request
        progress = upload.received(terminal=self.terminal, session_id=session_id, storage=replay_storage())
        return self.answer(UploadState(received=progress.received, stored=progress.stored))

    def put(self, request: Request, session_id: UUID) -> HttpResponse:
        part = policy.parse_content_range(request.headers.get("Content-Range", ""), max_total=_MAX_RECORDING_BYTES)
        if part is None or part.size > PART_BYTES:
            raise MalformedMessage("Content-Range must be `bytes first-last/total` of at most 8 MiB")
        progress = upload.receive_part(
            terminal=self.terminal,
            session_id=session_id,
            part=part,
            chunks=_chunks(request, part.size),
            storage=replay_storage(),
        )
        return self.answer(UploadState(received=progress.received, stored=progress.stored))


def _chunks(request: Request, size: int) -> Iterator[bytes]:
    """Exactly `size` bytes of the body. Raises MalformedMessage when it is shorter or longer."""
    left = size
    while left:
        chunk = request._request.read(min(left, _CHUNK_BYTES))  # noqa: SLF001 - the raw body: no parser, own limit
        if not chunk:
            raise MalformedMessage("the body is shorter than its Content-Range")
        left -= len(chunk)
        yield chunk
    if request._request.read(1):  # noqa: SLF001 - as above
        raise MalformedMessage("the body is longer than its Content-Range")


_PREFIX: Final = access.INTERNAL_PREFIX.lstrip("/")

internal_urlpatterns = [
    path(
        _PREFIX + events.RECORDING_UPLOAD.replace("{session_id}", "<uuid:session_id>"), RecordingContentView.as_view()
    ),
]
