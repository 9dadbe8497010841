"""Recording of sessions: a journal written before bytes are forwarded, and a sealer that turns it into files.

The path of a byte: `Recorder.output` → journal → `sealer` (own process) → session file → sealed, verified → `Spool` →
uploaded → deleted here. docs/reference/recording-format.md describes the formats.
"""

from postern.contracts.recording import RecordingHeader
from postern.proxies.core.recording.disk import DiskState, JournalStats
from postern.proxies.core.recording.errors import RecordingFailed, SnapshotUnavailable
from postern.proxies.core.recording.journal import Journal
from postern.proxies.core.recording.recorder import Recorder
from postern.proxies.core.recording.sealer_process import Snapshot, SnapshotClient
from postern.proxies.core.recording.service import RecordingConfig, RecordingService
from postern.proxies.core.recording.spool import SealedRecording, Spool

__all__ = [
    "DiskState",
    "Journal",
    "JournalStats",
    "Recorder",
    "RecordingConfig",
    "RecordingFailed",
    "RecordingHeader",
    "RecordingService",
    "SealedRecording",
    "Snapshot",
    "SnapshotClient",
    "SnapshotUnavailable",
    "Spool",
]
