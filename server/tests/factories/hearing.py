"""Additional subscribers to events, besides those of the product."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TypeVar

from postern.foundation.bus import events

_Event = TypeVar("_Event")


class Hearing:
    """Call it with an event type to get a list that receives every published event of that type."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack

    def __call__(self, event_type: type[_Event]) -> list[_Event]:
        heard: list[_Event] = []
        bus = events.BUS.value.and_also(events.after_commit(event_type, heard.append))
        self._stack.enter_context(events.BUS.replaced(bus))
        return heard


@contextmanager
def hearing() -> Iterator[Hearing]:
    """Listen to events until the end of the block."""
    with ExitStack() as stack:
        yield Hearing(stack)
