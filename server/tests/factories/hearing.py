"""Listening to events, beside those who always do."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TypeVar

from postern.foundation.bus import events

_Event = TypeVar("_Event")


class Hearing:
    """Calling it with a type of event gives the list into which every published event of that type comes."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack

    def __call__(self, event_type: type[_Event]) -> list[_Event]:
        heard: list[_Event] = []
        bus = events.BUS.value.and_also(events.after_commit(event_type, heard.append))
        self._stack.enter_context(events.BUS.replaced(bus))
        return heard


@contextmanager
def hearing() -> Iterator[Hearing]:
    """Until its end."""
    with ExitStack() as stack:
        yield Hearing(stack)
