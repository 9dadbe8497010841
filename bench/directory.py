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
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "server" / "src"), str(ROOT / "server" / "tests")]

IMPORT_GOAL_S: Final = 60.0
SYNC_GOAL_S: Final = 15.0
GROWTH_GOAL_MB: Final = 20.0
NAMES_OF_A_CALL: Final = 1000


def timed(call: Callable[[], object]) -> float:
    begun_s = time.perf_counter()
    call()
    return time.perf_counter() - begun_s


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(number: int) -> int:
    """Prints the figures; returns 1 when a goal is missed."""
    # Django is set up by now, with a home of this run.
    from django.core.management import call_command

    from peers.slapd import ROOT_DN, ROOT_PASSWORD, STAFF, Someone, serving
    from postern.apps.directory import importing, reading
    from postern.apps.orgs import facade as orgs
    from postern.apps.preferences import actions
    from postern.apps.users.models import Source, User
    from postern.foundation.caller.actor import SYSTEM

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
        reading_s = timed(lambda: reading._read(reading.stored_source()))
        list_s = timed(reading.run_due)
        scope = orgs.find_scope("default")
        chunks = [names[start : start + NAMES_OF_A_CALL] for start in range(0, number, NAMES_OF_A_CALL)]
        import_s = list_s + timed(
            lambda: [importing.import_people(actor=SYSTEM, scope=scope, usernames=chunk) for chunk in chunks]
        )
        assert User.objects.filter(source=Source.LDAP).count() == number

        def synchronise() -> None:
            reading.request_reading(actor=SYSTEM, with_users=True)
            assert reading.run_due()

        synchronise()
        before_mb = peak_mb()
        sync_s = timed(synchronise)
        again_s = timed(synchronise)
        growth_mb = peak_mb() - before_mb
        assert reading.state().outcome == "succeeded"
    for label, seconds in [
        ("reading alone", reading_s),
        ("first reading and list", list_s),
        ("first import", import_s),
        ("unchanged synchronisation", sync_s),
        ("again", again_s),
    ]:
        print(f"{label:<28} {seconds:8.2f} s {seconds / reading_s:8.1f} x reading")
    print(f"{'memory, growth at the end':<28} {growth_mb:8.1f} MB of {peak_mb():.0f} MB")
    scale = number / 20_000
    missed = import_s > IMPORT_GOAL_S * scale or sync_s > SYNC_GOAL_S * scale or growth_mb > GROWTH_GOAL_MB
    print("a goal was missed" if missed else "goals reached")
    return int(missed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    number = 2_000 if parser.parse_args().quick else 20_000
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {
            "POSTERN_HOME": home,
            "POSTERN_ALLOW_LOCAL_TARGETS": "yes",
            "DJANGO_SETTINGS_MODULE": "postern.foundation.django_settings",
        }
        import django

        django.setup()
        return measure(number)


if __name__ == "__main__":
    sys.exit(main())
