"""The file manager compared with `sftp` of OpenSSH: interleaved in one run, printed as ratios, CPU per MB and memory.

    python bench/files.py [--quick] [--large]

The whole product runs as an operator would run it, with a real sshd as its host. A client of this script sends what the
page sends: downloads in one request, uploads in slices. Ratios above 1 mean that Postern is quicker.

Goals: upload at least 0.7 of `sftp`, download 0.95; the proxy's CPU time at most 3 and 2 ms/MB; memory flat at 10 GB
(`--large`); a folder of 100,000 entries within 0.5 s of CPU, its first line within 300 ms.
"""

import argparse
import asyncio
import base64
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "server" / "src"), str(ROOT / "server" / "tests"), str(ROOT / "e2e")]

import aiohttp  # noqa: E402 - sys.path is extended above
import psutil  # noqa: E402 - as above
from browser_socket import BrowserSocket  # noqa: E402 - as above
from product import Api, Product  # noqa: E402 - as above
from world import TargetHost, World, build_world  # noqa: E402 - as above

from peers.ports import free_port  # noqa: E402 - as above

MB: Final = 1_000_000
SLICE: Final = 8 << 20
NAMES: Final = 100_000
LARGE: Final = 10_000 * MB
GOAL_PUT, GOAL_GET = 0.7, 0.95
GOAL_PUT_MS, GOAL_GET_MS = 3.0, 2.0
GOAL_LIST_S, GOAL_FIRST_MS = 0.5, 300.0
#: How much a proxy may grow while 10 GB pass.
GOAL_GROWTH_MB: Final = 30.0


@dataclass(frozen=True)
class Figures:
    """Seconds, and CPU seconds of the web part and of the proxy."""

    seconds: float
    web_s: float
    proxy_s: float


class Meter:
    """Measures one transfer of `size` bytes."""

    def __init__(self, product: Product) -> None:
        self._web = [product.part("web"), *product.part("web").children(recursive=True)]
        self._proxy = product.part("proxy")

    def cpu(self) -> tuple[float, float]:
        return sum(_cpu(process) for process in self._web), _cpu(self._proxy)

    def memory_mb(self) -> float:
        return float(self._proxy.memory_info().rss) / MB

    async def measure(self, work: Any) -> Figures:
        web, proxy = self.cpu()
        begun = time.perf_counter()
        await work
        seconds = time.perf_counter() - begun
        web_now, proxy_now = self.cpu()
        return Figures(seconds, web_now - web, proxy_now - proxy)


