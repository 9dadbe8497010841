"""Time from a cold start of the product to a healthy answer, and the memory of all idle processes.

Goals: healthy within 8 s on two cores after set-up; below 450 MB for all processes (PSS, which counts shared pages
once; RSS is printed, too).
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

import psutil

POSTERN = Path(sys.executable).parent / "postern"
START_GOAL_S = 8.0
MEMORY_GOAL_MB = 450.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def healthy(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return bool(json.load(answer)["status"])
    except (OSError, urllib.error.URLError, ValueError):
        return False


def start_once(home: str, *, settle_s: float) -> tuple[float, list[tuple[str, float, float]]]:
    """Seconds until healthy, and (process, RSS MB, PSS MB) after `settle_s`."""
    http, ssh = free_port(), free_port()
    environ = {
        **os.environ,
        "POSTERN_HOME": home,
        "POSTERN_HTTP": f"127.0.0.1:{http}",
        "POSTERN_SSH": f"127.0.0.1:{ssh}",
        "POSTERN_ADMIN_PASSWORD": "bench-only-Password-1",
        "POSTERN_LOG_LEVEL": "WARNING",
    }
    started = time.monotonic()
    process = subprocess.Popen([str(POSTERN), "up"], env=environ, stdout=subprocess.DEVNULL)
    try:
        while not healthy(f"http://127.0.0.1:{http}/api/health/"):
            if process.poll() is not None or time.monotonic() - started > 90:
                raise SystemExit("Postern did not become healthy")
            time.sleep(0.05)
        seconds = time.monotonic() - started
        time.sleep(settle_s)
        family = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
        memory = []
        for member in family:
            info = member.memory_full_info()
            name = " ".join(member.cmdline()[-2:]).rsplit("/", maxsplit=1)[-1]
            memory.append((name, info.rss / 1e6, info.pss / 1e6))
        return seconds, memory
    finally:
        process.terminate()
        process.wait(60)


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="postern-bench-") as home:
        first, _ = start_once(home, settle_s=0)
        later = [start_once(home, settle_s=0)[0] for _ in range(2)]
        last, memory = start_once(home, settle_s=5)
    warm = sorted([*later, last])[1]
    rss, pss = sum(row[1] for row in memory), sum(row[2] for row in memory)
    print(
        f"start with an empty data folder   {first:6.2f} s   {first / START_GOAL_S:.2f} of the goal of {START_GOAL_S:.0f} s"
    )
    print(f"start with a full one, median     {warm:6.2f} s   {warm / START_GOAL_S:.2f} of the goal")
    print(
        f"memory at idle, PSS               {pss:6.0f} MB  {pss / MEMORY_GOAL_MB:.2f} of the goal of {MEMORY_GOAL_MB:.0f} MB"
    )
    print(f"memory at idle, RSS               {rss:6.0f} MB")
    for name, one_rss, one_pss in memory:
        print(f"    {name:34.34} RSS {one_rss:6.0f} MB  PSS {one_pss:6.0f} MB")


if __name__ == "__main__":
    main()
