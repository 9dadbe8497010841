"""The list of commands with 10,000,000 commands, and the list of sessions with 1,000,000.

    python bench/commands.py [--quick] [--postgres] [--commands N] [--sessions N]

The commands of a year on SQLite or a temporary PostgreSQL server (`--quick`: a tenth of each; the options set other
numbers). For each page that the list of commands shows – the first, with each filter, with filters together, with a
search, with a date range – and for the pages of the list of sessions it prints p50 and p95 of CPU time and response
time, and the ratio of the p95 to the goal. The limit to compare them with is the first line: one row, by its key.
Missed goals are marked.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from api import Server, product
from migrated_home import migrated_home
from tree import measure

HERE: Final = Path(__file__).resolve().parent
GOAL_COMMANDS_MS: Final = 150.0
GOAL_SESSIONS_MS: Final = 30.0
COMMANDS: Final = 10_000_000
SESSIONS: Final = 1_000_000
DAYS: Final = 365
API: Final = "/api/v1/terminal/commands/"
#: Name and query of each page of commands. `peers/many_commands.py` says what there is to find.
PAGES: Final[tuple[tuple[str, dict[str, str]], ...]] = (
    ("first page", {}),
    ("oldest first", {"order": "timestamp"}),
    ("page 500", {"offset": "7485"}),
    ("person", {"user": "Person 77(person77)"}),
    ("people by beginning (few)", {"user": "Person 77"}),
    ("people by beginning (many)", {"user": "Person"}),
    ("person of long ago", {"user": "Rare"}),
    ("asset", {"asset": "host-000077"}),
    ("account", {"system_user": "account-7"}),
    ("dangerous", {"risk_level": "5"}),
    ("ordinary", {"risk_level": "0"}),
    ("kind that nobody has", {"kind": "hidden"}),
    ("refused, nobody", {"decision": "deny"}),
    ("contains, many", {"input": "nginx"}),
    ("contains, none", {"input": "100%'"}),
    ("search, many", {"search": "restart"}),
    ("search, none", {"search": "nowhere-to-be-found"}),
    ("search, two words", {"search": "tail current.log"}),
    ("search among a person's", {"user": "Rare(rare)", "search": "nowhere"}),
    ("dangerous of an account", {"risk_level": "5", "system_user": "account-7"}),
    ("person on an asset, none", {"user": "Rare", "asset": "host-000077", "input": "nowhere"}),
)


@contextmanager
def filled_home(commands: int, sessions: int, *, on_postgresql: bool) -> Iterator[dict[str, str]]:
    """The environment of an installation with so many commands and sessions of the last year."""
    with migrated_home(on_postgresql=on_postgresql) as environ:
        numbers = map(str, (commands, sessions, DAYS))
        peer = HERE / "peers" / "many_commands.py"
        subprocess.run([sys.executable, peer, *numbers], env=environ, check=True, stdout=subprocess.DEVNULL)
        yield environ


def show_pages(server: Server, rounds: int) -> None:
    """Each page of commands, the whole year and two days, in the organization and in the root."""

    def measured(name: str, path: str, goal_ms: float, query: dict[str, str]) -> None:
        measure(server, name, goal_ms, rounds, lambda: server.request("GET", path, query))

    page = {"command_storage_id": "default", "limit": "15", "offset": "0", "order": "-timestamp"}
    first = server.request("GET", API, page)["results"][0]
    measured("limit: one command by its key", f"{API}{first['id']}/", GOAL_COMMANDS_MS, {})
    two_days = {"date_from": (datetime.now(UTC) - timedelta(days=2)).isoformat()}
    root = {"oid": "00000000-0000-0000-0000-000000000000"}
    for title, place in (("", {}), (", two days", two_days), (", root", root)):
        for name, query in PAGES:
            measured(f"{name}{title}", API, GOAL_COMMANDS_MS, {**page, **place, **query})
    page = {"limit": "15", "offset": "0", "order": "-date_start"}
    for name, query in (
        ("sessions: running", {"is_finished": "0"}),
        ("sessions: ended", {"is_finished": "1"}),
        ("sessions: ended, two days", {"is_finished": "1", **two_days}),
    ):
        measured(name, "/api/v1/terminal/sessions/", GOAL_SESSIONS_MS, {**page, **query})


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--quick", action="store_true", help="a tenth of the rows, and fewer rounds")
    options.add_argument("--postgres", action="store_true", help="on a temporary PostgreSQL server in place of SQLite")
    options.add_argument("--commands", type=int, help="number of commands")
    options.add_argument("--sessions", type=int, help="number of sessions")
    chosen = options.parse_args()
    share = 10 if chosen.quick else 1
    commands, sessions = chosen.commands or COMMANDS // share, chosen.sessions or SESSIONS // share
    begun = time.perf_counter()
    with filled_home(commands, sessions, on_postgresql=chosen.postgres) as environ:
        print(f"{commands:,} commands, {sessions:,} sessions (filled in {time.perf_counter() - begun:.0f} s)")
        with product(environ) as server:
            show_pages(server, 10 if chosen.quick else 30)
    return 0


if __name__ == "__main__":
    sys.exit(main())
