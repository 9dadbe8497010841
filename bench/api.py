"""The API with 100,000 assets in one organization on SQLite: response time and CPU of the web process per kind of call.

    python bench/api.py [--quick]

For each kind of call it prints p50 and p95 of the response time and of the CPU time of the web process, the goal if
there is one, and the ratio to the baseline. The baseline is an ordinary DRF `ModelViewSet` over the same rows in the
same run (`peers/plain_drf.py`); it checks no rights, has no sign-in and writes no audit log. Ratios below 1 are better.
Requests are sent one after the other, alternating between the two servers in blocks.
"""

import argparse
import copy
import http.client
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import psutil

HERE: Final = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "peers"))

from many_assets import PASSWORD  # noqa: E402 - sys.path is extended above

POSTERN: Final = Path(sys.executable).parent / "postern"
ASSETS: Final = "/api/v1/assets/assets/"
PAGE: Final = {"limit": "15", "draw": "1", "display": "1", "order": "hostname"}
#: Consecutive calls to one server before the other server is called.
BLOCK: Final = 25
START_TIMEOUT_S: Final = 120.0


@dataclass
class Case:
    """A kind of call. `goal_ms` is CPU time of the web process; `plain` is the equivalent call to the baseline."""

    name: str
    call: Callable[[], None]
    plain: Callable[[], None] | None = None
    goal_ms: float | None = None
    rounds: int = 150
    wall_ms: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)
    plain_cpu_ms: list[float] = field(default_factory=list)


