"""A proxy without free file descriptors: the journal loses no segment, leaks no file, and recovers later."""

import errno
import os
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import UUID

import pytest

from postern.contracts.enums import RecordingState
from postern.proxies.core.recording import Journal, Recorder, RecordingFailed
from postern.proxies.core.recording.journal_files import JournalFolder, replace_file
from proxies.recording.recording_tools import header, journal_in, recorded_output, seal_all

SEGMENT_BYTES = 1 << 19
OPEN_FILES = Path("/proc/self/fd")


def open_files() -> list[str]:
    return sorted(path.name for path in OPEN_FILES.iterdir())


@contextmanager
def no_free_file() -> Iterator[None]:
    """While active, this process can open no file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(map(int, open_files())) + 2, hard))
    taken: list[int] = []
    try:
        with suppress(OSError):
            while True:
                taken.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
        yield
    finally:
        for descriptor in taken:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def open_session(journal: Journal, number: int) -> Recorder:
    return journal.open_session(UUID(int=number), 80, 24, header(UUID(int=number)))


def test_spare_that_cannot_be_opened_stays_a_spare(tmp_path: Path) -> None:
    folder, lock = JournalFolder.create(tmp_path)
    folder.prepare_spare(1 << 12)
    with no_free_file(), pytest.raises(OSError, match="Too many open files"):
        folder.take_spare(1)
    assert folder.has_spare()
    assert folder.segments() == []
    os.close(folder.take_spare(1))
    assert folder.segments() == [1]
    os.close(lock)


def test_spare_that_cannot_be_renamed_leaks_no_descriptor(tmp_path: Path) -> None:
    folder, lock = JournalFolder.create(tmp_path)
    folder.prepare_spare(1 << 12)
    folder.segment_path(1).mkdir()  # nothing can be renamed to a folder
    before = open_files()
    with pytest.raises(IsADirectoryError):
        folder.take_spare(1)
    assert open_files() == before
    assert folder.has_spare()
    os.close(lock)


def test_session_ends_clearly_and_the_next_one_is_recorded(tmp_path: Path) -> None:
    journal = journal_in(tmp_path, segment_bytes=SEGMENT_BYTES)
    recorder, failures = open_session(journal, 1), []
    recorder.on_failure(failures.append)
    recorder.output(b"before")
    (folder,) = JournalFolder.all(tmp_path / "journal")
    while not folder.has_spare():  # created by a thread; pytest's own limit ends this
        time.sleep(0.01)
    recorded = b"before"
    with no_free_file(), pytest.raises(RecordingFailed):  # noqa: PT012 - the write that needs a new segment
        while True:
            recorder.output(b"0123456789" * 1_000)
            recorded += b"0123456789" * 1_000
    assert recorder.failed
    assert len(failures) == 1
    assert folder.segments() == [1]
    assert folder.has_spare()
    (ended,) = seal_all(tmp_path)  # immediately, while the proxy continues
    assert (ended.session_id.int, ended.state) == (1, RecordingState.INCOMPLETE)
    assert recorded_output(ended) == recorded
    later = open_session(journal, 2)
    later.output(b"there are files again")
    later.end("user_closed")
    assert folder.segments()[-1] == 2
    by_number = {recording.session_id.int: recording for recording in seal_all(tmp_path)}
    assert by_number[2].state is RecordingState.SEALED
    assert recorded_output(by_number[2]) == b"there are files again"
    journal.close()


def test_nothing_is_recorded_until_the_failed_segment_is_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The segment already has its end record. Without the mark its sessions would seem to continue in the next
    segment.
    """
    journal = journal_in(tmp_path, segment_bytes=SEGMENT_BYTES)
    recorder = open_session(journal, 1)
    with monkeypatch.context() as patch:

        def refuse(*_arguments: object) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        patch.setattr(JournalFolder, "take_spare", refuse)
        patch.setattr(os, "mknod", refuse)
        with pytest.raises(RecordingFailed):  # noqa: PT012 - the write that needs a new segment
            while True:
                recorder.output(b"0123456789" * 1_000)
        with pytest.raises(RecordingFailed):
            open_session(journal, 2)
    later = open_session(journal, 3)
    later.end("user_closed")
    sealed = {recording.session_id.int: recording.state for recording in seal_all(tmp_path)}
    assert sealed == {1: RecordingState.INCOMPLETE, 3: RecordingState.SEALED}
    journal.close()


def test_journal_that_cannot_start_leaves_no_folder(tmp_path: Path) -> None:
    with no_free_file(), pytest.raises(OSError, match="Too many open files"):
        JournalFolder.create(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_file_that_cannot_be_replaced_leaves_the_old_one_and_no_draft(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(IsADirectoryError):
        replace_file(tmp_path / "taken", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_partially_written_numbers_of_sealed_sessions_are_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, lock = JournalFolder.create(tmp_path)
    real = os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda descriptor, data: real(descriptor, data[:4]))
        with pytest.raises(OSError, match="did not take all numbers"):
            folder.add_done_sessions([1, 22_222])
    assert folder.done_sessions() == {1}
    folder.add_done_sessions([1, 22_222])
    assert folder.done_sessions() >= {1, 22_222}
    os.close(lock)
