"""`make test`: all checks, then all tests; server tests run on both databases. Prints the number of tests at the end.

A failed end-to-end test is repeated once, alone, after all others. If it passes then, it counts as passed and is
reported as flaky with its first failure: a defect to fix, but no reason to fail the run. Processes that tests leave
behind are reported in the same way. The failures of all parts are printed again at the end, where a log that is cut
still shows them. The result is also written to `.stamps/last-test.json`.
"""

import json
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Final

import left_behind
import test_record
from steps import BIN, ROOT, Outcome, Step, perform
from test_record import TestRecord
from throwaway_postgresql import postgresql

PYTEST: Final = (str(BIN / "python"), "-m", "pytest", "-q", "-p", "test_record")
#: Runs a command and reports the processes that it leaves behind.
WATCHED: Final = (str(BIN / "python"), str(ROOT / "tools" / "left_behind.py"))
#: Most tests wait for a shell, a host or a clock, so two cores can run four workers.
SERVER: Final = ("-n", "4", "--dist", "worksteal")
#: Tests that `make check` has run already.
CHECKED: Final = ("--ignore=tests/architecture", "--ignore=tests/unit/locale")
#: Tests that PostgreSQL runs anyway, and that SQLite could not fail alone.
LENIENT: Final = ("-m", "not stricter_on_postgresql")
#: End-to-end tests wait for browsers and for stopping products; three workers use the machine fully.
#: The files come in the order of `e2e/conftest.py`.
END_TO_END: Final = ("-n", "3", "--dist", "loadfile", "--no-loadscope-reorder")
STAMP: Final = ROOT / ".stamps" / "last-test.json"
#: More failures than this have a common cause that a retry does not remove.
MAX_RETRIED: Final = 8
#: Number of slowest files that are listed at the end.
NAMED_FILES: Final = 20
#: Number of lines that are repeated of a failure whose end is not known.
NAMED_LINES: Final = 20

_COUNTS = re.compile(r"(\d+) (passed|failed|skipped)\b")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@dataclass
class Totals:
    """Totals of all runs."""

    ok: bool = True
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    #: Failures as they are printed: the part of the run, the test if it is known, and what it reports.
    failures: list[str] = field(default_factory=list)
    #: Tests that failed first and passed when repeated.
    flaky: list[TestRecord] = field(default_factory=list)
    #: Processes that outlived their run, one line each.
    left: list[str] = field(default_factory=list)
    #: Seconds of each test file and run, including set-up.
    files: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    def add(
        self, outcome: Outcome, tests: Sequence[TestRecord] | None = None, recovered: Sequence[TestRecord] = ()
    ) -> None:
        """Count a run from its record, or from its closing line if there is no record.

        `recovered` are failures that passed when they were repeated.
        """
        counts = count(outcome.output) if tests is None else Counter(test.outcome for test in tests)
        if not outcome.ok and not counts["failed"]:
            counts["failed"] = 1  # it ended before it could count its tests
        failed = counts["failed"] - len(recovered)
        self.ok = self.ok and (outcome.ok or failed == 0)
        self.passed += counts["passed"] + len(recovered)
        self.failed += failed
        self.skipped += counts["skipped"]
        self.failures += failures(outcome, [test for test in tests or () if test not in recovered])
        self.flaky += recovered
        self.left += [line for line in outcome.output.splitlines() if line.startswith(left_behind.MARK)]
        print(f"        {' '.join(f'{number} {word}' for word, number in counts.items() if number)}", flush=True)


def count(output: str) -> Counter[str]:
    """Passed, failed and skipped tests from the closing lines of vitest."""
    total: Counter[str] = Counter()
    closing = [line for line in output.splitlines()[-15:] if _COUNTS.search(line) and "Test Files" not in line]
    if closing:
        for number, word in _COUNTS.findall(closing[-1]):
            total[word] += int(number)
    return total


def failures(outcome: Outcome, tests: Sequence[TestRecord]) -> list[str]:
    """What failed in a run. Without a record of its tests: what vitest marks as failed, else the end of the output."""
    part = outcome.step.name
    failed = [test for test in tests if test.outcome == "failed"]
    if failed or outcome.ok:
        return [f"{part}: {test.id}\n{test.failure}" for test in failed]
    lines = [_COLOURS.sub("", line).rstrip() for line in outcome.output.splitlines()]
    marked = [place for place, line in enumerate(lines) if line.startswith(" FAIL ")]
    if not marked:
        return ["\n".join((part, *lines[-NAMED_LINES:]))]
    return ["\n".join((f"{part}: {lines[place].strip()}", *lines[place + 1 : place + NAMED_LINES])) for place in marked]


