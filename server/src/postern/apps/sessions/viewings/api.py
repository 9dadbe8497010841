"""Replays: description, content (with ranges), exports, and verification of the seal.

Each response needs a session that the caller may see (K4: every byte of a replay needs the right to that session).
There is no other way to a recording: no public folder and no signed link.
"""

from contextlib import ExitStack
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db import transaction
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.urls import path
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import DateTimeField

from postern.apps.audits import facade as audits
from postern.apps.sessions import messages
from postern.apps.sessions.recordings import replays
from postern.apps.sessions.recordings.errors import ReplayMissing, ReplayUnavailable
from postern.apps.sessions.recordings.models import Recording
from postern.apps.sessions.sessions.models import Session
from postern.apps.sessions.viewings import actions, policy
from postern.apps.sessions.viewings.models import ViewingForm
from postern.apps.sessions.viewings.opening import OpenRecording, open_to_send, open_to_verify
from postern.apps.sessions.viewings.texts import TextOfRecording
from postern.contracts import recording as container
from postern.foundation.rest.rights import Right
from postern.foundation.rest.streams import streamed
from postern.foundation.rest.views import PosternView
from postern.integrations.replay_storages.failures import StorageFailed
from postern.integrations.replay_storages.port import SUFFIX
from postern.kernel.ids import parse_id

_BINARY = "application/octet-stream"
#: A recording contains output of a hostile target, so a browser must never run it (K57: content of others cannot act as
#: a page of ours).
_CSP = "default-src 'none'; sandbox"
_CAST_VERSIONS: Final[dict[str, container.Version]] = {"2": 2, "3": 3}
_TIMES: Final = {"0": False, "1": True}


class Opened(NamedTuple):
    """Bytes of a recording that may be sent, because the viewing is audited."""

    body: replays.Counted
    source: OpenRecording | TextOfRecording
    viewing_id: UUID
    form: ViewingForm


class RecordingView(PosternView):
    """Base: finds the recording, sends its file, and audits the viewer."""

    rights = Right.ORG_AUDITOR

    def recording_of(self, pk: str) -> Recording:
        """The stored recording of a session that the caller may see. Raises ReplayMissing."""
        session_id = parse_id(pk)
        visible = Session.objects.visible_to(self.actor, self.scope)
        session: Session | None = (
            visible.select_related("recording").filter(pk=session_id).first() if session_id else None
        )
        recording: Recording | None = getattr(session, "recording", None)
        if session is None or recording is None or not recording.is_playable:
            raise ReplayMissing(_("This session has no replay."))
        return recording

    def deliver(
        self, request: Request, opened: Opened, *, content_type: str, first: int = 0, status: int = 200
    ) -> StreamingHttpResponse:
        """The bytes as a response, which records the number of sent bytes when it is closed."""
        body = opened.body
        response = streamed(request, body, content_type=content_type, status=status, threads=opened.source.threads)

        def done() -> None:
            body.close()
            actions.sent(
                viewing_id=opened.viewing_id,
                form=opened.form,
                first=first,
                count=body.count,
                is_whole=body.is_finished,
            )

        response._resource_closers.append(done)  # type: ignore[attr-defined]  # noqa: SLF001 - runs when the answer is closed, however that comes
        return response

    def note(self, recording: Recording, event: audits.Event) -> None:
        """Audit who viewed the recording."""
        session = recording.session
        with transaction.atomic():
            audits.record(
                actor=self.actor,
                org_id=session.org_id,
                event=event,
                object_type="Session",
                object_id=str(session.pk),
                object_name=messages.title(session),
            )

    def describe(self, recording: Recording) -> dict[str, Any]:
        """The description of a recording, without addresses."""
        session = recording.session
        date_field = DateTimeField()
        return {
            "id": str(session.pk),
            "user": session.user,
            "asset": session.asset,
            "system_user": session.system_user,
            "date_start": date_field.to_representation(session.date_start),
            "date_end": date_field.to_representation(session.date_end) if session.date_end else None,
            "state": recording.state,
            "size": recording.size,
            "sha256": recording.sha256,
            "chain": recording.chain,
            "key_id": recording.key_id,
            "duration_ms": recording.duration_ms,
        }


class ReplayView(RecordingView):
    """`GET terminal/sessions/{id}/replay/`: location and description of the recording."""

    def get(self, request: Request, pk: str) -> HttpResponseBase:
        del request
        recording = self.recording_of(pk)
        actions.open_replay(actor=self.actor, recording=recording)
        base = f"/api/v1/terminal/sessions/{recording.session_id}/replay/"
        places = {
            "type": "postern",
            "src": f"{base}content/",
            "download_url": f"{base}download/",
            "cast_url": f"{base}cast/",
            "text_url": f"{base}text/",
            "verify_url": f"{base}verify/",
        }
        return Response(places | self.describe(recording))


class ReplayContentView(RecordingView):
    """`GET …/replay/content/`: the whole content or one range."""

    def get(self, request: Request, pk: str) -> HttpResponseBase:
        recording = self.recording_of(pk)
        size = recording.size
        wanted = request.headers.get("Range")
        span = policy.parse_byte_range(wanted, size) if wanted else (0, size - 1)
        if span is None:
            refused = HttpResponse(status=416, content_type=_BINARY)
            refused.headers["Content-Range"] = f"bytes */{size}"
            return refused
        first, last = span
        length = last - first + 1
        with ExitStack() as unless_delivered:
            source = open_to_send(recording, first=first)
            unless_delivered.callback(source.close)
            viewing_id = actions.fetch_range(actor=self.actor, recording=recording, first=first, last=last)
            body = replays.Counted(replays.pieces(source.file, first, length), source)
            opened = Opened(body, source, viewing_id, ViewingForm.PLAY)
            status = 206 if wanted else 200
            response = self.deliver(request, opened, content_type=_BINARY, first=first, status=status)
            unless_delivered.pop_all()
        if wanted:
            response.headers["Content-Range"] = f"bytes {first}-{last}/{size}"
        return _as_file(response, f"{recording.session_id}{SUFFIX}", length)


