"""The search inside recordings: how fast recordings are indexed, and how long a search takes.

    python bench/search.py [--recordings 1000] [--postgresql]

Recordings of six minutes of terminal work, a third of it in a full-screen program, are indexed by the worker's job. For
each text it prints the time of a page of 25 hits, the first and the last of all pages, and the number of hits. Goals:
indexing on one core takes a hundredth of the time that was recorded, and a page 50 ms. `writes` is the time for which the job
held SQLite's lock, for which everybody else waits; the goal is 50 ms.
"""

import argparse
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "server" / "tests"))

GOAL_RATIO: Final = 100.0
GOAL_PAGE_MS: Final = 50.0
GOAL_WRITE_MS: Final = 50.0
MINUTES: Final = 6
#: Different recordings; the others have the same content.
DIFFERENT: Final = 40
WORDS: Final = ("error", "warning", "service", "started", "connection", "refused", "录像", "数据库", "password", "user")
TEXTS: Final = ("needle-0007", "NEEDLE-", "connection refused", "针眼", "数据库 user", "aa", "--", "no such text", "zq")


def steps(number: int) -> list[tuple[int, int, bytes]]:
    """Six minutes: about ten kilobytes a minute."""
    output = ord("o")
    chance = random.Random(number)  # noqa: S311 - generated text, the same at each run
    made = []
    for at in range(0, MINUTES * 60_000, 1_000):
        if at % 120_000 < 80_000:
            text = "".join(
                f"{chance.randrange(16**8):08x} host-{chance.randrange(99)} {' '.join(chance.choices(WORDS, k=6))}\r\n"
                for _ in range(2)
            )
        else:
            text = "\x1b[?1049h" + "".join(
                f"\x1b[{row};1H{chance.randrange(99_999):5} {chance.choice(WORDS)} {chance.randrange(999)}\x1b[K"
                for row in range(1, 11)
            )
            text += "\x1b[?1049l" if at % 120_000 == 119_000 else ""
        made.append((at, output, text.encode()))
    made.insert(30, (30_000, output, f"needle-{number:04d} 针眼 -- aardvark\r\n".encode()))
    return made


def measure(count: int) -> None:
    """In an installation: make recordings, index them, search."""
    import django  # noqa: PLC0415 - the environment must be set before

    django.setup()
    from django.conf import settings  # noqa: PLC0415 - Django must be set up before
    from django.db import connection  # noqa: PLC0415 - the same

    from factories import recorded  # noqa: PLC0415 - the same
    from postern.apps.sessions.indexing import actions as indexing  # noqa: PLC0415 - the same
    from postern.apps.sessions.models import RecordingPiece, Session  # noqa: PLC0415 - the same
    from postern.apps.sessions.search import actions as search  # noqa: PLC0415 - the same
    from postern.integrations.replay_storages.local_folder import LocalFolder  # noqa: PLC0415 - the same

    folder = settings.POSTERN.home / "replays"
    contents = []
    for number in range(count):
        if number < DIFFERENT:
            session = recorded.recorded(folder, steps(number))
            contents.append(next(folder.rglob(f"{session.pk}.postern")).read_bytes())
        else:
            recorded.recorded(folder, [], content=contents[number % DIFFERENT])
    writes: list[float] = []
    add = search.add

    def timed(*arguments: Any) -> None:
        started = time.perf_counter()
        add(*arguments)
        writes.append((time.perf_counter() - started) * 1000)

    search.add = timed
    cpu_before, started = sum(os.times()[:4]), time.perf_counter()
    done = indexing.index_due(local=LocalFolder(folder), limit_s=24 * 3600)
    wall_s, cpu_s = time.perf_counter() - started, sum(os.times()[:4]) - cpu_before
    ratio = done * MINUTES * 60 / cpu_s
    kept = sum(len(lines) for lines in RecordingPiece.objects.values_list("lines", flat=True))
    print(f"{done} recordings, {RecordingPiece.objects.count()} pieces of {kept / 1e6:.1f} MB")
    print(f"indexed  {ratio:6.0f} x real time on one core ({wall_s:.0f} s)   {ratio / GOAL_RATIO:.2f} of the goal")
    if connection.vendor == "sqlite":
        writes.sort()
        quick = sum(write <= GOAL_WRITE_MS for write in writes) / len(writes)
        print(f"writes   {writes[len(writes) // 2]:6.1f} ms, {writes[-1]:.1f} ms at most   {quick:.1%} within the goal")
    for text in TEXTS:
        _time_pages(text, Session.objects.all())


def _time_pages(text: str, sessions: Any) -> None:
    from postern.apps.sessions.search import queries  # noqa: PLC0415 - Django must be set up before
    from postern.contracts.search.folding import fold  # noqa: PLC0415 - the same

    place, hits, times = None, 0, []
    while len(times) < 40:
        started = time.perf_counter()
        page = queries.find(sessions, queries.Search(sought=fold(text), limit=25, begin=place))
        times.append((time.perf_counter() - started) * 1000)
        hits += len(page.found)
        place = page.next
        if place is None:
            break
    missed = "" if max(times) <= GOAL_PAGE_MS else "   MISSED"
    print(
        f"{text:20} first {times[0]:6.1f} ms   longest {max(times):6.1f} ms   {len(times)} pages, {hits} hits{missed}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recordings", type=int, default=1_000)
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside:
        measure(given.recordings)
        return
    from migrated_home import migrated_home  # noqa: PLC0415 - not for the process inside

    with migrated_home(on_postgresql=given.postgresql) as environ:
        command = [sys.executable, __file__, "--inside", "--recordings", str(given.recordings)]
        subprocess.run(command, env=environ, check=True)


if __name__ == "__main__":
    main()
