"""Which columns of a file transfer are evidence, at its beginning and at its end: see `sessions/evidence.py`."""

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
TRANSFERS: Final = Covered(
    FileTransfer,
    ((*_TRANSFER, "size", "is_success", "detail", "date_start"),),
    {
        **PLACE_AND_PROOF,
        "begun_number": "stands in the proof of the beginning, as the place",
        "begun_proof": "is the proof of the beginning",
    },
)
#: The beginning of a transfer that was not over when the proxy told of it. Its row gets a second place at its end.
TRANSFERS_BEGUN: Final = Covered(
    FileTransfer,
    ((*_TRANSFER, "date_start"),),
    {
        **TRANSFERS.left_out,
        "size": "known at the end; empty until then, which is verified",
        "is_success": "known at the end; empty until then, which is verified",
        "detail": "known at the end; empty until then, which is verified",
    },
    prefix="begun_",
)
