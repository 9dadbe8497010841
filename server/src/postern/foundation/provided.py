"""Dependencies that one module needs and a module above it provides; the composition root connects the two.

    LOCKS: Final = Provided[LoginLocks]("the lock-out of account names")     # in the app that needs it
    LOCKS.provide(guard.LOCKS)                                               # in entrypoints/composition.py, once
    LOCKS.value.unlock(username, actor)

Only the composition root provides values, so it shows every connection across the stack. Reading a value that was not
provided raises an error; there is no default that would allow or skip something.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

_Value = TypeVar("_Value")


class Provided(Generic[_Value]):
    """A slot for one value that is provided when the process starts. `description` is for error messages."""

    __slots__ = ("_description", "_filled")

    def __init__(self, description: str) -> None:
        self._description = description
        self._filled: tuple[_Value] | None = None

    def provide(self, value: _Value) -> None:
        """Set the value; a previous value is replaced."""
        self._filled = (value,)

    @property
    def value(self) -> _Value:
        """The value. Raises LookupError when none was provided."""
        if self._filled is None:
            raise LookupError(f"{self._description} was not provided")
        return self._filled[0]

    @contextmanager
    def replaced(self, value: _Value) -> Iterator[None]:
        """Temporarily replace the value. For tests."""
        before = self._filled
        self._filled = (value,)
        try:
            yield
        finally:
            self._filled = before
