"""Turns that limit all processes of a machine, tested with real processes."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from postern.foundation.requests.machine_turns import MachineTurns, NoTurn

HOLD = """
import sys, time
from types import SimpleNamespace
from pathlib import Path
from django.conf import settings
settings.configure(POSTERN=SimpleNamespace(run_dir=Path(sys.argv[1])))
from postern.foundation.requests.machine_turns import MachineTurns
with MachineTurns("trial", at_once=2).turn():
    print("held", flush=True)
    time.sleep(3600)
"""


@pytest.fixture
def run_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    class Settings:
        run_dir = tmp_path / "run"

    monkeypatch.setattr(settings, "POSTERN", Settings)
    return Settings.run_dir


def holder(run_dir: Path) -> "subprocess.Popen[bytes]":
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(run_dir)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    return process


def end(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.communicate()


def test_turns_are_shared_by_processes_and_released_when_one_is_killed(run_dir: Path) -> None:
    turns = MachineTurns("trial", at_once=2)
    first, second = holder(run_dir), holder(run_dir)
    try:
        with pytest.raises(NoTurn), turns.turn(timeout_s=0.1):
            pass
        os.kill(first.pid, signal.SIGKILL)
        with turns.turn(timeout_s=30):
            pass
    finally:
        end(first)
        end(second)


def test_threads_of_a_process_share_the_turns(run_dir: Path) -> None:
    turns = MachineTurns("trial", at_once=2)
    running: list[int] = []
    most: list[int] = []

    def work(number: int) -> None:
        with turns.turn():
            running.append(number)
            most.append(len(running))
            time.sleep(0.01)
            running.remove(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(most) == 10
    assert max(most) <= 2


def test_turn_is_released_after_an_exception(run_dir: Path) -> None:
    turns = MachineTurns("trial", at_once=1)

    def failing() -> Any:
        with turns.turn():
            raise ValueError("broken")

    for _ in range(3):
        with pytest.raises(ValueError, match="broken"):
            failing()


def test_files_of_turns_are_private(run_dir: Path) -> None:
    with MachineTurns("trial", at_once=1).turn():
        assert [path.stat().st_mode & 0o077 for path in (run_dir, *run_dir.iterdir())] == [0, 0]
