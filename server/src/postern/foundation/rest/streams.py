"""Streaming of long answers under ASGI and under the test client."""

from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Final, Self

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import StreamingHttpResponse
from rest_framework.request import Request

_END: Final = b""
_PIECE_BYTES: Final = 65_536


def streamed(
    request: Request,
    body: Iterator[bytes],
    *,
    content_type: str,
    status: int = 200,
    threads: ThreadPoolExecutor | None = None,
) -> StreamingHttpResponse:
    """A streamed answer. Under ASGI, Django would read a plain iterator to its end before it sends the first byte.

    `threads` read the body; by default those that all answers share, which a body that may hang must not use.
    """
    under_asgi = isinstance(request._request, ASGIRequest)  # noqa: SLF001 - the kind of server behind the request
    content = _in_threads(body, threads) if under_asgi else body
    response = StreamingHttpResponse(content, content_type=content_type, status=status)
    close = getattr(body, "close", None)
    if under_asgi and close is not None:
        # Django does so itself for a plain iterator. An answer is closed in a thread: closing a file waits for the thread
        # that still reads it, and must not stop the event loop.
        response._resource_closers.append(close)  # type: ignore[attr-defined]  # noqa: SLF001 - as Django does
    return response


async def _in_threads(body: Iterator[bytes], threads: ThreadPoolExecutor | None) -> AsyncIterator[bytes]:
    """Read each piece in a thread, because reading files blocks."""
    step = sync_to_async(lambda: next(body, _END), thread_sensitive=False, executor=threads)
    while piece := await step():
        yield piece


class FilePieces:
    """The rest of an open file in pieces. Closes the file at its end, or when the answer is closed early."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> bytes:
        piece = b"" if self._file.closed else self._file.read(_PIECE_BYTES)
        if not piece:
            self.close()
            raise StopIteration
        return piece

    def close(self) -> None:
        self._file.close()
