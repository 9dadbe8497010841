"""Concurrent clients: 1, 2, 8, 32 and 64 clients read a page of 15 out of 10,000 assets on SQLite.

    python bench/load.py [--quick]

For each number of clients it prints answers per second, p50 and p95, and the ratio to the baseline: plain DRF
(`peers/plain_drf.py`) under uvicorn with the same number of processes, measured alternately in the same run. The
clients are `ab -k` (Debian: apache2-utils) if installed, otherwise threads of this script, which use more CPU. Then it
prints the memory of all processes (PSS) before and after the load.

Goals on two otherwise idle cores: 320 answers per second for 8 clients; at least 90 % of the best rate for 64 clients,
with a p95 of at most 300 ms; at most 450 MB for all idle processes.
"""

import http.client
import os
import re
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

import psutil
from api import PAGE, POSTERN, Server, filled_home, free_port, started, wait_for

HERE: Final = Path(__file__).resolve().parent
COUNT: Final = 10_000
CLIENTS: Final = (1, 2, 8, 32, 64)
GOAL_OF_8: Final = 320.0
GOAL_P95_MS: Final = 300.0
GOAL_MB: Final = 450.0
SETTLE_S: Final = 10.0


@dataclass(frozen=True)
class Site:
    """A server under load: its address, and the cookies of the signed-in client."""

    port: int
    path: str
    cookies: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Cookie": self.cookies, "Accept-Language": "en"}


@dataclass(frozen=True)
class Figures:
    """Answers per second, times in ms, and the number of failed requests."""

    per_second: float
    p50: float
    p95: float
    failed: int


def measure(site: Site, clients: int, seconds: float) -> Figures:
    return _with_ab(site, clients, seconds) if shutil.which("ab") else _with_threads(site, clients, seconds)


def _with_ab(site: Site, clients: int, seconds: float) -> Figures:
    headers = [part for name, value in site.headers.items() for part in ("-H", f"{name}: {value}")]
    url = f"http://127.0.0.1:{site.port}{site.path}"
    output = subprocess.run(
        ["ab", "-k", "-q", "-l", "-t", f"{seconds:.0f}", "-n", "1000000", "-c", str(clients), *headers, url],
        check=True,
        capture_output=True,
        text=True,
    ).stdout

    def number(pattern: str) -> float:
        match = re.search(pattern, output)
        return float(match.group(1)) if match else 0.0

    failed = number(r"Failed requests:\s+(\d+)") + number(r"Non-2xx responses:\s+(\d+)")
    return Figures(number(r"per second:\s+([\d.]+)"), number(r"50%\s+(\d+)"), number(r"95%\s+(\d+)"), int(failed))


def _with_threads(site: Site, clients: int, seconds: float) -> Figures:
    times_ms: list[float] = []
    failures: list[int] = []
    deadline = time.monotonic() + seconds

    def ask() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=60)
        while (start := time.monotonic()) < deadline:
            try:
                connection.request("GET", site.path, headers=site.headers)
                answer = connection.getresponse()
                answer.read()
                times_ms.append((time.monotonic() - start) * 1e3)
                if answer.status != 200:
                    failures.append(answer.status)
            except (OSError, http.client.HTTPException):
                failures.append(0)
                connection.close()
        connection.close()

    threads = [threading.Thread(target=ask) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ordered = sorted(times_ms) or [0.0]
    return Figures(
        len(times_ms) / seconds, statistics.median(ordered), ordered[int(len(ordered) * 0.95)], len(failures)
    )


def memory_mb(pid: int) -> float:
    """PSS of a process and all of its descendants."""
    family = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    return sum(float(member.memory_full_info().pss) for member in family) / 1e6


@contextmanager
def product(environ: dict[str, str], processes: int) -> Iterator[tuple[Site, int]]:
    """`postern up`, and the process id of its supervisor."""
    port = free_port()
    environ = {
        **environ,
        "POSTERN_HTTP": f"127.0.0.1:{port}",
        "POSTERN_SSH": f"127.0.0.1:{free_port()}",
        "POSTERN_WEB_PROCESSES": str(processes),
    }
    with started([str(POSTERN), "up"], environ) as process:
        wait_for(port, "/api/health/", process)
        server = Server(port, process.pid)
        server.sign_in()
        path = "/api/v1/assets/assets/?" + urlencode({**PAGE, "offset": "0"})
        yield Site(port, path, server.cookies()), process.pid


@contextmanager
def plain(environ: dict[str, str], processes: int) -> Iterator[Site]:
    """The baseline server."""
    port = free_port()
    script = str(HERE / "peers" / "plain_drf.py")
    with started([sys.executable, script, str(port), str(processes)], environ) as process:
        wait_for(port, "/assets/?limit=1", process)
        yield Site(port, "/assets/?" + urlencode({"limit": "15", "offset": "0", "ordering": "hostname"}), "")


def main() -> int:
    seconds = 4.0 if "--quick" in sys.argv else 12.0
    processes = min(len(os.sched_getaffinity(0)), 4)
    clients_are = "ab -k" if shutil.which("ab") else "threads of this script"
    print(f"{COUNT:,} assets on SQLite, {processes} processes, clients: {clients_are}")
    figures: dict[int, Figures] = {}
    with filled_home(COUNT) as environ, product(environ, processes) as (ours, pid):
        time.sleep(SETTLE_S)
        idle_mb = memory_mb(pid)
        with plain(environ, processes) as theirs:
            for site in (ours, theirs):
                measure(site, 4, 2)  # warm up
            for clients in CLIENTS:
                mine, baseline = measure(ours, clients, seconds), measure(theirs, clients, seconds)
                figures[clients] = mine
                print(
                    f"{clients:3} clients   {mine.per_second:6.0f} a second   p50 {mine.p50:5.0f} ms   p95 {mine.p95:5.0f} ms"
                    f"   {mine.failed} failed   {mine.per_second / baseline.per_second:5.2f} × plain DRF"
                    f" ({baseline.per_second:.0f} a second, p95 {baseline.p95:.0f} ms)",
                    flush=True,
                )
        loaded_mb = memory_mb(pid)
    best = max(measured.per_second for measured in figures.values())
    print(
        f"8 clients: {figures[8].per_second / GOAL_OF_8:.2f} of the goal of {GOAL_OF_8:.0f} a second; "
        f"64 clients: {figures[64].per_second / best:.2f} of the best (goal 0.90), "
        f"p95 {figures[64].p95:.0f} ms (goal {GOAL_P95_MS:.0f})"
    )
    print(
        f"memory of all parts (PSS): {idle_mb:.0f} MB at idle (goal {GOAL_MB:.0f}), {loaded_mb:.0f} MB after the load"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
