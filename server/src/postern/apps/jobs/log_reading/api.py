"""`ops/celery/task/{id}/log/`: the log of a job in pieces, and as a whole."""

from typing import Final
from uuid import UUID

from django.conf import settings
from django.http import StreamingHttpResponse
from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.jobs.engine.api import JobAccess
from postern.apps.jobs.logs.files import LogReader
from postern.apps.jobs.logs.text import whole_characters
from postern.foundation.rest.openapi.answers import Answer, texts
from postern.foundation.rest.rights import Right
from postern.foundation.rest.streams import streamed

#: Bytes of one piece (contract: ops, logs).
PIECE_BYTES: Final = 10 * 1024
_MAX_MARK_CHARS: Final = 20


class JobLogView(JobAccess):
    """A piece of the log after `mark`. `end` is true when no more follows."""

    rights = Right.VALID_USER
    answers = {"get": Answer(schema=texts("data", "mark", end={"type": "boolean"}))}

    def get(self, request: Request, job_id: UUID) -> Response:
        job = self.job(job_id)
        mark = request.query_params.get("mark", "")
        offset = int(mark) if mark.isascii() and mark.isdecimal() and len(mark) <= _MAX_MARK_CHARS else 0
        log = LogReader(settings.POSTERN.home, job.pk)
        if job.is_open and not log.exists():
            return Response({"data": _("Waiting for a worker…") + "\n", "end": False, "mark": "0"})
        # The state was read first: what a job that has ended wrote is all there.
        piece = whole_characters(log.read(offset, PIECE_BYTES), is_last=not job.is_open)
        end = not job.is_open and offset + len(piece) >= log.size()
        return Response({"data": piece.decode("utf-8", "replace"), "end": end, "mark": str(offset + len(piece))})


class JobLogFileView(JobAccess):
    """The log as a file, as far as it is written."""

    rights = Right.VALID_USER
    answers = {"get": Answer(schema={"type": "string", "format": "binary"})}

    def get(self, request: Request, job_id: UUID) -> StreamingHttpResponse:
        job = self.job(job_id)
        answer = streamed(
            request, LogReader(settings.POSTERN.home, job.pk).pieces(), content_type="text/plain; charset=utf-8"
        )
        answer["Content-Disposition"] = f'attachment; filename="job-{job.pk}.log"'
        return answer
