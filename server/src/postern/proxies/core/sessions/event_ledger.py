"""Reserves outbox space for a session's later events, so that nothing happens that cannot be logged."""

import logging
from collections import Counter
from collections.abc import Callable
from typing import Final, Protocol
from uuid import UUID

from postern.contracts.events import SessionEvent
from postern.kernel.errors import PosternError

log = logging.getLogger(__name__)

#: Space that each session reserves when it is opened, for its start event, with the names of the gateways on its way
#: and of the account, and its end event.
START_BYTES: Final = 3600
END_BYTES: Final = 4096
#: Maximum space that one session, and all sessions of one user, may reserve. Nobody can take the space of all others.
MAX_HELD_BYTES: Final = 2 * 1024 * 1024
MAX_HELD_BYTES_PER_PERSON: Final = 8 * MAX_HELD_BYTES
_EVENT_BYTES: Final = 900
#: A control character takes six bytes in JSON.
_BYTES_PER_CHARACTER: Final = 6


class NoRoomForEvents(PosternError):
    """There is no space for further events, so the actions that they would report must not happen.

    `EventSink.append` raises it after it has stored its event in emergency space or in memory.
    """

    code = "no_room_for_events"
    status = 503


class EventSink(Protocol):
    """Accepts events for the control plane and keeps them on disk until they are delivered."""

    def append(self, event: SessionEvent, *, held: int = 0) -> None:
        """Store an event, in `held` bytes of reserved space if there are any.

        Raises `NoRoomForEvents` when the event was stored but the session must end. The reservation is released
        whatever is raised.
        """

    def hold(self, size: int) -> None:
        """Reserve `size` bytes for a later event. Raises `NoRoomForEvents`."""

    def release(self, size: int) -> None:
        """Release space from `hold` that no event will need."""


def event_bytes(text: str = "") -> int:
    """Return the maximum space of an event that contains `text`."""
    return _EVENT_BYTES + _BYTES_PER_CHARACTER * len(text)


class HeldByPerson:
    """The space that the sessions of each user reserve, by user id. One object for all sessions of a proxy."""

    def __init__(self) -> None:
        self._held: Counter[UUID] = Counter()

    def __getitem__(self, person: UUID) -> int:
        return self._held[person]

    def change(self, person: UUID, by: int) -> None:
        """Add `by` bytes, which may be negative. Users without reservations are removed."""
        self._held[person] += by
        if self._held[person] <= 0:
            del self._held[person]


class EventLedger:
    """The events and reserved space of one session. `on_no_room` is called whenever a reservation or event fails."""

    def __init__(
        self, sink: EventSink, person: UUID, by_person: HeldByPerson, on_no_room: Callable[[NoRoomForEvents], None]
    ) -> None:
        self._sink = sink
        self._person = person
        self._by_person = by_person
        self._on_no_room = on_no_room
        self._held = 0

    def may_hold(self, size: int) -> bool:
        """Whether `size` more bytes are within the limits of one session and one user."""
        is_within = self._held + size <= MAX_HELD_BYTES
        return is_within and self._by_person[self._person] + size <= MAX_HELD_BYTES_PER_PERSON

    def hold(self, size: int) -> bool:
        """Reserve space. Returns False if there is none."""
        try:
            self._sink.hold(size)
        except NoRoomForEvents as error:
            self._on_no_room(error)
            return False
        self._count(size)
        return True

    def release(self, size: int) -> None:
        """Release space that no event needs."""
        size = min(size, self._held)
        self._count(-size)
        self._sink.release(size)

    def tell(self, event: SessionEvent, *, held: int = 0) -> None:
        """Report an event. `held` is the space that was reserved for it."""
        held = min(held, self._held)
        self._count(-held)
        try:
            self._sink.append(event, held=held)
        except NoRoomForEvents as error:
            self._on_no_room(error)
        except Exception as error:  # an internal error must not let the session go on unlogged
            log.exception("an event of session %s could not be stored", event.session_id)
            self._on_no_room(NoRoomForEvents(f"an event could not be stored: {type(error).__name__}"))

    def close(self, last: SessionEvent) -> None:
        """Report the end in whatever space the session holds, and release the rest."""
        self.tell(last, held=self._held)

    def _count(self, change: int) -> None:
        self._held += change
        self._by_person.change(self._person, change)
