"""A data folder that is deleted afterwards, with migrated tables on SQLite or on a temporary PostgreSQL server."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from api import POSTERN

sys.path.append(str(Path(__file__).resolve().parents[1] / "tools"))

import throwaway_postgresql


@contextmanager
def migrated_home(*, on_postgresql: bool) -> Iterator[dict[str, str]]:
    """The environment of an installation without rows, for the product and for the programs that fill it."""
    with tempfile.TemporaryDirectory(prefix="postern-bench-") as home:
        environ = {
            **os.environ,
            "POSTERN_HOME": home,
            "POSTERN_ADMIN_PASSWORD": "bench-only-Password-1",
            "POSTERN_LOG_LEVEL": "WARNING",
            "DJANGO_SETTINGS_MODULE": "postern.foundation.django_settings",
        }
        with throwaway_postgresql.postgresql() if on_postgresql else nullcontext("") as url:
            if url:
                environ["DATABASE_URL"] = url
            subprocess.run([str(POSTERN), "migrate", "--json"], env=environ, check=True, stdout=subprocess.DEVNULL)
            yield environ
