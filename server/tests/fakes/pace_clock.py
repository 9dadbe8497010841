"""A simulated clock for `proxies.core.pace`."""

import asyncio

import pytest

from postern.proxies.core import pace


class PaceClock:
    """Advances only when code sleeps."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_s = 1000.0
        monkeypatch.setattr(pace, "monotonic_s", lambda: self.now_s)
        monkeypatch.setattr(asyncio, "sleep", self.sleep)

    async def sleep(self, seconds: float) -> None:
        self.now_s += seconds
