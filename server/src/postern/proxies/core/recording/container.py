"""Writes the file of one session: block by block while the session runs, then the seal."""

import hashlib
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from postern.contracts.recording.format import (
    BLOCK,
    HEADER_LENGTH,
    INPUT,
    KEYFRAME,
    MAGIC,
    MARK,
    MAX_ACTIVITY_UNITS,
    MAX_CELLS,
    MAX_JSON_BYTES,
    MAX_MARKS,
    OUTPUT,
    RESIZE,
    SIGNATURE_CONTEXT,
    VERSION,
    BlockHeader,
    Event,
    RecordingHeader,
    RecordingUnreadable,
    Trailer,
    chain_next,
    chain_start,
    deflate,
    encode_block,
    iterate_events,
    json_bytes,
    parse_object,
    unpack_block,
)
from postern.contracts.recording.rendering import render
from postern.contracts.recording.streams import SKIPPED

_FIRST_UNIT_MS: Final = 1_000
_MAX_END_REASON: Final = 4_096


class Signer(Protocol):
    """Signs with the private key."""

    key_id: str

    def sign(self, message: bytes) -> bytes: ...


class Activity:
    """Output bytes per unit of time. The unit doubles whenever the list would grow too long."""

    def __init__(self) -> None:
        self.unit_ms = _FIRST_UNIT_MS
        self.output_bytes: list[int] = []

    def add(self, ms: int, count: int) -> None:
        while ms // self.unit_ms >= MAX_ACTIVITY_UNITS:
            self.unit_ms *= 2
            old = self.output_bytes
            self.output_bytes = [sum(old[i : i + 2]) for i in range(0, len(old), 2)]
        place = ms // self.unit_ms
        if place >= len(self.output_bytes):
            self.output_bytes.extend([0] * (place + 1 - len(self.output_bytes)))
        self.output_bytes[place] += count


@dataclass
class Totals:
    """Totals over all events so far, for the index and the manifest. `streams` is True if there is no terminal."""

    streams: bool = False
    shown_bytes: int = 0
    output_bytes: int = 0
    input_bytes: int = 0
    events: int = 0
    last_ms: int = 0
    columns: int = 0
    rows: int = 0
    activity: Activity = field(default_factory=Activity)
    marks: list[tuple[int, str, str]] = field(default_factory=list)

    def add(self, event: Event) -> None:
        """Count an event other than a keyframe."""
        self.events += 1
        self.last_ms = max(self.last_ms, event.ms)
        if self.streams:
            self.shown_bytes += len(render(event.kind, event.data)) if event.kind != SKIPPED else 0
        elif event.kind == OUTPUT:
            self.shown_bytes += len(event.data)
        if event.kind == OUTPUT:
            self.output_bytes += len(event.data)
            self.activity.add(event.ms, len(event.data))
        elif event.kind == INPUT:
            self.input_bytes += len(event.data)
        elif event.kind == RESIZE:
            columns, rows = event.size
            self.columns, self.rows = max(self.columns, columns), max(self.rows, rows)
        elif event.kind == MARK and len(self.marks) < MAX_MARKS:
            mark = parse_object(event.data, "mark")
            self.marks.append((event.ms, str(mark.get("name", "")), str(mark.get("text", ""))))


