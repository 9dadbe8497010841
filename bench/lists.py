"""Every list of the product at size: CPU of the web process for a page of 15, and what it reads.

    python bench/lists.py [--quick] [--postgres URL]

The lists come from the URL configuration, so a new one is measured by itself. 100,000 rows in each table, 10,000 permissions, 200
organizations and proxies, and 1,000,000 rows in each log (`--quick`: a tenth of each) on SQLite, or in the empty database of the URL. Printed for each list: rows of its
table, CPU of the first page, of a deep one (page 500) and of a search that finds nothing, SQL queries of a page, and instructions of SQLite's
machine in thousands. Then one create of each resource, and one object of an array of 100.

The ratios are those to the goals: 8 ms for a page, 15 ms for a create, 3 ms for an object of an array. What misses its goal is marked.
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

from factories.payloads import filled, payloads  # noqa: E402 - the tests' folder joins the path above

GOAL_PAGE_MS: Final = 8.0
GOAL_CREATE_MS: Final = 15.0
GOAL_ITEM_MS: Final = 3.0
DEEP: Final = 499 * 15
ITEMS: Final = 100
#: Rows of each table, permissions, rows of each log.
SIZES: Final = (100_000, 10_000, 1_000_000)


@contextmanager
def filled_home(sizes: tuple[int, ...], database: str | None) -> Iterator[dict[str, str]]:
    """The environment of an installation whose tables are filled."""
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
    """Median CPU of the web process, after two calls that warm it up."""
    found = []
    for turn in range(-2, rounds):
        before = server.cpu_ms()
        call()
        if turn >= 0:
            found.append(server.cpu_ms() - before)
    return statistics.median(found)


def show_lists(server: Server, lists: list[dict[str, Any]], rounds: int) -> None:
    print(
        f"{'list':62} {'rows':>9} {'first':>7} {'deep':>7} {'search':>7} {'of goal':>8} {'SQL':>4} {'steps/1000':>11}"
    )
    for one in lists:
        if one["queries"] == 0 or not is_open(server, one):
            continue
        url, query = one["url"], one["query"]

        def page(more: dict[str, str], url: str = url, query: dict[str, str] = query) -> float:
            return cpu_ms(server, lambda: server.request("GET", url, {**query, **more}), rounds)

        first, deep = page({}), page({"offset": str(DEEP)})
        search = page({"search": "nowhere-at-all"}) if one["searches"] else None
        miss = " <" if max(first, deep) > GOAL_PAGE_MS else ""
        print(
            f"{one['path']:62} {one['rows']:9,} {first:7.1f} {deep:7.1f} {'-' if search is None else f'{search:.1f}':>7}"
            f" {first / GOAL_PAGE_MS:8.2f} {one['queries']:4} {one['steps'] / 1e3:11.1f}{miss}",
            flush=True,
        )


def is_open(server: Server, one: dict[str, Any]) -> bool:
    """Not a list of the licensed extension."""
    try:
        server.request("GET", one["url"], one["query"])
    except SystemExit:
        print(f"{one['path']:62} closed without a licence")
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

        one, item = cpu_ms(server, create, rounds), cpu_ms(server, create_many, max(rounds // 5, 2)) / ITEMS
        miss = " <" if one > GOAL_CREATE_MS or item > GOAL_ITEM_MS else ""
        print(
            f"{path:40} {one:8.1f} {one / GOAL_CREATE_MS:8.2f} {item:12.2f} {item / GOAL_ITEM_MS:8.2f}{miss}",
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
