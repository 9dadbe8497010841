"""The evidence columns of a command: see `sessions/evidence.py`."""

from typing import Final

from postern.apps.sessions.commands.models import Command
from postern.apps.sessions.sessions.evidence import PLACE_AND_PROOF, Covered

_COLUMNS_1: Final = (
    "id",
    "session_id",
    "org_id",
    "user",
    "asset",
    "system_user",
    "kind",
    "input",
    "output",
    "risk_level",
    "at",
    "offset_ms",
)
_COLUMNS_2: Final = (*_COLUMNS_1, "decision", "decision_rule", "decision_filter", "decision_reason")
_COLUMNS_3: Final = (*_COLUMNS_2, "asset_id")

COMMANDS: Final = Covered(Command, (_COLUMNS_1, _COLUMNS_2, _COLUMNS_3), PLACE_AND_PROOF)
