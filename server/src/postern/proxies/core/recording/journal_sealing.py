"""Sealing of all sessions of one journal folder.

All state can be rebuilt from the journal and the session files, so the process may be killed at any moment.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final
from uuid import UUID

from postern.contracts.enums import EndReason, RecordingState
from postern.contracts.recording.format import RecordingHeader, RecordingUnreadable
from postern.contracts.recording.verification import Verdict
from postern.kernel.clock import monotonic_s, now
from postern.proxies.core.recording.container import SessionFile
from postern.proxies.core.recording.journal_files import JournalFolder, sync_directory
from postern.proxies.core.recording.journal_format import BEGIN, Record, segment_of
from postern.proxies.core.recording.journal_reader import JournalReader, SegmentLost
from postern.proxies.core.recording.session_sealing import NewScreen, SessionSealing
from postern.proxies.core.recording.signing import SealingKey, SealingKeys
from postern.proxies.core.recording.spool import SealedRecording, Spool

log = logging.getLogger(__name__)

PART_SUFFIX: Final = ".part"
#: Above this buffered size, blocks are cut before they are full.
_BUFFER_LIMIT_BYTES: Final = 64 << 20
#: When this many segments behind, deflate uses its fastest level and only the end of each block is emulated.
_HURRY_SEGMENTS: Final = 4
_LEVEL: Final = 6
_HURRY_LEVEL: Final = 1
#: Maximum number of sessions sealed per batch: they share the syncs of folders, and snapshots are served in between.
_FINISH_BATCH: Final = 50


_PART_NAME_PARTS: Final = 5


@dataclass(frozen=True, kw_only=True)
class SealingPlace:
    """Folders and keys that all journals share. `live` holds unfinished files, `damaged` files that cannot be used."""

    live: Path
    damaged: Path
    spool: Spool
    key: SealingKey | SealingKeys
    new_screen: NewScreen

    def part_folders(self) -> set[str]:
        """Return the names of the journal folders to which unfinished files belong."""
        names = [path.name.split(".") for path in self.live.glob(f"*{PART_SUFFIX}")]
        return {name[0] for name in names if len(name) == _PART_NAME_PARTS}

    def part_path(self, folder: JournalFolder, number: int, begin_ms: int, session_id: UUID) -> Path:
        """Return the path of an unfinished file. Its name holds what only the journal would know: start, session and
        begin.
        """
        return self.live / f"{folder.name}.{number}.{begin_ms}.{session_id}{PART_SUFFIX}"


class JournalSealing:
    """Seals the sessions of one journal folder. `step` reads a few records; `finish_ended` seals ended sessions."""

    def __init__(
        self, folder: JournalFolder, place: SealingPlace, on_sealed: Callable[[SealedRecording], None]
    ) -> None:
        self.folder = folder
        self.sessions: dict[int, SessionSealing] = {}
        self._place = place
        self._on_sealed = on_sealed
        self._reader = JournalReader(folder)
        self._done = folder.done_sessions()
        self._writer_gone = False
        self._all_read = False
        self._behind = 0
        self._skip_until: dict[int, int] = {}
        self._recover()

    # Reading

    def step(self) -> bool:
        """Read some records. Returns False if there is nothing to read now. Raises OSError, and keeps the records in
        memory then.
        """
        self.cut_due()
        records = self._reader.read()
        if not records and not self._writer_gone and self.folder.is_abandoned():
            self._writer_gone = True
            records = self._reader.read()
        if isinstance(records, SegmentLost):
            self._close_open("the journal was given up here")
            return True
        self._behind = max(self.folder.segments(), default=0) - self._reader.segment
        self._take_all(records)
        if not records and self._writer_gone:
            self._close_open("the proxy stopped")
            self._all_read = True
        return bool(records)

    def _take_all(self, records: list[Record]) -> None:
        """Process the records that were read. A full disk is reported only after all of them are in memory."""
        fault: OSError | None = None
        for record in records:
            session = self._take(record)
            if session is not None and fault is None and session.due(monotonic_s()):
                try:
                    self.cut(session)
                except OSError as error:
                    fault = error
        if fault is not None:
            raise fault

    @property
    def finished(self) -> bool:
        """Whether nothing will ever be left to do here."""
        return self._all_read and not self.sessions

    def close(self) -> None:
        self._reader.close()

    def find(self, session_id: UUID) -> SessionSealing | None:
        return next((s for s in self.sessions.values() if s.header.session_id == session_id), None)

    def _take(self, record: Record) -> SessionSealing | None:
        number = record.session
        if number in self._done or record.next_position <= self._skip_until.get(number, 0):
            return None
        if record.kind == BEGIN:
            if number not in self.sessions:
                self._begin(record)
            return None
        session = self.sessions.get(number)
        if session is None:
            log.warning("the journal has a record of session %d, which never began", number)
            return None
        session.hurry = self._behind > _HURRY_SEGMENTS
        session.take(record)
        return session

    def _begin(self, record: Record) -> None:
        try:
            header = RecordingHeader.decode(record.data)
        except RecordingUnreadable as error:
            log.error("session %d of the journal has no readable beginning: %s", record.session, error.message)  # noqa: TRY400 - no trace wanted
            return
        path = self._place.part_path(self.folder, record.session, record.ms, header.session_id)
        file = SessionFile.create(path, header)
        self.sessions[record.session] = SessionSealing(record.session, file, self._place.new_screen, record.ms)

    def _close_open(self, why: str) -> None:
        for session in self.sessions.values():
            if session.ended is None:
                log.warning("session %s: incomplete, %s", session.header.session_id, why)
                session.ended = EndReason.INTERRUPTED.value
                session.incomplete = True

    # Cutting and releasing

    def cut(self, session: SessionSealing) -> None:
        """Write the session's buffer. Raises OSError (disk full); nothing is lost, so retry later."""
        session.cut(_HURRY_LEVEL if self._behind > _HURRY_SEGMENTS else _LEVEL)

    def cut_due(self) -> None:
        """Cut blocks that are due by age or memory. Raises OSError."""
        now_s = monotonic_s()
        scarce = sum(session.buffered_bytes for session in self.sessions.values()) > _BUFFER_LIMIT_BYTES
        for session in self.sessions.values():
            if session.due(now_s, shorter=scarce):
                self.cut(session)

    def release_segments(self) -> None:
        """Delete segments whose content is in session files on disk. Raises OSError."""
        needed = [segment_of(s.needed_from) for s in self.sessions.values() if s.needed_from is not None]
        first_needed = min([self._reader.segment, *needed])
        old = [number for number in self.folder.segments() if number < first_needed]
        if not old:
            return
        for session in self.sessions.values():
            if not session.synced:
                session.file.sync()
                session.synced = True
        sync_directory(self._place.live)
        for number in old:
            self.folder.remove_segment(number)

    # Sealing

    def finish_ended(self) -> bool:
        """Seal, verify and publish a batch of ended sessions. Returns True if more are left.

        Raises OSError. All steps may then be repeated, and finished steps stay finished.
        """
        ended = [session for session in self.sessions.values() if session.ended is not None]
        batch = ended[:_FINISH_BATCH]
        if not batch:
            return False
        for session in batch:
            self.cut(session)
            if session.verdict is None:
                session.verdict = self._seal(session)
        # From here on the journal is not needed for these sessions any more, and must not bring them up again.
        self.folder.add_done_sessions([session.number for session in batch])
        self._done.update(session.number for session in batch)
        whole = []
        for session in batch:
            path, session_id, verdict = session.file.path, session.header.session_id, session.verdict
            if verdict is not None and verdict.valid and verdict.output_bytes == session.output_bytes:
                whole.append((path, session_id, verdict))
            elif path.exists():
                self._set_aside(path, session_id, verdict.detail if verdict and verdict.detail else "bytes are missing")
        for sealed in publish(whole, self._place.spool):
            self._on_sealed(sealed)
        for session in batch:
            del self.sessions[session.number]
        return len(ended) > len(batch)

    def _seal(self, session: SessionSealing) -> Verdict:
        header = session.header
        state = RecordingState.INCOMPLETE if session.incomplete else RecordingState.SEALED
        ended_at = header.started_at + timedelta(milliseconds=session.file.totals.last_ms)
        session.file.seal(
            self._place.key.current(),
            state=state.value,
            end_reason=session.ended or "",
            ended_at=ended_at.isoformat(timespec="milliseconds"),
            sealed_at=now().isoformat(timespec="milliseconds"),
        )
        return self._verify(session.file.path)

    def _verify(self, path: Path) -> Verdict:
        with path.open("rb") as file:
            return self._place.key.verify(file)

    def _set_aside(self, path: Path, session_id: UUID, why: str) -> None:
        """Move a recording that failed verification aside for inspection, and report it as lost. No byte is deleted."""
        log.error("the recording of session %s is damaged: %s", session_id, why)
        self._place.damaged.mkdir(mode=0o700, exist_ok=True)
        path.rename(self._place.damaged / path.name)
        sync_directory(self._place.damaged)
        sealed = SealedRecording(session_id=session_id, state=RecordingState.LOST, sealed_at=now())
        self._place.spool.describe([sealed])
        self._on_sealed(sealed)

    # After a crash

    def _recover(self) -> None:
        """Resume the unfinished files of a former sealer."""
        for path in sorted(self._place.live.glob(f"{self.folder.name}.*{PART_SUFFIX}")):
            _, number_text, begin_ms, id_text, _ = path.name.split(".")
            number, session_id = int(number_text), UUID(id_text)  # we created these names: see `part_path`
            if number in self._done:
                verdict = self._verify(path)
                if verdict.valid:
                    for sealed in publish([(path, session_id, verdict)], self._place.spool):
                        self._on_sealed(sealed)
                else:
                    self._set_aside(path, session_id, verdict.detail)
                continue
            try:
                file = SessionFile.recover(path)
            except RecordingUnreadable:
                # Its beginning was never made durable, so the journal still has everything.
                path.unlink()
                continue
            self.sessions[number] = SessionSealing(number, file, self._place.new_screen, int(begin_ms))
            self._skip_until[number] = file.bookkeeping


def publish(verified: list[tuple[Path, UUID, Verdict]], spool: Spool) -> list[SealedRecording]:
    """Publish verified files for upload. Raises OSError; may then be repeated with the same files."""
    for path, session_id, _ in verified:
        target = spool.recording_path(session_id)
        if path != target and path.exists():
            path.rename(target)
    # The new name must be durable before it is reported.
    sync_directory(spool.directory)
    sealed = [
        SealedRecording(
            session_id=session_id,
            state=RecordingState(verdict.state),
            sealed_at=now(),
            path=spool.recording_path(session_id),
            size=verdict.size,
            sha256=verdict.sha256,
            chain=verdict.chain,
            key_id=verdict.key_id,
            duration_ms=verdict.duration_ms,
        )
        for _, session_id, verdict in verified
    ]
    spool.describe(sealed)
    return sealed
