"""`make test` retries a failed end-to-end test once, and reports it as flaky."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "tools"))

import test_all  # noqa: E402 - the tools folder must be on the path first
import test_record  # noqa: E402
from steps import Outcome, Step  # noqa: E402

TESTS = """
import pathlib
import pytest

def test_passes():
    pass

@pytest.mark.skip
def test_skipped():
    pass

@pytest.fixture
def untidy():
    yield
    assert "tidy" == "untidy"

def test_fails_twice(untidy):
    assert "this" == "that"

def test_fails_the_first_time():
    seen = pathlib.Path(__file__).with_name("seen")
    again = seen.exists()
    seen.touch()
    assert again, "not seen yet"
"""


def run(folder: Path, *ids: str) -> tuple[Outcome, list[test_record.TestRecord]]:
    record = folder / "record.jsonl"
    argv = (sys.executable, "-m", "pytest", "-q", "-p", "test_record", "-p", "no:randomly", "-p", "no:django")
    done = subprocess.run(
        (*argv, "-p", "no:cacheprovider", "--rootdir", str(folder), *(ids or ("test_four.py",))),
        cwd=folder,
        env={"PYTHONPATH": str(ROOT / "tools"), test_record.VARIABLE: str(record)},
        capture_output=True,
        text=True,
        check=False,
    )
    outcome = Outcome(Step("end to end", argv), ok=done.returncode == 0, seconds=0.0, output=done.stdout)
    return outcome, test_record.read(record)


@pytest.fixture
def totals(tmp_path: Path) -> test_all.Totals:
    (tmp_path / "test_four.py").write_text(TESTS)
    outcome, tests = run(tmp_path)
    failures = [test for test in tests if test.outcome == "failed"]
    assert [test.id for test in failures] == [
        "test_four.py::test_fails_twice",
        "test_four.py::test_fails_the_first_time",
    ]
    totals = test_all.Totals()
    totals.add(outcome, tests, test_all.retried(failures, lambda test_id: run(tmp_path, test_id)[0]))
    return totals


def test_that_passes_the_second_time_counts_as_passed_and_is_reported_as_flaky(totals: test_all.Totals) -> None:
    assert (totals.passed, totals.failed, totals.skipped, totals.ok) == (2, 1, 1, False)
    assert [test.id for test in totals.flaky] == ["test_four.py::test_fails_the_first_time"]
    assert "AssertionError: not seen yet" in totals.flaky[0].failure


def test_stamp_names_commit_counts_and_flaky_tests(
    totals: test_all.Totals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(test_all, "STAMP", tmp_path / "stamps" / "last-test.json")
    test_all.write_stamp(totals, 12, test_all.tested_commit())
    stamp = json.loads((tmp_path / "stamps" / "last-test.json").read_text())
    assert stamp["commit"] == test_all.tested_commit()
    assert (stamp["passed"], stamp["failed"], stamp["seconds"]) == (2, 1, 12)
    assert stamp["flaky"] == ["test_four.py::test_fails_the_first_time: AssertionError: not seen yet"]
    test_all.tell(totals, 12)
    told = capsys.readouterr().out
    assert "FLAKY   test_four.py::test_fails_the_first_time" in told
    # A log that is cut keeps its end: only the test that failed twice is there.
    assert told.count("FAILED  ") == 1
    assert "assert 'this' == 'that'" in told.rpartition("FAILED  end to end: test_four.py::test_fails_twice")[2]


def test_many_failures_are_not_retried() -> None:
    failures = [test_record.TestRecord(f"test_{number}", "failed") for number in range(test_all.MAX_RETRIED + 1)]
    assert test_all.retried(failures, lambda test_id: pytest.fail(f"{test_id} was run")) == []


def test_run_that_ends_before_any_result_is_a_failure() -> None:
    totals = test_all.Totals()
    totals.add(Outcome(Step("", ()), ok=False, seconds=0.0, output="Killed"), [])
    assert (totals.passed, totals.failed, totals.ok) == (0, 1, False)


@pytest.mark.parametrize(
    ("output", "failures"),
    [
        (
            "\x1b[31m FAIL \x1b[39m src/ui/bell.test.tsx > it rings\nAssertionError: silent\n",
            ["console, unit: FAIL  src/ui/bell.test.tsx > it rings\nAssertionError: silent"],
        ),
        ("Error: out of memory\n", ["console, unit\nError: out of memory"]),
    ],
)
def test_failures_of_a_run_without_a_record_are_taken_from_its_output(output: str, failures: list[str]) -> None:
    totals = test_all.Totals()
    totals.add(Outcome(Step("console, unit", ()), ok=False, seconds=0.0, output=output))
    assert totals.failures == failures
