"""The node tree with 10,000 nodes and 100,000 assets on SQLite: CPU time of the web process for each kind of call.

    python bench/tree.py [--quick]

For each call it prints p50 and p95 of CPU time and response time, and the ratio of its p95 to the goal: 15 ms for the
root, an expansion and a search; 300 ms for a move of a subtree with 5,000 assets; 60 ms for a page of a large node. Then
it imports 10,000 assets from a csv file: the server reads the file (`render-to-json`), and its rows are written in
arrays of 100. (The import wizard of the console writes one row at a time, so that it can be stopped and each row has
its result.) Goals: 30 s of CPU, and memory that grows by less than 32 MB from the first tenth to the end. Missed goals are marked.
`--quick` uses a tenth of nodes, assets and rows.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import growth
import psutil
from api import POSTERN, Server, product, quantiles

HERE: Final = Path(__file__).resolve().parent
NODES: Final = "/api/v1/assets/nodes/"
ASSETS: Final = "/api/v1/assets/assets/"
PAGE: Final = {
    "limit": "15",
    "offset": "0",
    "draw": "1",
    "display": "1",
    "order": "hostname",
}
GOAL_LOOK_MS: Final = 15.0
GOAL_MOVE_MS: Final = 300.0
GOAL_PAGE_MS: Final = 60.0
GOAL_IMPORT_S: Final = 30.0
GOAL_GROWTH_MB: Final = 32.0
#: Rows of one request of an import.
ARRAY: Final = 100
MB: Final = 1024 * 1024


@contextmanager
def filled_home(nodes: int, assets: int) -> Iterator[tuple[dict[str, str], dict[str, str]]]:
    """The environment of an installation with a tree, and the ids of its measured nodes."""
    with tempfile.TemporaryDirectory(prefix="postern-bench-") as home:
        environ = {
            **os.environ,
            "POSTERN_HOME": home,
            "POSTERN_ADMIN_PASSWORD": "bench-only-Password-1",
            "POSTERN_LOG_LEVEL": "WARNING",
        }
        subprocess.run(
            [str(POSTERN), "migrate", "--json"],
            env=environ,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        command = [
            sys.executable,
            str(HERE / "peers" / "deep_tree.py"),
            str(nodes),
            str(assets),
        ]
        named = subprocess.run(command, env=environ, check=True, stdout=subprocess.PIPE, text=True).stdout
        yield environ, json.loads(named.splitlines()[-1])


def measure(server: Server, name: str, goal_ms: float, rounds: int, call: Callable[[], Any]) -> None:
    """Call `rounds` times after three warm-up calls, and print the line of the table."""
    cpu_ms, wall_ms = [], []
    for turn in range(-3, rounds):
        before, start = server.cpu_ms(), time.perf_counter()
        call()
        if turn >= 0:
            wall_ms.append((time.perf_counter() - start) * 1e3)
            cpu_ms.append(server.cpu_ms() - before)
    cpu, wall = quantiles(cpu_ms), quantiles(wall_ms)
    growth.note(name, cpu[1])
    mark = " <" if cpu[1] > goal_ms else ""
    print(
        f"{name:44} CPU {cpu[0]:7.1f} /{cpu[1]:7.1f} ms   wall {wall[0]:7.1f} /{wall[1]:7.1f} ms"
        f"   {cpu[1] / goal_ms:5.2f} of the goal of {goal_ms:.0f} ms{mark}",
        flush=True,
    )


def show_calls(server: Server, named: dict[str, str], rounds: int) -> None:
    tree = f"{NODES}children/tree/"

    def get(path: str, **query: str) -> Callable[[], Any]:
        return lambda: server.request("GET", path, query)

    goals = iter([named["goal"], named["root"]] * rounds * 2)

    def move() -> None:
        server.request(
            "PUT",
            f"{NODES}{next(goals)}/children/add/",
            body={"nodes": [named["region"]]},
        )

    def at_once() -> None:
        """What the console asks when the page opens: the root, then its children."""
        get(tree, assets="0")()
        get(tree, assets="0", key=named["root_key"])()

    search = {"offset": "0", "limit": "30"}
    measure(server, "root", GOAL_LOOK_MS, rounds, get(tree, assets="0"))
    measure(
        server,
        "expansion of the root (20 regions)",
        GOAL_LOOK_MS,
        rounds,
        get(tree, assets="0", key=named["root_key"]),
    )
    measure(
        server,
        "expansion of a region (20 sites)",
        GOAL_LOOK_MS,
        rounds,
        get(tree, assets="0", key=named["region_key"]),
    )
    measure(
        server,
        "expansion of a site (its racks)",
        GOAL_LOOK_MS,
        rounds,
        get(tree, assets="0", key=named["site_key"]),
    )
    measure(
        server,
        "opening of the page: root and its children",
        GOAL_LOOK_MS * 2,
        rounds,
        at_once,
    )
    measure(
        server,
        "search, few nodes",
        GOAL_LOOK_MS,
        rounds,
        get(NODES, search="region 07", **search),
    )
    measure(
        server,
        "search, many nodes",
        GOAL_LOOK_MS,
        rounds,
        get(NODES, search="rack 001", **search),
    )
    measure(
        server,
        "search, nothing",
        GOAL_LOOK_MS,
        rounds,
        get(NODES, search="nowhere", **search),
    )
    measure(
        server,
        "page of the root's assets",
        GOAL_PAGE_MS,
        rounds,
        get(ASSETS, node_id=named["root"], **PAGE),
    )
    measure(
        server,
        "page of a region's assets",
        GOAL_PAGE_MS,
        rounds,
        get(ASSETS, node_id=named["region"], **PAGE),
    )
    last = {**PAGE, "offset": "3000"}
    measure(
        server,
        "far page of the root's assets",
        GOAL_PAGE_MS,
        rounds,
        get(ASSETS, node_id=named["root"], **last),
    )
    measure(server, "move of a subtree", GOAL_MOVE_MS, max(rounds // 4, 4) // 2 * 2, move)
    some = server.request("GET", ASSETS, {"limit": "1", "fields_size": "mini"})["results"]
    ways = iter(["add", "remove"] * rounds)

    def look_after_write() -> None:
        """A write changes the numbers of a rack and of all nodes above it; the next look counts them again."""
        server.request("PUT", f"{NODES}{named['other']}/assets/{next(ways)}/", body={"assets": [some[0]["id"]]})
        at_once()

    measure(server, "placing an asset, then opening of the page", GOAL_LOOK_MS * 2, rounds // 2, look_after_write)


def show_import(server: Server, named: dict[str, str], rows: int) -> None:
    """Import a csv file of `rows` assets."""
    web = next(
        child
        for parent in psutil.Process().children(recursive=True)
        if parent.cmdline()[-1:] == ["web"]
        for child in parent.children()
    )
    lines = ["hostname,ip,platform,protocols,nodes"]
    lines += [f"import-{n:05},192.0.2.{n % 250},Linux,ssh/22,{named['import_path']}" for n in range(rows)]
    start, cpu = time.perf_counter(), server.cpu_ms()
    answer = server.request(
        "POST",
        f"{ASSETS}render-to-json/",
        body="\n".join(lines).encode(),
        content_type="text/csv",
    )
    read_s = time.perf_counter() - start
    objects = answer["data"]
    first = peak = 0
    for begin in range(0, len(objects), ARRAY):
        server.request(
            "POST",
            ASSETS,
            body=[clean(item) for item in objects[begin : begin + ARRAY]],
        )
        resident = web.memory_info().rss
        peak = max(peak, resident)
        if begin == len(objects) // 10:
            first = resident
    took_s, growth = time.perf_counter() - start, (peak - first) / MB
    cpu_s = (server.cpu_ms() - cpu) / 1e3
    mark = " <" if cpu_s > GOAL_IMPORT_S or growth > GOAL_GROWTH_MB else ""
    print(
        f"{f'import of {rows:,} assets':44} {took_s:.1f} s (reading the file {read_s:.1f} s), CPU "
        f"{cpu_s:.1f} s, memory {first / MB:.0f} MB, +{growth:.1f} MB"
        f"   {cpu_s / GOAL_IMPORT_S:5.2f} of the goal of {GOAL_IMPORT_S:.0f} s{mark}",
        flush=True,
    )


def clean(item: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in item.items() if not name.startswith("@") and value is not None}


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument(
        "--quick",
        action="store_true",
        help="a tenth of nodes, assets and rows; fewer rounds",
    )
    quick = options.parse_args().quick
    nodes, assets, rows = (1_000, 10_000, 1_000) if quick else (10_000, 100_000, 10_000)
    with filled_home(nodes, assets) as (environ, named), product(environ) as server:
        print(f"{nodes:,} nodes, {assets:,} assets on SQLite; p50 / p95; CPU is that of the web process")
        show_calls(server, named, 8 if quick else 40)
        show_import(server, named, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
