"""The journal with its real sealer process: snapshots for watchers, checkpoints, sealing and restarts."""

import asyncio
import io
import os
import signal
import threading
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from uuid import UUID, uuid4

import psutil
import pytest

from postern.contracts.enums import RecordingState
from postern.contracts.events import RecordingCheckpoint, RecordingSealed
from postern.contracts.recording import Recording, TrustedKeys, parse_public_key, verify, verify_among
from postern.contracts.vt import Screen
from postern.proxies.core.recording import (
    Recorder,
    RecordingConfig,
    RecordingService,
    SnapshotUnavailable,
)
from postern.proxies.core.recording.sealer import Sealer
from postern.proxies.core.recording.signing import prepare_rotation
from proxies.recording.recording_tools import KEY, header
from timing import soon_async


class Running:
    """A service with the events that it reported."""

    def __init__(self, state_dir: Path) -> None:
        self.checkpoints: list[RecordingCheckpoint] = []
        self.sealed: list[tuple[RecordingSealed, Path | None]] = []
        self.key_file = state_dir.parent / "secrets" / "recording_signing_key.pem"
        self.service = RecordingService(
            RecordingConfig(
                state_dir=state_dir,
                key_file=self.key_file,
                reserve_mb=0,
                segment_mb=1,
                commit_interval_s=0.05,
                checkpoint_interval_s=0.2,
            ),
            on_checkpoint=self.checkpoints.append,
            on_sealed=lambda event, path: self.sealed.append((event, path)),
        )

    def open(self, session_id: UUID) -> Recorder:
        return self.service.journal.open_session(session_id, 80, 24, header(session_id))


async def until(condition: Callable[[], object], timeout_s: float = 60.0) -> None:
    async with asyncio.timeout(timeout_s):
        while not condition():  # noqa: ASYNC110 - what is awaited happens in another process
            await asyncio.sleep(0.02)


def own_children() -> list[psutil.Process]:
    return [process for process in psutil.process_iter(["cmdline", "ppid"]) if process.info["ppid"] == os.getpid()]


async def until_replaced(running: Running, dead: int) -> None:
    await until(lambda: running.service.sealer.pid not in {None, dead})


@pytest.fixture
async def running(tmp_path: Path) -> AsyncIterator[Running]:
    running = Running(tmp_path / "proxy")
    await running.service.start()
    yield running
    await running.service.stop(60)


async def test_snapshot_of_a_live_session_shows_the_present_screen(running: Running) -> None:
    session_id = uuid4()
    recorder = running.open(session_id)
    recorder.output(b"\x1b[31mred\x1b[0m \xe4\xb8\xad\xe6\x96\x87\r\n")
    recorder.resize(100, 30)
    recorder.output(b"second line\x1b[3")  # an incomplete escape sequence
    first = await running.service.snapshots.snapshot(session_id, recorder.output_bytes, timeout_s=60)
    assert (first.columns, first.rows, first.offset) == (100, 30, recorder.output_bytes)
    screen = Screen(100, 30)
    screen.feed(first.repaint + b"5mgreen")
    assert [line.rstrip() for line in screen.lines()[:2]] == ["red 中文", "second linegreen"]

    # Live watch starts within a second, however long the session.
    async def taken() -> float:
        for _ in range(100):
            recorder.output(b"more output of the target\r\n" * 40)
        started_s = time.monotonic()
        second = await running.service.snapshots.snapshot(session_id, recorder.output_bytes, timeout_s=60)
        assert second.offset == recorder.output_bytes
        return time.monotonic() - started_s

    await soon_async(taken, 1)
    recorder.end("user_closed")


async def test_snapshot_of_an_unknown_session_says_so(running: Running) -> None:
    with pytest.raises(SnapshotUnavailable):
        await running.service.snapshots.snapshot(uuid4(), 0, timeout_s=0.3)
    with pytest.raises(TimeoutError):
        await running.service.snapshots.snapshot(uuid4(), 0, timeout_s=8)


async def test_ended_session_is_sealed_and_reported_once(running: Running) -> None:
    session_id = uuid4()
    recorder = running.open(session_id)
    recorder.output(b"hello")
    recorder.mark("command", "ls")
    recorder.end("target_closed")
    await until(lambda: running.sealed)
    ((event, path),) = running.sealed
    assert path is not None
    assert (event.session_id, event.state, event.size) == (session_id, RecordingState.SEALED, path.stat().st_size)
    key = parse_public_key(running.key_file.with_suffix(".pub").read_text())
    with path.open("rb") as file:
        verdict = verify(file, key)
    assert verdict.valid
    assert (verdict.sha256, verdict.chain, verdict.output_bytes) == (event.sha256, event.chain, 5)
    assert [sealed.session_id for sealed in running.service.spool.pending()] == [session_id]
    running.service.spool.stored(session_id)
    assert not list(running.service.spool.directory.iterdir())
    running.service.spool.stored(session_id)


