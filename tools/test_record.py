"""A pytest plugin that records what a run did: one JSON line for each test, in the file that TEST_RECORD_FILE names.

`make test` reads it to run failed end-to-end tests once more and to name the slowest files. Use: `pytest -p test_record`.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest

#: Environment variable with the path of the record. The tests forget all variables of the product, so it is none of those.
VARIABLE = "TEST_RECORD_FILE"


@dataclass
class TestRecord:
    """One test of a run. `seconds` covers its set-up, call and tear-down; `failure` is the whole first failure, or "".

    `started` and `ended` are seconds since the epoch.
    """

    __test__ = False  # its name makes pytest look for tests in it

    id: str
    #: passed, failed (in its set-up or tear-down, too) or skipped
    outcome: str = "passed"
    seconds: float = 0.0
    failure: str = field(default="", repr=False)
    started: float = 0.0
    ended: float = 0.0


def read(path: Path) -> list[TestRecord]:
    """The tests of a finished run; none when the run ended before it could write."""
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
