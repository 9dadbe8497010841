"""The evidence columns of a command: see `sessions/evidence.py`."""

from typing import Final

from postern.apps.sessions.commands.models import Command
from postern.apps.sessions.sessions.evidence import PLACE_AND_PROOF, Covered

COMMANDS: Final = Covered(
    Command,
    (
        (
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
        ),
    ),
    PLACE_AND_PROOF,
)
