"""Disk space of the outbox: segments that are allocated before they are needed.

A session reserves space for an event before it permits the action that the event reports. The blocks are then
allocated, so a disk that fills up later changes nothing. `base` bytes are an unreserved emergency reserve. It takes
events that cannot be foreseen, and the ends of sessions that a full disk terminates.
"""

import contextlib
import logging
import os
from pathlib import Path
from typing import Final

from postern.proxies.core.control.outbox_file import SegmentWriter, set_aside
from postern.proxies.core.limits import Limits
from postern.proxies.core.recording.journal_files import sync_directory
from postern.proxies.core.sessions.event_ledger import NoRoomForEvents

log = logging.getLogger(__name__)

#: Maximum unused bytes at the end of a segment, because the next event does not fit.
_WASTE_BYTES: Final = 24 * 1024
#: Room for some thousand events.
_BASE_BYTES: Final = 1024 * 1024
_SPARE: Final = "spare-*"


class OutboxRoom:
    """The current segment, the preallocated spare segments, and the number of reserved bytes."""

    def __init__(self, directory: Path, limits: Limits, first_number: int) -> None:
        self._directory = directory
        self._segment_bytes = limits.outbox_segment_bytes
        self._total_bytes = limits.outbox_total_bytes
        self._usable_bytes = self._segment_bytes - min(_WASTE_BYTES, self._segment_bytes // 4)
        self._base_bytes = min(_BASE_BYTES, self._total_bytes // 4, 8 * self._segment_bytes)
        self._number = first_number
        self._spare_number = 0
        self._writer: SegmentWriter | None = None
        self._spares: list[Path] = []
        self._held = 0
        #: Descriptors of full segments that still need a sync.
        self._unsynced: list[int] = []
        self._is_dirty = False
        #: Total size of the segments that wait to be sent, without the current segment.
        self._full_bytes = sum(path.stat().st_size for path in directory.glob("*.jsonl"))
        for left in (*directory.glob(_SPARE), directory / "reserve"):  # files of an earlier process or an older version
            left.unlink(missing_ok=True)
        self.tend()

    @property
    def current(self) -> Path | None:
        """The segment being written."""
        return self._writer.path if self._writer is not None else None

    def close(self) -> None:
        if self._writer is not None:
            self._unsynced.append(self._writer.duplicate())
            self._writer.close()
            self._writer = None
        while self._spares:
            self._spares.pop().unlink(missing_ok=True)
        self.sync(self.unsynced())

    def unsynced(self) -> list[int]:
        """Return descriptors of the files written since the last call, for `sync`."""
        taken, self._unsynced = self._unsynced, []
        if self._is_dirty and self._writer is not None:
            taken.append(self._writer.duplicate())
        self._is_dirty = False
        return taken

    def sync(self, descriptors: list[int]) -> None:
        """Sync the files so that they survive a power cut. May take long, so call it in a worker thread."""
        for descriptor in descriptors:
            try:
                os.fdatasync(descriptor)
            except OSError as error:
                log.error("cannot sync events to disk: %s", error)  # noqa: TRY400 - no trace wanted
            finally:
                os.close(descriptor)
        if descriptors:
            with contextlib.suppress(OSError):
                sync_directory(self._directory)

    # Reservations

    @property
    def _free(self) -> int:
        written = self._writer.left if self._writer is not None else 0
        return written + len(self._spares) * self._usable_bytes

    def hold(self, size: int) -> None:
        """Reserve `size` bytes. Raises `NoRoomForEvents`."""
        if not self._has_ordinary(size):
            raise NoRoomForEvents("there is no room on the disk for further events")
        self._held += size

    def release(self, size: int) -> None:
        """Release reserved bytes."""
        self._held = max(0, self._held - size)

    def _has_ordinary(self, size: int) -> bool:
        """Whether `size` bytes are free besides reservations and the base. Allocates more segments if needed."""
        wanted = self._held + self._base_bytes + size
        return self._free >= wanted or self._set_aside(wanted + self._segment_bytes) or self._free >= wanted

    def tend(self) -> None:
        """Allocate missing segments, for example after the disk was full, and delete spares that are no longer
        needed.
        """
        wanted = self._held + self._base_bytes + self._segment_bytes
        self._set_aside(wanted)
        while self._spares and self._free - 2 * self._usable_bytes > wanted:
            self._spares.pop().unlink(missing_ok=True)

    def _set_aside(self, wanted: int) -> bool:
        """Ensure that `wanted` bytes are free. Returns False if the disk or the outbox limit does not allow it."""
        while self._free < wanted:
            if self._on_disk + self._segment_bytes > self._total_bytes:
                return False
            self._spare_number += 1
            path = self._directory / f"spare-{self._spare_number:012d}"
            try:
                set_aside(path, self._segment_bytes)
            except OSError as error:
                log.debug("cannot reserve disk space for events: %s", error)
                return False
            self._spares.append(path)
        return True

    @property
    def _on_disk(self) -> int:
        written = self._writer.capacity if self._writer is not None else 0
        return self._full_bytes + written + len(self._spares) * self._segment_bytes

    def drop(self, path: Path) -> None:
        """Delete a full segment whose events were all sent."""
        size = path.stat().st_size
        path.unlink()
        self._full_bytes -= size

    # Writing

    def write(self, record: bytes, *, held: int = 0) -> bool:
        """Write a record, using `held` bytes that were reserved for it. Returns False if it used the base.

        Raises OSError or `NoRoomForEvents` if the record was not written.
        """
        self.release(held)
        size = len(record)
        is_ordinary = size <= held or self._has_ordinary(size)
        if not is_ordinary and self._free - self._held < size:
            raise NoRoomForEvents("there is no room on the disk for this event")
        writer = self._writer
        if writer is None or writer.left < size:
            writer = self._next_segment(size)
        writer.append(record)
        self._is_dirty = True
        return is_ordinary

    def _next_segment(self, size: int) -> SegmentWriter:
        path = self._directory / f"{self._number:012d}.jsonl"
        is_spare = size <= self._segment_bytes and bool(self._spares)
        if is_spare:
            # open before removing it from the list: a spare that cannot be opened stays a spare
            writer = SegmentWriter(self._spares[0])
            writer.move_to(path)
            self._spares.pop(0)
        else:
            set_aside(path, max(size, self._segment_bytes))
            writer = SegmentWriter(path)
        self._number += 1
        old, self._writer = self._writer, writer
        if old is not None:
            self._unsynced.append(old.duplicate())
            self._full_bytes += old.size
            old.close()
        return self._writer
