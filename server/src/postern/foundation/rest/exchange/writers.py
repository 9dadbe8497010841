"""Write rows of cells to a file one by one, without keeping them in memory."""

import csv
import io
from collections.abc import Sequence
from typing import IO, Any, Final, Protocol

import xlsxwriter
from django.utils.translation import gettext as _

from postern.foundation.rest.exchange.cells import Cell, guarded, looks_guarded, starts_formula
from postern.foundation.rest.exchange.formats import FileFormat
from postern.kernel.errors import PosternError

#: Maximum length of a workbook cell.
_MAX_XLSX_CHARS: Final = 32_767
#: Spreadsheets store numbers as floats, which cannot represent larger integers exactly.
_MAX_EXACT: Final = 2**53
_XLSX_OPTIONS: Final = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}


class CellTooLong(PosternError):
    """The text is too long for a workbook cell and would be truncated silently."""

    code = "cell_too_long"


class TableWriter(Protocol):
    """Accepts rows. The file is complete after `finish`; after an error, `discard` releases what was allocated."""

    def write(self, cells: Sequence[Cell]) -> None: ...

    def finish(self) -> None: ...

    def discard(self) -> None: ...


class CsvTable:
    """UTF-8 with byte-order mark, so that spreadsheets know the encoding; commas, CRLF."""

    def __init__(self, file: IO[bytes]) -> None:
        self._text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="", write_through=False)
        self._writer = csv.writer(self._text)

    def write(self, cells: Sequence[Cell]) -> None:
        self._writer.writerow([guarded(cell) if cell and cell.__class__ is str else cell for cell in cells])

    def finish(self) -> None:
        self._text.flush()
        self._text.detach()  # leaves the file open

    def discard(self) -> None:
        self.finish()


class XlsxTable:
    """One sheet, the first row bold and frozen. Each row is flushed to a temporary file when the next row starts."""

    def __init__(self, file: IO[bytes]) -> None:
        self._book: Any = xlsxwriter.Workbook(file, _XLSX_OPTIONS)
        self._sheet: Any = self._book.add_worksheet("Sheet1")
        self._sheet.freeze_panes(1, 0)
        self._bold: Any = self._book.add_format({"bold": True})
        self._as_text: Any = self._book.add_format({"quote_prefix": True})
        self._row = 0

    def write(self, cells: Sequence[Cell]) -> None:
        row, sheet = self._row, self._sheet
        usual = self._bold if row == 0 else None
        for column, cell in enumerate(cells):
            if isinstance(cell, str):
                if cell:
                    self._write_text(row, column, cell, usual)
            elif cell is None:
                continue
            elif isinstance(cell, bool):
                sheet.write_boolean(row, column, cell)
            elif isinstance(cell, int) and abs(cell) > _MAX_EXACT:
                sheet.write_string(row, column, str(cell))
            else:
                sheet.write_number(row, column, cell)
        self._row += 1

    def _write_text(self, row: int, column: int, text: str, usual: Any) -> None:
        if len(text) > _MAX_XLSX_CHARS - 1:
            raise CellTooLong(_("A text is too long for a cell of an xlsx file; export as csv."))
        if looks_guarded(text):
            text = f"'{text}"
        self._sheet.write_string(row, column, text, self._as_text if starts_formula(text) else usual)

    def finish(self) -> None:
        self._book.close()

    def discard(self) -> None:
        self._book.close()  # also removes the temporary file


def table_for(file_format: FileFormat, file: IO[bytes]) -> TableWriter:
    """A writer of this format for an open file."""
    return CsvTable(file) if file_format is FileFormat.CSV else XlsxTable(file)
