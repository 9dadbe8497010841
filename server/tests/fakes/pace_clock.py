"""The clock of `proxies.core.pace`, which goes on when somebody sleeps."""

import asyncio

import pytest

from postern.proxies.core import pace


class PaceClock:
    """Stands still otherwise."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_s = 1000.0
        monkeypatch.setattr(pace, "monotonic_s", lambda: self.now_s)
        monkeypatch.setattr(asyncio, "sleep", self.sleep)

    async def sleep(self, seconds: float) -> None:
        self.now_s += seconds
