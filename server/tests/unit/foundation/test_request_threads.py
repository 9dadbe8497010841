import asyncio
import threading
from typing import Any

from asgiref.sync import sync_to_async

from postern.foundation.request_threads import OnePieceHandler, RequestThreads


async def _nothing() -> dict[str, Any]:
    return {"type": "http.disconnect"}


async def _ignore(message: Any) -> None:
    del message


def _application(seen: list[int], gate: threading.Event | None = None) -> Any:
    def work() -> None:
        seen.append(threading.get_ident())
        if gate is not None:
            gate.wait(30)

    async def application(_scope: Any, _receive: Any, _send: Any) -> None:
        await sync_to_async(work, thread_sensitive=True)()
        await sync_to_async(work, thread_sensitive=True)()

    return application


async def test_requests_one_after_the_other_share_a_thread() -> None:
    seen: list[int] = []
    threads = RequestThreads(_application(seen))
    for _ in range(3):
        await threads({"type": "http"}, _nothing, _ignore)
    assert len(seen) == 6
    assert len(set(seen)) == 1


async def test_requests_at_once_have_a_thread_each_and_run_together() -> None:
    """None waits for another: the gate opens only when all have begun."""
    seen: list[int] = []
    gate = threading.Event()
    threads = RequestThreads(_application(seen, gate), kept=2)
    running = [asyncio.ensure_future(threads({"type": "http"}, _nothing, _ignore)) for _ in range(5)]
    async with asyncio.timeout(30):
        while len(seen) < 5:  # noqa: ASYNC110 - what is waited for happens in other threads
            await asyncio.sleep(0.01)
    gate.set()
    await asyncio.gather(*running)
    assert len(set(seen[:5])) == 5
    later = len(seen)
    for _ in range(4):
        await threads({"type": "http"}, _nothing, _ignore)
    assert set(seen[later:]) <= set(seen[:5]), "a thread was started although some were kept"


async def test_thread_of_a_request_that_failed_is_used_again() -> None:
    async def failing(_scope: Any, _receive: Any, _send: Any) -> None:
        seen.append(await sync_to_async(threading.get_ident, thread_sensitive=True)())
        raise ValueError("broken")

    seen: list[int] = []
    threads = RequestThreads(failing)
    for _ in range(2):
        try:
            await threads({"type": "http"}, _nothing, _ignore)
        except ValueError:
            continue
    assert len(seen) == 2
    assert len(set(seen)) == 1


async def test_middlewares_and_view_run_in_one_thread() -> None:
    """An answer through the product's own middlewares, unknown path and all."""
    sent: list[Any] = []

    async def keep(message: Any) -> None:
        sent.append(message)

    body = iter(({"type": "http.request", "body": b"", "more_body": False},))

    async def receive() -> Any:
        message = next(body, None)
        if message is None:
            await asyncio.Event().wait()
        return message

    scope = {
        "type": "http", "method": "GET", "path": "/api/v1/nothing/", "raw_path": b"/api/v1/nothing/", "query_string": b"",
        "headers": [(b"host", b"localhost")], "client": ("127.0.0.1", 1), "server": ("localhost", 80),
        "http_version": "1.1", "scheme": "http", "asgi": {"version": "3.0"},
    }  # fmt: skip
    await RequestThreads(OnePieceHandler())(scope, receive, keep)
    assert sent[0]["status"] == 404
    assert b'{"error": "Not found"}' in b"".join(one.get("body", b"") for one in sent[1:])
