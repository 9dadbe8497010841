"""Space on the journal's volume. Below the reserve, new sessions are refused and the heaviest writers are ended.

A full volume would end all recordings, so the reserve belongs to the many sessions that write little. The trigger for a
check is what all sessions together have written. So no number of sessions can fill the volume between two checks.
"""

from collections import Counter
from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Final, Protocol, TypeVar

from postern.proxies.core.recording.disk import DiskState, measure_disk
from postern.proxies.core.recording.errors import RecordingFailed

_MOST_BETWEEN_LOOKS: Final = 4 << 20
_LEAST_BETWEEN_LOOKS: Final = 64 << 10
#: Minimum number of checks before the reserve is used up.
_LOOKS: Final = 64


class Writer(Protocol):
    """The recording of one session."""

    recent_bytes: int

    @property
    def person(self) -> Hashable:
        """The user of the session."""

    @property
    def failed(self) -> bool: ...


_Writer = TypeVar("_Writer", bound=Writer)


class JournalRoom:
    """Measures the volume and selects the recordings that must end."""

    def __init__(self, directory: Path, reserve_bytes: int) -> None:
        self.reserve_bytes = reserve_bytes
        self._directory = directory
        self._since_look_bytes = 0
        self._look_bytes = max(_LEAST_BETWEEN_LOOKS, min(_MOST_BETWEEN_LOOKS, reserve_bytes // _LOOKS))

    @property
    def disk(self) -> DiskState:
        """Return the free space of the volume, measured now. Raises OSError."""
        return measure_disk(self._directory, self.reserve_bytes)

    def is_at_reserve(self) -> bool:
        """Whether no new session may start because the volume is full or gone."""
        try:
            return self.disk.level == "refuse"
        except OSError:
            return True

    def require(self) -> None:
        """Raise `RecordingFailed` if the volume has reached its reserve or cannot be measured."""
        try:
            disk = self.disk
        except OSError as error:
            raise RecordingFailed("the volume of the recordings cannot be reached") from error
        if disk.level == "refuse":
            raise RecordingFailed("the disk of the recordings is full: no new sessions", reserve=True)

    def is_time_to_look(self, size: int) -> bool:
        """Count `size` more bytes, and return whether to call `too_many` now. Always False without a reserve."""
        if not self.reserve_bytes:
            return False
        self._since_look_bytes += size
        return self._since_look_bytes >= self._look_bytes

    def too_many(self, writers: Iterable[_Writer]) -> list[_Writer]:
        """Return those of all `writers` that must end now.

        At the reserve this is the largest session of the user whose sessions together write most. Once half of the
        reserve is used up, it is the sessions that write half of all bytes, user by user. So splitting work into many
        small sessions gains nothing.
        """
        self._since_look_bytes = 0
        present = [writer for writer in writers if not writer.failed]
        of_person: Counter[Hashable] = Counter()
        for writer in present:
            of_person[writer.person] += writer.recent_bytes
        ranks = {person: rank for rank, (person, _) in enumerate(of_person.most_common())}
        present.sort(key=lambda writer: (ranks[writer.person], -writer.recent_bytes))
        leaving = present[: self._how_many([writer.recent_bytes for writer in present])]
        for writer in present:
            writer.recent_bytes //= 2  # older writes count less and less
        return leaving

    def _how_many(self, written: list[int]) -> int:
        """Return how many of the writers must end, counted from the first. `written` holds their bytes."""
        try:
            disk = self.disk
        except OSError:
            return 0  # the next write will report the error
        if disk.level != "refuse":
            return 0
        wanted = sum(written) // 2 if disk.free_bytes < self.reserve_bytes // 2 else 0
        covered = 0
        for number, size in enumerate(written, start=1):
            covered += size
            if covered >= wanted:
                return number
        return 0
