"""Lists and trees of the assets that a person may reach: CPU of the web process for each kind of call.

    python bench/permissions.py [--quick | --growth] [--postgres]

100,000 assets, 10,000 nodes six deep, 5,000 people, 500 groups and 10,000 permissions on SQLite, or on a temporary
PostgreSQL server (`--quick`: a tenth; `--growth`: a hundredth, a tenth and all, with a table at the end). The person who is signed in reaches about a fifth of the assets. For each call
it prints p50 and p95 of CPU time and response time, and the ratio of the p95 to the goal. Then it measures the index
itself in a process of its own. Missed goals are marked.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any, Final

import growth
from api import Server, product
from migrated_home import migrated_home
from tree import measure

HERE: Final = Path(__file__).resolve().parent
MINE: Final = "/api/v1/perms/users/"
#: Assets, nodes, people, groups, permissions.
SIZES: Final = (100_000, 10_000, 5_000, 500, 10_000)
GOAL_LOOK_MS: Final = 15.0
GOAL_WHOLE_TREE_MS: Final = 400.0
GOAL_MENU_MS: Final = 50.0
GOAL_MADE_S: Final = 1.5
GOAL_KEPT_MB: Final = 60.0
GOAL_PREVIEW_MS: Final = 300.0
PREVIEW: Final = "/api/v1/perms/preview/"
#: A preview is measured for a change of this many people, and of a fifth of the assets.
PEOPLE: Final = 500


@contextmanager
def filled_home(sizes: tuple[int, ...], *, on_postgresql: bool) -> Iterator[tuple[dict[str, str], dict[str, Any]]]:
    """The environment of a filled installation, and what is measured in it."""
    with migrated_home(on_postgresql=on_postgresql) as environ:
        yield environ, peer("fill", *map(str, sizes), environ=environ)


def peer(*arguments: str, environ: dict[str, str]) -> Any:
    command = [sys.executable, str(HERE / "peers" / "granted_world.py"), *arguments]
    done = subprocess.run(command, env=environ, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def show_calls(server: Server, named: dict[str, str], rounds: int) -> None:
    page = {"limit": "15", "offset": "0", "order": "hostname"}

    def look(name: str, path: str, goal_ms: float = GOAL_LOOK_MS, **query: str) -> None:
        measure(server, name, goal_ms, rounds, lambda: server.request("GET", f"{MINE}{path}", query))

    reached = server.request("GET", f"{MINE}assets/", page)["count"]
    print(f"the person reaches {reached:,} assets")
    look("my assets, first page", "assets/", **page)
    look("my assets, page at 90 %", "assets/", **{**page, "offset": str(reached * 9 // 10)})
    look("my assets, first page by address", "assets/", **{**page, "order": "ip"})
    look("my assets, search, few", "assets/", **page, search="host-00012")
    look("my assets, search, many", "assets/", **page, search="host-01")
    look("my assets, search, nothing", "assets/", **page, search="nowhere-at-all")
    look("my assets of a node, first page", f"nodes/{named['node']}/assets/", **page)
    look("my tree, root", "nodes/children/tree/")
    look("my tree, expansion of the root", "nodes/children/tree/", key=named["root_key"])
    look("my tree, expansion of a region", "nodes/children/tree/", key=named["node_key"])
    look("my tree, expansion with assets", "nodes/children-with-assets/tree/", key=named["node_key"])
    look("an administrator's view of it", f"{named['user']}/assets/", **page)
    measure(
        server,
        "my tree with all assets",
        GOAL_WHOLE_TREE_MS,
        max(rounds // 10, 2),
        lambda: server.request("GET", f"{MINE}nodes-with-assets/tree/"),
    )


def show_previews(server: Server, named: dict[str, Any], rounds: int) -> None:
    """What changes would do: of people and of a part of the tree.."""
    groups, people = [], 0
    for group in server.request("GET", "/api/v1/users/groups/", {"limit": "500", "offset": "0"})["results"]:
        if people < PEOPLE:
            groups.append(group["id"])
            people += group["users_amount"]
    [account] = server.request("GET", "/api/v1/assets/system-users/", {"limit": "1", "offset": "0"})["results"]
    rule = {"user_groups": groups, "nodes": named["fifth"], "system_users": [account["id"]], "actions": ["connect"]}
    small = {**rule, "user_groups": groups[:1]}

    def permission(action: str, **more: Any) -> dict[str, Any]:
        return {"object": "asset_permission", "action": action, **more}

    def look(name: str, *changes: dict[str, Any]) -> None:
        body = {"changes": changes}
        told = server.request("POST", PREVIEW, body=body)["assets"]
        size = max(told["gained"]["pairs"], told["lost"]["pairs"])
        hosts = max(told["gained"]["targets"], told["lost"]["targets"])
        persons = max(told["gained"]["people"], told["lost"]["people"])
        measure(
            server,
            f"preview: {name}",
            GOAL_PREVIEW_MS,
            max(rounds // 3, 5),
            lambda: server.request("POST", PREVIEW, body=body),
        )
        print(f"    {persons:,} people, {hosts:,} assets, {size:,} pairs")

    look("a permission for a fifth and 500 people", permission("create", values=rule))
    look("the permission of the bench deleted", permission("delete", id=named["rule"]))
    look(
        "members leave a group", {"object": "user_group", "action": "update", "id": groups[0], "values": {"users": []}}
    )
    move = {"parent": named["fifth"][0]}
    look("a subtree moved", {"object": "node", "action": "update", "id": named["moved"], "values": move})
    look("100 permissions imported", *[permission("create", values=small)] * 100)


def show_changes(server: Server, rounds: int) -> None:
    """The first page after a change of an asset, which the index has to follow."""
    page = {"limit": "15", "offset": "0", "order": "hostname"}
    [asset] = server.request("GET", f"{MINE}assets/", {**page, "limit": "1"})["results"]
    names = cycle(["host-000000.renamed", asset["hostname"]])

    def rename() -> None:
        server.request("PATCH", f"/api/v1/assets/assets/{asset['id']}/", body={"hostname": next(names)})

    measure_after(server, "my assets, first after a rename", rounds, rename, page)


def measure_after(server: Server, name: str, rounds: int, change: Callable[[], None], page: dict[str, str]) -> None:
    """Measure only the reading, not the change before it."""

    class Paused:
        """The server's clock without the time that the change takes."""

        taken = 0.0

        def cpu_ms(self) -> float:
            return server.cpu_ms() - self.taken

        def read(self) -> None:
            before = server.cpu_ms()
            change()
            self.taken += server.cpu_ms() - before
            server.request("GET", f"{MINE}assets/", page)

    paused: Any = Paused()
    measure(paused, name, GOAL_LOOK_MS, rounds, paused.read)


