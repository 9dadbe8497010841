"""`make test` names the processes that its tests left behind, and kills them."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "tools"))

import left_behind  # noqa: E402 - the tools folder must be on the path first
import test_all  # noqa: E402
import test_record  # noqa: E402
from steps import Outcome, Step  # noqa: E402
from test_record import TestRecord  # noqa: E402

#: Starts a program in a session of its own whose parent ends at once, like a daemon.
DAEMON = "setsid -f sleep {seconds}; exit {status}"


def watched(*command: str, grace_s: float = 0.3, **environ: str) -> "subprocess.CompletedProcess[str]":
    """Run the command under the watching process, which waits `grace_s` for processes that may end by themselves."""
    program = f"import sys, left_behind; left_behind.GRACE_S = {grace_s}; sys.exit(left_behind.main(sys.argv[1:]))"
    return subprocess.run(
        (sys.executable, "-c", program, *command),
        env={**os.environ, "PYTHONPATH": str(ROOT / "tools"), **environ},
        capture_output=True,
        text=True,
        check=False,
    )


def test_process_that_left_its_parent_and_session_is_named_and_killed() -> None:
    done = watched("sh", "-c", DAEMON.format(seconds="4321.5", status=0))
    assert done.returncode == 0
    (line,) = done.stdout.splitlines()
    assert line.startswith(f"{left_behind.MARK}sleep 4321.5 (PID ")
    assert str(Path.cwd()) in line
    pid = int(line.partition("(PID ")[2].partition(",")[0])
    assert not psutil.pid_exists(pid)


def test_tests_that_ran_when_the_process_was_started_are_named(tmp_path: Path) -> None:
    # The clock of process times, which `make test-clock` cannot shift.
    now = psutil.boot_time() + time.clock_gettime(time.CLOCK_BOOTTIME)
    record = tmp_path / "record.jsonl"
    tests = [
        {"id": "test_a.py::test_long_before", "started": now - 900, "ended": now - 800},
        {"id": "test_a.py::test_that_forgets", "started": now - 1, "ended": now + 60},
    ]
    record.write_text("".join(f"{json.dumps(test)}\n" for test in tests))
    done = watched("sh", "-c", DAEMON.format(seconds=4322, status=0), **{test_record.VARIABLE: str(record)})
    assert "while test_a.py::test_that_forgets ran" in done.stdout
    assert "test_long_before" not in done.stdout


@pytest.mark.parametrize("status", [0, 5])
def test_command_that_leaves_nothing_behind_keeps_its_status(status: int) -> None:
    done = watched("sh", "-c", DAEMON.format(seconds=0.2, status=status), grace_s=60)
    assert (done.returncode, done.stdout) == (status, "")


def test_killed_command_has_the_exit_status_of_a_shell() -> None:
    assert watched("sh", "-c", "kill -9 $$").returncode == 128 + signal.SIGKILL


def test_command_ends_when_its_watching_process_ends() -> None:
    argv = (sys.executable, str(ROOT / "tools" / "left_behind.py"), "sh", "-c", "echo $$; exec sleep 4323")
    watching = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
    assert watching.stdout is not None
    command = psutil.Process(int(watching.stdout.readline()))
    watching.kill()
    watching.wait()
    watching.stdout.close()
    _, alive = psutil.wait_procs([command], timeout=60)
    assert alive == []


def test_process_left_behind_is_listed_like_a_flaky_test(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    line = f"{left_behind.MARK}sleep 4324 (PID 7, since 12:00:00, in /tmp)"
    totals = test_all.Totals()
    totals.add(Outcome(Step("", ()), ok=True, seconds=0.0, output=f"1 passed\n{line}"), [TestRecord("test_a.py::test")])
    assert (totals.passed, totals.failed, totals.ok) == (1, 0, True)
    monkeypatch.setattr(test_all, "STAMP", tmp_path / "stamp.json")
    test_all.write_stamp(totals, 1, "")
    assert json.loads((tmp_path / "stamp.json").read_text())["flaky"] == [line]
