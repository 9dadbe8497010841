"""All lists of the product with many rows: CPU of the web process for a page of 15, and rows and queries read.

    python bench/lists.py [--quick] [--postgres URL]

The lists are taken from the URL configuration, so new lists are included automatically. 100,000 rows in each table,
10,000 permissions, 200 organizations and proxies, and 1,000,000 rows in each log (`--quick`: a tenth of each) on
SQLite, or in the empty database of the URL. For each list it prints the rows of its table, the CPU time of the first
page, of page 500 and of a search without matches, the SQL queries of a page, and the instructions of SQLite's virtual
machine in thousands. Then it measures creating an object of each resource, singly and in an array of 100.

Ratios are relative to the goals: 8 ms for a page, 15 ms for a create, 3 ms for an object of an array. Missed goals are
marked. Trees without pages answer with up to 10,000 leaves at once, as the contract requires; they say so.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from api import POSTERN, Server, product

HERE: Final = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "server" / "tests"))

from factories.payloads import filled, payloads  # noqa: E402 - sys.path is extended above

GOAL_PAGE_MS: Final = 8.0
GOAL_CREATE_MS: Final = 15.0
GOAL_ITEM_MS: Final = 3.0
DEEP: Final = 499 * 15
ITEMS: Final = 100
#: Rows of each table, number of permissions, rows of each log.
SIZES: Final = (100_000, 10_000, 1_000_000)


@contextmanager
def filled_home(sizes: tuple[int, ...], database: str | None) -> Iterator[dict[str, str]]:
    """The environment of an installation with filled tables."""
    with tempfile.TemporaryDirectory(prefix="postern-bench-") as home:
        environ = {
            **os.environ,
            "POSTERN_HOME": home,
            "POSTERN_ADMIN_PASSWORD": "bench-only-Password-1",
            "POSTERN_LOG_LEVEL": "WARNING",
        }
        if database:
            environ["DATABASE_URL"] = database
        subprocess.run([str(POSTERN), "migrate", "--json"], env=environ, check=True, stdout=subprocess.DEVNULL)
        peer("fill", *map(str, sizes), environ=environ)
        yield environ


def peer(*arguments: str, environ: dict[str, str]) -> str:
    command = [sys.executable, str(HERE / "peers" / "list_tables.py"), *arguments]
    return subprocess.run(command, env=environ, check=True, stdout=subprocess.PIPE, text=True).stdout


def cpu_ms(server: Server, call: Callable[[], Any], rounds: int) -> float:
    """Median CPU time of the web process, after two warm-up calls."""
    samples = []
    for turn in range(-2, rounds):
        before = server.cpu_ms()
        call()
        if turn >= 0:
            samples.append(server.cpu_ms() - before)
    return statistics.median(samples)


def show_lists(server: Server, lists: list[dict[str, Any]], rounds: int) -> None:
    print(
        f"{'list':62} {'rows':>9} {'first':>7} {'deep':>7} {'search':>7} {'of goal':>8} {'SQL':>4} {'steps/1000':>11}"
    )
    for listed in lists:
        if listed["queries"] == 0 or not is_open(server, listed):
            continue
        url, query = listed["url"], listed["query"]

        def page(more: dict[str, str], url: str = url, query: dict[str, str] = query) -> float:
            return cpu_ms(server, lambda: server.request("GET", url, {**query, **more}), rounds)

        first, deep = page({}), page({"offset": str(deep_offset(server, listed))})
        search = page({"search": "nowhere-at-all"}) if listed["searches"] else None
        miss = " <" if max(first, deep) > GOAL_PAGE_MS else ""
        miss += " (a whole tree)" if listed["path"].endswith("/tree/") else ""
        print(
            f"{listed['path']:62} {listed['rows']:9,} {first:7.1f} {deep:7.1f} {'-' if search is None else f'{search:.1f}':>7}"
            f" {first / GOAL_PAGE_MS:8.2f} {listed['queries']:4} {listed['steps'] / 1e3:11.1f}{miss}",
            flush=True,
        )


def deep_offset(server: Server, listed: dict[str, Any]) -> int:
    """The offset of page 500, or of the last page of a list that has fewer rows (some are not the caller's)."""
    answer = server.request("GET", listed["url"], {**listed["query"], "offset": str(DEEP)})
    if not isinstance(answer, dict) or answer["results"]:
        return DEEP
    return max((answer["count"] - 1) // 15 * 15, 0)


def is_open(server: Server, listed: dict[str, Any]) -> bool:
    """Whether the list can be read without a licence."""
    try:
        server.request("GET", listed["url"], listed["query"])
    except SystemExit:
        print(f"{listed['path']:62} closed without a licence")
        return False
    return True


def show_writes(server: Server, rounds: int) -> None:
    print(f"\n{'resource':40} {'create':>8} {'of goal':>8} {'item of 100':>12} {'of goal':>8}")
    numbers = iter(range(1_000, 10**9))
    ids: dict[str, str] = {}
    for path in payloads(0):

        def body(path: str = path) -> dict[str, Any]:
            return filled(payloads(next(numbers))[path], ids)

        def create(path: str = path) -> None:
            ids[path] = server.request("POST", path, body=body(path))["id"]

        def create_many(path: str = path) -> None:
            server.request("POST", path, body=[body(path) for _ in range(ITEMS)])

        single, item = cpu_ms(server, create, rounds), cpu_ms(server, create_many, max(rounds // 5, 2)) / ITEMS
        miss = " <" if single > GOAL_CREATE_MS or item > GOAL_ITEM_MS else ""
        print(
            f"{path:40} {single:8.1f} {single / GOAL_CREATE_MS:8.2f} {item:12.2f} {item / GOAL_ITEM_MS:8.2f}{miss}",
            flush=True,
        )


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--quick", action="store_true", help="a tenth of the rows, and fewer rounds")
    options.add_argument("--postgres", metavar="URL", help="an empty PostgreSQL database in place of SQLite")
    chosen = options.parse_args()
    sizes = tuple(size // 10 for size in SIZES) if chosen.quick else SIZES
    rounds = 5 if chosen.quick else 15
    with filled_home(sizes, chosen.postgres) as environ:
        lists = json.loads(peer("survey", environ=environ))
        with product(environ) as server:
            show_lists(server, lists, rounds)
            show_writes(server, rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
