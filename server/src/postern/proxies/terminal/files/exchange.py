"""One request for the files of a session, and its answer."""

from collections.abc import Mapping
from typing import Final, TypeVar

import msgspec
from aiohttp import web

from postern.contracts.files import FileProblem, Problem
from postern.proxies.core.targets.files import FilesFailed
from postern.proxies.terminal.files.limits import MAX_JSON_BYTES
from postern.proxies.terminal.files.open_files import OpenFiles
from postern.proxies.terminal.files.texts import Text

STATUS_OF: Final = {
    FileProblem.BAD_REQUEST: 400,
    FileProblem.NOT_SIGNED_IN: 401,
    FileProblem.NOT_PERMITTED: 403,
    FileProblem.DENIED: 403,
    FileProblem.NO_SESSION: 404,
    FileProblem.NOT_FOUND: 404,
    FileProblem.EXISTS: 409,
    FileProblem.WRONG_OFFSET: 409,
    FileProblem.NOT_EMPTY: 409,
    FileProblem.SESSION_OVER: 410,
    FileProblem.CHANGED: 412,
    FileProblem.TOO_LARGE: 413,
    FileProblem.BAD_RANGE: 416,
    FileProblem.FAILED: 422,
    FileProblem.LOCKED: 423,
    FileProblem.TOO_MANY: 429,
    FileProblem.HOST_GONE: 502,
    FileProblem.PROXY_GONE: 502,
    FileProblem.UNAVAILABLE: 503,
    FileProblem.NO_ROOM: 507,
}
#: Nothing of an answer may be kept by a cache, or read as another type than the stated one.
_ALWAYS: Final = {"Cache-Control": "private, no-store", "X-Content-Type-Options": "nosniff"}
_JSON: Final = {"Content-Type": "application/json"}
_LINES: Final = {"Content-Type": "application/x-ndjson"}
_ENCODER: Final = msgspec.json.Encoder()

Message = TypeVar("Message", bound=msgspec.Struct)


def problem_of(failure: FilesFailed) -> Problem:
    return Problem(code=failure.problem, detail=failure.message, offset=failure.offset)


def problem_answer(failure: FilesFailed, headers: Mapping[str, str] | None = None) -> web.Response:
    """Return the answer to an operation that failed before it had an answer."""
    body = _ENCODER.encode(problem_of(failure))
    return web.Response(status=STATUS_OF[failure.problem], body=body, headers={**_ALWAYS, **_JSON, **(headers or {})})


class Exchange:
    """A request for files, with what it asks for and what has been answered."""

    def __init__(self, request: web.Request, files: OpenFiles, argument: str = "") -> None:
        """`argument` is the part of the path that names an upload."""
        self.request = request
        self.files = files
        self.argument = argument
        self._response: web.StreamResponse | None = None

    # What is asked for

    def path(self) -> bytes:
        """Return the path in the query. Raises `FilesFailed`."""
        paths = self.paths()
        if len(paths) > 1:
            raise self.files.failed(FileProblem.BAD_REQUEST, Text.BAD_PATH)
        return paths[0]

    def folder(self) -> bytes:
        """Return the path in the query, or the folder to begin in if it has none."""
        return self.path() if "path" in self.request.query else self.files.home

    def paths(self) -> list[bytes]:
        """Return all paths in the query, at least one."""
        if "path" not in self.request.query:
            raise self.files.failed(FileProblem.BAD_REQUEST, Text.NO_PATH)
        return [self.files.path(text) for text in self.request.query.getall("path")]

    async def message(self, kind: type[Message], limit: int = MAX_JSON_BYTES) -> Message:
        """Return the message in the body, of at most `limit` bytes. Raises `FilesFailed`."""
        body = await self.body(limit)
        try:
            return msgspec.json.decode(body, type=kind)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise self.files.failed(FileProblem.BAD_REQUEST, Text.BAD_BODY) from error

    async def body(self, limit: int) -> bytes:
        """Return the body, of at most `limit` bytes."""
        body = bytearray()
        while piece := await self.request.content.readany():
            body += piece
            if len(body) > limit:
                raise self.files.failed(FileProblem.TOO_LARGE, Text.BODY_TOO_LARGE)
        return bytes(body)

    # What is answered

    @property
    def has_begun(self) -> bool:
        """Whether the head of the answer has been sent."""
        return self._response is not None

    def answer(self, message: msgspec.Struct, headers: Mapping[str, str] | None = None) -> web.StreamResponse:
        """Return a whole answer."""
        return web.Response(body=_ENCODER.encode(message), headers={**_ALWAYS, **_JSON, **(headers or {})})

    def empty(self, status: int, headers: Mapping[str, str] | None = None) -> web.StreamResponse:
        """Return an answer without a body."""
        return web.Response(status=status, headers={**_ALWAYS, **(headers or {})})

    async def begin(
        self, headers: Mapping[str, str], *, status: int = 200, size: int | None = None
    ) -> web.StreamResponse:
        """Send the head of an answer. `size` is that of the body in bytes, if it is known."""
        response = web.StreamResponse(status=status, headers={**_ALWAYS, **headers})
        response.content_length = size
        await response.prepare(self.request)
        self._response = response
        return response

    async def write(self, data: bytes | bytearray) -> None:
        """Send a piece of the body. Waits while the browser does not read. Raises ConnectionError."""
        if self._response is None:
            raise RuntimeError("the answer has not begun")
        await self._response.write(bytes(data))

    async def lines(self, *messages: msgspec.Struct) -> None:
        """Send messages as lines. The first call begins the answer."""
        if self._response is None:
            await self.begin(_LINES)
        await self.write(_ENCODER.encode_lines(messages))

    def end(self) -> web.StreamResponse:
        """Return the answer that was begun, to be ended as whole."""
        if self._response is None:
            raise RuntimeError("the answer has not begun")
        return self._response

    def fail(self, failure: FilesFailed) -> web.StreamResponse:
        """Answer with a problem. If the answer has begun, break the connection, so that it does not look whole."""
        if self._response is None:
            return problem_answer(failure)
        if self.request.transport is not None:
            self.request.transport.abort()
        return self._response
