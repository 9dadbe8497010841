"""Opens recordings for viewers. Those of remote storages are read in bounded numbers, because a bucket may not answer.

A viewer's request has a turn of the web process, so it waits for a bucket only briefly, without a database connection:
for the first bytes, which show that the recording is there. The rest is read while the answer is sent, in threads of its
own. Beyond the bounds a viewer is refused at once, so that a bucket that hangs delays nothing else.
"""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import BinaryIO, Final
from uuid import UUID

from django.utils.translation import gettext as _

from postern.apps.sessions.recordings.errors import ReplayMissing, ReplayUnavailable
from postern.apps.sessions.recordings.models import Recording
from postern.apps.sessions.recordings.storage import current_place, replay_storage, store_of
from postern.foundation.database.connections import release_connections
from postern.integrations.replay_storages.failures import StorageFailed

#: Remote recordings that a process sends at once.
MOST_SENT: Final = 16
#: Requests that wait for the first bytes of a remote recording: a third of the turns.
MOST_OPENING: Final = 2
#: Requests that verify a remote recording.
MOST_VERIFYING: Final = 1
#: For reading a recording that is verified.
VERIFY_S: Final = 120.0

_SENDING: Final = threading.BoundedSemaphore(MOST_SENT)
_OPENING: Final = threading.BoundedSemaphore(MOST_OPENING)
_VERIFYING: Final = threading.BoundedSemaphore(MOST_VERIFYING)
_THREADS: Final = ThreadPoolExecutor(MOST_SENT, thread_name_prefix="remote recording")


class OpenRecording:
    """The open file of a recording. `threads`: in which it is to be read; None when it lies on this machine.

    `close` may be called by any thread, and more than once.
    """

    def __init__(self, file: BinaryIO, threads: ThreadPoolExecutor | None, closers: ExitStack) -> None:
        self.file = file
        self.threads = threads
        self._closers = closers

    def close(self) -> None:
        """Close the file, and let another viewer take its place."""
        self._closers.close()


def open_to_send(recording: Recording, *, first: int = 0) -> OpenRecording:
    """Open the file of a recording that is read from `first` on. Raises ReplayMissing, ReplayUnavailable."""
    with ExitStack() as closers:
        is_remote = recording.storage_id is not None
        if is_remote:
            closers.enter_context(_place(_SENDING))
        with _place(_OPENING) if is_remote else ExitStack():
            file = closers.enter_context(_found(recording, first))
        return OpenRecording(file, _THREADS if is_remote else None, closers.pop_all())


@contextmanager
def open_to_verify(recording: Recording) -> Iterator[BinaryIO]:
    """The file of a recording that is read whole. Raises ReplayMissing, ReplayUnavailable."""
    with ExitStack() as closers:
        if recording.storage_id is not None:
            closers.enter_context(_place(_VERIFYING))
        yield closers.enter_context(_found(recording, 0, VERIFY_S))


@contextmanager
def _place(places: threading.BoundedSemaphore) -> Iterator[None]:
    if not places.acquire(blocking=False):
        raise ReplayUnavailable(
            _("Too many replays are being read from remote storages at the moment. Try again in a few seconds.")
        )
    try:
        yield
    finally:
        places.release()


def _found(recording: Recording, first: int, limit_s: float | None = None) -> BinaryIO:
    """The file at the place where the recording is now."""
    place = (recording.storage_id, recording.path)
    while True:
        try:
            return _opened(place, recording.size, first, limit_s)
        except FileNotFoundError:
            moved_to = current_place(recording)
            if moved_to is None or moved_to == place:
                raise ReplayMissing(_("The replay of this session is missing from the storage.")) from None
            place = moved_to  # it was moved since its row was read
        except StorageFailed as error:
            raise ReplayUnavailable(error.sentence) from None


def _opened(place: tuple[UUID | None, str], size: int, first: int, limit_s: float | None) -> BinaryIO:
    storage_id, path = place
    store = store_of(storage_id, replay_storage())
    if storage_id is None:
        return store.open(path)
    release_connections()  # the bucket may hang
    with ExitStack() as unless_read:
        file = unless_read.enter_context(store.open(path, size=size, limit_s=limit_s))
        file.seek(first)
        file.read(1)  # shows whether the object is there
        file.seek(first)
        unless_read.pop_all()
        return file
