"""Streamed answers: their files are closed in threads, never in the event loop."""

import asyncio
import threading

from django.http import HttpRequest, StreamingHttpResponse
from rest_framework.request import Request

from postern.foundation.rest.streams import streamed
from unit.foundation.test_request_threads import Answering, Client


class Hanging:
    """An iterator whose second piece hangs, as a file of another machine does. `close` waits for the read."""

    def __init__(self) -> None:
        self.released, self.reading = threading.Event(), threading.Event()
        self.closed_in: list[int] = []
        self._count = 0

    def __iter__(self) -> "Hanging":
        return self

    def __next__(self) -> bytes:
        self._count += 1
        if self._count > 1:
            self.reading.set()
            self.released.wait(30)
        return b"piece"

    def close(self) -> None:
        self.closed_in.append(threading.get_ident())
        self.released.set()


async def test_client_that_leaves_during_a_read_does_not_stop_the_event_loop() -> None:
    body = Hanging()

    def view(request: HttpRequest) -> StreamingHttpResponse:
        return streamed(Request(request), body, content_type="application/octet-stream")

    client = Client()
    asked = asyncio.create_task(client.ask(Answering(view)))
    await asyncio.to_thread(body.reading.wait, 30)
    client.leave()
    await asked
    assert len(body.closed_in) == 1
    assert body.closed_in[0] != threading.get_ident()


async def test_answer_that_was_sent_whole_closes_its_file() -> None:
    class Whole(Hanging):
        def __next__(self) -> bytes:
            self._count += 1
            if self._count > 2:
                raise StopIteration
            return b"piece"

    body, client = Whole(), Client()
    await client.ask(
        Answering(lambda request: streamed(Request(request), body, content_type="application/octet-stream"))
    )
    assert client.answer == b"piecepiece"
    assert len(body.closed_in) == 1
    assert body.closed_in[0] != threading.get_ident()
