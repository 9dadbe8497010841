"""Commits of the journal: data written before a commit is on disk after it, even if the segment rolls over
meanwhile.
"""

import os
import random
import threading
from pathlib import Path
from uuid import UUID

import pytest

from postern.proxies.core.recording import Journal, Recorder
from postern.proxies.core.recording import journal as journal_module
from proxies.recording.recording_tools import header, recorded_output, seal_all

SEGMENT_BYTES = 1 << 19


def quiet_journal(state_dir: Path) -> Journal:
    """Commits only when the test calls it, and at its end."""
    journal = Journal(state_dir / "journal", segment_bytes=SEGMENT_BYTES, reserve_bytes=0, commit_interval_s=3600)
    journal.start()
    return journal


def open_session(journal: Journal) -> Recorder:
    return journal.open_session(UUID(int=1), 80, 24, header(UUID(int=1)))


def test_segment_that_rolls_over_during_a_commit_is_synced_by_that_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The segment rolls over between the commit's first look and its sync of the current segment."""
    journal = quiet_journal(tmp_path)
    recorder = open_session(journal)
    journal._commit()
    recorder.output(b"written before the commit")
    first = os.fstat(journal._fd).st_ino
    synced: list[int] = []
    fdatasync = os.fdatasync

    def noting(descriptor: int) -> None:
        synced.append(os.fstat(descriptor).st_ino)
        fdatasync(descriptor)

    def rolling(_folder: Path) -> None:
        while os.fstat(journal._fd).st_ino == first:
            recorder.output(b"x" * 60_000)

    monkeypatch.setattr(os, "fdatasync", noting)
    monkeypatch.setattr(journal_module, "sync_directory", rolling)
    journal._names_dirty = True
    journal._commit()
    assert first in synced
    monkeypatch.undo()
    assert journal.stats.unsynced_s >= 0
    assert journal._dirty_since_ms, "what was written during the commit waits for the next one"
    journal.close()


def test_commit_that_hangs_while_the_journal_closes_never_uses_another_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A descriptor closed during the commit could already refer to another file when the commit continues."""
    journal = Journal(tmp_path / "journal", segment_bytes=SEGMENT_BYTES, reserve_bytes=0, commit_interval_s=0.01)
    begun, go_on = threading.Event(), threading.Event()
    synced: list[int] = []
    fdatasync = os.fdatasync

    def hanging(descriptor: int) -> None:
        if threading.current_thread().name != "journal-commit":
            fdatasync(descriptor)
            return
        begun.set()
        assert go_on.wait(60)
        synced.append(os.fstat(descriptor).st_ino)

    monkeypatch.setattr(os, "fdatasync", hanging)
    journal.start()
    open_session(journal).output(b"a")
    own = os.fstat(journal._fd).st_ino
    assert begun.wait(60)
    journal.close(limit_s=0.1)
    others = [(tmp_path / f"other{number}").open("w") for number in range(8)]
    go_on.set()
    assert journal._committer is not None
    journal._committer.join(60)
    for other in others:
        other.close()
    assert set(synced) == {own}


def test_random_rollovers_and_commits_lose_no_sync_and_no_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the last commit, every segment was synced after its last write."""
    journal = Journal(tmp_path / "journal", segment_bytes=SEGMENT_BYTES, reserve_bytes=0, commit_interval_s=0.001)
    written: dict[int, int] = {}
    synced: dict[int, int] = {}
    clock = 0
    guard = threading.Lock()
    fdatasync, pwrite = os.fdatasync, os.pwrite

    def tick(marks: dict[int, int], inode: int) -> None:
        nonlocal clock
        with guard:
            clock += 1
            marks[inode] = clock

    def noting_write(descriptor: int, data: bytes, offset: int) -> int:
        taken = pwrite(descriptor, data, offset)
        tick(written, os.fstat(descriptor).st_ino)
        return taken

    def noting_sync(descriptor: int) -> None:
        nonlocal clock
        inode = os.fstat(descriptor).st_ino
        with guard:
            clock += 1
            started = clock
        fdatasync(descriptor)
        synced[inode] = started

    monkeypatch.setattr(os, "pwrite", noting_write)
    monkeypatch.setattr(os, "fdatasync", noting_sync)
    journal.start()
    recorder = open_session(journal)
    dice = random.Random(7)
    expected = b""
    for _ in range(400):
        data = bytes([dice.randrange(32, 127)]) * dice.randrange(1, 30_000)
        recorder.output(data)
        expected += data
    recorder.end("user_closed")
    journal.close()
    monkeypatch.undo()
    assert len(written) > 5
    assert {inode for inode, at in written.items() if synced.get(inode, 0) < at} == set()
    (sealed,) = seal_all(tmp_path)
    assert recorded_output(sealed) == expected
