"""From rows of cells to fields and values: which column belongs to which field, and how a cell is parsed."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postern.foundation.rest.exchange.cells import cell_of
from postern.foundation.rest.exchange.reader import table
from postern.foundation.rest.exchange.reader.problems import Unreadable

KNOWN = table.KnownColumns(
    {"name": "name", "名称": "name", "comment": "comment", "users": "users"}, structured=frozenset({"users"})
)


def _read(*rows: list[str]) -> tuple[list[tuple[str, str]], list[dict[str, Any]]]:
    numbered = iter(list(enumerate(rows, start=1)))
    pairs = table.header(numbered, KNOWN)
    return pairs, list(table.values(numbered, pairs, KNOWN))


def _refused(*rows: list[str]) -> str:
    with pytest.raises(Unreadable) as caught:
        _read(*rows)
    return caught.value.slug


@pytest.mark.parametrize(
    "title", ["Name", "*Name", "* name ", "NAME", "名称", "*名称", "\ufeff*Name", "＊名称", "'=x\n"]
)
def test_title_is_found_by_label_or_name_ignoring_mark_and_case(title: str) -> None:
    expected = "" if "=" in title else "name"
    assert table.KnownColumns({"name": "name", "名称": "name"}, frozenset()).field_of(title) == expected


def test_unknown_columns_are_ignored() -> None:
    pairs, rows = _read(["*Name", "Whatever", "Comment"], ["a", "b", "c"])
    assert pairs == [("*Name", "name"), ("Whatever", ""), ("Comment", "comment")]
    assert rows == [{"name": "a", "comment": "c"}]


def test_empty_cells_are_dropped_and_empty_rows_skipped() -> None:
    _pairs, rows = _read([], ["", ""], ["name", "comment"], ["a", ""], ["", " "], [], ["b"], ["", "", ""])
    assert rows == [{"name": "a"}, {"name": "b"}]


def test_repeated_column_is_refused_also_under_another_name() -> None:
    assert _refused(["name", "Name"], ["a", "b"]) == "twice"
    assert _refused(["name", "*名称"], ["a", "b"]) == "twice"
    assert _read(["name", "x", "x"], ["a", "b", "c"])[1] == [{"name": "a"}]


def test_header_without_any_known_column_is_refused() -> None:
    assert _refused(["a", "b"], ["1", "2"]) == "no_known_column"
    assert _refused(["web-1", "203.0.113.1"]) == "no_known_column"
    assert _refused([], [""]) == "empty"


def test_rows_and_columns_have_a_maximum() -> None:
    assert _refused(["name", *(f"c{n}" for n in range(300))], ["a"]) == "columns"
    assert _refused(["name"], *([str(n)] for n in range(20_001))) == "rows"
    assert len(_read(["name"], *([str(n)] for n in range(20_000)))[1]) == 20_000


def test_row_longer_than_the_header_is_refused_instead_of_cut() -> None:
    assert _refused(["name", "comment"], ["a", "b", "c"]) == "too_many_cells"
    assert _read(["name"], ["a", "", " "])[1] == [{"name": "a"}]


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("['a', 'b']", ["a", "b"]),
        ('["a", "b"]', ["a", "b"]),
        ("[“a”，‘b’]", ["a", "b"]),
        ("{'pk': 1, 'ok': True, 'no': None}", {"pk": 1, "ok": True, "no": None}),
        ('{"ok": true, "no": null}', {"ok": True, "no": None}),
        ("[]", []),
        (" [1, 2] ", [1, 2]),
        ("[('a', 1)]", [["a", 1]]),
        ('["it\'s", \'say "x"\']', ["it's", 'say "x"']),
        ("a, b", "a, b"),
        ("[a, b]", "[a, b]"),
        ("[1", "[1"),
        ("[NaN]", "[NaN]"),
        ("[1e999]", "[1e999]"),
        ("{1, 2}", "{1, 2}"),
        ("{1: 2}", "{1: 2}"),
        ("[b'x']", "[b'x']"),
        ("['生产']", ["生产"]),
    ],
)
def test_structured_cell_is_parsed_as_a_list_or_map(cell: str, value: Any) -> None:
    assert table.value_of(cell, structured=True) == value


@pytest.mark.parametrize(
    "cell",
    [
        "[__import__('os').system('touch /tmp/ran')]",
        "[open('/etc/passwd').read()]",
        "{'a': (lambda: 1)()}",
        "[f'{1}']",
        "[1 for _ in ().__class__.__bases__]",
        "[" * 200_000,
        "[" * 5_000 + "]" * 5_000,
        "[" + "-" * 100_000 + "1]",
        "[" + "9" * 5_000 + "]",
        "[*[1]]",
    ],
)
def test_k72_hostile_structure_stays_text_and_is_never_executed(cell: str) -> None:
    value = table.value_of(cell, structured=True)
    assert value == cell or cell.startswith("[9"), type(value)


def test_text_that_looks_like_a_list_stays_text_in_a_text_field() -> None:
    _pairs, rows = _read(["name", "users"], ["['a']", "['a']"])
    assert rows == [{"name": "['a']", "users": ["a"]}]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(st.characters(exclude_categories=("Cs",))),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(st.lists(JSON, max_size=4) | st.dictionaries(st.text(max_size=4), JSON, max_size=4))
def test_every_list_and_map_of_an_export_is_read_back(value: Any) -> None:
    cell = cell_of(value)
    assert isinstance(cell, str)
    assert table.value_of(cell, structured=True) == value
