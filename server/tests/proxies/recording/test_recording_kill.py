"""Promise 1: killing the proxy loses nothing that the user saw. The sealer may be killed at any moment as well."""

import os
import random
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from postern.contracts.enums import RecordingState
from postern.contracts.vt import Screen
from postern.proxies.core.recording.sealer import Sealer
from proxies.recording.recording_tools import KEY, header, journal_in, recorded_output, seal_all
from proxies.recording.shown import stream_of

SESSIONS = 3


def run_and_kill(state_dir: Path, seed: int, life_s: float) -> dict[int, int]:
    """Run `shown.py` for a while and kill it. Returns how many output bytes of each session were shown."""
    program = Path(__file__).with_name("shown.py")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [sys.executable, program, state_dir, str(SESSIONS), str(seed)], stdout=subprocess.PIPE, env=environment
    )
    assert process.stdout is not None
    pipe = process.stdout.fileno()
    shown_text = b""
    deadline = None
    while deadline is None or time.monotonic() < deadline:
        wait_s = 120.0 if deadline is None else max(0.0, deadline - time.monotonic())
        if select.select([pipe], [], [], wait_s)[0]:
            shown_text += os.read(pipe, 1 << 16)
            deadline = deadline or time.monotonic() + life_s
        elif deadline is None:
            pytest.fail("the writer does not start")
    process.send_signal(signal.SIGKILL)
    process.wait()
    while chunk := os.read(pipe, 1 << 16):
        shown_text += chunk
    process.stdout.close()
    shown_bytes: dict[int, int] = {}
    for line in shown_text.split(b"\n")[:-1]:
        number, offset = line.split()
        shown_bytes[int(number)] = int(offset)
    return shown_bytes


def lost_bytes(state_dir: Path, seed: int, shown_bytes: dict[int, int]) -> int:
    """Seal the rest, and count the shown bytes that are missing in the recordings."""
    sealed = {recording.session_id: recording for recording in seal_all(state_dir)}
    lost = 0
    for number, count in shown_bytes.items():
        recording = sealed[UUID(int=number + 1)]
        assert recording.state is RecordingState.INCOMPLETE
        output = recorded_output(recording)
        stream = stream_of(seed, number)
        expected = stream * (len(output) // len(stream) + 1)
        assert output == expected[: len(output)]
        lost += max(0, count - len(output))
    assert not list((state_dir / "journal").iterdir())
    assert not list((state_dir / "recordings" / "live").iterdir())
    return lost


@pytest.mark.parametrize("seed", range(10))
def test_promise_1_proxy_killed_at_a_random_moment_loses_no_shown_byte(seed: int, tmp_path: Path) -> None:
    """Three runs in each of ten folders: the leftovers of a run do not disturb the next."""
    source = random.Random(seed)
    for life in range(3):
        state_dir = tmp_path / str(life)
        shown_bytes = run_and_kill(state_dir, seed, source.uniform(0.0, 0.15))
        assert lost_bytes(state_dir, seed, shown_bytes) == 0


def test_two_starts_in_the_same_folder_are_both_recovered(tmp_path: Path) -> None:
    journals = [journal_in(tmp_path) for _ in range(2)]
    for number, journal in enumerate(journals, start=1):
        journal.open_session(UUID(int=number), 80, 24, header(UUID(int=number))).output(b"hello %d" % number)
        journal.close()
        time.sleep(0.002)  # folders are named by the millisecond
    outputs = [recorded_output(sealed) for sealed in seal_all(tmp_path)]
    assert sorted(outputs) == [b"hello 1", b"hello 2"]


class Killed(BaseException):
    """Stands for SIGKILL: no handler in the product may catch it."""


class MortalOs:
    """Kills the main thread at one of its next calls that change a file. A torn write leaves half of the data."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls_left = 0  # 0: never
        for name in ("pwrite", "fsync", "rename", "unlink", "ftruncate", "write"):
            monkeypatch.setattr(os, name, self._mortal(name, getattr(os, name)))

    def _mortal(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            if self.calls_left and threading.current_thread() is threading.main_thread():
                self.calls_left -= 1
                if not self.calls_left:
                    if name == "pwrite":
                        real(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2], arguments[2])
                    raise Killed
            return real(*arguments, **options)

        return call


class SealerLife:
    """Sealers that are killed repeatedly, one after another."""

    def __init__(self, state_dir: Path, mortal: MortalOs, source: random.Random) -> None:
        self._state_dir = state_dir
        self._mortal = mortal
        self._source = source
        self._sealer: Sealer | None = None
        self.deaths = 0

    def work(self) -> None:
        self._mortal.calls_left = self._source.randrange(1, 8)
        try:
            self._sealer = self._sealer or Sealer(self._state_dir, KEY, Screen)
            self._sealer.drain()
            for journal in self._sealer._journals.values():
                for session in journal.sessions.values():
                    if self._source.random() < 0.2:
                        session.cut(6)
                journal.release_segments()
        except Killed:
            self._sealer = None
            self.deaths += 1
        self._mortal.calls_left = 0


@pytest.mark.parametrize("seed", range(5))
def test_promise_5_sealer_killed_anywhere_loses_and_duplicates_nothing(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every call that changes a file may be the last. The next sealer continues from the files alone."""
    source = random.Random(seed)
    life = SealerLife(tmp_path, MortalOs(monkeypatch), source)
    journal = journal_in(tmp_path, segment_bytes=1 << 18)
    recorders = [journal.open_session(UUID(int=number), 80, 24, header(UUID(int=number))) for number in range(1, 4)]
    expected = {recorder.session_id: b"" for recorder in recorders}
    for turn in range(60):
        for place, recorder in enumerate(recorders):
            if turn < 40 + place:
                data = source.randbytes(source.choice((10, 3_000, 30_000)))
                recorder.output(data)
                expected[recorder.session_id] += data
            elif turn == 40 + place:
                recorder.end("user_closed")
        life.work()
    journal.close()
    assert life.deaths > 3
    sealed = seal_all(tmp_path)
    assert {recording.session_id: recorded_output(recording) for recording in sealed} == expected
    assert [recording.state for recording in sealed] == [RecordingState.SEALED] * 3
    assert not list((tmp_path / "journal").iterdir())
    assert not list((tmp_path / "recordings" / "live").iterdir())
