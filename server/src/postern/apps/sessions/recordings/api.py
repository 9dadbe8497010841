"""The API of recordings: proxies upload them in parts, and super administrators move them to another storage. It only
translates between HTTP and the actions.
"""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Final
from uuid import UUID

import msgspec
from django.http import HttpResponse
from django.urls import path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.sessions.body_limits import PART_BYTES
from postern.apps.sessions.recordings import policy
from postern.apps.sessions.recordings.actions import moving, upload
from postern.apps.sessions.recordings.storage import replay_storage
from postern.apps.sessions.storages.models import ReplayStorage
from postern.apps.sessions.terminals.api.internal import InternalView
from postern.apps.sessions.terminals.errors import MalformedMessage
from postern.contracts import access, events
from postern.foundation.rest.bodies import BodySerializer, body_of
from postern.foundation.rest.openapi.answers import Answer, texts
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView
from postern.kernel.errors import NotFound
from postern.kernel.ids import parse_id

_MAX_RECORDING_BYTES: Final = 64 * 1024**3
_CHUNK_BYTES: Final = 256 * 1024
_NUMBER: Final = {"type": "integer"}
_STATE: Final = texts(
    "reason",
    target={"type": "string", "nullable": True},
    recordings=_NUMBER,
    total=_NUMBER,
    left=_NUMBER,
    waiting=_NUMBER,
    failing=_NUMBER,
)


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


class MoveSerializer(BodySerializer):
    """The id of the storage to which the recordings go."""

    target = serializers.UUIDField(label=gettext_lazy("Target storage"))


class MoveRecordingsView(PosternView):
    """`terminal/replay-storages/{id}/move-recordings/`: `POST` moves all recordings to the storage `target`, `GET` says how
    far that is, and what is on its way to this storage.
    """

    rights = Right.SUPER_USER
    always_root = True
    answers = {"get": Answer(schema=_STATE), "post": Answer(202, schema=_STATE)}

    def get_serializer(self, *args: Any, **kwargs: Any) -> serializers.Serializer[Any]:
        """The serializer, for OPTIONS."""
        return MoveSerializer(*args, **kwargs)

    def get(self, request: Request, pk: str) -> Response:
        del request
        return Response(asdict(moving.state_of(self._storage(pk))))

    def post(self, request: Request, pk: str) -> Response:
        source, body = self._storage(pk), body_of(request, MoveSerializer)
        target = ReplayStorage.objects.visible_to(self.actor, self.scope).filter(pk=body["target"]).first()
        if target is None:
            raise moving.NotMoved(_("There is no such storage."))
        moving.start_move(actor=self.actor, source=source, target=target)
        return Response(asdict(moving.state_of(source)), status=202)

    def _storage(self, pk: str) -> ReplayStorage:
        key = parse_id(pk)
        rows = ReplayStorage.objects.visible_to(self.actor, self.scope)
        storage: ReplayStorage | None = rows.filter(pk=key).first() if key else None
        if storage is None:
            raise NotFound(_("Not found."))
        return storage


urlpatterns = [path("terminal/replay-storages/<str:pk>/move-recordings/", MoveRecordingsView.as_view())]

_PREFIX: Final = access.INTERNAL_PREFIX.lstrip("/")

internal_urlpatterns = [
    path(
        _PREFIX + events.RECORDING_UPLOAD.replace("{session_id}", "<uuid:session_id>"), RecordingContentView.as_view()
    ),
]
