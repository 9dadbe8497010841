"""Promises 3 and 4: no recording, no session; and a full or failing disk never destroys a recording."""

import asyncio
import contextlib
import errno
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from peers.small_volume import small_volume
from postern.contracts.enums import RecordingState
from postern.contracts.recording.streams import ERROR
from postern.contracts.vt import Screen
from postern.proxies.core.recording import Journal, Recorder, RecordingFailed
from postern.proxies.core.recording.sealer import Sealer
from proxies.recording.recording_tools import KEY, header, journal_in, recorded_output, seal_all
from timing import soon


def open_session(journal: Journal, number: int) -> Recorder:
    return journal.open_session(UUID(int=number), 80, 24, header(UUID(int=number)))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    with small_volume(tmp_path / "disk", megabytes=3) as place:
        yield place


def test_promise_3_full_disk_fails_the_write_before_anything_is_shown(small_disk: Path) -> None:
    journal = journal_in(small_disk, segment_bytes=1 << 19)
    recorder = open_session(journal, 1)
    recorded = b""
    started_s = time.monotonic()
    try:
        for turn in range(1_000):
            data = b"%08d" % turn * 1_000
            recorder.output(data)
            recorded += data
    except RecordingFailed:
        assert recorded
    assert time.monotonic() - started_s < 20  # it does not wait for space
    assert recorder.failed
    with pytest.raises(RecordingFailed):
        recorder.output(b"more")
    assert journal.disk.level in {"warn", "refuse"}
    journal.close()
    # After space is available again: everything accepted is there, and nothing else.
    subprocess.run(["mount", "-o", "remount,size=30m", small_disk], check=True)
    (sealed,) = seal_all(small_disk)
    assert sealed.state is RecordingState.INCOMPLETE
    assert recorded_output(sealed) == recorded


def test_journal_continues_after_a_full_disk_and_failed_sessions_are_sealed(small_disk: Path) -> None:
    journal = journal_in(small_disk, segment_bytes=1 << 19)
    failed = open_session(journal, 1)
    recorded = b""
    while not failed.failed:
        with contextlib.suppress(RecordingFailed):
            failed.output(b"0123456789" * 1_000)
            recorded += b"0123456789" * 1_000
    subprocess.run(["mount", "-o", "remount,size=30m", small_disk], check=True)
    later = open_session(journal, 2)
    later.output(b"there is room again")
    later.end("user_closed")
    # The proxy keeps running, so nothing waits for its exit.
    sealed = {recording.session_id.int: recording for recording in seal_all(small_disk)}
    assert {number: recording.state for number, recording in sealed.items()} == {1: "incomplete", 2: "sealed"}
    assert recorded_output(sealed[1]) == recorded
    assert recorded_output(sealed[2]) == b"there is room again"
    journal.close()


def test_promise_4_disk_full_while_sealing_keeps_the_source_until_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = journal_in(tmp_path, segment_bytes=1 << 18)
    recorder = open_session(journal, 1)
    data = os.urandom(1_500_000)
    for start in range(0, len(data), 10_000):
        recorder.output(data[start : start + 10_000])
    recorder.end("user_closed")
    segments = len(list((tmp_path / "journal").glob("*/*.seg")))
    sealer = Sealer(tmp_path, KEY, Screen)
    room = 400_000
    real = os.pwrite

    def full_disk(descriptor: int, data: bytes, offset: int) -> int:
        if offset + len(data) > room:
            part = bytes(data)[: max(0, room - offset)]
            if part:
                return real(descriptor, part, offset)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(descriptor, data, offset)

    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", full_disk)
        for _ in range(20):
            sealer._blocked_until_s = 0.0
            sealer.drain()
            assert not sealer.place.spool.pending()
    left = len(list((tmp_path / "journal").glob("*/*.seg")))
    assert 0 < left <= segments
    sealer._blocked_until_s = 0.0
    sealer.drain()
    journal.close()
    (sealed,) = seal_all(tmp_path)
    assert sealed.state is RecordingState.SEALED
    assert recorded_output(sealed) == data


