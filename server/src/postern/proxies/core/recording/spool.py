"""Sealed recordings that wait for upload: a file for each, and a small JSON file that describes it."""

import json
import logging
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from postern.contracts.enums import RecordingState
from postern.contracts.recording.format import json_bytes
from postern.proxies.core.recording.journal_files import replace_file, sync_directory

log = logging.getLogger(__name__)

RECORDING_SUFFIX: Final = ".postern"
_DESCRIPTION_SUFFIX: Final = ".json"
_STORED_SUFFIX: Final = ".stored"


@dataclass(frozen=True, kw_only=True)
class SealedRecording:
    """A recording that is complete on this proxy. `path` is None if its content was lost."""

    session_id: UUID
    state: RecordingState
    sealed_at: datetime
    path: Path | None = None
    size: int = 0
    sha256: str = ""
    chain: str = ""
    key_id: str = ""
    duration_ms: int = 0


class Spool:
    """The spool folder. The sealer adds recordings, the uploader removes them."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)

    def recording_path(self, session_id: UUID) -> Path:
        return self.directory / f"{session_id}{RECORDING_SUFFIX}"

    def pending(self) -> list[SealedRecording]:
        """Return all recordings that are not stored yet, oldest first."""
        recordings = [self._read(path) for path in self.directory.glob(f"*{_DESCRIPTION_SUFFIX}")]
        return sorted((sealed for sealed in recordings if sealed is not None), key=lambda sealed: sealed.sealed_at)

    def get(self, session_id: UUID) -> SealedRecording | None:
        return self._read(self._description_path(session_id))

    def describe(self, recordings: list[SealedRecording]) -> None:
        """Make recordings visible to the uploader. Their files must be in place and durable. Raises OSError."""
        for sealed in recordings:
            fields: dict[str, Any] = {
                **sealed.__dict__,
                "session_id": str(sealed.session_id),
                "state": sealed.state.value,
                "sealed_at": sealed.sealed_at.isoformat(),
                "path": sealed.path.name if sealed.path else None,
            }
            replace_file(self._description_path(sealed.session_id), json_bytes(fields))
        sync_directory(self.directory)

    def undescribed(self) -> list[Path]:
        """Return recordings whose sealer died before it wrote their description."""
        return [
            path
            for path in self.directory.glob(f"*{RECORDING_SUFFIX}")
            if not any(path.with_suffix(s).exists() for s in (_DESCRIPTION_SUFFIX, _STORED_SUFFIX))
        ]

    def stored(self, session_id: UUID) -> None:
        """Delete the local copy after the control plane confirmed size and SHA-256. Idempotent.

        The description is renamed first. So a crash in between neither announces the recording again nor leaves a
        description without content.
        """
        description = self._description_path(session_id)
        stored = description.with_suffix(_STORED_SUFFIX)
        if description.exists():
            description.rename(stored)
        if stored.exists():
            sync_directory(self.directory)
            self.recording_path(session_id).unlink(missing_ok=True)
            stored.unlink()

    def finish_stored(self) -> None:
        """Finish deletions that a crash interrupted."""
        for path in self.directory.glob(f"*{_STORED_SUFFIX}"):
            self.recording_path(UUID(path.stem)).unlink(missing_ok=True)
            path.unlink()

    def _description_path(self, session_id: UUID) -> Path:
        return self.directory / f"{session_id}{_DESCRIPTION_SUFFIX}"

    def _read(self, path: Path) -> SealedRecording | None:
        try:
            fields = json.loads(path.read_bytes())
            return SealedRecording(
                session_id=UUID(fields["session_id"]),
                state=RecordingState(fields["state"]),
                sealed_at=datetime.fromisoformat(fields["sealed_at"]),
                path=self.directory / fields["path"] if fields["path"] else None,
                size=fields["size"],
                sha256=fields["sha256"],
                chain=fields["chain"],
                key_id=fields["key_id"],
                duration_ms=fields["duration_ms"],
            )
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError):
            log.error("%s does not describe a recording; it stays where it is", path.name)  # noqa: TRY400 - no trace wanted
            return None
