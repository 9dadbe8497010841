"""The file formats of import and export."""

from enum import StrEnum
from typing import Final


class FileFormat(StrEnum):
    """The values of `format=`, which are also the file extensions."""

    CSV = "csv"
    XLSX = "xlsx"

    @property
    def sent_as(self) -> str:
        """Content type of a download."""
        return "text/csv; charset=utf-8" if self is FileFormat.CSV else "application/xlsx"


#: Media types that OPTIONS lists in `renders` and `parses` (contract: conventions section 6).
RENDERS: Final = ("text/csv", "application/xlsx")
PARSES: Final = ("text/csv", "text/xlsx", "*/*")
