"""Values cached for the duration of one request.

For the few values that many parts of one request need. Code that changes such a value must call `forget`. The next
request reads again, so a change by any process takes effect with it. Outside of requests (tasks, websockets, command
line) nothing is cached.
"""

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, TypeVar

_Value = TypeVar("_Value")
_memory: Final[ContextVar[dict[Hashable, Any] | None]] = ContextVar("request_memory", default=None)


@contextmanager
def of_request() -> Iterator[None]:
    """Enable the cache for one request."""
    token = _memory.set({})
    try:
        yield
    finally:
        _memory.reset(token)


def kept(key: Hashable, read: Callable[[], _Value]) -> _Value:
    """The value of `read()`, cached under `key` for this request."""
    memory = _memory.get()
    if memory is None:
        return read()
    if key not in memory:
        memory[key] = read()
    value: _Value = memory[key]
    return value


def forget(key: Hashable) -> None:
    """Remove a cached value after it was changed."""
    memory = _memory.get()
    if memory is not None:
        memory.pop(key, None)
