"""The search inside recordings in a large installation: how long a page takes, by organization and condition.

    python bench/search_scopes.py [--pieces 100000] [--postgresql]

The index has as many pieces of 32 lines, in sessions of 12 pieces, in one large organization and ten small ones. Each
search prints the time of its pages of 25 hits. The goal is 50 ms for 95 % of them.
"""

import argparse
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from uuid import UUID, uuid4

HERE: Final = Path(__file__).resolve().parent
GOAL_MS: Final = 50.0
LINES: Final = 32
OF_SESSION: Final = 12
SMALL: Final = 10
#: One of so many sessions is of a small organization.
SHARE: Final = 20
WORDS: Final = ("error", "warning", "service", "started", "connection", "refused", "录像", "数据库", "user", "ok")
NEWEST: Final = datetime(2026, 6, 1, tzinfo=UTC)


def lines_of(chance: random.Random, number: int) -> Iterator[str]:
    """Lines of a piece. Some words are in all pieces, `needle` in one of 5,000, `middling` in one of 50."""
    for _ in range(LINES):
        yield f"{chance.randrange(16**6):06x} host-{chance.randrange(99)} {' '.join(chance.choices(WORDS, k=4))}"
    if number % 5_000 == 7:
        yield f"needle-{number:06d} 针眼"
    if number % 50 == 3:
        yield "a middling text"


def fill(pieces: int) -> tuple[list[UUID], list[Any]]:
    """Make the index; returns the organizations, the large one first, and the sessions."""
    from django.db import transaction  # noqa: PLC0415 - Django must be set up before

    from postern.apps.sessions.models import RecordingIndex, Session  # noqa: PLC0415 - the same
    from postern.apps.sessions.search import actions as search  # noqa: PLC0415 - the same
    from postern.contracts.search.folding import gram_numbers  # noqa: PLC0415 - the same
    from postern.contracts.search.lines import Line, LineKind  # noqa: PLC0415 - the same
    from postern.contracts.search.pieces import pack  # noqa: PLC0415 - the same
    from postern.kernel import clock  # noqa: PLC0415 - the same

    organizations = [uuid4() for _ in range(SMALL + 1)]
    people, assets = [uuid4() for _ in range(100)], [uuid4() for _ in range(100)]
    chance = random.Random(1)  # noqa: S311 - generated text, the same at each run
    sessions = [
        Session(
            org_id=organizations[0 if at % SHARE else 1 + at // SHARE % SMALL],
            user_id=people[at % len(people)],
            user="Ann(ann)",
            username="ann",
            asset_id=assets[at % len(assets)],
            asset="web-01",
            system_user_id=uuid4(),
            system_user="root(root)",
            state="ended",
            end_reason="user_closed",
            date_start=NEWEST - timedelta(minutes=20 * at),
            date_end=NEWEST,
        )
        for at in range(pieces // OF_SESSION)
    ]
    Session.objects.bulk_create(sessions, batch_size=500)
    number = 0
    for start in range(0, len(sessions), 50):
        with transaction.atomic():
            for session in sessions[start : start + 50]:
                search.queue(session)
                row = RecordingIndex.objects.get(pk=session.pk)
                search.begin(row)
                written = []
                for _ in range(OF_SESSION):
                    texts = list(lines_of(chance, number))
                    letters = {5: LineKind.COMMAND} if number % 40 == 1 else {}
                    lines = [Line(at * 100, letters.get(at, LineKind.SCREEN), text) for at, text in enumerate(texts)]
                    written.append((pack(lines), gram_numbers(texts) if "--postgresql" in sys.argv else ()))
                    number += 1
                search.add(row, 0, written, session)
                search.finish(row, is_whole=True, recorded_at=clock.now())
    return organizations, sessions


def measure(pieces: int) -> None:
    """In an installation: make the index, and search."""
    import django  # noqa: PLC0415 - the environment must be set before

    django.setup()

    from django.db import connection  # noqa: PLC0415 - Django must be set up before

    from postern.apps.sessions.search.queries import Search  # noqa: PLC0415 - the same
    from postern.contracts.search.lines import LineKind  # noqa: PLC0415 - the same

    began = time.perf_counter()
    organizations, sessions = fill(pieces)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE sessions_recordingpiece")
            cursor.execute("ANALYZE")
    print(f"{pieces} pieces in {len(sessions)} sessions, made in {time.perf_counter() - began:.0f} s")
    large, small = organizations[:2]
    old = NEWEST - timedelta(days=20)
    searches: dict[str, dict[str, Any]] = {
        "rare, everywhere": {"sought": "needle-"},
        "rare, large organization": {"sought": "needle-", "org_id": large},
        "rare, small organization": {"sought": "needle-", "org_id": small},
        "middling, small organization": {"sought": "middling", "org_id": small},
        "middling, large organization": {"sought": "middling", "org_id": large},
        "common, small organization": {"sought": "connection refused", "org_id": small},
        "common, one session": {"sought": "connection refused", "session_id": sessions[-1].pk},
        "common, one user": {"sought": "connection", "org_id": large, "user_id": sessions[7].user_id},
        "common, before a date": {"sought": "connection", "date_to": old},
        "common, between dates": {"sought": "数据库", "date_from": old - timedelta(days=1), "date_to": old},
        "nowhere, of common parts": {"sought": "error refused service ok user", "org_id": large},
        "short, kind": {"sought": "ok", "kind": LineKind.COMMAND, "org_id": large},
        "short, kind of no line": {"sought": "ok", "kind": LineKind.FILE, "org_id": large},
        "short, small organization": {"sought": "zq", "org_id": small},
        "short, before a date": {"sought": "ok", "date_to": old},
    }
    for name, given in searches.items():
        _time_pages(name, Search(limit=25, **given), given.get("org_id"))


def _time_pages(name: str, search: Any, org_id: UUID | None) -> None:
    from dataclasses import replace  # noqa: PLC0415 - not for the process outside

    from postern.apps.sessions.models import Session  # noqa: PLC0415 - Django must be set up before
    from postern.apps.sessions.search import queries  # noqa: PLC0415 - the same

    visible = Session.objects.filter(org_id=org_id) if org_id else Session.objects.all()
    times, hits, place = [], 0, None
    while len(times) < 20:
        began = time.perf_counter()
        page = queries.find(visible, replace(search, begin=place))
        queries.states(visible, search)
        times.append((time.perf_counter() - began) * 1000)
        hits += len(page.found)
        place = page.next
    times.sort()
    late = times[int(len(times) * 0.95)]
    print(f"{name:32} middle {times[len(times) // 2]:6.1f} ms   95 % {late:6.1f} ms   {hits} hits", end="")
    print("" if late <= GOAL_MS else "   MISSED", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pieces", type=int, default=100_000)
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside:
        measure(given.pieces)
        return
    from migrated_home import migrated_home  # noqa: PLC0415 - not for the process inside

    with migrated_home(on_postgresql=given.postgresql) as environ:
        command = [sys.executable, __file__, "--inside", "--pieces", str(given.pieces)]
        subprocess.run([*command, *(["--postgresql"] * given.postgresql)], env={**os.environ, **environ}, check=True)


if __name__ == "__main__":
    main()
