"""A temporary PostgreSQL server for a test run, with a free port and an empty data folder, deleted afterwards."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from steps import ROOT

sys.path.append(str(ROOT / "server" / "tests"))

from peers.ports import free_port


@contextmanager
def postgresql() -> Iterator[str]:
    """Start the server and yield its DATABASE_URL. The server runs as `postgres` when the caller is root."""
    binaries = max(Path("/usr/lib/postgresql").glob("*/bin"))
    folder = Path(tempfile.mkdtemp(prefix="postern-pg-"))
    owner = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    if owner:
        shutil.chown(folder, "postgres")
    port = free_port()
    data = folder / "data"
    # The data is deleted after the run, so it need not reach the disk.
    fast = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off"
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c max_connections=200 {fast}"
    control = [*owner, str(binaries / "pg_ctl"), "-D", str(data), "-w", "-s"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    try:
        subprocess.run(
            [*owner, str(binaries / "initdb"), "-D", str(data), "-U", "postern", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"],
            cwd=folder, check=True, **quiet,
        )  # fmt: skip
        subprocess.run([*control, "-o", options, "-l", str(folder / "log"), "start"], cwd=folder, check=True, **quiet)
        yield f"postgresql://postern@127.0.0.1:{port}/postgres"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], cwd=folder, check=False, **quiet)
        shutil.rmtree(folder, ignore_errors=True)
