"""From the bytes of an xlsx file to rows of cells: checks of the archive, then the first visible sheet."""

import codecs
import datetime as dt
import io
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any, Final

import python_calamine

from postern.foundation.rest.exchange.reader.limits import (
    MAX_PARTS,
    MAX_RATIO,
    MAX_UNPACKED_BYTES,
    RATIO_FREE_BYTES,
)
from postern.foundation.rest.exchange.reader.problems import Unreadable

ZIP_START: Final = b"PK"
_OLD_OFFICE_START: Final = b"\xd0\xcf\x11\xe0"
_ENCRYPTED: Final = "EncryptedPackage".encode("utf-16-le")
_PROLOG_BYTES: Final = 4_096
_ACTIVE_PARTS: Final = ("vbaproject", "xl/externallinks/", "xl/macrosheets/", "xl/dialogsheets/", "xl/activex/")
_BROKEN: Final = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)

#: The encoding of names in zip archives. Loaded now, because no file can be opened later (`limits.close_the_door`).
codecs.lookup("cp437")


def rows(data: bytes) -> Iterator[tuple[int, list[str]]]:
    """(row number, cells) of the first visible sheet. Formulas give their last result. Raises Unreadable."""
    _check_container(data)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _check_parts(archive)
        book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
        visible_names = [
            sheet_metadata.name
            for sheet_metadata in book.sheets_metadata
            if sheet_metadata.visible is python_calamine.SheetVisibleEnum.Visible
            and sheet_metadata.typ is python_calamine.SheetTypeEnum.WorkSheet
        ]
        if not visible_names:
            raise Unreadable("no_sheet")
        sheet = book.get_sheet_by_name(visible_names[0])
    except python_calamine.PasswordError:
        raise Unreadable("password") from None
    except (python_calamine.CalamineError, *_BROKEN):
        raise Unreadable("damaged") from None
    first = sheet.start[0] if sheet.start else 0
    for number, cells in enumerate(sheet.iter_rows(), start=first + 1):
        yield number, [_text(cell) for cell in cells]


def _check_container(data: bytes) -> None:
    if data.startswith(_OLD_OFFICE_START):
        raise Unreadable("password" if _ENCRYPTED in data else "old_excel")
    if not data.startswith(ZIP_START):
        raise Unreadable("not_xlsx")


def _check_parts(archive: zipfile.ZipFile) -> None:
    parts = archive.infolist()
    names = {part.filename.replace("\\", "/").lower().lstrip("/") for part in parts}
    if "xl/workbook.xml" not in names:
        raise Unreadable("not_xlsx")
    if any(active in name for name in names for active in _ACTIVE_PARTS):
        raise Unreadable("macros")
    if any(part.flag_bits & 0x1 for part in parts):
        raise Unreadable("password")
    if len(parts) > MAX_PARTS or sum(part.file_size for part in parts) > MAX_UNPACKED_BYTES:
        raise Unreadable("bomb")
    for part in parts:
        if part.file_size > max(RATIO_FREE_BYTES, MAX_RATIO * part.compress_size):
            raise Unreadable("bomb")
        _check_prolog(archive, part)


def _check_prolog(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> None:
    """Refuse document types: they can declare entities, and no spreadsheet program writes them."""
    if part.filename.lower().endswith((".xml", ".rels", ".vml")):
        with archive.open(part) as opened:
            start = opened.read(_PROLOG_BYTES).replace(b"\x00", b"").upper()
        if b"<!DOCTYPE" in start or b"<!ENTITY" in start:
            raise Unreadable("entities")


def _text(cell: Any) -> str:
    """Numbers without a superfluous `.0`, dates and times as ISO 8601, everything else unchanged."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return str(cell)
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 2**53 else repr(cell)
    if isinstance(cell, dt.date | dt.time):  # also matches datetime, a subclass of date
        return cell.isoformat()
    return "" if cell is None else str(cell)
