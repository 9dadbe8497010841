"""Maximum body sizes of proxy requests."""

from collections.abc import Mapping
from typing import Final

from postern.contracts import access, events

EVENTS_BYTES: Final = 16 * 1024 * 1024
#: One part of a recording.
PART_BYTES: Final = 8 * 1024 * 1024

#: Path prefix → bytes.
BY_BEGINNING: Final[Mapping[str, int]] = {
    access.INTERNAL_PREFIX + events.SESSION_EVENTS: EVENTS_BYTES,
    access.INTERNAL_PREFIX + "recordings/": PART_BYTES,
}
