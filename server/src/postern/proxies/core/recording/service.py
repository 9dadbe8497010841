"""Recording as the rest of the proxy uses it: journal, sealer process, and spool of sealed recordings."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from postern.contracts.events import RecordingCheckpoint, RecordingSealed
from postern.kernel.clock import monotonic_s, now
from postern.proxies.core.recording.journal import Journal
from postern.proxies.core.recording.journal_files import JournalFolder
from postern.proxies.core.recording.sealer_process import SealerProcess, SnapshotClient
from postern.proxies.core.recording.spool import SealedRecording, Spool

log = logging.getLogger(__name__)

_DRAIN_POLL_S: Final = 0.1
#: How long the sealer may take to exit. It may be killed at any moment without loss.
_SEALER_END_S: Final = 2.0
_LEAST_SEALER_END_S: Final = 0.5
_LEAST_COMMIT_S: Final = 1.0

OnCheckpoint = Callable[[RecordingCheckpoint], None]
OnSealed = Callable[[RecordingSealed, Path | None], None]


@dataclass(frozen=True, kw_only=True)
class RecordingConfig:
    """Settings of recording.

    `state_dir` receives `journal/` and `recordings/`. `key_file` holds the sealing key and is created if missing.
    """

    state_dir: Path
    key_file: Path
    reserve_mb: int = 1024
    segment_mb: int = 16
    commit_interval_s: float = 0.4
    checkpoint_interval_s: float = 30.0


class RecordingService:
    """The recording part of the proxy. Both callbacks run on the event loop; `on_sealed` may repeat after a restart."""

    def __init__(self, config: RecordingConfig, *, on_checkpoint: OnCheckpoint, on_sealed: OnSealed) -> None:
        self._config = config
        self._on_checkpoint = on_checkpoint
        self._on_sealed = on_sealed
        self._journal_dir = config.state_dir / "journal"
        self.journal = Journal(
            self._journal_dir,
            segment_bytes=config.segment_mb << 20,
            reserve_bytes=config.reserve_mb << 20,
            commit_interval_s=config.commit_interval_s,
        )
        self.snapshots = SnapshotClient()
        self.spool = Spool(config.state_dir / "recordings" / "spool")
        self.sealer = SealerProcess(
            config.state_dir,
            config.key_file,
            self.snapshots,
            self._hear,
            checkpoint_interval_s=config.checkpoint_interval_s,
        )
        self._told: set[UUID] = set()

    async def start(self) -> None:
        """Start recording, and seal what a dead proxy left. Raises OSError if the state folder cannot be used."""
        self.journal.start()
        self.pending()
        self.sealer.start()

    def pending(self) -> list[SealedRecording]:
        """Return the recordings in the spool, oldest first, after reporting each as sealed. Raises OSError.

        This includes recordings whose sealer died before it could report them. The control plane refuses the content of
        an unreported recording.
        """
        recordings = self.spool.pending()
        for sealed in recordings:
            self._tell_sealed(sealed)
        return recordings

    def stored(self, session_id: UUID) -> None:
        """Delete the local copy of a recording that the control plane has stored. Idempotent. Raises OSError."""
        self.spool.stored(session_id)

    async def stop(self, limit_s: float = 15.0) -> None:
        """Let the sealer finish after all sessions have ended, then stop it. The rest waits for the next start.

        `limit_s` applies to the whole stop, also with a disk that does not answer.
        """
        ends_s = monotonic_s() + limit_s
        # Run in a thread, so that events are still sent meanwhile.
        await asyncio.to_thread(self.journal.close, max(_LEAST_COMMIT_S, limit_s / 2))
        sealed_until_s = ends_s - min(_SEALER_END_S, limit_s / 4)
        while monotonic_s() < sealed_until_s and JournalFolder.all(self._journal_dir):  # noqa: ASYNC110 - the other process has no event for it
            await asyncio.sleep(_DRAIN_POLL_S)
        await self.sealer.stop(max(_LEAST_SEALER_END_S, ends_s - monotonic_s()))

    def _hear(self, message: dict[str, Any]) -> None:
        if "sealed" in message:
            sealed = self.spool.get(UUID(message["sealed"]))
            if sealed is not None:
                self._tell_sealed(sealed)
        for checkpoint in message.get("checkpoints", ()):
            self._on_checkpoint(
                RecordingCheckpoint(
                    session_id=UUID(checkpoint["session_id"]),
                    at=now(),
                    block=checkpoint["block"],
                    chain=checkpoint["chain"],
                )
            )

    def _tell_sealed(self, sealed: SealedRecording) -> None:
        if sealed.session_id in self._told:
            return
        self._told.add(sealed.session_id)
        self._on_sealed(
            RecordingSealed(
                session_id=sealed.session_id,
                at=sealed.sealed_at,
                state=sealed.state,
                size=sealed.size,
                sha256=sealed.sha256,
                chain=sealed.chain,
                key_id=sealed.key_id,
                duration_ms=sealed.duration_ms,
            ),
            sealed.path,
        )
