"""The LDAP directory at size: 20,000 people of a real slapd are read, imported, and synchronised again.

    python bench/directory.py [--quick]

Goals: the first import within 60 s, a synchronisation without changes within 15 s, memory that does not grow from one
synchronisation to the next. The ratio is to what the reading alone costs. The database is SQLite in a folder of its own.
"""

import argparse
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
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

from peers.slapd import ROOT_DN, ROOT_PASSWORD, STAFF, Someone, serving  # noqa: E402 - the environment must be set first
from postern.apps.directory import importing, lookups, reading  # noqa: E402 - the environment must be set first
from postern.apps.directory.source import stored_source  # noqa: E402 - the environment must be set first
from postern.apps.orgs import facade as orgs  # noqa: E402 - the environment must be set first
from postern.apps.preferences import actions  # noqa: E402 - the environment must be set first
from postern.apps.users.models import Source, User  # noqa: E402 - the environment must be set first
from postern.foundation.caller.actor import SYSTEM  # noqa: E402 - the environment must be set first

IMPORT_GOAL_S: Final = 60.0
SYNC_GOAL_S: Final = 15.0
GROWTH_GOAL_MB: Final = 20.0
NAMES_OF_A_CALL: Final = 1000


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


def measure(number: int) -> int:
    """Prints the figures; returns 1 when a goal is missed."""
    call_command("migrate", verbosity=0)
    names = [f"user{place:06}" for place in range(number)]
    with serving([Someone(name, f"Person {name}") for name in names]) as slapd:
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
        reading_took = timed(lambda: lookups.read_all(stored_source(), limit_s=reading.LIMIT_S))
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
    return int(missed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    return measure(2_000 if parser.parse_args().quick else 20_000)


if __name__ == "__main__":
    try:
        status = main()
    finally:
        HOME.cleanup()
    sys.exit(status)
