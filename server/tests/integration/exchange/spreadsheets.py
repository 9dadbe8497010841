"""Reads files with a different library than the one that wrote them."""

import csv
import io
from collections.abc import Callable
from typing import Any

import openpyxl

ASSETS = "/api/v1/assets/assets/"
GROUPS = "/api/v1/users/groups/"

Table = list[list[Any]]


def body_of(answer: Any) -> bytes:
    """The complete body of a streamed answer."""
    assert answer.status_code == 200, answer.content
    return b"".join(answer.streaming_content)


def read_csv(data: bytes) -> Table:
    assert data.startswith(b"\xef\xbb\xbf"), "no byte-order mark"
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def read_xlsx(data: bytes) -> Table:
    """Read with openpyxl, which did not write the file. An empty cell is an empty text, as in csv."""
    sheet = openpyxl.load_workbook(io.BytesIO(data)).active
    assert sheet is not None
    return [["" if cell is None else cell for cell in row] for row in sheet.iter_rows(values_only=True)]


READERS: dict[str, Callable[[bytes], Table]] = {"csv": read_csv, "xlsx": read_xlsx}