def pytest_step(name: str, argv: Sequence[str], cwd: str, record: Path, **environ: str) -> Step:
    """A pytest command that writes a record of its tests and reports processes that it leaves behind."""
    return Step(
        name,
        (*WATCHED, *PYTEST, *argv),
        cwd,
        {"PYTHONPATH": str(ROOT / "tools"), test_record.VARIABLE: str(record), **environ},
    )


def retried(failures: Sequence[TestRecord], run: Callable[[str], Outcome]) -> list[TestRecord]:
    """Repeat each failed test in its own process. Returns those that pass. `run` is called with the id of a test."""
    if len(failures) > MAX_RETRIED:
        return []
    return [failure for failure in failures if run(failure.id).ok]


def main() -> int:
    # A stopped run must stop its PostgreSQL server, too.
    signal.signal(signal.SIGTERM, _stop)
    started = time.monotonic()
    commit = tested_commit()
    checks = perform(Step("checks", (str(BIN / "python"), "tools/check_all.py")))
    totals = Totals(ok=checks.ok, failures=failures(checks, ()))
    with tempfile.TemporaryDirectory(prefix="postern-test-record-") as name:
        run_tests(totals, Path(name))
    if not totals.ok and not totals.failed:
        totals.failed = 1  # a check failed
    seconds = round(time.monotonic() - started)
    tell(totals, seconds)
    write_stamp(totals, seconds, commit)
    skipped = f", {totals.skipped} skipped" if totals.skipped else ""
    print(f"{totals.passed} passed, {totals.failed} failed{skipped}")
    return 0 if totals.ok else 1


def run_tests(totals: Totals, folder: Path) -> None:
    """Run all test suites one after the other."""
    totals.add(perform(Step("console, unit", ("npm", "run", "--silent", "test"), "console")))

    def run(name: str, argv: Sequence[str], cwd: str, **environ: str) -> tuple[Outcome, list[TestRecord]]:
        """Run pytest and return the record of its tests; empty when it ended before it could write the record."""
        record = folder / f"{len(list(folder.iterdir()))}.jsonl"
        outcome = perform(pytest_step(name, argv, cwd, record, **environ))
        tests = test_record.read(record)
        for test in tests:
            totals.files[f"{name}: {test.id.split('::')[0]}"] += test.seconds
        return outcome, tests

    totals.add(*run("server, SQLite", (*SERVER, *CHECKED, *LENIENT), "server"))
    with postgresql() as address:
        totals.add(
            # Tests with a database are in this folder; the conftest of the tests refuses others.
            *run("server, PostgreSQL", (*SERVER, "tests/integration"), "server", DATABASE_URL=address)
        )
    outcome, tests = run("end to end", END_TO_END, "e2e")

    def once_more(test_id: str) -> Outcome:
        return run(f"once more, alone: {test_id}", (test_id,), "e2e")[0]

    totals.add(outcome, tests, retried([test for test in tests if test.outcome == "failed"], once_more))


def tell(totals: Totals, seconds: int) -> None:
    """Print the slowest files, then the flaky tests and the failures."""
    print(f"slowest files, of {seconds} s in {ROOT.name}:")
    slowest = sorted(totals.files.items(), key=lambda item: item[1], reverse=True)
    for name, spent in slowest[:NAMED_FILES]:
        print(f"        {spent:6.1f} s  {name}")
    for test in totals.flaky:
        print(f"FLAKY   {test.id}\n{test.failure}")
    for line in totals.left:
        print(line)
    for failure in totals.failures:
        print(f"FAILED  {failure}")


def tested_commit() -> str:
    """The tested commit, marked when files differ from it."""
    commit = _git("rev-parse", "HEAD")
    return f"{commit} with changes" if _git("status", "--porcelain") else commit


def write_stamp(totals: Totals, seconds: int, commit: str) -> None:
    """Write what was tested and the result to a file."""
    result = {
        "commit": commit if tested_commit() == commit else f"{commit}, changed while it was tested",
        "passed": totals.passed,
        "failed": totals.failed,
        "flaky": [*(f"{test.id}: {_first_line(test.failure)}" for test in totals.flaky), *totals.left],
        "seconds": seconds,
    }
    STAMP.parent.mkdir(exist_ok=True)
    STAMP.write_text(json.dumps(result) + "\n", encoding="utf-8")


def _first_line(failure: str) -> str:
    """The line of a failure that states the error."""
    errors = [line[1:].strip() for line in failure.splitlines() if line.startswith("E ")]
    return errors[0] if errors else failure.strip().rpartition("\n")[2]


def _git(*arguments: str) -> str:
    done = subprocess.run(("git", *arguments), cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def _stop(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