def test_promise_3_failed_commit_ends_every_recording_and_is_not_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = 0

    def failing(descriptor: int) -> None:
        nonlocal calls
        if threading.current_thread().name == "journal-commit":
            calls += 1
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    async def scenario(folder: Path) -> float:
        journal = journal_in(folder, commit_interval_s=0.1)
        recorders = [open_session(journal, number) for number in (1, 2)]
        failures: list[RecordingFailed] = []
        ended = asyncio.Event()
        for recorder in recorders:
            recorder.on_failure(failures.append)
            recorder.on_failure(lambda _: ended.set())
        await asyncio.sleep(0.3)
        monkeypatch.setattr(os, "fdatasync", failing)
        recorders[0].output(b"written, but not on disk")
        started_s = time.monotonic()
        await ended.wait()
        waited_s = time.monotonic() - started_s
        await asyncio.sleep(0.5)
        assert len(failures) == 2
        assert calls == 1
        for recorder in recorders:
            assert recorder.failed
            with pytest.raises(RecordingFailed):
                recorder.output(b"x")
        monkeypatch.undo()
        # The journal itself continues with a new segment.
        third = open_session(journal, 3)
        third.output(b"after the fault")
        third.end("user_closed")
        journal.close()
        return waited_s

    def failed() -> float:
        nonlocal calls
        calls = 0
        folder = tmp_path / uuid4().hex
        took_s = asyncio.run(scenario(folder))
        sealed = {recording.session_id.int: recording for recording in seal_all(folder)}
        assert [sealed[number].state for number in (1, 2, 3)] == [
            RecordingState.INCOMPLETE,
            RecordingState.INCOMPLETE,
            RecordingState.SEALED,
        ]
        assert recorded_output(sealed[1]) == b"written, but not on disk"
        assert recorded_output(sealed[3]) == b"after the fault"
        return took_s

    soon(failed, 2)


def test_recordings_of_an_abandoned_segment_are_sealed_while_the_proxy_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = journal_in(tmp_path)
    recorder = open_session(journal, 1)
    recorder.output(b"before the fault")
    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", lambda *_: (_ for _ in ()).throw(OSError(errno.EIO, "injected")))
        with pytest.raises(RecordingFailed):
            recorder.output(b"lost")
    (sealed,) = seal_all(tmp_path)
    assert sealed.state is RecordingState.INCOMPLETE
    assert recorded_output(sealed) == b"before the fault"
    journal.close()
    assert len(seal_all(tmp_path)) == 1


def test_promise_4_new_sessions_are_refused_at_the_reserve_and_old_ones_go_on(tmp_path: Path) -> None:
    journal = journal_in(tmp_path)
    recorder = open_session(journal, 1)
    free = journal.disk.free_bytes
    journal._room.reserve_bytes = free * 2
    assert journal.disk.level == "refuse"
    with pytest.raises(RecordingFailed) as refused:
        open_session(journal, 2)
    assert refused.value.reserve
    recorder.output(b"still recorded")
    recorder.end("user_closed")
    journal.close()
    (sealed,) = seal_all(tmp_path)
    assert recorded_output(sealed) == b"still recorded"


@pytest.fixture
def scarce_disk(tmp_path: Path) -> Iterator[Path]:
    with small_volume(tmp_path / "scarce", megabytes=24) as place:
        yield place


def scarce_journal(place: Path) -> Journal:
    journal = Journal(place / "journal", segment_bytes=1 << 20, reserve_bytes=12 << 20, commit_interval_s=0.05)
    journal.start()
    return journal


