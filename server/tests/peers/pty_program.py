"""A real program in a pseudo-terminal: a test sends what a person would type and reads the output."""

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

_READ_BYTES = 65536
#: A wait that lasted so many seconds too long was delayed by the machine, and shows nothing about the program.
_HELD_UP_S = 0.05


class PtyProgram:
    """Starts `argv` in a new pseudo-terminal. `on_output` gets each chunk as it is read."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        columns: int = 80,
        rows: int = 24,
        env: Mapping[str, str] | None = None,
        folder: Path | None = None,
        on_output: Callable[[bytes], None] | None = None,
    ) -> None:
        self.output = b""
        self._on_output = on_output
        environment = {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "HOME": str(folder or "/nonexistent"),
            **(env or {}),
        }
        self.pid, self._file = pty.fork()
        if self.pid == 0:  # the child: nothing but the program may run here
            try:
                if folder is not None:
                    os.chdir(folder)
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
                os.execvpe(argv[0], list(argv), environment)  # noqa: S606 - the peer itself
            finally:
                os._exit(127)
        self.resize(columns, rows)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._file)
        for signal_number in (signal.SIGHUP, signal.SIGKILL):
            try:
                os.kill(self.pid, signal_number)
            except ProcessLookupError:
                break
            deadline = time.monotonic() + 1
            while time.monotonic() < deadline:
                if os.waitpid(self.pid, os.WNOHANG)[0]:
                    return
                time.sleep(0.01)
        os.waitpid(self.pid, 0)

    def resize(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._file, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def send(self, data: bytes) -> None:
        position = 0
        while position < len(data):
            position += os.write(self._file, data[position : position + 1024])
            self.read(0)

    def read(self, wait_s: float) -> bytes:
        """The output that arrives within `wait_s`, or b"" when there is none or the program has ended."""
        if not select.select([self._file], [], [], wait_s)[0]:
            return b""
        try:
            data = os.read(self._file, _READ_BYTES)
        except OSError:
            return b""
        self.output += data
        if self._on_output is not None:
            self._on_output(data)
        return data

    def settle(self, quiet_s: float = 0.15, limit_s: float = 60.0) -> bytes:
        """Read until no output came for `quiet_s` and no process of the terminal is busy. A slow machine alone is not
        quiet.
        """
        start = len(self.output)
        deadline = time.monotonic() + limit_s
        while time.monotonic() < deadline:
            begun = time.monotonic()
            if self.read(quiet_s):
                continue
            held_up = time.monotonic() - begun > quiet_s + _HELD_UP_S
            if not held_up and not self._at_work():
                break
        return self.output[start:]

    def _at_work(self) -> bool:
        """Whether a process of the terminal runs, or waits for a processor or a disk."""
        family = [self.pid]
        for pid in family:
            try:
                # "pid (name) state ..."; the name may contain any character.
                if Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0] in "RD":
                    return True
                family += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
            except (OSError, IndexError):  # the process has just ended
                continue
        return False

    def expect(self, text: bytes, limit_s: float = 60.0, *, start: int = 0) -> None:
        """Read until `text` appears after byte `start` of all output."""
        deadline = time.monotonic() + limit_s
        while text not in self.output[start:]:
            left = deadline - time.monotonic()
            if left <= 0 or (not self.read(min(left, 1.0)) and self.ended()):
                raise AssertionError(f"{text!r} did not come; last output: {self.output[-500:]!r}")

    def ended(self) -> bool:
        try:
            return os.waitpid(self.pid, os.WNOHANG)[0] != 0
        except ChildProcessError:
            return True
