"""Who could reach what on a day two years and 1,000,000 changes ago, and what the history costs a write.

    python bench/history.py [--quick | --growth] [--postgres]

The world of `permissions.py`, with a million changes of its links spread over three years (`--quick`: a tenth;
`--growth`: a hundredth, a tenth and all, with a table at the end), on SQLite or a temporary PostgreSQL server. For each question it prints p50 and p95 of CPU time and response time, and
the ratio of the p95 to the goal. Then the bytes of a change, and what writes take with and without the triggers.
Missed goals are marked.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import growth
from api import Server, product
from permissions import SIZES, filled_home
from tree import measure

HERE: Final = Path(__file__).resolve().parent
HISTORY: Final = "/api/v1/perms/history/"
CHANGES: Final = 1_000_000
GOAL_MS: Final = 500.0


def peer(*arguments: str, environ: dict[str, str]) -> Any:
    command = [sys.executable, str(HERE / "peers" / "past_changes.py"), *arguments]
    done = subprocess.run(command, env=environ, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def show_questions(server: Server, past: dict[str, Any], user: str, rounds: int) -> None:
    page = {"at": past["at"], "limit": "15", "offset": "0"}

    def ask(name: str, path: str, **query: str) -> None:
        found = server.request("GET", f"{HISTORY}{path}", {**page, **query})["count"]
        measure(
            server,
            f"{name} ({found:,})",
            GOAL_MS,
            rounds,
            lambda: server.request("GET", f"{HISTORY}{path}", {**page, **query}),
        )

    for name, asset in past["assets"].items():
        ask(f"who could reach an asset, {name}", f"assets/{asset}/")
    ask("people that differ from today", f"assets/{past['assets']['usual']}/", compared_with=past["today"])
    ask("what a person could reach, usual", f"users/{past['person']}/assets/")
    ask("what a person could reach, a fifth of all", f"users/{user}/assets/")
    ask("assets that differ from today", f"users/{past['person']}/assets/", compared_with=past["today"])


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--quick", action="store_true", help="a tenth of everything, and fewer rounds")
    options.add_argument("--growth", action="store_true", help="a table from a hundredth of everything to all of it")
    options.add_argument("--postgres", action="store_true", help="on a temporary PostgreSQL server in place of SQLite")
    chosen = options.parse_args()
    for share in growth.shares(SIZES[0], is_asked=chosen.growth, is_quick=chosen.quick):
        sizes = tuple(size // share for size in SIZES)
        with filled_home(sizes, on_postgresql=chosen.postgres) as (environ, named):
            past = peer("fill", str(CHANGES // share), environ=environ)
            print(f"{past['changes']:,} changes, {past['bytes']:.0f} bytes each")
            with product(environ) as server:
                show_questions(server, past, named["user"], 5 if chosen.quick else 20)
            for name, (without, with_history) in peer("writes", environ=environ).items():
                growth.note(f"{name}, with the history", with_history)
                print(f"{name:44} {without:7.2f} ms without the history, {with_history:7.2f} ms with it")
    growth.show()
    return 0


if __name__ == "__main__":
    sys.exit(main())
