"""`MonitorLink`: starts the task monitor when it is needed, and asks it for its pages."""

import contextlib
import fcntl
import http.client
import logging
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from postern.apps.jobs.task_monitor.places import Places
from postern.foundation.provided import Provided
from postern.kernel.clock import monotonic_s

log = logging.getLogger(__name__)

#: How long a person waits for the start, and for an answer. Then they get a page that says so.
START_S: Final = 12.0
ANSWER_S: Final = 8.0
#: For a page that refreshes itself: nobody waits for this answer, and the next request follows in a second.
REFRESH_S: Final = 3.0
_LOOK_S: Final = 0.05
#: How long the end of a killed process may take.
_DYING_S: Final = 2.0
_MAX_BYTES: Final = 16 * 1024 * 1024


class MonitorSilent(Exception):
    """The monitor did not start or did not answer. `is_starting`: it may still come."""

    def __init__(self, *, is_starting: bool) -> None:
        super().__init__("starting" if is_starting else "silent")
        self.is_starting = is_starting


class MonitorOff(Exception):
    """The monitor does not run, and was not to be started."""


@dataclass(frozen=True, slots=True)
class Page:
    """An answer of the monitor."""

    status: int
    content_type: str
    location: str
    body: bytes


class MonitorLink:
    """The way of a web process to the monitor. All methods may be called from any thread."""

    def __init__(self, argv: Sequence[str], environ: Mapping[str, str], places: Places) -> None:
        """`argv` starts the monitor with `environ` and nothing else."""
        self._argv = list(argv)
        self._environ = dict(environ)
        self._places = places
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, method: str, path: str, *, body: bytes, headers: Mapping[str, str], starts: bool) -> Page:
        """One request. Raises MonitorSilent, and MonitorOff unless it `starts` a monitor that does not run."""
        until = monotonic_s() + _DYING_S
        while True:
            try:
                return self._ask(method, path, body, headers, starts=starts)
            except (OSError, http.client.HTTPException) as error:
                log.warning("the task monitor does not answer (%r); it is ended, and starts when it is asked", error)
                self._end_hanging()
                # A monitor that is dying still accepts connections. Requests change nothing, so they are repeated.
                if not starts or not isinstance(error, ConnectionError) or monotonic_s() > until:
                    raise MonitorSilent(is_starting=False) from error
                time.sleep(_LOOK_S)

    def _ask(self, method: str, path: str, body: bytes, headers: Mapping[str, str], *, starts: bool) -> Page:
        connection = self._connected(starts=starts)
        if connection.sock is not None and not starts:
            connection.sock.settimeout(REFRESH_S)
        try:
            connection.request(method, path, body=body or None, headers=dict(headers))
            answer = connection.getresponse()
            content = answer.read(_MAX_BYTES)
        finally:
            connection.close()
        return Page(
            status=answer.status,
            content_type=answer.headers.get("Content-Type", "text/plain"),
            location=answer.headers.get("Location", ""),
            body=content,
        )

    def _connected(self, *, starts: bool) -> "_UnixConnection":
        connection = _UnixConnection(self._places.socket)
        if connection.is_open():
            return connection
        if not starts:
            raise MonitorOff
        process = self._started()
        until = monotonic_s() + START_S
        while monotonic_s() < until:
            if connection.is_open():
                return connection
            if process.poll():  # 0: another web process has started the monitor
                log.warning("the task monitor ended with status %d", process.returncode)
                raise MonitorSilent(is_starting=False)
            time.sleep(_LOOK_S)
        raise MonitorSilent(is_starting=True)

    def _started(self) -> "subprocess.Popen[bytes]":
        with self._lock:
            process = self._process
            if process is None or process.poll() is not None:
                try:
                    # The pipe ends the monitor with this process, however that ends.
                    process = subprocess.Popen(  # noqa: S603 - a fixed argument list
                        self._argv, env=self._environ, stdin=subprocess.PIPE, start_new_session=True
                    )
                except OSError as error:
                    log.warning("the task monitor cannot be started: %s", error)
                    raise MonitorSilent(is_starting=False) from error
                self._process = process
            return process

    def _end_hanging(self) -> None:
        """Kill the monitor, whichever web process has started it. It holds its lock, so its process id is its own."""
        try:
            with self._places.lock.open("r+") as lock:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    os.kill(int(lock.read()), signal.SIGKILL)
        except (OSError, ValueError):
            log.debug("there was no task monitor to end")
        with self._lock:
            if self._process is not None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(1)


class _UnixConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: Path) -> None:
        super().__init__("monitor", timeout=ANSWER_S)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))

    def is_open(self) -> bool:
        """Connect, unless nobody listens."""
        try:
            self.connect()
        except OSError:
            self.close()
            return False
        return True


MONITOR: Final = Provided[MonitorLink]("the way to the task monitor")
