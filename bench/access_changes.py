"""Changes of access at size: what each costs, how long readers take meanwhile, and single decisions.

    python bench/access_changes.py [--quick | --growth] [--postgres]

The world of `permissions.py`: 100,000 assets, 10,000 nodes, 5,000 people, 500 groups and 10,000 permissions on SQLite,
or on a temporary PostgreSQL server (`--quick`: a tenth; `--growth`: a hundredth, a tenth and all, with a table at the end). For each change it prints p50 and p95 of the response time and
the ratio of the p95 to the goal. While the changes run, the same person reads their list of assets again and again;
their response times during each change, and those without one, are printed beside. Missed goals are marked.
"""

import argparse
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle
from typing import Any, Final

import growth
from api import Server, product, quantiles
from permissions import MINE, SIZES, filled_home, peer
from tree import measure

PAGE: Final = {"limit": "15", "offset": "0", "order": "hostname"}
PERMISSIONS: Final = "/api/v1/perms/asset-permissions/"
MEMBERS: Final = "/api/v1/users/users-groups-relations/"
NODES: Final = "/api/v1/assets/nodes/"
GOAL_EXPLAIN_MS: Final = 50.0
GOAL_CHECK_MS: Final = {"check_warm_ms": 3.0, "check_after_ms": 10.0}
GOAL_MEMBER_MS: Final = 100.0
GOAL_MOVE_MS: Final = 300.0
GOAL_TOP_MS: Final = 100.0
GOAL_MANY_MS: Final = 2_000.0


class Reader:
    """Reads the first page of the person's assets in a thread of its own, one request after the other."""

    def __init__(self, server: Server) -> None:
        self._server, self._stop, self.wall_ms = server, threading.Event(), list[float]()
        self._thread = threading.Thread(target=self._read, daemon=True)

    def _read(self) -> None:
        while not self._stop.is_set():
            begun = time.perf_counter()
            self._server.request("GET", f"{MINE}assets/", PAGE)
            self.wall_ms.append((time.perf_counter() - begun) * 1e3)
            time.sleep(0.005)  # a person does not use a whole core

    @contextmanager
    def reading(self) -> Iterator[list[float]]:
        self._thread.start()
        try:
            yield self.wall_ms
        finally:
            self._stop.set()
            self._thread.join()


def show_change(
    server: Server,
    name: str,
    goal_ms: float,
    rounds: int,
    change: Callable[[], Any],
    *,
    undo: Callable[[], Any],
    as_figure: str = "",
) -> None:
    """Time the change only; after each it is undone. `as_figure`: its name in the table, if `name` has a number in it."""
    took_ms = []
    with Reader(server.second()).reading() as read_ms:
        for turn in range(-1, rounds):
            begun = time.perf_counter()
            change()
            if turn >= 0:
                took_ms.append((time.perf_counter() - begun) * 1e3)
            undo()
    took, read = quantiles(took_ms), quantiles(read_ms)
    growth.note(as_figure or name, took[1])
    mark = " <" if took[1] > goal_ms else ""
    print(
        f"{name:44} {took[0]:8.1f} /{took[1]:8.1f} ms   {took[1] / goal_ms:5.2f} of the goal of {goal_ms:.0f} ms{mark}"
        f"   readers meanwhile {read[0]:6.1f} /{read[1]:7.1f}, at most {max(read_ms):.0f} ms",
        flush=True,
    )


