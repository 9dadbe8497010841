"""The evidence columns of a file transfer, at its beginning and at its end: see `sessions/evidence.py`."""

from typing import Final

from postern.apps.sessions.sessions.evidence import PLACE_AND_PROOF, Covered
from postern.apps.sessions.transfers.models import FileTransfer

_TRANSFER: Final = (
    "id",
    "session_id",
    "org_id",
    "user",
    "remote_addr",
    "asset",
    "system_user",
    "direction",
    "operate",
    "filename",
)
_END_1: Final = (*_TRANSFER, "size", "is_success", "detail", "date_start")
TRANSFERS: Final = Covered(
    FileTransfer,
    (_END_1, (*_END_1, "sha256")),
    {
        **PLACE_AND_PROOF,
        "begun_number": "is part of the proof of the beginning, as the position",
        "begun_proof": "is the proof of the beginning",
    },
)
#: The beginning of a transfer that was reported before its end. Its row gets a second position at its end.
TRANSFERS_BEGUN: Final = Covered(
    FileTransfer,
    ((*_TRANSFER, "date_start"),),
    {
        **TRANSFERS.left_out,
        "size": "known at the end; empty until then, which is verified",
        "is_success": "known at the end; empty until then, which is verified",
        "detail": "known at the end; empty until then, which is verified",
        "sha256": "known at the end; empty until then, which is verified",
    },
    prefix="begun_",
)
