"""Reads the journal of one start of the proxy, while it is written or after its writer died."""

import os
from typing import Final

from postern.proxies.core.recording.journal_files import JournalFolder
from postern.proxies.core.recording.journal_format import (
    MAX_DATA_BYTES,
    RECORD_HEADER,
    SEGMENT_END,
    SEGMENT_HEADER,
    Record,
    is_segment_header,
    scan_records,
)

_READ_BYTES: Final = 256 * 1024
assert MAX_DATA_BYTES + RECORD_HEADER.size < _READ_BYTES  # noqa: S101 - a record always fits into one read


class SegmentLost:
    """The writer abandoned a segment: all sessions open at this point have lost their end."""


class JournalReader:
    """Reads forwards. `segment` and `offset` are the position of the next record."""

    def __init__(self, folder: JournalFolder) -> None:
        self.folder = folder
        segments = folder.segments()
        self.segment = segments[0] if segments else 1
        self.offset = 0
        self._fd = -1
        self._clean_end = False
        self._told_lost = 0

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def read(self) -> list[Record] | SegmentLost:
        """Return the next records, at most about 256 KiB. Empty if there are none (yet)."""
        # Checked before reading. Once a later segment exists or this segment was abandoned, nothing is added to it.
        has_next = self.folder.segment_path(self.segment + 1).exists()
        given_up = self.folder.failed_path(self.segment).exists()
        records = self._read_segment()
        if records or not (has_next or given_up):
            return records
        if not has_next:
            return self._tell_lost_once()
        was_whole = self._clean_end and not given_up
        self.close()
        self.segment += 1
        self.offset = 0
        self._clean_end = False
        return self.read() if was_whole else SegmentLost()

    def _tell_lost_once(self) -> list[Record] | SegmentLost:
        """Report once that the last segment was abandoned and no other segment follows yet."""
        if self._told_lost == self.segment:
            return []
        self._told_lost = self.segment
        return SegmentLost()

    def _read_segment(self) -> list[Record]:
        if self._fd < 0:
            try:
                self._fd = os.open(self.folder.segment_path(self.segment), os.O_RDONLY | os.O_CLOEXEC)
            except FileNotFoundError:
                return []
        if self.offset == 0:
            if not is_segment_header(os.pread(self._fd, SEGMENT_HEADER.size, 0), self.segment):
                return []
            self.offset = SEGMENT_HEADER.size
        data = os.pread(self._fd, _READ_BYTES, self.offset)
        records, taken = scan_records(data, self.segment, self.offset)
        self.offset += taken
        if records and records[-1].kind == SEGMENT_END:
            self._clean_end = True
            records.pop()
            if not records:
                return []
        return records
