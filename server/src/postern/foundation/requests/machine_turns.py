"""Limits how many operations of one kind run at once on this machine, across all of our processes.

A turn is a lock on a small file in the run folder. The kernel releases the lock when a process dies.

    turns = MachineTurns("hashing", at_once=2)
    with turns.turn():
        ...
"""

import fcntl
import itertools
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from django.conf import settings

from postern.foundation.machine.private_files import private_folder

_POLL_S: Final = 0.02


class NoTurn(Exception):
    """No turn became free in time."""


class MachineTurns:
    """At most `at_once` turns at any time."""

    def __init__(self, name: str, *, at_once: int) -> None:
        self._name = name
        self._at_once = at_once
        #: Threads of this process that poll for a free file. The others wait here without polling.
        self._looking = threading.BoundedSemaphore(at_once)
        self._next_file = itertools.count(os.getpid())

    @contextmanager
    def turn(self, timeout_s: float | None = None) -> Iterator[None]:
        """Wait for a turn and hold it. Raises NoTurn after `timeout_s`; without a timeout it waits indefinitely."""
        deadline_s = None if timeout_s is None else time.monotonic() + timeout_s
        if not self._looking.acquire(timeout=timeout_s):
            raise NoTurn
        try:
            descriptor = self._locked_file(deadline_s)
            try:
                yield
            finally:
                os.close(descriptor)
        finally:
            self._looking.release()

    def _locked_file(self, deadline_s: float | None) -> int:
        """A descriptor that holds the lock; closing it releases the lock."""
        while True:
            for path in self._files():
                descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    os.close(descriptor)
                except BaseException:
                    os.close(descriptor)
                    raise
                else:
                    return descriptor
            if deadline_s is not None and time.monotonic() >= deadline_s:
                raise NoTurn
            time.sleep(_POLL_S)

    def _files(self) -> list[Path]:
        folder: Path = settings.POSTERN.run_dir
        if not folder.is_dir():
            private_folder(folder)
        start = next(self._next_file)
        return [folder / f"{self._name}-{(start + number) % self._at_once}.lock" for number in range(self._at_once)]
