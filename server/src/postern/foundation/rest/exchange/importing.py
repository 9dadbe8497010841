"""`POST {list}render-to-json/`: the rows of an uploaded csv or xlsx file.

A child process with limited memory and time reads the file (K72: uploads are read by a limited child); the web process
never parses it. The web process copies the body to an unnamed temporary file, which is the child's only input, and
passes the child's answer on unchanged.
"""

import json
import logging
import os
import select
import signal
import subprocess
import sys
import tempfile
from typing import IO, Any, Final

from django.conf import settings
from django.http import HttpResponseBase
from django.utils import translation
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from postern.foundation.database.connections import release_connections
from postern.foundation.requests.machine_turns import MachineTurns, NoTurn
from postern.foundation.rest.errors import body
from postern.foundation.rest.exchange import fields
from postern.foundation.rest.exchange.columns import Field, distinct_label, label_of
from postern.foundation.rest.exchange.messages import text_of
from postern.foundation.rest.exchange.reader.table import normal
from postern.foundation.rest.streams import FilePieces, streamed
from postern.kernel.errors import Unavailable

logger = logging.getLogger(__name__)

#: Suffix of the paths that accept bodies larger than the usual limit.
PATH_END: Final = "/render-to-json/"
_MEBIBYTE: Final = 1024 * 1024
#: Files may exceed the limit by this much, so that the refusal can be in the user's language. The body guard cuts off
#: larger bodies.
GRACE_BYTES: Final = _MEBIBYTE

_READER: Final = "postern.foundation.rest.exchange.reader"
_REFUSED: Final = 3
_WALL_S: Final = 45.0
_PIECE_BYTES: Final = 65_536
_KINDS: Final = {"text/csv": "csv", "text/xlsx": "xlsx", "application/xlsx": "xlsx"}
_KINDS_OF_OFFICE: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

#: Number of children per machine, and how long another upload waits for its turn. Waiting occupies a worker thread.
_AT_ONCE: Final = 2
_TURN_S: Final = 5.0
_turns: Final = MachineTurns("imports", at_once=_AT_ONCE)

#: Fields whose cells stay text even if they look like a list. All other fields may hold lists or maps.
_FLAT: Final = (
    serializers.CharField,
    serializers.IntegerField,
    serializers.FloatField,
    serializers.DecimalField,
    serializers.BooleanField,
    serializers.DateTimeField,
    serializers.DateField,
    serializers.TimeField,
    serializers.UUIDField,
    serializers.RelatedField,
)


def max_bytes() -> int:
    """Maximum size of an import file."""
    megabytes: int = settings.POSTERN.import_max_mb
    return megabytes * _MEBIBYTE


def render(view: Any) -> HttpResponseBase:
    """The answer of `render-to-json/`. Raises Unavailable when too many files are being read."""
    request: Request = view.request
    with tempfile.TemporaryFile() as source:
        source.write(json.dumps(_question(view)).encode() + b"\n")
        if not _copy(request, source):
            return _refusal("too_large", {"most": settings.POSTERN.import_max_mb})
        source.seek(0)
        answer = tempfile.TemporaryFile()  # noqa: SIM115 - closed by the answer that sends it
        try:
            problem = _read(_kind(request), source, answer)
        except BaseException:
            answer.close()
            raise
    if problem is not None:
        answer.close()
        return problem
    answer.seek(0)
    return streamed(request, FilePieces(answer), content_type="application/json")


def _kind(request: Request) -> str:
    content_type = (request.content_type or "").split(";")[0].strip().lower()
    return "xlsx" if content_type == _KINDS_OF_OFFICE else _KINDS.get(content_type, "any")


def _copy(request: Request, target: IO[bytes]) -> bool:
    """Copy the body; False when it is larger than an import file may be."""
    left_bytes = max_bytes()
    stream: Any = request.stream
    while stream is not None and (piece := stream.read(_PIECE_BYTES)):
        left_bytes -= len(piece)
        if left_bytes < 0:
            return False
        target.write(piece)
    target.flush()
    return True


