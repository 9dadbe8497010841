"""A pytest plugin that records the tests of a run: one JSON line per test, in the file named by TEST_RECORD_FILE.

`make test` reads it to repeat failed end-to-end tests and to list the slowest files. Use: `pytest -p test_record`.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest

#: Environment variable with the path of the record. It has no POSTERN prefix, because the tests clear the product's
#: variables.
VARIABLE = "TEST_RECORD_FILE"


@dataclass
class TestRecord:
    """The record of a test. `seconds` covers set-up, call and tear-down; `failure` is the complete first failure, or
    "".

    `started` and `ended` are seconds since the epoch.
    """

    __test__ = False  # its name would make pytest look for tests in it

    id: str
    #: passed, failed (also in set-up or tear-down) or skipped
    outcome: str = "passed"
    seconds: float = 0.0
    failure: str = field(default="", repr=False)
    started: float = 0.0
    ended: float = 0.0


def read(path: Path) -> list[TestRecord]:
    """The tests of a finished run; empty when the run ended before it could write the record."""
    if not path.exists():
        return []
    return [TestRecord(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


class Recorder:
    """Collects the reports of a run. With parallel workers only the controlling process has it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._tests: dict[str, TestRecord] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        test = self._tests.setdefault(report.nodeid, TestRecord(report.nodeid))
        test.seconds += report.duration
        test.started = test.started or report.start
        test.ended = report.stop
        if report.skipped and test.outcome == "passed":
            test.outcome = "skipped"
        if report.failed:
            test.outcome = "failed"
            test.failure = test.failure or report.longreprtext

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self) -> Iterator[None]:
        lines = [json.dumps(asdict(test)) for test in self._tests.values()]
        self._path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return (yield)


def pytest_configure(config: Any) -> None:
    path = os.environ.get(VARIABLE)
    if path and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(Path(path)), "test_record_of_this_run")
