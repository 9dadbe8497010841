"""The workers of a run share the rewriting of asserts, in which pytest translates each test file before its first use.

In a new checkout every worker would translate every file, because all collect the files in the same order at the same
time: twelve seconds of CPU time for each of them. So each worker translates its share first, and all read the results.
"""

import os
import sys
from pathlib import Path
from typing import Final

import pytest
from _pytest.assertion import rewrite

_TESTS: Final = Path(__file__).parent


def rewrite_share(config: pytest.Config) -> None:
    """Translate this worker's share of the test files. Without workers there is nothing to share."""
    worker, workers = os.environ.get("PYTEST_XDIST_WORKER", ""), os.environ.get("PYTEST_XDIST_WORKER_COUNT", "")
    if not worker.startswith("gw") or not workers or sys.dont_write_bytecode:
        return
    for source in sorted(_TESTS.rglob("test_*.py"))[int(worker[2:]) :: int(workers)]:
        _rewrite(source, config)


def _rewrite(source: Path, config: pytest.Config) -> None:
    """Write the translation where pytest looks for it, as `AssertionRewritingHook.exec_module` does."""
    folder = rewrite.get_cache_dir(source)
    target = folder / f"{source.stem}{rewrite.PYC_TAIL}"
    if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
        return  # pytest itself compares the contents
    if rewrite.try_makedirs(folder):
        source_hash, code = rewrite._rewrite_test(source, config)
        rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, source_hash, target)
