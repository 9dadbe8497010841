"""`make test`: the checks, then every test, the server's on both databases. Ends with one line that counts them."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from steps import BIN, ROOT, Step, perform

sys.path.append(str(ROOT / "server" / "tests"))

from peers.ports import free_port

PYTEST = (str(BIN / "python"), "-m", "pytest", "-q")
_COUNTS = re.compile(r"(\d+) (passed|failed|error|errors|skipped)\b")


@contextmanager
def postgresql() -> Iterator[str]:
    """A throw-away PostgreSQL on a free port; yields its DATABASE_URL."""
    binaries = max(Path("/usr/lib/postgresql").glob("*/bin"))
    folder = Path(tempfile.mkdtemp(prefix="postern-pg-"))
    owner = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    if owner:
        shutil.chown(folder, "postgres")
    port = free_port()
    data = folder / "data"
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=200"
    control = [*owner, str(binaries / "pg_ctl"), "-D", str(data), "-w", "-s"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    try:
        subprocess.run(
            [*owner, str(binaries / "initdb"), "-D", str(data), "-U", "postern", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"],
            cwd=folder, check=True, **quiet,
        )  # fmt: skip
        subprocess.run([*control, "-o", options, "-l", str(folder / "log"), "start"], cwd=folder, check=True, **quiet)
        yield f"postgresql://postern@127.0.0.1:{port}/postgres"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], cwd=folder, check=False, **quiet)
        shutil.rmtree(folder, ignore_errors=True)


def counts(output: str) -> dict[str, int]:
    """Passed, failed and skipped tests in the closing lines of pytest or vitest."""
    total = {"passed": 0, "failed": 0, "skipped": 0}
    closing = [line for line in output.splitlines()[-15:] if _COUNTS.search(line) and "Test Files" not in line]
    if closing:
        for number, word in _COUNTS.findall(closing[-1]):
            total["failed" if word.startswith("error") else word] += int(number)
    return total


def main() -> int:
    started = time.monotonic()
    steps_ok = perform(Step("checks", (str(BIN / "python"), "tools/check_all.py"))).ok
    total = {"passed": 0, "failed": 0, "skipped": 0}

    def test(step: Step) -> None:
        nonlocal steps_ok
        outcome = perform(step)
        found = counts(outcome.output)
        if not outcome.ok and not found["failed"]:
            found["failed"] = 1  # it ended before it could count
        steps_ok = steps_ok and outcome.ok
        for word, number in found.items():
            total[word] += number
        print(f"        {' '.join(f'{number} {word}' for word, number in found.items() if number)}", flush=True)

    test(Step("console, unit", ("npm", "run", "--silent", "test"), "console"))
    test(Step("server, SQLite", (*PYTEST, "-n", "2", "--dist", "loadfile"), "server"))
    with postgresql() as address:
        test(
            Step(
                "server, PostgreSQL",
                (*PYTEST, "-n", "2", "--dist", "loadfile", "tests/unit", "tests/integration"),
                "server",
                {"DATABASE_URL": address},
            )
        )
    test(Step("end to end", (*PYTEST, "-c", "e2e/pytest.ini", "e2e")))
    print(f"{time.monotonic() - started:.0f} s in {ROOT.name}")
    skipped = f", {total['skipped']} skipped" if total["skipped"] else ""
    print(f"{total['passed']} passed, {total['failed'] + (not steps_ok and not total['failed'])} failed{skipped}")
    return 0 if steps_ok else 1


if __name__ == "__main__":
    sys.exit(main())
