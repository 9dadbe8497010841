"""Runs named commands, several at a time if allowed, and shows the output of those that fail."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
BIN: Final = ROOT / ".venv" / "bin"
#: Keep compiled modules, even if the caller's shell disables them. Otherwise each worker of a test run rewrites the
#: asserts of all test files, and each process of a started product compiles the product, which adds about a minute to a
#: whole run.
KEEP_BYTECODE: Final = {"PYTHONDONTWRITEBYTECODE": ""}


@dataclass(frozen=True)
class Step:
    """A command; `cwd` is relative to the top of the repository."""

    name: str
    argv: Sequence[str]
    cwd: str = "."
    environ: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    step: Step
    ok: bool
    seconds: float
    output: str


def perform(step: Step) -> Outcome:
    """Run a step to its end and keep its output."""
    started = time.monotonic()
    done = subprocess.run(
        step.argv,
        cwd=ROOT / step.cwd,
        env={**os.environ, **KEEP_BYTECODE, **step.environ},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    outcome = Outcome(step, done.returncode == 0, time.monotonic() - started, done.stdout)
    print(f"{'ok    ' if outcome.ok else 'FAILED'} {outcome.seconds:6.1f} s  {step.name}", flush=True)
    if not outcome.ok:
        print(outcome.output, flush=True)
    return outcome


def perform_all(steps: Sequence[Step], *, at_once: int) -> list[Outcome]:
    """Run the steps in the given order, at most `at_once` at the same time."""
    with ThreadPoolExecutor(max_workers=at_once) as pool:
        return list(pool.map(perform, steps))


def exit_status(outcomes: Sequence[Outcome]) -> int:
    failed = [outcome.step.name for outcome in outcomes if not outcome.ok]
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0
