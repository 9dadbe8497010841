"""Random walks through the sign-ins of the product, further than `make test` goes.

    python bench/sign_in_walks.py [--quick] [--seed NUMBER]

Goal: no walk leads to a session that lacks a required factor. A walk that does ends the benchmark with its shortest path.
`runs` are steps on the running product, `states` the different states in which they ended; walks that pass a known
state use what was seen there.
"""

import argparse
import logging
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "server" / "src"), str(ROOT / "server" / "tests")]
HOME: Final = tempfile.TemporaryDirectory()
os.environ |= {"POSTERN_HOME": HOME.name, "DJANGO_SETTINGS_MODULE": "postern.foundation.django_settings"}

import django  # noqa: E402 - the environment must be set first

from postern.foundation import django_settings  # noqa: E402 - the environment must be set first

django_settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
django_settings.ALLOWED_HOSTS = ["*"]
django.setup()

from django.core.management import call_command  # noqa: E402 - the environment must be set first
from django.db import transaction  # noqa: E402 - the environment must be set first

from postern.apps.authn.lock_out import lockout  # noqa: E402 - the environment must be set first
from postern.apps.users.credentials.hashing import BoundedArgon2Hasher  # noqa: E402 - the environment must be set first
from postern.foundation import installation  # noqa: E402 - the environment must be set first
from postern.foundation.bus.gathered import Gathered  # noqa: E402 - the environment must be set first
from sign_in_walks.actions import ROOTS  # noqa: E402 - the environment must be set first
from sign_in_walks.walker import Disagreement, Walker  # noqa: E402 - the environment must be set first

#: From each root: walks, and steps on the product.
LONG, SHORT = (200_000, 5_000), (20_000, 500)


def walk(root: str, seed: int, size: tuple[int, int]) -> None:
    walks, runs = size
    begun_s = time.process_time()
    with transaction.atomic():
        walker = Walker(root, seed, runs)
        walker.walk(walks)
        transaction.set_rollback(True)
    took_s = time.process_time() - begun_s
    print(
        f"{root:<10} {walker.walks:9,} walks {walker.steps:10,} steps {walker.runs:6,} runs {walker.states:6,} states"
        f" {took_s:7.1f} s of CPU",
        flush=True,
    )


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--quick", action="store_true", help="as far as make test goes, with another seed")
    options.add_argument("--seed", type=int, default=int(time.time()))
    chosen = options.parse_args()
    BoundedArgon2Hasher.time_cost, BoundedArgon2Hasher.memory_cost = 1, 64
    lockout.FREE_FAILURES = 1_000
    Gathered.ask = lambda self, key: self._work(frozenset({key}))  # type: ignore[method-assign] # no other thread
    logging.disable(logging.CRITICAL)
    call_command("migrate", verbosity=0)
    installation.run()
    print(f"seed {chosen.seed}")
    for root in ROOTS:
        try:
            walk(root, chosen.seed, SHORT if chosen.quick else LONG)
        except Disagreement as found:
            print(found)
            return 1
    print("goal reached: no walk without its factors")
    return 0


if __name__ == "__main__":
    try:
        status = main()
    finally:
        HOME.cleanup()
    sys.exit(status)
