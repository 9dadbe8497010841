"""Reports which statements of the specification are covered by a test.

    python tools/spec_coverage.py            print the counts and the open statements, write docs/specification/coverage.md
    python tools/spec_coverage.py --check    only fail on ids that no statement has, and on a stale coverage page

A Python test claims a statement with `@pytest.mark.spec("S4-012")`; a console or browser test with `[S4-012]` in its
title. This script runs no tests: the page lists the claims, and the tests prove them.
"""

import argparse
import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STATEMENTS = ROOT / "docs" / "specification" / "requirements.tsv"
PAGE = ROOT / "docs" / "specification" / "coverage.md"

_TITLE_ID = re.compile(r"\[((?:S\d+-\d{3}[a-z]?)(?:[ ,]+S\d+-\d{3}[a-z]?)*)\]")
_ID = re.compile(r"S\d+-\d{3}[a-z]?")


@dataclass(frozen=True)
class Statement:
    """A numbered statement of the specification."""

    id: str
    section: str
    area: str
    text: str


def read_statements(path: Path) -> list[Statement]:
    """The statements of a tab-separated file with the columns id, section, area, statement, kind."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [Statement(*line.split("\t")[:4]) for line in lines[1:] if line.strip()]


def ids_in_python(path: Path) -> Iterator[tuple[str, int]]:
    """Each id in a `pytest.mark.spec(...)` of the file, with its line; also through a function that passes its ids on, of
    this file or imported from one beside it.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    passing = _passing(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (beside := path.with_name(f"{node.module}.py")).is_file():
            imported = {alias.name for alias in node.names}
            passing |= imported & _passing(ast.parse(beside.read_text(encoding="utf-8"), str(beside)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (_is_spec(node) or getattr(node.func, "id", None) in passing):
            texts = [one for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            for text in texts:
                if _is_spec(node) or _ID.fullmatch(str(text.value)):
                    yield str(text.value), text.lineno


def _passing(tree: ast.Module) -> set[str]:
    """The functions of a file that pass their ids on to `pytest.mark.spec`."""
    return {
        function.name
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        and function.args.vararg is not None
        and any(_passes_on(node, function.args.vararg.arg) for node in ast.walk(function))
    }


def _is_spec(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "spec"


def _passes_on(node: ast.AST, name: str) -> bool:
    """Whether it is `spec(*name)`."""
    return (
        isinstance(node, ast.Call)
        and _is_spec(node)
        and any(isinstance(one, ast.Starred) and getattr(one.value, "id", None) == name for one in node.args)
    )


def ids_in_titles(path: Path) -> Iterator[tuple[str, int]]:
    """Each id in square brackets in the file (titles of console and browser tests), with its line."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        for group in _TITLE_ID.finditer(line):
            for statement_id in _ID.findall(group.group(1)):
                yield statement_id, number


def ids_in_tests(root: Path) -> dict[str, list[str]]:
    """The places that claim each id: id → list of `file:line`."""
    places: dict[str, list[str]] = defaultdict(list)
    sources = [
        (ids_in_python, [*root.glob("server/tests/**/test_*.py"), *root.glob("e2e/**/test_*.py")]),
        (ids_in_titles, [*root.glob("console/src/**/*.test.ts"), *root.glob("console/src/**/*.test.tsx")]),
    ]
    for read, paths in sources:
        for path in sorted(paths):
            for statement_id, line in read(path):
                places[statement_id].append(f"{path.relative_to(root)}:{line}")
    return places


def page(statements: list[Statement], places: dict[str, list[str]]) -> str:
    """The coverage page as Markdown."""
    counts: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for statement in statements:
        row = counts[statement.section, statement.area]
        row[1] += 1
        row[0] += statement.id in places
    shown_count = sum(row[0] for row in counts.values())
    lines = [
        "# Statements of the specification and the tests that show them",
        "",
        "Written by `make spec`; do not edit.",
        "",
        f"Shown: {shown_count} of {len(statements)}.",
        "",
        "| section | area | shown | statements |",
        "|---|---|---|---|",
        *(
            f"| {section} | {area} | {have} | {total} |"
            for (section, area), (have, total) in sorted(counts.items(), key=lambda item: (int(item[0][0]), item[0][1]))
        ),
        "",
        "## Shown",
        "",
        *(
            f"- {statement.id} {statement.text} — {', '.join(sorted({place.split(':')[0] for place in places[statement.id]}))}"
            for statement in statements
            if statement.id in places
        ),
        "",
        "## Open",
        "",
        *(
            f"- {statement.id} ({statement.area}) {statement.text}"
            for statement in statements
            if statement.id not in places
        ),
        "",
    ]
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Command line; exit status 1 when an id is unknown or, with --check, the page is stale."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args(arguments).check
    statements = read_statements(STATEMENTS)
    places = ids_in_tests(ROOT)
    known = {statement.id for statement in statements}
    unknown = sorted(set(places) - known)
    for statement_id in unknown:
        print(f"unknown statement {statement_id} at {', '.join(places[statement_id])}", file=sys.stderr)
    text = page(statements, places)
    if check:
        stale = not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text
        if stale:
            print("docs/specification/coverage.md is stale: run `make spec`", file=sys.stderr)
        return 1 if unknown or stale else 0
    PAGE.write_text(text, encoding="utf-8")
    print(text.split("## Shown", maxsplit=1)[0])
    for statement in statements:
        if statement.id not in places:
            print(f"open {statement.id} ({statement.area}) {statement.text}")
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
