"""Database calls from websockets."""

from collections.abc import Awaitable, Callable
from typing import ParamSpec, TypeVar

from channels.db import database_sync_to_async

_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")


def in_thread(call: Callable[_Given, _Found]) -> Callable[_Given, Awaitable[_Found]]:
    """`call` as a coroutine that runs in any free thread.

    By default Channels runs all websockets' calls in one thread, where a single slow query would block every terminal.
    """
    wrapped: Callable[_Given, Awaitable[_Found]] = database_sync_to_async(call, thread_sensitive=False)
    return wrapped
