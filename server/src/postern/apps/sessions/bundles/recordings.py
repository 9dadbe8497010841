"""The recordings of a bundle, read from wherever they lie. What cannot be read is named with the reason."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple
from uuid import UUID

from postern.apps.audits import facade as audits
from postern.apps.audits.facade import FaultKind
from postern.apps.sessions.bundles.archive import Archive
from postern.apps.sessions.bundles.errors import NotExported
from postern.apps.sessions.recordings.models import Recording
from postern.apps.sessions.recordings.storage import current_place, replay_storage, store_of
from postern.kernel.errors import PosternError

_PIECE_BYTES: Final = 256 * 1024
#: Time for a recording of another machine: at least, and for each megabyte.
_LEAST_S: Final = 60.0
_MB_S: Final = 1.0
#: A storage that fails so many times in a row is not asked again.
_MOST_FAILURES: Final = 3
_GONE: Final = "its file is gone"
_ALTERED: Final = "its file is not the one that was stored"
#: Reasons that somebody has caused who altered the data, and that are not a storage out of reach.
_FAULTS: Final = {_GONE: FaultKind.RECORDING_MISSING, _ALTERED: FaultKind.RECORDING_EDITED}


class Differs(Exception):
    """The bytes are not those of the recording that was stored, according to the log."""


class Recordings:
    """Copies recordings into an archive.

    `missing`: session → why its recording is not there; `faults`: recordings that somebody has removed or altered.
    """

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._local = replay_storage()
        self._failures: Counter[UUID | None] = Counter()
        self.missing: dict[UUID, str] = {}
        self.faults: list[str] = []
        self.count = 0

    def add(self, session_id: UUID, stored: Mapping[str, Any] | None) -> None:
        """Copy the recording of a session, if it has one; a failure is noted.

        `stored` are the values of the event that recorded its storing; None when there is no such event. Raises
        NotExported when the archive cannot be written.
        """
        try:
            recording = Recording.objects.filter(pk=session_id).first()
        except Exception as error:
            if not audits.is_of_row(error):
                raise
            self._fault(session_id, FaultKind.UNREADABLE, "its row cannot be read")
            return
        if stored is None:
            if recording is not None:
                self.missing[session_id] = "it was not stored when the export began"
        elif recording is None:
            self._fault(session_id, FaultKind.RECORDING_MISSING, "its row is gone")
        else:
            self._try(recording, _Content(int(stored["size"]), str(stored["sha256"])))

    def _try(self, recording: Recording, content: "_Content") -> None:
        place = recording.storage_id, recording.path
        reason = self._copied(recording.pk, content, *place)
        now = current_place(recording)
        if reason and now is not None and now != place:  # it was moved meanwhile
            reason = self._copied(recording.pk, content, *now)
        if not reason:
            self.count += 1
        elif reason in _FAULTS:
            self._fault(recording.pk, _FAULTS[reason], reason)
        else:
            self.missing[recording.pk] = reason

    def _fault(self, session_id: UUID, kind: FaultKind, reason: str) -> None:
        self.missing[session_id] = reason
        self.faults.append(f"{kind}: recording of session {session_id}: {reason}")

    def _copied(self, session_id: UUID, content: "_Content", storage_id: UUID | None, path: str) -> str:
        """Why the recording is not in the archive; "" when it is."""
        if self._failures[storage_id] >= _MOST_FAILURES:
            return "its storage did not answer several times and was not asked again"
        try:
            self._archive.add(f"recordings/{session_id}.postern", self._pieces(content, storage_id, path))
        except NotExported:
            raise
        except FileNotFoundError:
            return _GONE
        except Differs:
            return _ALTERED
        except OSError as error:
            self._failures[storage_id] += 1
            return f"its storage cannot be read: {error.strerror or error}"
        except PosternError as error:
            self._failures[storage_id] += 1
            return f"its storage cannot be read: {error.message}"
        self._failures[storage_id] = 0
        return ""

    def _pieces(self, content: "_Content", storage_id: UUID | None, path: str) -> Iterator[bytes]:
        digest, size = hashlib.sha256(), 0
        limit_s = _LEAST_S + content.size / 1_000_000 * _MB_S
        with store_of(storage_id, self._local).open(path, size=content.size, limit_s=limit_s) as file:
            while piece := file.read(_PIECE_BYTES):
                digest.update(piece)
                size += len(piece)
                if size > content.size:
                    raise Differs
                yield piece
        if (size, digest.hexdigest()) != content:
            raise Differs


class _Content(NamedTuple):
    """Size in bytes and SHA-256 of a recording, as the log says."""

    size: int
    sha256: str
