"""What a browser asks for, checked before anybody looks at who it is. Pure: from a request's head to a `Asked`."""

import re
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.utils.translation import gettext_lazy as _

from postern.apps.sessions.files.refusals import Refused
from postern.contracts.files import FILES_PATH, SLICE_BYTES, FileProblem
from postern.foundation.requests.body_guard import Scope
from postern.kernel.ids import parse_id

FILES_PREFIX: Final = FILES_PATH.partition("{")[0]
#: A slice, and room for what an operation states as JSON.
MAX_BODY_BYTES: Final = SLICE_BYTES + 64 * 1024
#: Names of files are in the query, so the path is always plain.
_PATH: Final = re.compile(
    re.escape(FILES_PREFIX) + r"([0-9a-f-]{36})/([0-9a-f-]{36})/((?:[A-Za-z0-9_-]+/)*[A-Za-z0-9_-]+)"
)
_MAX_PATH_CHARS: Final = 512
_QUERY: Final = re.compile(rb"[!-~]*")
_VALUE: Final = re.compile(rb"[ -~]*")
_READS: Final = frozenset({"GET", "HEAD"})
_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "DELETE")
#: With a body, even if it is empty.
_WRITES_WITH_BODY: Final = frozenset({"POST", "PUT"})
#: Headers that the proxy gets as they are. Content-Length is ours: it is checked.
_FORWARDED: Final = ("Content-Type", "Range", "If-Match", "If-None-Match", "If-Range", "Accept")
#: The rest of the body is not worth waiting for.
_CLOSE: Final = {"connection": "close"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request to forward. `path` and `query` are the proxy's: `/{session id}/{operation}` and all after "?".

    `length`: size of the body in bytes; None without a body.
    """

    terminal_id: UUID
    method: str
    path: str
    query: str
    headers: dict[str, str]
    length: int | None

    @property
    def is_read(self) -> bool:
        return self.method in _READS


def asked_of(scope: Scope) -> Asked:
    """The request in an ASGI scope. Raises Refused."""
    method = scope["method"]
    if method not in _METHODS:
        raise Refused(405, FileProblem.BAD_REQUEST, _("This method is not allowed."), {"allow": ", ".join(_METHODS)})
    path = scope["path"]
    match = _PATH.fullmatch(path) if len(path) <= _MAX_PATH_CHARS else None
    terminal_id = parse_id(match[1]) if match else None
    session_id = parse_id(match[2]) if match else None
    if match is None or terminal_id is None or session_id is None:
        raise Refused(404, FileProblem.NO_SESSION, _("There is no such session."))
    query = scope["query_string"]
    if not _QUERY.fullmatch(query):
        raise Refused(400, FileProblem.BAD_REQUEST, _("The address of the request is malformed."))
    return Asked(
        terminal_id=terminal_id,
        method=method,
        path=f"/{session_id}/{match[3]}",
        query=query.decode("ascii"),
        headers={name: value for name in _FORWARDED if (value := _single(scope, name)) is not None},
        length=_length(scope, method),
    )


def _length(scope: Scope, method: str) -> int | None:
    """The announced size of the body. Raises Refused."""
    stated = {value for name, value in scope["headers"] if name == b"content-length"}
    is_chunked = any(name == b"transfer-encoding" for name, _value in scope["headers"])
    if is_chunked or (not stated and method in _WRITES_WITH_BODY):
        raise Refused(411, FileProblem.BAD_REQUEST, _("The request does not state the size of its body."), _CLOSE)
    if not stated:
        return None
    text = stated.pop()
    if stated or not text.isdigit() or len(text) > 19:
        raise Refused(400, FileProblem.BAD_REQUEST, _("The request states no valid size of its body."), _CLOSE)
    length = int(text)
    if method in _READS and length:
        raise Refused(400, FileProblem.BAD_REQUEST, _("A request that reads has no body."), _CLOSE)
    if length > MAX_BODY_BYTES:
        raise Refused(413, FileProblem.TOO_LARGE, _("The body of the request is too large."), _CLOSE)
    return None if method in _READS else length


def _single(scope: Scope, name: str) -> str | None:
    """The header, if it is there once and is plain text."""
    key = name.lower().encode()
    values = [value for held, value in scope["headers"] if held == key]
    return values[0].decode("ascii") if len(values) == 1 and _VALUE.fullmatch(values[0]) else None
