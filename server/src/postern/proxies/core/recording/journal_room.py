"""Room on the journal's volume: none for new sessions below the reserve, and below it who writes most goes first.

A full volume ends all recordings at once, so the reserve belongs to the many that write little. Looked at is how much
all sessions together have written: no session, and no number of them, can write past a look of its own.
"""

from collections import Counter
from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Final, Protocol, TypeVar

from postern.proxies.core.recording.disk import DiskState, measure_disk
from postern.proxies.core.recording.errors import RecordingFailed

_MOST_BETWEEN_LOOKS: Final = 4 << 20
_LEAST_BETWEEN_LOOKS: Final = 64 << 10
#: There are so many looks at least until the reserve is used up.
_LOOKS: Final = 64


class Writer(Protocol):
    """One session's recording."""

    recent_bytes: int

    @property
    def person(self) -> Hashable:
        """Whose session it is."""

    @property
    def failed(self) -> bool: ...


_Writer = TypeVar("_Writer", bound=Writer)


class JournalRoom:
    """Measures the volume, and names the recordings that have to end."""

    def __init__(self, directory: Path, reserve_bytes: int) -> None:
        self.reserve_bytes = reserve_bytes
        self._directory = directory
        self._since_look_bytes = 0

    @property
    def disk(self) -> DiskState:
        """How much room the volume has, measured now. Raises OSError."""
        return measure_disk(self._directory, self.reserve_bytes)

    def is_at_reserve(self) -> bool:
        """Whether no new session may begin because the volume is full, or gone."""
        try:
            return self.disk.level == "refuse"
        except OSError:
            return True

    def require(self) -> None:
        """Raise `RecordingFailed` when the volume has reached its reserve or cannot be looked at."""
        try:
            disk = self.disk
        except OSError as error:
            raise RecordingFailed("the volume of the recordings cannot be reached") from error
        if disk.level == "refuse":
            raise RecordingFailed("the disk of the recordings is full: no new sessions", reserve=True)

    def is_time_to_look(self, size: int) -> bool:
        """So many bytes more were written: whether to ask for `too_many` now. Never without a reserve to keep."""
        if not self.reserve_bytes:
            return False
        self._since_look_bytes += size
        return self._since_look_bytes >= max(
            _LEAST_BETWEEN_LOOKS, min(_MOST_BETWEEN_LOOKS, self.reserve_bytes // _LOOKS)
        )

    def too_many(self, writers: Iterable[_Writer]) -> list[_Writer]:
        """Those of all `writers` that have to end now.

        At the reserve that is the largest of the person whose sessions together write most; when half of the reserve is
        used up, those that write one half of all bytes, person by person. Nobody gains by many small sessions.
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
            writer.recent_bytes //= 2  # what was written long ago counts less and less
        return leaving

    def _how_many(self, written: list[int]) -> int:
        """How many of those that have written so much have to end, from the first one on."""
        try:
            disk = self.disk
        except OSError:
            return 0  # the next write shows what it is
        if disk.level != "refuse":
            return 0
        wanted = sum(written) // 2 if disk.free_bytes < self.reserve_bytes // 2 else 0
        covered = 0
        for number, size in enumerate(written, start=1):
            covered += size
            if covered >= wanted:
                return number
        return 0