def show_index(environ: dict[str, str]) -> None:
    figures = peer("index", environ=environ)
    for name, key, goal, unit in (
        ("the index from nothing", "made_s", GOAL_MADE_S, "s of CPU"),
        ("memory of the index", "kept_mb", GOAL_KEPT_MB, "MB"),
        ("memory while it is made", "peak_mb", GOAL_KEPT_MB, "MB at most"),
        ("SSH menu's first screen", "menu_ms", GOAL_MENU_MS, "ms of CPU"),
    ):
        growth.note(f"{name}, {unit}", figures[key])
        mark = " <" if figures[key] > goal else ""
        print(f"{name:44} {figures[key]:7.1f} {unit}   {figures[key] / goal:5.2f} of the goal of {goal:g}{mark}")


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--quick", action="store_true", help="a tenth of everything, and fewer rounds")
    options.add_argument("--growth", action="store_true", help="a table from a hundredth of everything to all of it")
    options.add_argument("--postgres", action="store_true", help="on a temporary PostgreSQL server in place of SQLite")
    chosen = options.parse_args()
    rounds = 20 if chosen.quick else 60
    for share in growth.shares(SIZES[0], is_asked=chosen.growth, is_quick=chosen.quick):
        sizes = tuple(size // share for size in SIZES)
        with filled_home(sizes, on_postgresql=chosen.postgres) as (environ, named):
            with product(environ) as server:
                show_calls(server, named, rounds)
                show_previews(server, named, rounds)
                show_changes(server, rounds)
            show_index(environ)
    growth.show()
    return 0


if __name__ == "__main__":
    sys.exit(main())
