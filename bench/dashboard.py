"""The figures of the dashboard with 1,000,000 sessions: CPU of the web process and response time of each call.

    python bench/dashboard.py [--quick] [--postgres]

Sessions of 5,000 people on 20,000 assets, once spread over two years and once over 30 days (`--quick`: a tenth), on
SQLite or a temporary PostgreSQL server. For each call of the page it prints p50 and p95 of CPU time and response time,
and the ratio of the p95 to the goal. First it prints what the job takes that counts the days that are over. Missed
goals are marked.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from api import Server, product
from migrated_home import migrated_home
from tree import measure

HERE: Final = Path(__file__).resolve().parent
GOAL_MS: Final = 200.0
SESSIONS: Final = 1_000_000
PEOPLE: Final = 5_000
ASSETS: Final = 20_000
#: The flags of each call of the page, and whether it looks back.
CALLS: Final = (
    ("total_count",),
    ("dates_metrics",),
    ("dates_total_count_users", "dates_total_count_assets"),
    ("dates_login_times_top10_assets",),
    ("dates_login_times_top10_users",),
    ("dates_login_record_top10_sessions",),
    ("all",),
)
_COUNT: Final = """
import time, django
django.setup()
from postern.apps.sessions.day_uses.counting import count_ended_days
from postern.kernel import clock
begun = time.process_time()
days = count_ended_days(clock.now())
print(f"counting {days} days that are over: {time.process_time() - begun:.1f} s of CPU")
"""


@contextmanager
def filled_home(sessions: int, days: int, *, on_postgresql: bool) -> Iterator[dict[str, str]]:
    """The environment of an installation with so many sessions of the last days."""
    with migrated_home(on_postgresql=on_postgresql) as environ:
        numbers = map(str, (sessions, days, PEOPLE, ASSETS))
        peer = HERE / "peers" / "many_sessions.py"
        subprocess.run([sys.executable, peer, *numbers], env=environ, check=True, stdout=subprocess.DEVNULL)
        subprocess.run([sys.executable, "-c", _COUNT], env=environ, check=True)
        yield environ


def show_calls(server: Server, rounds: int) -> None:
    for days in (7, 30):
        for flags in CALLS:
            query = {**dict.fromkeys(flags, "1"), **({"monthly": "1"} if days == 30 else {})}
            measure(
                server,
                f"{days} days: {flags[0]}",
                GOAL_MS,
                rounds,
                lambda query=query: server.request("GET", "/api/v1/index/", query),
            )


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--quick", action="store_true", help="a tenth of the sessions, and fewer rounds")
    options.add_argument("--postgres", action="store_true", help="on a temporary PostgreSQL server in place of SQLite")
    chosen = options.parse_args()
    sessions = SESSIONS // 10 if chosen.quick else SESSIONS
    for days in (730, 30):
        begun = time.perf_counter()
        with filled_home(sessions, days, on_postgresql=chosen.postgres) as environ:
            print(f"{sessions:,} sessions of {days} days (filled in {time.perf_counter() - begun:.0f} s)")
            with product(environ) as server:
                show_calls(server, 10 if chosen.quick else 30)
    return 0


if __name__ == "__main__":
    sys.exit(main())