@pytest.mark.parametrize("kind", ["output of a terminal", "keys", "events of a program"])
def test_session_that_writes_most_leaves_the_reserve_to_the_others(scarce_disk: Path, kind: str) -> None:
    journal = scarce_journal(scarce_disk)
    quiet = [open_session(journal, number) for number in range(1, 20)]
    flood = open_session(journal, 99)
    write = {
        "output of a terminal": flood.output,
        "keys": flood.input,
        "events of a program": partial(flood.event, ERROR),
    }[kind]
    taken = 0
    while taken < 14 << 20 and not flood.failed:
        write(b"x" * 32_768)
        taken += 32_768
        quiet[taken // 32_768 % 19].output(b"some line of text\r\n")
    with pytest.raises(RecordingFailed) as refused:
        write(b"more")
    assert refused.value.reserve
    flood.end("cannot_record")  # complete up to here

    for recorder in quiet:
        recorder.output(b"still recorded")
    assert not any(recorder.failed for recorder in quiet)
    assert journal.disk.free_bytes > 8 << 20
    journal.close()
    states = {sealed.session_id: sealed.state for sealed in seal_all(scarce_disk)}
    assert states[flood.session_id] is RecordingState.SEALED


def test_many_sessions_together_cannot_exceed_the_reserve(scarce_disk: Path) -> None:
    """Each of them stays below any limit per session."""
    journal = scarce_journal(scarce_disk)
    quiet = open_session(journal, 1)
    floods = [open_session(journal, number) for number in range(2, 400)]
    for _ in range(100):
        for recorder in floods:
            if not recorder.failed:
                recorder.output(b"x" * 4096)
        quiet.output(b"some line of text\r\n")

    assert all(recorder.failed for recorder in floods)
    assert not quiet.failed
    assert journal.disk.free_bytes > 1 << 20
    journal.close()


_LIMITED = """
import resource, signal, sys
from pathlib import Path
sys.path[:0] = {path!r}
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (700_000, 700_000))
from proxies.recording.recording_tools import header, journal_in
from postern.proxies.core.recording import RecordingFailed
from uuid import UUID
try:
    journal = journal_in(Path(sys.argv[1]), segment_bytes=1 << 20)
    recorder = journal.open_session(UUID(int=1), 80, 24, header(UUID(int=1)))
    for _ in range(1000):
        recorder.output(bytes(1000))
except RecordingFailed:
    print("failed as it should")
"""


def test_promise_3_segment_that_cannot_be_created_refuses_the_session(tmp_path: Path) -> None:
    """RLIMIT_FSIZE: the volume accepts part of the segment and then nothing more."""
    assert signal.SIGXFSZ
    assert resource.RLIMIT_FSIZE
    ran = subprocess.run(
        [sys.executable, "-c", _LIMITED.format(path=sys.path), tmp_path], capture_output=True, text=True, check=False
    )
    assert ran.stdout == "failed as it should\n", ran.stderr
    assert not list((tmp_path / "journal").glob("*/spare*"))


def test_journal_in_a_read_only_folder_reports_that(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("not a folder")
    with pytest.raises(OSError, match=r".*"):
        Journal(place / "journal").start()


def test_ended_or_failed_recorder_rejects_all_data(tmp_path: Path) -> None:
    """A recorder that has ended or failed accepts nothing more, and raises each time."""
    journal = journal_in(tmp_path)
    recorder = open_session(journal, 1)
    recorder.output(b"a")
    recorder.end("user_closed")
    recorder.end("user_closed")
    with pytest.raises(RecordingFailed):
        recorder.output(b"b")
    journal.close()
    (sealed,) = seal_all(tmp_path)
    assert recorded_output(sealed) == b"a"


def test_stalled_disk_counts_as_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = journal_in(tmp_path)
    recorder = open_session(journal, 1)
    recorder.output(b"before")
    release, stalled = threading.Event(), threading.Event()

    def stall(_: int) -> None:
        stalled.set()
        release.wait(120)

    monkeypatch.setattr(os, "fdatasync", stall)
    monkeypatch.setattr("postern.proxies.core.recording.journal._STALLED_COMMIT_MS", 300)
    try:
        recorder.output(b"a")
        assert stalled.wait(60)
        since_s = time.monotonic()
        while not recorder.failed:
            assert time.monotonic() - since_s < 60
            with contextlib.suppress(RecordingFailed):
                recorder.output(b"b")
            time.sleep(0.02)
        with pytest.raises(RecordingFailed):
            recorder.output(b"c")
    finally:
        release.set()
        journal.close()


def test_promise_2_no_byte_waits_longer_than_a_second_for_the_disk(tmp_path: Path) -> None:
    """With production intervals, under a steady load of a hundred sessions."""

    def oldest() -> float:
        journal = journal_in(tmp_path / uuid4().hex, segment_bytes=16 << 20, commit_interval_s=0.4)
        recorders = [open_session(journal, number) for number in range(1, 101)]
        oldest_s = 0.0
        end_s = time.monotonic() + 3
        while time.monotonic() < end_s:
            for recorder in recorders:
                recorder.output(b"x" * 500)
            oldest_s = max(oldest_s, journal.stats.unsynced_s)
            time.sleep(0.02)
        journal.close()
        assert oldest_s > 0
        return oldest_s

    soon(oldest, 1)


_CONFINED = """
import encodings.idna, socket, sys
sys.path[:0] = {path!r}
from postern.proxies.core.confinement import confine
done = confine(1 << 30, is_in_background=True)
try:
    socket.socket(socket.AF_INET).connect(("127.0.0.1", {port}))
    network = "reached"
except OSError:
    network = "none"
try:
    len(bytearray(2 << 30))
    memory = "unlimited"
except MemoryError:
    memory = "limited"
print(network if "network" in done else "not confined", memory)
"""


def test_confined_sealer_has_no_network_and_limited_memory(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        program = _CONFINED.format(path=sys.path, port=server.getsockname()[1])
        ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    # Where unprivileged namespaces are disabled the network stays available. The memory limit always applies.
    assert ran.stdout.strip() in {"none limited", "not confined limited"}, ran.stderr