class SessionFile:
    """The file of a session, as far as it is written.

    It is closed between calls, because there may be thousands. `bookkeeping` of the last block is the journal
    position up to which the file is complete.
    """

    def __init__(self, path: Path, header: RecordingHeader, head: bytes) -> None:
        self.path = path
        self.header = header
        self.totals = Totals(streams=bool(header.streams), columns=header.columns, rows=header.rows)
        self.size = len(head)
        self._head = head
        self.chain = chain_start(head)
        self.bookkeeping = 0
        self.last_block: list[Event] = []
        self._lengths: list[int] = []
        self._first_ms: list[int] = []
        self._output_offsets: list[int] = []
        self._flags: list[int] = []

    @classmethod
    def create(cls, path: Path, header: RecordingHeader) -> "SessionFile":
        """Return a new file. Nothing is written before the first block or `sync`."""
        encoded = header.encode()
        return cls(path, header, MAGIC + HEADER_LENGTH.pack(len(encoded)) + encoded)

    @classmethod
    def recover(cls, path: Path) -> "SessionFile":
        """Resume a file where its writer stopped. Whole blocks stay; a torn block or an unfinished seal is cut off.

        `last_block` then holds the events of the last block, from which the screen can be rebuilt. Raises
        `RecordingUnreadable` if not even the header is complete.
        """
        with path.open("r+b") as file:
            start = file.read(len(MAGIC) + HEADER_LENGTH.size)
            if start[: len(MAGIC)] != MAGIC or len(start) < len(MAGIC) + HEADER_LENGTH.size:
                raise RecordingUnreadable("the beginning of the file is damaged")
            (length,) = HEADER_LENGTH.unpack_from(start, len(MAGIC))
            encoded = file.read(min(length, MAX_JSON_BYTES))
            if len(encoded) != length:
                raise RecordingUnreadable("the header of the file is cut off")
            session = cls(path, RecordingHeader.decode(encoded), start + encoded)
            while True:
                header_bytes = file.read(BLOCK.size)
                try:
                    header = BlockHeader.decode(header_bytes)
                    packed = file.read(header.packed_length)
                    events = list(iterate_events(unpack_block(header, header_bytes, packed), header.first_ms))
                except RecordingUnreadable:
                    break
                if header.sequence != session.blocks:
                    break
                session._add(header, header_bytes, packed)
                session.count(events)
                session.last_block = events
            file.truncate(session.size)
        return session

    @property
    def blocks(self) -> int:
        return len(self._lengths)

    def count(self, events: list[Event]) -> None:
        """Add events to the totals. Keyframes do not count."""
        for event in events:
            if event.kind != KEYFRAME:
                self.totals.add(event)

    def append_block(
        self, *, flags: int, first_ms: int, output_offset: int, bookkeeping: int, raw: bytes, level: int
    ) -> None:
        """Write one block. Raises OSError, and leaves the file unchanged then."""
        header_bytes, packed = encode_block(
            sequence=self.blocks,
            flags=flags,
            first_ms=first_ms,
            output_offset=output_offset,
            bookkeeping=bookkeeping,
            raw=raw,
            level=level,
        )
        self._write(header_bytes + packed)
        self._add(BlockHeader.decode(header_bytes), header_bytes, packed)

    def seal(self, signer: Signer, *, state: str, end_reason: str, ended_at: str, sealed_at: str) -> None:
        """Write index, manifest, signature and trailer, and make the file durable. Raises OSError."""
        totals = self.totals
        ends = [*self._output_offsets[1:], totals.output_bytes]
        index = deflate(
            json_bytes(
                {
                    "length": self._lengths,
                    "first_ms": self._first_ms,
                    "output_bytes": [end - start for start, end in zip(self._output_offsets, ends, strict=False)],
                    "flags": self._flags,
                    "activity": {"unit_ms": totals.activity.unit_ms, "bytes": totals.activity.output_bytes},
                    "marks": totals.marks,
                }
            )
        )
        fields: dict[str, Any] = {
            "version": VERSION,
            "session_id": str(self.header.session_id),
            "state": state,
            "blocks": self.blocks,
            "chain": self.chain.hex(),
            "index_sha256": hashlib.sha256(index).hexdigest(),
            "output_bytes": totals.output_bytes,
            "input_bytes": totals.input_bytes,
            "events": totals.events,
            "duration_ms": totals.last_ms,
            "columns": min(totals.columns, MAX_CELLS),
            "rows": min(totals.rows, MAX_CELLS),
            "ended_at": ended_at,
            "end_reason": end_reason[:_MAX_END_REASON],
            "key_id": signer.key_id,
            "sealed_at": sealed_at,
        }
        manifest = json_bytes(fields)
        signature = signer.sign(SIGNATURE_CONTEXT + manifest)
        trailer = Trailer(self.size, len(index), len(manifest)).encode()
        self._write(index + manifest + signature + trailer)
        _sync(self.path)

    def sync(self) -> None:
        """Make everything written so far durable. Raises OSError."""
        self._write(b"")
        _sync(self.path)

    def _add(self, header: BlockHeader, header_bytes: bytes, packed: bytes) -> None:
        self.chain = chain_next(self.chain, header_bytes, packed)
        self.size += header.length
        self.bookkeeping = header.bookkeeping
        self._lengths.append(header.length)
        self._first_ms.append(header.first_ms)
        self._output_offsets.append(header.output_offset)
        self._flags.append(header.flags)

    def _write(self, data: bytes) -> None:
        """Write all of `data` after the valid content, or nothing. Leftovers of an earlier attempt are removed."""
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                if self.blocks == 0:
                    _put(descriptor, self._head, 0)
                _put(descriptor, data, self.size)
            except OSError:
                os.ftruncate(descriptor, self.size)
                raise
            os.ftruncate(descriptor, self.size + len(data))
        finally:
            os.close(descriptor)


def _put(descriptor: int, data: bytes, offset: int) -> None:
    view = memoryview(data)
    while view:
        count = os.pwrite(descriptor, view, offset)
        view, offset = view[count:], offset + count


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
