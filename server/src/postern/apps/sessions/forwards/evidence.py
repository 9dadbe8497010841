"""The evidence columns of a forwarded connection, at its beginning and at its end: see `sessions/evidence.py`."""

from typing import Final

from postern.apps.sessions.forwards.models import ForwardedConnection
from postern.apps.sessions.sessions.evidence import PLACE_AND_PROOF, Covered

_BEGUN: Final = ("id", "session_id", "org_id", "asked", "opened", "originator", "date_start")
#: Columns of the end.
END: Final = ("bytes_in", "bytes_out", "duration_ms", "reason")
FORWARDS: Final = Covered(
    ForwardedConnection,
    ((*_BEGUN, *END),),
    {
        **PLACE_AND_PROOF,
        "begun_number": "is part of the proof of the beginning, as the position",
        "begun_proof": "is the proof of the beginning",
    },
)
FORWARDS_BEGUN: Final = Covered(
    ForwardedConnection,
    (_BEGUN,),
    {
        **FORWARDS.left_out,
        **dict.fromkeys(END, "known at the end; empty until then, which is verified"),
    },
    prefix="begun_",
)