def show_changes(server: Server, named: dict[str, str], rounds: int) -> None:
    with Reader(server.second()).reading() as read_ms:
        time.sleep(3)
    alone = quantiles(read_ms)
    print(f"{'readers without a change':44} {alone[0]:8.1f} /{alone[1]:8.1f} ms, at most {max(read_ms):.0f}")
    [granted] = server.request("GET", PERMISSIONS, {"name": "of the bench"})
    [group] = server.request("POST", "/api/v1/users/groups/", body=[{"name": "of the changes"}])
    [person] = server.request("GET", "/api/v1/users/users/", {"username": "person7", "fields_size": "mini"})
    own = {"name": "for the group", "user_groups": [group["id"]], "system_users": granted["system_users"]}
    [permission] = server.request("POST", PERMISSIONS, body=[{**own, "nodes": granted["nodes"]}])
    pair = {"user": person["id"], "usergroup": group["id"]}
    show_change(
        server,
        "a person joins a group that reaches a fifth",
        GOAL_MEMBER_MS,
        rounds,
        lambda: server.request("POST", MEMBERS, body=[pair]),
        undo=lambda: server.request("DELETE", MEMBERS, pair),
    )
    show_change(
        server,
        "a permission on the top node",
        GOAL_TOP_MS,
        rounds,
        lambda: server.request("PATCH", f"{PERMISSIONS}{permission['id']}/", body={"nodes": [named["root"]]}),
        undo=lambda: server.request("PATCH", f"{PERMISSIONS}{permission['id']}/", body={"nodes": granted["nodes"]}),
    )
    show_change(
        server,
        f"a subtree of {named['moved_assets']} assets is moved",
        GOAL_MOVE_MS,
        rounds,
        lambda: server.request("PUT", f"{NODES}{named['node']}/children/add/", body={"nodes": [named["moved"]]}),
        undo=lambda: server.request("PUT", f"{NODES}{named['root']}/children/add/", body={"nodes": [named["moved"]]}),
        as_figure="a subtree of a twentieth is moved",
    )
    many = server.request("GET", PERMISSIONS, {"limit": "1000", "offset": "0", "fields_size": "mini"})["results"]
    states = cycle(["first", "second"])

    def comment_all() -> None:
        """Each is written: what does not change would cost less."""
        word = next(states)
        body = [{"id": row["id"], "comment": word, "is_active": True} for row in many]
        server.request("PATCH", PERMISSIONS, body=body)

    show_change(
        server,
        f"{len(many):,} permissions in one call",
        GOAL_MANY_MS,
        max(rounds // 5, 2),
        comment_all,
        undo=int,
        as_figure="at most 1,000 permissions in one call",
    )


def show_decisions(server: Server, environ: dict[str, str], named: dict[str, str], rounds: int) -> None:
    """Explanations through HTTP; decisions in a process of their own, as a proxy's request makes them."""
    [asset] = server.request("GET", f"{MINE}assets/", {**PAGE, "limit": "1"})["results"]
    [account] = server.request("GET", f"{MINE}assets/{asset['id']}/system-users/")
    [stranger] = server.request("GET", "/api/v1/users/users/", {"username": "person7", "fields_size": "mini"})
    for name, user in (("explain, allowed", named["user"]), ("explain, denied", stranger["id"])):
        query = {"user": user, "asset": asset["id"], "system_user": account["id"]}
        measure(
            server,
            name,
            GOAL_EXPLAIN_MS,
            rounds,
            lambda query=query: server.request("GET", f"{PERMISSIONS}explain/", query),
        )
    figures = peer("decide", environ=environ)
    for name, key in (("a decision", "check_warm_ms"), ("a decision, first after a change", "check_after_ms")):
        goal = GOAL_CHECK_MS[key]
        growth.note(name, figures[key])
        mark = " <" if figures[key] > goal else ""
        print(
            f"{name:44} {figures[key]:7.2f} ms of CPU, p95   {figures[key] / goal:5.2f} of the goal of {goal:g}{mark}"
        )


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--quick", action="store_true", help="a tenth of everything, and fewer rounds")
    options.add_argument("--growth", action="store_true", help="a table from a hundredth of everything to all of it")
    options.add_argument("--postgres", action="store_true", help="on a temporary PostgreSQL server in place of SQLite")
    chosen = options.parse_args()
    rounds = 10 if chosen.quick else 30
    for share in growth.shares(SIZES[0], is_asked=chosen.growth, is_quick=chosen.quick):
        sizes = tuple(size // share for size in SIZES)
        with filled_home(sizes, on_postgresql=chosen.postgres) as (environ, named), product(environ) as server:
            show_decisions(server, environ, named, rounds * 2)
            show_changes(server, named, rounds)
    growth.show()
    return 0


if __name__ == "__main__":
    sys.exit(main())
