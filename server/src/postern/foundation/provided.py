"""What one module needs and another, which it must not import, provides: a value that the composition root puts in place.

    LOCKS: Final = Provided[LoginLocks]("the lock-out of account names")     # in the app that needs it
    LOCKS.provide(guard.LOCKS)                                               # in entrypoints/composition.py, once
    LOCKS.value.unlock(username, actor)

Nothing else fills these places, so that the composition root shows everything that is connected across the stack. A place that
is still empty raises: nothing is allowed, or left out, because somebody forgot to connect it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

_Value = TypeVar("_Value")


class Provided(Generic[_Value]):
    """A place for one value, which is filled when the process starts. `what` it holds is for the error message."""

    __slots__ = ("_filled", "_what")

    def __init__(self, what: str) -> None:
        self._what = what
        self._filled: tuple[_Value] | None = None

    def provide(self, value: _Value) -> None:
        """Put the value in place; a second one takes the place of the first."""
        self._filled = (value,)

    @property
    def value(self) -> _Value:
        """The value. Raises LookupError before there is one."""
        if self._filled is None:
            raise LookupError(f"nobody provides {self._what}")
        return self._filled[0]

    @contextmanager
    def replaced(self, value: _Value) -> Iterator[None]:
        """Another value for a while. For tests."""
        before = self._filled
        self._filled = (value,)
        try:
            yield
        finally:
            self._filled = before