async def test_checkpoints_of_a_running_session_are_part_of_its_final_chain(running: Running) -> None:
    session_id = uuid4()
    recorder = running.open(session_id)
    for _ in range(3):
        for _ in range(30):
            recorder.output(b"0123456789abcdef" * 625)
        await asyncio.sleep(0.4)
    await until(lambda: running.checkpoints)
    recorder.end("user_closed")
    await until(lambda: running.sealed)
    path = running.sealed[0][1]
    assert path is not None
    heads = list(Recording.open(io.BytesIO(path.read_bytes())).chain_heads())
    for checkpoint in running.checkpoints:
        assert checkpoint.session_id == session_id
        assert checkpoint.chain == heads[checkpoint.block - 1]
    blocks = [checkpoint.block for checkpoint in running.checkpoints]
    assert blocks == sorted(set(blocks))


async def test_killed_sealer_is_restarted_and_nothing_is_lost(running: Running) -> None:
    session_id = uuid4()
    recorder = running.open(session_id)
    total = 0
    for _ in range(3):
        for _ in range(40):
            recorder.output(os.urandom(10_000))
            total += 10_000
        await running.service.snapshots.snapshot(session_id, total, timeout_s=60)
        pid = running.service.sealer.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        await until_replaced(running, pid)
    recorder.end("user_closed")
    await until(lambda: running.sealed)
    assert running.sealed[0][0].state is RecordingState.SEALED
    path = running.sealed[0][1]
    assert path is not None
    with path.open("rb") as file:
        assert verify(file, parse_public_key(running.key_file.with_suffix(".pub").read_text())).output_bytes == total


async def test_stop_seals_everything_and_leaves_no_process(tmp_path: Path) -> None:
    running = Running(tmp_path / "proxy")
    await running.service.start()
    for _ in range(20):
        recorder = running.open(uuid4())
        recorder.output(b"x" * 1_000)
        recorder.end("drained")
    await until(lambda: running.service.sealer.pid)
    await running.service.stop(120)
    assert len(running.service.spool.pending()) == 20
    assert "recording.sealer" not in " ".join(" ".join(child.info["cmdline"] or ()) for child in own_children())


async def test_recording_left_by_the_last_run_is_reported_again(tmp_path: Path) -> None:
    first = Running(tmp_path / "proxy")
    await first.service.start()
    recorder = first.open(uuid4())
    recorder.output(b"x")
    recorder.end("user_closed")
    await until(lambda: first.sealed)
    await first.service.stop(60)
    second = Running(tmp_path / "proxy")
    await second.service.start()
    assert [event for event, _ in second.sealed] == [event for event, _ in first.sealed]
    await second.service.stop(60)


async def test_rotated_key_seals_what_ends_next_without_a_restart(running: Running) -> None:
    sessions = [uuid4(), uuid4()]
    for number, session_id in enumerate(sessions):
        recorder = running.open(session_id)
        recorder.output(b"hello")
        recorder.end("target_closed")
        await until(lambda wanted=number + 1: len(running.sealed) == wanted)
        if number == 0:
            prepare_rotation(running.key_file).install()
    first, second = (event.key_id for event, _path in running.sealed)
    assert first != second
    trusted = TrustedKeys(running.key_file.parent)
    assert set(trusted.ids()) == {first, second}
    for event, path in running.sealed:
        assert path is not None
        with path.open("rb") as file:
            assert verify_among(file, trusted.find).key_id == event.key_id


async def test_sealing_key_is_private_and_its_public_half_is_beside_it(running: Running) -> None:
    await until(running.key_file.with_suffix(".pub").exists)
    assert running.key_file.stat().st_mode & 0o777 == 0o600
    assert len(parse_public_key(running.key_file.with_suffix(".pub").read_text())) == 32


async def test_stopping_keeps_its_time_limit_on_a_disk_that_does_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The supervisor kills a proxy that takes longer. The control plane would then miss the last events."""
    answers = threading.Event()
    sync = os.fdatasync

    def stuck(descriptor: int) -> None:
        if threading.current_thread().name == "journal-commit":
            answers.wait(120)
        sync(descriptor)

    running = Running(tmp_path / "proxy")
    await running.service.start()
    await until(lambda: running.service.sealer.pid)
    sealer = running.service.sealer.pid
    assert sealer is not None
    os.kill(sealer, signal.SIGSTOP)
    monkeypatch.setattr(os, "fdatasync", stuck)
    running.open(UUID(int=1)).output(b"shown")
    try:
        async with asyncio.timeout(12):  # one step alone took 15 s
            await running.service.stop(4)
        assert not psutil.pid_exists(sealer)
    finally:
        answers.set()


async def test_recording_whose_sealer_died_before_reporting_is_reported_before_upload(
    tmp_path: Path,
) -> None:
    running = Running(tmp_path / "proxy")
    running.service.journal.start()  # and no sealer process
    session_id = uuid4()
    recorder = running.open(session_id)
    recorder.output(b"hello\r\n")
    recorder.end("user_closed")
    sealer = Sealer(tmp_path / "proxy", KEY, Screen)  # without a channel, so its reports reach nobody
    sealer.drain()
    assert running.sealed == []

    assert [waiting.session_id for waiting in running.service.pending()] == [session_id]
    [(event, path)] = running.sealed
    assert (event.session_id, event.state) == (session_id, RecordingState.SEALED)
    assert path is not None

    running.service.pending()
    assert len(running.sealed) == 1, "told once"
    running.service.stored(session_id)
    assert running.service.pending() == []
    await asyncio.to_thread(running.service.journal.close)
