"""Room for what a session will have to tell: set aside before something happens, so that it never happens unlogged."""

import logging
from collections import Counter
from collections.abc import Callable
from typing import Final, Protocol
from uuid import UUID

from postern.contracts.events import SessionEvent
from postern.kernel.errors import PosternError

log = logging.getLogger(__name__)

#: Room that each session holds from its beginning on: for the events of its start and of its end.
START_BYTES: Final = 800
END_BYTES: Final = 4096
#: Room that one session, and all sessions of one person, may hold at most: no one may take away the room of all others.
MAX_HELD_BYTES: Final = 2 * 1024 * 1024
MAX_HELD_BYTES_PER_PERSON: Final = 8 * MAX_HELD_BYTES
_EVENT_BYTES: Final = 800
#: A control character takes six bytes in JSON.
_BYTES_PER_CHARACTER: Final = 6


class NoRoomForEvents(PosternError):
    """There is no room for further events; what they would tell of must not happen.

    Raised by `EventSink.append` after it has taken care of its event, in emergency room or in memory.
    """

    code = "no_room_for_events"
    status = 503


class EventSink(Protocol):
    """Takes events for the control plane; keeps them on disk until they are delivered."""

    def append(self, event: SessionEvent, *, held: int = 0) -> None:
        """Keep an event, in `held` bytes of room if it was set aside. Raises `NoRoomForEvents`: kept, but end the session.

        Whatever it raises, the room that was held is not held any more.
        """

    def hold(self, size: int) -> None:
        """Set `size` bytes aside for an event to come. Raises `NoRoomForEvents`."""

    def release(self, size: int) -> None:
        """Give back what `hold` set aside and no event will need."""


def event_bytes(text: str = "") -> int:
    """How much room an event needs at most that names `text`."""
    return _EVENT_BYTES + _BYTES_PER_CHARACTER * len(text)


class HeldByPerson:
    """How much room the sessions of each person hold, by the id of the user. One object for all sessions of a proxy."""

    def __init__(self) -> None:
        self._held: Counter[UUID] = Counter()

    def __getitem__(self, person: UUID) -> int:
        return self._held[person]

    def change(self, person: UUID, by: int) -> None:
        """Count `by` bytes more (or less). Nothing is kept of people who hold none."""
        self._held[person] += by
        if self._held[person] <= 0:
            del self._held[person]


class EventLedger:
    """One session's events and the room that it holds. `on_no_room` is called each time there is none."""

    def __init__(
        self, sink: EventSink, person: UUID, by_person: HeldByPerson, on_no_room: Callable[[NoRoomForEvents], None]
    ) -> None:
        self._sink = sink
        self._person = person
        self._by_person = by_person
        self._on_no_room = on_no_room
        self._held = 0

    def may_hold(self, size: int) -> bool:
        """Whether so much more is within what one session, and one person, may hold."""
        is_within = self._held + size <= MAX_HELD_BYTES
        return is_within and self._by_person[self._person] + size <= MAX_HELD_BYTES_PER_PERSON

    def hold(self, size: int) -> bool:
        """Set room aside. False: there is none."""
        try:
            self._sink.hold(size)
        except NoRoomForEvents as error:
            self._on_no_room(error)
            return False
        self._count(size)
        return True

    def release(self, size: int) -> None:
        """Give back room that no event needs."""
        size = min(size, self._held)
        self._count(-size)
        self._sink.release(size)

    def tell(self, event: SessionEvent, *, held: int = 0) -> None:
        """Tell of something; `held`: how much room was set aside for it."""
        held = min(held, self._held)
        self._count(-held)
        try:
            self._sink.append(event, held=held)
        except NoRoomForEvents as error:
            self._on_no_room(error)
        except Exception as error:  # a fault of ours is no licence to go on unlogged
            log.exception("an event of session %s could not be kept", event.session_id)
            self._on_no_room(NoRoomForEvents(f"an event could not be kept: {type(error).__name__}"))

    def close(self, last: SessionEvent) -> None:
        """Tell of the end in whatever room the session holds, and give back the rest."""
        self.tell(last, held=self._held)

    def _count(self, change: int) -> None:
        self._held += change
        self._by_person.change(self._person, change)
