"""Date and time formats of the API (contract: conventions section 5)."""

from typing import Final

DISPLAY_FORMAT: Final = "%Y/%m/%d %H:%M:%S %z"
INPUT_FORMATS: Final = (DISPLAY_FORMAT, "%Y-%m-%d %H:%M:%S %z", "iso-8601")
