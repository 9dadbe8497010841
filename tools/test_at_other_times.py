"""`make test-clock`: runs the server's tests at dates that programs often handle wrongly.

Each run begins shortly before the date, so that the change happens while tests are running. Needs a C compiler (`cc`).
"""

import os
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from steps import BIN, ROOT, Step, perform
from throwaway_postgresql import postgresql

LIBRARY: Final = ROOT / ".stamps" / "other_clock.so"
#: How long before its date a run begins. Most of a run is over after twice this time.
BEFORE: Final = timedelta(seconds=75)


@dataclass(frozen=True)
class Moment:
    """A point in time, and the time zone of the machine."""

    name: str
    at: datetime
    zone: str = "UTC"


MOMENTS: Final = (
    Moment("a month's end", datetime(2026, 12, 1, tzinfo=UTC)),
    Moment("a year's end", datetime(2027, 1, 1, tzinfo=UTC)),
    Moment("29 February", datetime(2028, 2, 29, tzinfo=UTC)),
    Moment("the day after 29 February", datetime(2028, 3, 1, tzinfo=UTC)),
    Moment("summer time begins", datetime(2027, 3, 28, 1, tzinfo=UTC), "Europe/Berlin"),
    Moment("summer time ends", datetime(2027, 10, 31, 1, tzinfo=UTC), "Europe/Berlin"),
    Moment("midnight in China", datetime(2027, 5, 31, 16, tzinfo=UTC), "Asia/Shanghai"),
)


def preloaded(moment: Moment) -> dict[str, str]:
    """Environment for a program that shifts its clock to the date. Raises CalledProcessError when the library does not
    compile.
    """
    LIBRARY.parent.mkdir(exist_ok=True)
    source = Path(__file__).with_name("other_clock.c")
    subprocess.run(["cc", "-O2", "-Wall", "-shared", "-fPIC", "-o", str(LIBRARY), str(source)], check=True)
    shift = moment.at - BEFORE - datetime.now(UTC)
    return {"LD_PRELOAD": str(LIBRARY), "CLOCK_SHIFT_S": str(int(shift.total_seconds())), "TZ": moment.zone}


def main(arguments: list[str]) -> int:
    """`test_at_other_times.py [words of a moment] [-- arguments of pytest]`."""
    words, _, more = " ".join(arguments).partition("--")
    failed = 0
    with postgresql() as address:
        for moment in [moment for moment in MOMENTS if words.strip() in moment.name]:
            pytest = (str(BIN / "python"), "-m", "pytest", "-q", "-n", "4", "--dist", "loadfile")
            for database, environ in (("SQLite", {}), ("PostgreSQL", {"DATABASE_URL": address})):
                folders = more.split() or ["tests/integration", *([] if environ else ["tests/unit", "tests/proxies"])]
                step = Step(
                    f"{moment.name}, {database}", (*pytest, *folders), "server", {**environ, **preloaded(moment)}
                )
                failed += not perform(step).ok
    return 1 if failed else 0


if __name__ == "__main__":
    os.environ.pop("DATABASE_URL", None)
    sys.exit(main(sys.argv[1:]))