def _question(view: Any) -> dict[str, Any]:
    """The child's input: titles and choice labels in all languages of the product, and the fields that hold lists or
    maps.
    """
    names_by_title: dict[str, str] = {}
    choices: dict[str, dict[str, Any]] = {}
    known = fields.of_import(view)
    for language in dict.fromkeys((translation.get_language(), *(code for code, _name in settings.LANGUAGES))):
        with translation.override(language):
            labelled = fields.of_import(view)
            for name, field in labelled.items():
                for title in (label_of(name, field), distinct_label(name, field)):
                    names_by_title.setdefault(normal(title), name)
                for label, value in _choices(field).items():
                    choices.setdefault(name, {}).setdefault(label, value)
    for name in known:  # a title that is a field name means that field, whatever the labels of other fields are
        names_by_title[normal(name)] = name
    return {
        "fields": names_by_title,
        "structured": [name for name, field in known.items() if _is_structured(field)],
        "lists": [name for name, field in known.items() if is_list(field)],
        "choices": choices,
    }


def _choices(field: Field) -> dict[str, Any]:
    """Normalized label of each choice in the current language → value. A label that equals a value means that value."""
    if isinstance(field, serializers.BooleanField):
        return {normal(str(_("Yes"))): "True", normal(str(_("No"))): "False"}
    source: Any = getattr(field, "child", None) if isinstance(field, serializers.ListField) else field
    if not isinstance(source, serializers.ChoiceField):
        return {}
    by_value = {normal(str(value)): value for value in source.choices}
    return {normal(str(text)): value for value, text in source.choices.items() if normal(str(text))} | by_value


def is_list(field: Field) -> bool:
    """Whether a cell may hold several plain values."""
    if isinstance(field, serializers.ListField):
        return not isinstance(field.child, serializers.BaseSerializer | serializers.ListField | serializers.DictField)
    return isinstance(field, serializers.MultipleChoiceField | serializers.ManyRelatedField)


def _is_structured(field: Field) -> bool:
    return isinstance(field, serializers.MultipleChoiceField) or not isinstance(
        field, (*_FLAT, serializers.ChoiceField)
    )


def _read(kind: str, source: IO[bytes], answer: IO[bytes]) -> Response | None:
    """Let the child read `source`. Returns None when `answer` holds its result, otherwise the refusal."""
    release_connections()
    try:
        with _turns.turn(_TURN_S):
            status = _run(kind, source, answer)
    except NoTurn:
        raise Unavailable(_("Several files are being imported at the moment. Try again in a minute.")) from None
    if status == 0:
        return None
    if status == _REFUSED:
        answer.seek(0)
        refusal = json.loads(answer.read())
        return _refusal(refusal["problem"], refusal["values"])
    logger.warning("the reader of import files ended with status %s", status)
    return _refusal("damaged" if status == 1 else "too_much", {})


def _run(kind: str, source: IO[bytes], answer: IO[bytes]) -> int:
    """Exit status of the child; negative when it was killed."""
    process = subprocess.Popen(  # noqa: S603 - our own program; the file's kind is one of three words
        [sys.executable, "-I", "-X", "utf8", "-m", _READER, kind],
        stdin=source,
        stdout=answer,
        stderr=subprocess.DEVNULL,
        close_fds=True,
        cwd=os.sep,
        env={"PATH": os.defpath},
        start_new_session=True,
    )
    try:
        return process.wait() if _ends_within(process.pid, _WALL_S) else -signal.SIGKILL
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def _ends_within(pid: int, limit_s: float) -> bool:
    """Whether the child ends in time.

    A pidfd wakes this thread at once when the child ends. `Popen.wait` with a timeout polls in steps of up to 50 ms,
    which is longer than reading a small file takes.
    """
    descriptor = os.pidfd_open(pid)
    try:
        waiting = select.poll()
        waiting.register(descriptor, select.POLLIN)
        return bool(waiting.poll(limit_s * 1000))
    finally:
        os.close(descriptor)


def _refusal(slug: str, values: dict[str, Any]) -> Response:
    text = text_of(slug, values)
    if slug in {"no_rows", "no_known_column"}:
        return Response({"error": text}, status=400)
    return Response(body(text, "parse_error"), status=400)
