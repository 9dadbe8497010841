"""The LDAP directory at size: 20,000 people of a real slapd are read, imported, and synchronised again.

    python bench/directory.py [--quick] [--memory]

Goals: the first import within 60 s, a synchronisation without changes within 15 s, memory that does not grow from one
synchronisation to the next, nor with the number of people: 100,000 take at most 20 MB more than 20,000, in the first
synchronisation, in one without changes, and in one after which one in a hundred has left. `--memory`: this alone. The ratio is
to what the reading alone costs. The database is SQLite in a folder of its own.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "server" / "src"), str(ROOT / "server" / "tests")]
HOME: Final = tempfile.TemporaryDirectory()
os.environ |= {
    "POSTERN_HOME": HOME.name,
    "POSTERN_ALLOW_LOCAL_TARGETS": "yes",
    "DJANGO_SETTINGS_MODULE": "postern.foundation.django_settings",
}

import django  # noqa: E402 - the environment must be set first

django.setup()

from django.core.management import call_command  # noqa: E402 - the environment must be set first

from peers.slapd import ROOT_DN, ROOT_PASSWORD, STAFF, Slapd, Someone, serving  # noqa: E402 - the environment must be set first
from postern.apps.directory import importing, lookups, reading  # noqa: E402 - the environment must be set first
from postern.apps.directory.models import DirectoryEntry, DirectoryIdentity  # noqa: E402 - the environment must be set first
from postern.apps.directory.source import stored_source  # noqa: E402 - the environment must be set first
from postern.apps.directory.staging import staged  # noqa: E402 - the environment must be set first
from postern.apps.orgs import facade as orgs  # noqa: E402 - the environment must be set first
from postern.apps.preferences import actions  # noqa: E402 - the environment must be set first
from postern.apps.users.models import Source, User  # noqa: E402 - the environment must be set first
from postern.foundation.caller.actor import SYSTEM  # noqa: E402 - the environment must be set first

IMPORT_GOAL_S: Final = 60.0
SYNC_GOAL_S: Final = 15.0
GROWTH_GOAL_MB: Final = 20.0
NAMES_OF_A_CALL: Final = 1000
#: Everybody but those whose number ends in 00.
WITHOUT_SOME: Final = "(&(uid=%(user)s)(!(uid=*00)))"


class Times(NamedTuple):
    """Seconds on the clock, and seconds of CPU of this process: on a busy machine the two differ."""

    wall_s: float
    cpu_s: float


def timed(call: Callable[[], object]) -> Times:
    begun_s, begun_cpu_s = time.perf_counter(), time.process_time()
    call()
    return Times(time.perf_counter() - begun_s, time.process_time() - begun_cpu_s)


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def set_up(slapd: Slapd) -> None:
    actions.change_settings(
        actor=SYSTEM,
        changes={
            "AUTH_LDAP_SERVER_URI": slapd.uri,
            "AUTH_LDAP_BIND_DN": ROOT_DN,
            "AUTH_LDAP_BIND_PASSWORD": ROOT_PASSWORD,
            "AUTH_LDAP_SEARCH_OU": STAFF,
            "AUTH_LDAP_SEARCH_FILTER": "(uid=%(user)s)",
            "AUTH_LDAP_USER_ATTR_MAP": '{"username": "uid", "name": "sn", "email": "mail"}',
        },
    )


def read_alone() -> None:
    with staged() as people:
        lookups.read_all(stored_source(), people, limit_s=reading.LIMIT_S)


def measure(number: int) -> bool:
    """Prints the figures; returns whether a goal is missed."""
    call_command("migrate", verbosity=0)
    names = [f"user{place:06}" for place in range(number)]
    with serving([Someone(name, f"Person {name}") for name in names]) as slapd:
        set_up(slapd)
        reading_took = timed(read_alone)
        list_took = timed(reading.run_due)
        scope = orgs.find_scope("default")
        chunks = [names[start : start + NAMES_OF_A_CALL] for start in range(0, number, NAMES_OF_A_CALL)]
        writing_took = timed(
            lambda: [importing.import_people(actor=SYSTEM, scope=scope, usernames=chunk) for chunk in chunks]
        )
        assert User.objects.filter(source=Source.LDAP).count() == number

        importing_took = Times(list_took.wall_s + writing_took.wall_s, list_took.cpu_s + writing_took.cpu_s)

        def synchronise() -> None:
            reading.request_reading(actor=SYSTEM, with_users=True)
            assert reading.run_due()

        synchronise()
        before_mb = peak_mb()
        sync_took = timed(synchronise)
        again_took = timed(synchronise)
        growth_mb = peak_mb() - before_mb
        assert reading.state().outcome == "succeeded"
    for label, took in [
        ("reading alone", reading_took),
        ("first reading and list", list_took),
        ("first import", importing_took),
        ("unchanged synchronisation", sync_took),
        ("again", again_took),
    ]:
        ratio = took.cpu_s / reading_took.cpu_s
        print(f"{label:<28} {took.wall_s:8.2f} s {took.cpu_s:8.2f} s of CPU {ratio:8.1f} x reading")
    print(f"{'memory, growth at the end':<28} {growth_mb:8.1f} MB of {peak_mb():.0f} MB")
    scale = number / 20_000
    missed = (
        importing_took.wall_s > IMPORT_GOAL_S * scale
        or sync_took.wall_s > SYNC_GOAL_S * scale
        or growth_mb > GROWTH_GOAL_MB
    )
    print("a goal was missed" if missed else "goals reached")
    return bool(missed)


def measure_memory(numbers: Sequence[int]) -> bool:
    """Prints the peak of a process that synchronises so many people; returns whether it grows with their number."""
    peaks = [memory_of(number) for number in numbers]  # each in a data folder of its own
    missed = max(large - small for small, large in zip(*peaks, strict=True)) > GROWTH_GOAL_MB
    print(f"memory {'grows' if missed else 'does not grow'} with the number of people")
    return bool(missed)


def memory_of(number: int) -> list[float]:
    answer = subprocess.run(
        [sys.executable, __file__, "--memory-of", str(number)], check=True, stdout=subprocess.PIPE, text=True
    )
    *lines, taken = answer.stdout.splitlines()
    print(*lines, sep="\n", flush=True)
    return [float(value) for value in json.loads(taken)]


def measured_memory(number: int) -> list[float]:
    """MB that the first synchronisation takes, one without changes, and one after which one in a hundred has left."""
    call_command("migrate", verbosity=0)
    with serving([Someone(f"user{place:06}", f"Person {place}") for place in range(number)]) as slapd:
        set_up(slapd)
        taken = [synchronised(number, "first")]
        make_users_of_everybody()
        taken.append(synchronised(number, "without changes"))
        actions.change_settings(actor=SYSTEM, changes={"AUTH_LDAP_SEARCH_FILTER": WITHOUT_SOME})
        taken.append(synchronised(number, "one in a hundred has left"))
    assert User.objects.filter(source=Source.LDAP, is_active=False).count() == number // 100
    return taken


def synchronised(number: int, label: str) -> float:
    reader = ROOT / "bench" / "peers" / "directory_reader.py"
    answer = subprocess.run([sys.executable, reader], check=True, capture_output=True, text=True)
    found = json.loads(answer.stdout)
    assert found["outcome"] == "succeeded", found
    taken_mb = found["peak_mb"] - found["base_mb"]
    print(
        f"{number:>7} people, {label:<26} {found['seconds']:8.2f} s {found['cpu_s']:8.2f} s of CPU "
        f"{taken_mb:8.1f} MB more than {found['base_mb']:.0f}"
    )
    return float(taken_mb)


def make_users_of_everybody() -> None:
    """Users of everybody who was read, without the records that an import writes."""
    rows = DirectoryEntry.objects.order_by("pk")
    for start in range(0, rows.count(), NAMES_OF_A_CALL):
        batch = list(rows[start : start + NAMES_OF_A_CALL])
        made = User.objects.bulk_create(
            User(
                username=row.username,
                username_key=row.username_key,
                name=row.name,
                email=row.email,
                source=Source.LDAP,
            )
            for row in batch
        )
        DirectoryIdentity.objects.bulk_create(
            DirectoryIdentity(user=user, uid=row.uid, digest=row.digest) for user, row in zip(made, batch, strict=True)
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--memory-of", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.memory_of:
        print(json.dumps(measured_memory(chosen.memory_of)))
        return 0
    missed = not chosen.memory and measure(2_000 if chosen.quick else 20_000)
    grows = measure_memory([2_000, 4_000] if chosen.quick else [20_000, 100_000])
    return int(missed or grows)


if __name__ == "__main__":
    try:
        status = main()
    finally:
        HOME.cleanup()
    sys.exit(status)
