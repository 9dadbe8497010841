"""What a request has read once it need not read again: kept until its answer is there, never beyond.

For the few values that many parts of one request ask for and that no part of it changes without saying so (`forget`). The next request reads
anew, so a change by whomever in whichever process takes effect with it. Outside of requests (tasks, websockets, the command line)
nothing is kept.
"""

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, TypeVar

_Value = TypeVar("_Value")
_memory: Final[ContextVar[dict[Hashable, Any] | None]] = ContextVar("request_memory", default=None)


@contextmanager
def of_request() -> Iterator[None]:
    """The time of one request."""
    token = _memory.set({})
    try:
        yield
    finally:
        _memory.reset(token)


def kept(key: Hashable, read: Callable[[], _Value]) -> _Value:
    """What `read` gave when it was first asked for under `key` in this request."""
    memory = _memory.get()
    if memory is None:
        return read()
    if key not in memory:
        memory[key] = read()
    found: _Value = memory[key]
    return found


def forget(key: Hashable) -> None:
    """It has been changed: read it anew when it is asked for again."""
    memory = _memory.get()
    if memory is not None:
        memory.pop(key, None)
