"""Writes of labels."""

from typing import Final

from postern.apps.assets.tree.models import Label
from postern.apps.audits.recorded import RecordedRows

LABELS: Final = RecordedRows(Label, gone=("name", "value"), lists={"assets": "hostname"})
