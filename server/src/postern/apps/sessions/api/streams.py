"""Long answers without holding them in memory, under ASGI and under the test client alike."""

from collections.abc import AsyncIterator, Iterator
from typing import Final

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import StreamingHttpResponse
from rest_framework.request import Request

_END: Final = b""


def streamed(request: Request, body: Iterator[bytes], *, content_type: str, status: int = 200) -> StreamingHttpResponse:
    """A streamed answer. Under ASGI Django would read a plain iterator to its end before sending the first byte."""
    under_asgi = isinstance(request._request, ASGIRequest)  # noqa: SLF001 - the kind of server behind the request
    content = _in_threads(body) if under_asgi else body
    return StreamingHttpResponse(content, content_type=content_type, status=status)


async def _in_threads(body: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Take each piece in a thread: reading files blocks."""
    step = sync_to_async(lambda: next(body, _END), thread_sensitive=False)
    try:
        while piece := await step():
            yield piece
    finally:
        close = getattr(body, "close", None)
        if close is not None:
            close()
