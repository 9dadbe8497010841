"""Name servers that are silent for some names: whoever looks one of those up waits until the end of the test."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock


class SilentNames:
    """`asked`: how often each name was looked up."""

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
    """Nobody answers for names with that end within the block, before `answers` is set; then they mean this machine."""
    names = SilentNames(suffix)
    with mock.patch("socket.getaddrinfo", names.getaddrinfo):
        try:
            yield names
        finally:
            names.answers.set()
