"""Paths outside the specification are those of the contract: docs/specification/contract-paths.tsv.

One row for each path of an area that exists: the answered methods, the methods of the contract that are left out, and
why.
"""

import csv
import re
from pathlib import Path

import pytest
from django.urls import Resolver404, URLPattern, resolve
from django.urls.resolvers import RoutePattern

from postern.foundation.checks import methods_of, view_of

TABLE = Path(__file__).resolve().parents[3] / "docs" / "specification" / "contract-paths.tsv"
ROWS = list(csv.DictReader(TABLE.read_text().splitlines(), delimiter="\t"))
AN_ID = "6f1c2b9e-6f58-4c0e-9d0c-2b7f6f0a4d11"


def methods_at(path: str) -> set[str]:
    """The methods that a path below /api/v1/ answers; empty when there is no such path."""
    try:
        match = resolve("/api/v1/" + re.sub(r"\{\w+\}", AN_ID, path))
    except Resolver404:
        return set()
    view = view_of(URLPattern(RoutePattern(""), match.func))
    return set() if getattr(view, "open_page", False) else methods_of(view)


@pytest.mark.spec("S2-172")
@pytest.mark.parametrize("row", ROWS, ids=[row["path"] for row in ROWS])
def test_path_of_the_contract_answers_its_methods(row: dict[str, str]) -> None:
    assert set(row["methods"].split()) <= methods_at(row["path"])


def test_each_left_out_method_has_a_reason() -> None:
    for row in ROWS:
        left_out = set(row["left_out"].split())
        assert bool(left_out) == bool(row["why"]), row["path"]
        assert not left_out & methods_at(row["path"]), f"{row['path']} answers what the table says is left out"


def test_table_has_each_path_once_in_alphabetical_order() -> None:
    paths = [row["path"] for row in ROWS]
    assert paths == sorted(set(paths))
    assert len(paths) >= 150
    assert methods_at("users/nothing/") == set()
