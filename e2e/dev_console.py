"""The development server of the console, as `make dev` starts it."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.error import URLError
from urllib.request import urlopen

from product import free_port, wait_until

CONSOLE: Final = Path(__file__).resolve().parent.parent / "console"


@contextmanager
def development_console(server: str, log: Path) -> Iterator[str]:
    """Serve the console in front of this server; yields its address without a path."""
    port = free_port()
    with log.open("wb") as output:
        process = subprocess.Popen(
            [
                "node_modules/.bin/vite",
                "--host",
                "127.0.0.1",
                "--port",
                str(port),
                "--strictPort",
            ],
            cwd=CONSOLE,
            env={**os.environ, "POSTERN_DEV_TARGET": server},
            stdout=output,
            stderr=output,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        wait_until(lambda: _answers(f"{address}/ui/"), timeout_s=180, message=f"the development server, see {log}")
        yield address
    finally:
        process.terminate()
        process.wait(timeout=60)


def _answers(address: str) -> bool:
    try:
        with urlopen(address, timeout=60) as answer:
            return bool(answer.status == 200)
    except (URLError, OSError):
        return False