class ReplayCastView(RecordingView):
    """`GET …/replay/cast/?version=`: the recording as asciicast 2 (by default) or 3."""

    def get(self, request: Request, pk: str) -> HttpResponseBase:
        version = _CAST_VERSIONS.get(request.query_params.get("version", "2"))
        if version is None:
            raise ValidationError({"version": [_("Enter 2 or 3.")]})
        recording = self.recording_of(pk)
        form = ViewingForm.CAST
        with ExitStack() as unless_delivered:
            source = open_to_send(recording)
            unless_delivered.callback(source.close)
            viewing_id = actions.begin_download(actor=self.actor, recording=recording, form=form)
            body = replays.Counted(replays.cast_lines(source.file, version), source)
            opened = Opened(body, source, viewing_id, form)
            response = self.deliver(request, opened, content_type="application/x-asciicast")
            unless_delivered.pop_all()
        return _as_file(response, f"{recording.session_id}.cast")


class ReplayTextView(RecordingView):
    """`GET …/replay/text/?times=`: the lines that were on the screen; with `times=1` each begins with its time."""

    def get(self, request: Request, pk: str) -> HttpResponseBase:
        times = _TIMES.get(request.query_params.get("times", "0"))
        if times is None:
            raise ValidationError({"times": [_("Enter 0 or 1.")]})
        recording = self.recording_of(pk)
        form = ViewingForm.TEXT
        with ExitStack() as unless_delivered:
            source = open_to_send(recording)
            unless_delivered.callback(source.close)
            text = TextOfRecording(source, recording.size, times=times)
            unless_delivered.callback(text.close)
            viewing_id = actions.begin_download(actor=self.actor, recording=recording, form=form)
            opened = Opened(replays.Counted(text.pieces(), text), text, viewing_id, form)
            response = self.deliver(request, opened, content_type="text/plain; charset=utf-8")
            unless_delivered.pop_all()
        return _as_file(response, f"{recording.session_id}.txt")


class ReplayDownloadView(RecordingView):
    """`GET …/replay/download/`: a tar of the recording and its description."""

    def get(self, request: Request, pk: str) -> HttpResponseBase:
        recording = self.recording_of(pk)
        form = ViewingForm.ARCHIVE
        with ExitStack() as unless_delivered:
            source = open_to_send(recording)
            unless_delivered.callback(source.close)
            viewing_id = actions.begin_download(actor=self.actor, recording=recording, form=form)
            stream, length = replays.archive(source.file, recording.session, recording.size, self.describe(recording))
            opened = Opened(replays.Counted(stream, source), source, viewing_id, form)
            response = self.deliver(request, opened, content_type="application/x-tar")
            unless_delivered.pop_all()
        return _as_file(response, f"{recording.session_id}.tar", length)


class ReplayVerifyView(RecordingView):
    """`POST …/replay/verify/`: whether the recording still matches its seal."""

    def post(self, request: Request, pk: str) -> Response:
        del request
        recording = self.recording_of(pk)
        try:
            with open_to_verify(recording) as file:
                verdict = replays.prove(file)
        except StorageFailed as error:
            raise ReplayUnavailable(error.sentence) from None
        except FileNotFoundError:  # it was deleted while it was read
            raise ReplayMissing(_("The replay of this session is missing from the storage.")) from None
        if verdict is None:
            return Response({"valid": False, "reason": "no_key", "sha256": "", "chain": ""})
        reason = verdict.reason
        # Compare with the announced and audited values, not only with what the file says about itself.
        sealed_values = (verdict.sha256, verdict.chain, verdict.key_id)
        if verdict.valid and sealed_values != (recording.sha256, recording.chain, recording.key_id):
            reason = "not_as_announced"
        if verdict.valid and verdict.session_id != str(recording.session_id):
            reason = "other_session"
        valid = verdict.valid and reason == verdict.reason
        self.note(recording, audits.Event.REPLAY_VERIFIED if valid else audits.Event.REPLAY_VERIFICATION_FAILED)
        return Response({"valid": valid, "reason": reason, "sha256": verdict.sha256, "chain": verdict.chain})


def _as_file(response: HttpResponseBase, name: str, length: int | None = None) -> HttpResponseBase:
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["Content-Security-Policy"] = _CSP
    response.headers["Accept-Ranges"] = "bytes" if name.endswith(SUFFIX) else "none"
    if length is not None:
        response.headers["Content-Length"] = str(length)
    return response


_REPLAY: Final = "terminal/sessions/<str:pk>/replay/"

urlpatterns = [
    path(_REPLAY, ReplayView.as_view()),
    path(f"{_REPLAY}content/", ReplayContentView.as_view()),
    path(f"{_REPLAY}cast/", ReplayCastView.as_view()),
    path(f"{_REPLAY}text/", ReplayTextView.as_view()),
    path(f"{_REPLAY}download/", ReplayDownloadView.as_view()),
    path(f"{_REPLAY}verify/", ReplayVerifyView.as_view()),
]
