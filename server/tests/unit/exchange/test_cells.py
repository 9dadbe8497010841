"""Cells of export files: no text becomes a formula, and every text is read back unchanged.

K71: cells of a file are never formulas.
"""

import csv
import io
from typing import Any
from uuid import UUID

import openpyxl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from postern.foundation.rest.exchange.cells import cell_of, guarded, starts_formula, unguarded
from postern.foundation.rest.exchange.formats import FileFormat
from postern.foundation.rest.exchange.reader import texts, workbooks
from postern.foundation.rest.exchange.writers import CellTooLong, table_for

FORMULAS = (
    "=1+1",
    "+1+1",
    "-1+1",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "＝1+1",
    '=HYPERLINK("http://example.test","x")',
    "=cmd|' /C calc'!A0",
    "'=1",
    "''=1",
    "'''+86 138",
)

#: Texts that databases accept: no NUL, no lone surrogates.
TEXTS = st.text(alphabet=st.characters(exclude_characters="\x00", exclude_categories=("Cs",)), max_size=40)


@pytest.mark.parametrize("text", FORMULAS)
def test_k71_csv_cell_never_starts_a_formula_and_is_read_back(text: str) -> None:
    assert not starts_formula(guarded(text))
    assert unguarded(guarded(text)) == text


@given(TEXTS)
@example("'")
@example("''")
@example("'=")
def test_k71_formula_guard_is_reversible_for_every_text(text: str) -> None:
    assert unguarded(guarded(text)) == text
    assert not starts_formula(guarded(text))


def test_ordinary_texts_are_unchanged() -> None:
    for text in ("web-1", "it's", "'quoted'", "a=b", "", "10.0.0.1", "数据库"):
        assert guarded(text) == text


def _written(file_format: FileFormat, cells: list[Any]) -> bytes:
    file = io.BytesIO()
    table = table_for(file_format, file)
    table.write(["Title"])
    for cell in cells:
        table.write([cell])
    table.finish()
    return file.getvalue()


def test_k71_csv_with_formulas_is_inert_for_another_reader() -> None:
    data = _written(FileFormat.CSV, list(FORMULAS)).decode("utf-8-sig")
    cells = [row[0] for row in csv.reader(io.StringIO(data, newline=""))][1:]
    assert [cell for cell in cells if cell[0] in "=+-@\t\r\n＝"] == []
    assert [unguarded(cell) for cell in cells] == list(FORMULAS)


def test_k71_xlsx_with_formulas_contains_text_that_stays_text() -> None:
    sheet = openpyxl.load_workbook(io.BytesIO(_written(FileFormat.XLSX, list(FORMULAS)))).active
    assert sheet is not None
    cells = [row[0] for row in sheet.iter_rows(min_row=2)]
    assert {cell.data_type for cell in cells} == {"s"}, "a live formula"
    for cell in cells:
        # The quote prefix keeps the cell a text even after a person edits it.
        assert cell.quotePrefix or not starts_formula(str(cell.value))


@settings(max_examples=50)
@given(st.lists(TEXTS, min_size=1, max_size=8))
def test_k71_every_text_survives_both_file_formats(cells: list[str]) -> None:
    expected = [cell for cell in cells if cell]
    from_xlsx = [row[0] for _number, row in workbooks.rows(_written(FileFormat.XLSX, cells))][1:]
    assert [unguarded(cell) for cell in from_xlsx if cell] == expected
    data = _written(FileFormat.CSV, cells)
    from_csv = [row[0] for row in csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")) if row][1:]
    assert [unguarded(cell) for cell in from_csv if cell] == expected


def test_numbers_are_written_as_numbers_and_large_ones_stay_exact() -> None:
    data = _written(FileFormat.XLSX, [-5, 1.5, True, 2**60, None])
    sheet = openpyxl.load_workbook(io.BytesIO(data)).active
    assert sheet is not None
    assert [row[0] for row in sheet.iter_rows(min_row=2, values_only=True)] == [-5, 1.5, True, str(2**60)]
    assert [row[0] for _number, row in workbooks.rows(data)] == ["Title", "-5", "1.5", "True", str(2**60)]


def test_too_long_xlsx_text_is_refused_instead_of_cut() -> None:
    table = table_for(FileFormat.XLSX, io.BytesIO())
    with pytest.raises(CellTooLong):
        table.write(["x" * 40_000])
    table.discard()
    assert len(_written(FileFormat.CSV, ["x" * 40_000])) > 40_000


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (["a", "b"], "['a', 'b']"),
        ({"security": "tls"}, "{'security': 'tls'}"),
        ([UUID(int=1)], "['00000000-0000-0000-0000-000000000001']"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        ([], "[]"),
        (None, None),
        (False, False),
        (3, 3),
        ("生产", "生产"),
    ],
)
def test_value_is_written_to_a_cell_as_python_writes_it(value: Any, cell: Any) -> None:
    assert cell_of(value) == cell


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "gbk", "gb18030"]
)
def test_text_in_each_encoding_is_read(encoding: str) -> None:
    text = "*名称,备注\r\n数据库一,生产环境的机器\r\nweb,plain\r\n"
    assert texts.decoded(text.encode(encoding)).lstrip("\ufeff") == text
