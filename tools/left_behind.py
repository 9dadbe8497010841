"""Runs a command, then reports and kills the processes that it left behind. Linux only.

    python tools/left_behind.py <command> [argument …]

Orphaned processes become children of this process instead of PID 1, so all of them are listed, whatever their name,
process group or session. Exits with the status of the command. With a record of the tests (`test_record`), each line
names the tests that were running when the process was started.
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

import psutil
import test_record

#: Time for processes to end by themselves, for example after their connection has ended.
GRACE_S: Final = 20.0
#: prctl(2): constants from <sys/prctl.h>.
PR_SET_PDEATHSIG: Final = 1
PR_SET_CHILD_SUBREAPER: Final = 36
#: The kernel reports the boot time, and so the start time of a process, with a precision of one second.
START_ERROR_S: Final = 1.0
#: Prefix of each line about a process that was left behind.
MARK: Final = "LEFT BEHIND: "

_libc: Final = ctypes.CDLL(None, use_errno=True)


def main(command: Sequence[str]) -> int:
    if not command:
        print(__doc__, file=sys.stderr)
        return 2
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    # Ctrl-C also reaches the command; this process waits for the command to end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    child = subprocess.Popen(command, preexec_fn=_end_with_parent)  # noqa: PLW1509 - no thread is running yet
    signal.signal(signal.SIGTERM, lambda number, _frame: child.send_signal(number))
    status = _wait(child)
    left = remaining()
    for line in [told(process) for process in left]:
        print(line, flush=True)
    end(left)
    return status


def remaining() -> list[psutil.Process]:
    """Descendants of this process that have not ended by themselves within `GRACE_S`."""
    deadline = time.monotonic() + GRACE_S
    while True:
        _reap()
        left = _descendants()
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.05)


def told(process: psutil.Process) -> str:
    """A line about a process that was left behind."""
    with contextlib.suppress(psutil.Error):
        started = process.create_time()
        clock = datetime.fromtimestamp(started).astimezone().strftime("%H:%M:%S")
        line = f"{MARK}{' '.join(process.cmdline())} (PID {process.pid}, since {clock}, in {process.cwd()})"
        return "".join([line, *(f"\n        while {test} ran" for test in tests_at(started))])
    return f"{MARK}PID {process.pid}, which ended meanwhile"


def tests_at(moment: float) -> list[str]:
    """Ids of the tests that were running at that time; several with parallel workers, none without a record."""
    path = os.environ.get(test_record.VARIABLE)
    tests = test_record.read(Path(path)) if path else []
    return [test.id for test in tests if test.started - START_ERROR_S <= moment <= test.ended + START_ERROR_S]


def end(processes: Sequence[psutil.Process]) -> None:
    """Kill the processes and their new children. Processes in uninterruptible sleep are given up after a while."""
    deadline = time.monotonic() + GRACE_S
    waiting = list(processes)
    while waiting and time.monotonic() < deadline:
        for process in waiting:
            with contextlib.suppress(psutil.Error):
                process.kill()
        time.sleep(0.05)
        _reap()
        waiting = _descendants()


def _wait(child: "subprocess.Popen[bytes]") -> int:
    """Wait for the command and reap orphans that end meanwhile. Returns 128 + number for a signal, as shells do."""
    while True:
        pid, status = os.waitpid(-1, 0)
        if pid == child.pid:
            code = os.waitstatus_to_exitcode(status)
            child.returncode = code
            return code if code >= 0 else 128 - code


def _reap() -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _descendants() -> list[psutil.Process]:
    return [process for process in psutil.Process().children(recursive=True) if _lives(process)]


def _lives(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:  # it has ended since it was listed
        return False


def _end_with_parent() -> None:
    """Let the kernel end the command when this process is killed."""
    _prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def _prctl(option: int, value: int) -> None:
    if _libc.prctl(option, value, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
