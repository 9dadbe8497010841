"""Reads files with a different library than the one that wrote them."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import openpyxl
from rest_framework.test import APIClient

from endpoints import ENDPOINTS

ASSETS = "/api/v1/assets/assets/"
GROUPS = "/api/v1/users/groups/"
_END = "render-to-json/"
#: Rows of these lists can only be changed. A path with `<org_id>` is left out, because another list has the same rows.
_NOT_MADE = frozenset({"/api/v1/terminal/terminals/", "/api/v1/applications/accounts/"})
LISTS = sorted(
    {
        endpoint.path.removesuffix(_END)
        for endpoint in ENDPOINTS
        if endpoint.path.endswith(_END) and "<" not in endpoint.path
    }
    - _NOT_MADE
)


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


def uploaded(client: APIClient, url: str, data: bytes) -> list[dict[str, Any]]:
    """The rows that the server reads from a csv file."""
    answer: Any = client.generic("POST", f"{url}{_END}", data, content_type="text/csv")  # type: ignore[arg-type]  # bytes
    rows: list[dict[str, Any]] = json.loads(body_of(answer))["data"]
    return rows
