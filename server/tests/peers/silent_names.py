"""Simulates name servers that do not answer for some names: a lookup of such a name waits until the end of the test."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock


class SilentNames:
    """Replaces `getaddrinfo`. `asked` counts the lookups of each name."""

    def __init__(self, suffix: str) -> None:
        self.asked: dict[str, int] = {}
        self.answers = threading.Event()
        self._suffix = suffix
        self._real = socket.getaddrinfo

    def getaddrinfo(self, host: Any, *args: Any, flags: int = 0, **more: Any) -> Any:
        if not flags & socket.AI_NUMERICHOST and str(host).endswith(self._suffix):
            self.asked[host] = self.asked.get(host, 0) + 1
            assert self.answers.wait(120)
            host = "127.0.0.1"
        return self._real(host, *args, flags=flags, **more)


@contextmanager
def silent_names(suffix: str = ".silent.example") -> Iterator[SilentNames]:
    """Within the block, lookups of names with this suffix wait until `answers` is set, then return 127.0.0.1."""
    names = SilentNames(suffix)
    with mock.patch("socket.getaddrinfo", names.getaddrinfo):
        try:
            yield names
        finally:
            names.answers.set()