def _cpu(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


class Files:
    """One session of the file manager, as the page has it."""

    def __init__(self, api: Api, session: aiohttp.ClientSession, root: str) -> None:
        self._session = session
        self._root = root
        self._headers = {"Origin": api.url, "Referer": api.url + "/", "X-CSRFToken": api.cookie("csrftoken") or ""}
        self._cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in api.cookies)

    def _asking(self, method: str, operation: str, **more: Any) -> Any:
        headers = {"Cookie": self._cookies, **(self._headers if method != "GET" else {})}
        return self._session.request(method, self._root + operation, headers=headers, **more)

    async def _ask(self, method: str, operation: str, **more: Any) -> Any:
        async with self._asking(method, operation, **more) as answer:
            body = await answer.json()
            if answer.status >= 400:
                raise SystemExit(f"{method} {operation}: {answer.status} {body}")
            return body

    async def get(self, path: Path, wanted: int) -> None:
        async with self._asking("GET", f"content?path={ids(path)}") as answer:
            size = 0
            async for piece in answer.content.iter_any():
                size += len(piece)
            if answer.status != 200 or size != wanted:
                raise SystemExit(f"a download of {size} bytes, status {answer.status}")

    async def put(self, source: Path, target: Path, size: int) -> None:
        begin = {"path": ids(target), "size": size, "modified": time.time_ns() // 10**9, "replace": True, "fresh": True}
        state = await self._ask("POST", "upload", json=begin)
        with source.open("rb") as file:
            while piece := file.read(SLICE):
                state = await self._ask("PUT", f"upload/{state['id']}?offset={state['offset']}", data=piece)
        await self._ask("POST", f"upload/{state['id']}/finish", json={"replace": True})

    async def names(self, folder: Path) -> tuple[int, float]:
        """The number of lines of a folder, and the milliseconds until the first."""
        begun, first_ms, lines = time.perf_counter(), 0.0, 0
        async with self._asking("GET", f"list?path={ids(folder)}") as answer:
            async for piece in answer.content.iter_any():
                first_ms = first_ms or 1e3 * (time.perf_counter() - begun)
                lines += piece.count(b"\n")
        return lines, first_ms


def ids(path: Path) -> str:
    """A path as the page writes it."""
    return "/".join(base64.urlsafe_b64encode(os.fsencode(name)).decode().rstrip("=") for name in path.parts[1:])


async def opened(world: World) -> AsyncIterator[Files]:
    api = world.zhang()
    wanted = {"asset": world.asset_id, "system_user": world.system_user_id, "protocol": "ssh", "files": True}
    token = api.post("/api/v1/authentication/connection-token/", wanted)
    async with BrowserSocket(api, token["ws_path"]) as socket, aiohttp.ClientSession(auto_decompress=False) as session:
        await socket.say(type="open_files", token=token["token"])
        opening = await socket.until(
            lambda link: next((one for one in link.messages if one["type"] in ("files_opened", "ended")), None)
        )
        if opening["type"] != "files_opened":
            raise SystemExit(str(opening))
        yield Files(api, session, f"{api.url}{token['files_path']}{opening['session_id']}/")


def sftp(world: World, *commands: str) -> None:
    """`sftp` of OpenSSH directly to the host."""
    host = world.host
    subprocess.run(
        ["sftp", "-q", "-b", "-", "-F", "none", "-o", f"UserKnownHostsFile={host.directory}/known",
         "-o", "StrictHostKeyChecking=no", "-o", "LogLevel=ERROR", "-o", "IdentitiesOnly=yes", "-i", str(host.client_key),
         "-P", str(host.port), f"{host.login}@127.0.0.1"],
        input="\n".join(commands).encode(), check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip


async def transfers(world: World, files: Files, meter: Meter, folder: Path, *, size: int, rounds: int) -> bool:
    """Both directions beside `sftp`. Returns whether the goals are met."""
    source, there, back = folder / "source", folder / "there", folder / "back"
    _make(source, size)
    ours: dict[str, list[Figures]] = {"put": [], "get": []}
    theirs: dict[str, list[float]] = {"put": [], "get": []}
    for _ in range(rounds):
        ours["put"].append(await meter.measure(files.put(source, there, size)))
        theirs["put"].append(await _timed(sftp, world, f"put {source} {there}"))
        ours["get"].append(await meter.measure(files.get(there, size)))
        theirs["get"].append(await _timed(sftp, world, f"get {there} {back}"))
    is_good = True
    for way, goal, goal_ms in (("put", GOAL_PUT, GOAL_PUT_MS), ("get", GOAL_GET, GOAL_GET_MS)):
        ratio = statistics.median(theirs[way]) / statistics.median(one.seconds for one in ours[way])
        proxy_ms = 1e3 * statistics.median(one.proxy_s for one in ours[way]) / (size / MB)
        web_ms = 1e3 * statistics.median(one.web_s for one in ours[way]) / (size / MB)
        is_good &= ratio >= goal and proxy_ms <= goal_ms
        print(
            f"{way} of {size / MB:,.0f} MB: {ratio:.2f} of sftp (goal {goal}); proxy {proxy_ms:.2f} ms/MB (goal {goal_ms}), "
            f"web {web_ms:.2f} ms/MB; {size / MB / statistics.median(one.seconds for one in ours[way]):,.0f} MB/s"
        )
    for path in (source, there, back):
        path.unlink()
    return is_good


async def listing(files: Files, meter: Meter, folder: Path) -> bool:
    """A folder of many entries."""
    many = folder / "many"
    many.mkdir()
    for number in range(NAMES):
        (many / f"a file with a name {number:06d}.txt").touch()
    lines, first_ms = 0, 0.0

    async def read() -> None:
        nonlocal lines, first_ms
        lines, first_ms = await files.names(many)

    found = await meter.measure(read())
    shutil.rmtree(many)
    print(
        f"a folder of {lines - 2:,} entries: first line after {first_ms:.0f} ms (goal {GOAL_FIRST_MS:.0f}); "
        f"proxy {found.proxy_s:.2f} s of CPU (goal {GOAL_LIST_S}), web {found.web_s:.2f} s; {found.seconds:.2f} s in all"
    )
    return lines == NAMES + 2 and first_ms <= GOAL_FIRST_MS and found.proxy_s <= GOAL_LIST_S


async def large(files: Files, meter: Meter, folder: Path) -> bool:
    """10 GB in both directions: the memory of the proxy."""
    source, there = folder / "source", folder / "there"
    with source.open("wb") as file:
        file.truncate(LARGE)
    before = meter.memory_mb()
    await files.put(source, there, LARGE)
    after_put = meter.memory_mb()
    await files.get(there, LARGE)
    after_get = meter.memory_mb()
    there.unlink()
    source.unlink()
    print(
        f"10 GB: the proxy had {before:.0f} MB before, {after_put:.0f} after the upload, {after_get:.0f} after the download"
    )
    return max(after_put, after_get) - before <= GOAL_GROWTH_MB


async def _timed(work: Any, *arguments: Any) -> float:
    begun = time.perf_counter()
    await asyncio.to_thread(work, *arguments)
    return time.perf_counter() - begun


def _make(path: Path, size: int) -> None:
    block = os.urandom(MB)
    with path.open("wb") as file:
        for _ in range(size // MB):
            file.write(block)


async def run(world: World, folder: Path, *, is_quick: bool, is_large: bool) -> bool:
    is_good = True
    async for files in opened(world):
        meter = Meter(world.product)
        size, rounds = (100 * MB, 3) if is_quick else (1_000 * MB, 5)
        is_good &= await transfers(world, files, meter, folder, size=size, rounds=rounds)
        is_good &= await listing(files, meter, folder)
        if is_large:
            is_good &= await large(files, meter, folder)
    return is_good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="100 MB instead of 1 GB, three rounds")
    parser.add_argument("--large", action="store_true", help="also 10 GB in both directions, for the memory")
    options = parser.parse_args()
    # Files in memory, so that the disk is not what is measured.
    memory = Path("/dev/shm")  # noqa: S108 - a folder of its own in it
    place = memory if memory.is_dir() and not options.large else None
    with tempfile.TemporaryDirectory(dir=place) as name:
        folder = Path(name)
        with TargetHost(folder / "host", free_port()) as host, Product(folder / "home") as product:
            world = build_world(product, folder, host)
            is_good = asyncio.run(run(world, folder, is_quick=options.quick, is_large=options.large))
    print("all goals are met" if is_good else "a goal is missed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
