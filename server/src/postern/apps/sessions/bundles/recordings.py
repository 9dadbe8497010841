"""The recordings of a bundle, read from wherever they lie. What cannot be read is named with the reason."""

import hashlib
from collections import Counter
from collections.abc import Iterator
from typing import Final
from uuid import UUID

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


class Differs(Exception):
    """The bytes are not the recording that was stored."""


class Recordings:
    """Copies recordings into an archive. `missing`: session → why its recording is not there."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._local = replay_storage()
        self._failures: Counter[UUID | None] = Counter()
        self.missing: dict[UUID, str] = {}
        self.count = 0

    def add(self, recording: Recording) -> None:
        """Copy one recording; a failure is noted in `missing`. Raises NotExported when the archive cannot be written."""
        reason = self._tried(recording) if recording.is_playable else "it was not stored when the export began"
        if reason:
            self.missing[recording.pk] = reason
        else:
            self.count += 1

    def _tried(self, recording: Recording) -> str:
        place = recording.storage_id, recording.path
        reason = self._copied(recording, *place)
        now = current_place(recording)
        if reason and now is not None and now != place:  # it was moved meanwhile
            reason = self._copied(recording, *now)
        return reason

    def _copied(self, recording: Recording, storage_id: UUID | None, path: str) -> str:
        """Why the recording is not in the archive; "" when it is."""
        if self._failures[storage_id] >= _MOST_FAILURES:
            return "its storage did not answer several times and was not asked again"
        try:
            self._archive.add(f"recordings/{recording.pk}.postern", self._pieces(recording, storage_id, path))
        except NotExported:
            raise
        except FileNotFoundError:
            return "its file is gone"
        except Differs:
            return "its file is not the one that was stored"
        except OSError as error:
            self._failures[storage_id] += 1
            return f"its storage cannot be read: {error.strerror or error}"
        except PosternError as error:
            self._failures[storage_id] += 1
            return f"its storage cannot be read: {error.message}"
        self._failures[storage_id] = 0
        return ""

    def _pieces(self, recording: Recording, storage_id: UUID | None, path: str) -> Iterator[bytes]:
        digest, size = hashlib.sha256(), 0
        limit_s = _LEAST_S + recording.size / 1_000_000 * _MB_S
        with store_of(storage_id, self._local).open(path, size=recording.size, limit_s=limit_s) as file:
            while piece := file.read(_PIECE_BYTES):
                digest.update(piece)
                size += len(piece)
                if size > recording.size:
                    raise Differs
                yield piece
        if (size, digest.hexdigest()) != (recording.size, recording.sha256):
            raise Differs
