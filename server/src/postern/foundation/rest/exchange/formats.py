"""The two kinds of files."""

from enum import StrEnum
from typing import Final


class FileFormat(StrEnum):
    """What `format=` names, which is also the ending of the file's name."""

    CSV = "csv"
    XLSX = "xlsx"

    @property
    def sent_as(self) -> str:
        """Content type of a download."""
        return "text/csv; charset=utf-8" if self is FileFormat.CSV else "application/xlsx"


#: What OPTIONS names in `renders` and `parses` (contract: conventions section 6).
RENDERS: Final = ("text/csv", "application/xlsx")
PARSES: Final = ("text/csv", "text/xlsx", "*/*")
