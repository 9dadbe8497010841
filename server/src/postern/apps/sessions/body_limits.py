"""How much one call of a proxy may bring."""

from collections.abc import Mapping
from typing import Final

from postern.contracts import access, events

EVENTS_BYTES: Final = 16 * 1024 * 1024
#: One part of a recording.
PART_BYTES: Final = 8 * 1024 * 1024

#: Beginning of a path → bytes.
BY_BEGINNING: Final[Mapping[str, int]] = {
    access.INTERNAL_PREFIX + events.SESSION_EVENTS: EVENTS_BYTES,
    access.INTERNAL_PREFIX + "recordings/": PART_BYTES,
}
