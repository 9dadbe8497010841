"""The numbered invariants: each number in the code is described, and each described invariant has a test."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs/reference/invariants.md"
NAMED = re.compile(r"\bK([1-9][0-9]?)\b|\btest_k([1-9][0-9]?)(?=_)")


def numbers_in(*patterns: str) -> set[int]:
    files = [path for pattern in patterns for path in ROOT.glob(pattern) if "node_modules" not in path.parts]
    assert files
    return {int(a or b) for path in files for a, b in NAMED.findall(path.read_text(encoding="utf-8"))}


def described() -> list[int]:
    return [int(number) for number in re.findall(r"^\| K(\d+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)]


def test_each_invariant_number_in_use_is_described() -> None:
    named = numbers_in(
        "server/src/**/*.py", "server/tests/**/*.py", "e2e/*.py", "console/src/**/*.ts*", "docs/**/*.md", "*.md"
    )
    assert sorted(named - set(described())) == []


def test_each_described_invariant_has_a_test_that_names_it() -> None:
    assert sorted(set(described()) - numbers_in("server/tests/**/*.py", "e2e/*.py", "tools/house_lint/**/*.py")) == []


def test_invariants_are_listed_once_in_order() -> None:
    assert described() == sorted(set(described()))