class Server:
    """A running HTTP server and the process whose CPU time is measured."""

    def __init__(self, port: int, pid: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._clock = (~pid << 3) | 2  # Linux: the CPU clock of another process, see clock_getcpuclockid(3)
        self._cookies: dict[str, str] = {}

    def cpu_ms(self) -> float:
        """CPU time of the process so far in nanoseconds, from its own clock."""
        return time.clock_gettime(self._clock) * 1e3

    def request(
        self,
        method: str,
        path: str,
        query: dict[str, str] | None = None,
        body: Any = None,
        content_type: str = "application/json",
    ) -> Any:
        """The decoded answer. Any status other than success ends the benchmark. `body` is sent as JSON, bytes as they
        are.
        """
        headers = {"Cookie": self.cookies()}
        headers |= {"Accept-Language": "en", "X-TZ": "Asia/Shanghai"}
        if "csrftoken" in self._cookies:
            headers["X-CSRFToken"] = self._cookies["csrftoken"]
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        if data is not None:
            headers["Content-Type"] = content_type
        target = f"{path}?{urlencode(query)}" if query else path
        try:
            answer = self._sent(method, target, data, headers)
        except ConnectionError:  # the server closes connections that are idle for some seconds
            answer = self._sent(method, target, data, headers)
        raw = answer.read()
        if answer.status >= 300:
            raise SystemExit(f"{method} {path}: {answer.status} {raw[:300]!r}")
        for name, value in answer.getheaders():
            if name.lower() == "set-cookie":
                cookie, _separator, text = value.partition(";")[0].partition("=")
                self._cookies[cookie] = text
        return json.loads(raw) if raw else None

    def sign_in(self) -> None:
        """Sign in as the administrator that `many_assets` created."""
        path = "/api/v1/authentication/sign-in/"
        self.request("GET", path)
        self.request("POST", path, body={"username": "bench", "password": PASSWORD})

    def second(self) -> "Server":
        """The same signed-in person on a connection of its own, for another thread."""
        twin, own = copy.copy(self), self._connection
        twin._connection = http.client.HTTPConnection(own.host, own.port, timeout=60)  # noqa: SLF001 - a copy of ourselves
        return twin

    def cookies(self) -> str:
        """The header that identifies the signed-in person."""
        return "; ".join(f"{name}={value}" for name, value in self._cookies.items())

    def _sent(self, method: str, target: str, data: bytes | None, headers: dict[str, str]) -> http.client.HTTPResponse:
        try:
            self._connection.request(method, target, body=data, headers=headers)
            return self._connection.getresponse()
        except ConnectionError:
            self._connection.close()
            raise


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for(port: int, path: str, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", path)
            if connection.getresponse().status == 200:
                return
        except OSError:
            pass
        finally:
            connection.close()
        if process.poll() is not None or time.monotonic() > deadline:
            raise SystemExit(f"the server of {path} did not start")
        time.sleep(0.1)


@contextmanager
def started(command: list[str], environ: dict[str, str]) -> Iterator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


@contextmanager
def filled_home(count: int) -> Iterator[dict[str, str]]:
    """The environment of an installation with `count` assets, in a temporary data folder."""
    with tempfile.TemporaryDirectory(prefix="postern-bench-") as home:
        environ = {
            **os.environ,
            "POSTERN_HOME": home,
            "POSTERN_ADMIN_PASSWORD": "bench-only-Password-1",
            "POSTERN_LOG_LEVEL": "WARNING",
        }
        subprocess.run([str(POSTERN), "migrate", "--json"], env=environ, check=True, stdout=subprocess.DEVNULL)
        subprocess.run([sys.executable, str(HERE / "peers" / "many_assets.py"), str(count)], env=environ, check=True)
        yield environ


@contextmanager
def product(environ: dict[str, str]) -> Iterator[Server]:
    """`postern up`, and the process id of its web service."""
    http_port = free_port()
    environ = {
        **environ,
        "POSTERN_HTTP": f"127.0.0.1:{http_port}",
        "POSTERN_SSH": f"127.0.0.1:{free_port()}",
        "POSTERN_WEB_PROCESSES": "1",  # requests are sent one after the other; `load.py` measures several processes
    }
    with started([str(POSTERN), "up"], environ) as process:
        wait_for(http_port, "/api/health/", process)
        web = next(child for child in psutil.Process(process.pid).children() if child.cmdline()[-1:] == ["web"])
        server = Server(http_port, web.children()[0].pid)
        server.sign_in()
        yield server


@contextmanager
def plain(environ: dict[str, str]) -> Iterator[Server]:
    """The baseline server."""
    port = free_port()
    with started([sys.executable, str(HERE / "peers" / "plain_drf.py"), str(port)], environ) as process:
        wait_for(port, "/assets/?limit=1", process)
        yield Server(port, process.pid)


def cases(ours: Server, theirs: Server, count: int) -> list[Case]:
    """The measured calls, over `count` assets."""
    far = count * 9 // 10
    chosen = ours.request("GET", ASSETS, {"limit": "100", "offset": "5000", "fields_size": "mini"})["results"]
    ids = [row["id"] for row in chosen]
    serial = iter(range(10**9))

    def reads(path: str, **query: str) -> tuple[Callable[[], None], Callable[[], None]]:
        plain_query = {**query, "ordering": query.get("order", "hostname")}
        return (
            lambda: ours.request("GET", ASSETS + path, query),
            lambda: theirs.request("GET", "/assets/" + path, plain_query),
        )

    def create() -> None:
        values = {
            "hostname": f"new-{next(serial)}",
            "ip": "203.0.113.9",
            "platform": "Linux",
            "protocols": ["ssh/22"],
        }
        ours.request("POST", ASSETS, body=values)

    def bulk() -> None:
        ours.request(
            "PATCH",
            ASSETS,
            body=[{"id": key, "comment": f"round {next(serial)}"} for key in ids],
        )

    created_ids: list[str] = []

    def bulk_create() -> None:
        values = {"ip": "203.0.113.9", "platform": "Linux", "protocols": ["ssh/22"]}
        rows = ours.request("POST", ASSETS, body=[{**values, "hostname": f"set-{next(serial)}"} for _ in range(100)])
        created_ids.extend(row["id"] for row in rows)

    def bulk_delete() -> None:
        """Delete the assets that `bulk_create` made; it runs as many rounds."""
        deleted_ids, created_ids[:] = created_ids[:100], created_ids[100:]
        ours.request("DELETE", ASSETS, {"ids": ",".join(deleted_ids)})

    return [
        Case("list, page of 15", *reads("", offset="0", **PAGE), goal_ms=6),
        Case(f"deep page, offset {far:,}", *reads("", offset=str(far), **PAGE)),
        Case(f"search, {count // 200} found", *reads("", offset="0", search="rack117", **PAGE)),
        Case("search, none found", *reads("", offset="0", search="nowhere", **PAGE)),
        Case(
            "OPTIONS",
            lambda: ours.request("OPTIONS", ASSETS, {"draw": "1", "display": "1"}),
            lambda: theirs.request("OPTIONS", "/assets/"),
            goal_ms=2,
        ),
        Case("retrieve", *reads(f"{ids[0]}/")),
        Case("create", create, goal_ms=15),
        Case("bulk update of 100", bulk, goal_ms=250, rounds=8),
        Case("bulk create of 100", bulk_create, goal_ms=250, rounds=8),
        Case("bulk delete of 100", bulk_delete, goal_ms=250, rounds=8),
    ]


def measure(case: Case, ours: Server, theirs: Server, rounds: int) -> None:
    """Warm up, then call the two servers in alternating blocks, so that neither finds the CPU caches full of the
    other's data.
    """
    for block in range(-1, -(-rounds // BLOCK)):
        count = 3 if block < 0 else min(BLOCK, rounds - block * BLOCK)
        for _ in range(count):
            before, start = ours.cpu_ms(), time.perf_counter()
            case.call()
            wall_ms, cpu_ms = (time.perf_counter() - start) * 1e3, ours.cpu_ms() - before
            if block >= 0:
                case.wall_ms.append(wall_ms)
                case.cpu_ms.append(cpu_ms)
        for _ in range(count if case.plain else 0):
            before = theirs.cpu_ms()
            case.plain()
            if block >= 0:
                case.plain_cpu_ms.append(theirs.cpu_ms() - before)


def quantiles(values: list[float]) -> tuple[float, float]:
    """p50 and p95 of the samples."""
    ordered = sorted(values)
    return statistics.median(ordered), ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]


def show(case: Case) -> None:
    wall, cpu = quantiles(case.wall_ms), quantiles(case.cpu_ms)
    line = f"{case.name:26} wall {wall[0]:7.1f} /{wall[1]:7.1f} ms   CPU {cpu[0]:7.1f} /{cpu[1]:7.1f} ms"
    if case.plain_cpu_ms:
        baseline = quantiles(case.plain_cpu_ms)[0]
        line += f"   {cpu[0] / baseline:5.2f} of plain DRF ({baseline:.1f} ms)"
    if case.goal_ms is not None:
        line += f"   {cpu[0] / case.goal_ms:5.2f} of the goal of {case.goal_ms:.0f} ms"
    print(line, flush=True)


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--quick", action="store_true", help="10,000 assets and fewer rounds")
    quick = options.parse_args().quick
    count = 10_000 if quick else 100_000
    with filled_home(count) as environ:
        print(f"{count:,} assets on SQLite; p50 / p95; CPU is that of the web process")
        with product(environ) as ours, plain(environ) as theirs:
            for case in cases(ours, theirs, count):
                measure(
                    case,
                    ours,
                    theirs,
                    max(case.rounds // 5, 3) if quick else case.rounds,
                )
                show(case)
    return 0


if __name__ == "__main__":
    sys.exit(main())
